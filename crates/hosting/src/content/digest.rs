//! Hashes that name content.

use aws_lc_rs::digest::{Context, Digest, SHA256};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// SHA-256 of parts, each with its length, so that they cannot run into each other.
pub(crate) fn of(parts: &[&[u8]]) -> Digest {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(&(part.len() as u64).to_le_bytes());
        context.update(part);
    }
    context.finish()
}

/// A number that differs for different parts.
pub(crate) fn number(parts: &[&[u8]]) -> u64 {
    let digest = of(parts);
    let bytes = digest.as_ref().first_chunk::<8>().copied();
    u64::from_le_bytes(bytes.unwrap_or_default())
}

/// A short text that differs for different bytes, for entity tags.
pub(crate) fn tag(bytes: &[u8]) -> String {
    let digest = of(&[bytes]);
    URL_SAFE_NO_PAD.encode(digest.as_ref().get(..15).unwrap_or_default())
}

/// A name for a file.
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

/// A small hash of a word (FNV-1a), the same on every machine. Nothing depends on it being hard to
/// find others with the same one.
pub(crate) fn small(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}
