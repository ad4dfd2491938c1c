//! Passwords of PostgreSQL that cost little to check.

use aws_lc_rs::{digest, hmac};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::random;

/// Returns what PostgreSQL stores of a password, with one round instead of 4,096. Those protect a stolen copy of the
/// server's tables; in the tests of auth, which connect thousands of times, they were a quarter of the processor time.
pub(super) fn verifier(password: &[u8]) -> String {
    let salt: [u8; 16] = random::bytes();
    let first_block = [salt.as_slice(), &1_u32.to_be_bytes()].concat();
    let salted = sign(password, &first_block);
    let client_key = sign(salted.as_ref(), b"Client Key");
    let stored_key = digest::digest(&digest::SHA256, client_key.as_ref());
    let server_key = sign(salted.as_ref(), b"Server Key");
    format!(
        "SCRAM-SHA-256$1:{}${}:{}",
        STANDARD.encode(salt),
        STANDARD.encode(stored_key),
        STANDARD.encode(server_key)
    )
}

fn sign(key: &[u8], data: &[u8]) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), data)
}
