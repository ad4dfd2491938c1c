//! The pieces that the text formats of password hashes share.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The text is not a password hash of a supported format. The message never contains any part of the
/// hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HashFormatError(pub(super) &'static str);

/// Decodes base64 with or without padding.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

/// Parses the number after a name such as `m=`.
pub(super) fn parse_number(text: &str, name: &str) -> Option<u32> {
    let digits = text.strip_prefix(name)?;
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}
