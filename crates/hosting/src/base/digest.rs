//! Digests that identify content.

use aws_lc_rs::digest::{Context, Digest, SHA256};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Returns the SHA-256 of parts, each preceded by its length, so that their boundaries count.
pub(crate) fn of(parts: &[&[u8]]) -> Digest {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(&(part.len() as u64).to_le_bytes());
        context.update(part);
    }
    context.finish()
}

/// Returns 64 bits of the digest of parts.
pub(crate) fn number(parts: &[&[u8]]) -> u64 {
    let digest = of(parts);
    let bytes = digest.as_ref().first_chunk::<8>().copied();
    u64::from_le_bytes(bytes.unwrap_or_default())
}

/// Returns a digest of bytes as a short text, for entity tags.
pub(crate) fn tag(bytes: &[u8]) -> String {
    let digest = of(&[bytes]);
    URL_SAFE_NO_PAD.encode(digest.as_ref().get(..15).unwrap_or_default())
}

/// Returns the digest of parts in hexadecimal, for file names.
pub(crate) fn hex(parts: &[&[u8]]) -> String {
    let digest = of(parts);
    digest
        .as_ref()
        .iter()
        .fold(String::new(), |mut text, byte| {
            use std::fmt::Write as _;
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Returns a 32-bit hash of a word (FNV-1a), which is the same on every machine. It need not resist
/// collisions.
pub(crate) fn small(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}
