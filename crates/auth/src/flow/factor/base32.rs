//! Base32 (RFC 4648) without padding, as authenticator apps read secrets.

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Encodes bytes.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let (mut buffer, mut bits) = (0_u16, 0_u32);
    for byte in bytes {
        buffer = (buffer << 8) | u16::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(letter(buffer >> bits));
        }
    }
    if bits > 0 {
        text.push(letter(buffer << (5 - bits)));
    }
    text
}

/// Returns the letter of the last five bits.
fn letter(bits: u16) -> char {
    let index = usize::from(bits & 31);
    ALPHABET.get(index).copied().map_or('A', char::from)
}

/// Decodes text in either case, with or without padding and blanks. Returns `None` if another character occurs.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 5 / 8);
    let (mut buffer, mut bits) = (0_u16, 0_u32);
    for letter in text.bytes().filter(|it| !matches!(it, b' ' | b'=')) {
        let letter = letter.to_ascii_uppercase();
        let value = ALPHABET.iter().position(|it| *it == letter)?;
        buffer = (buffer << 5) | u16::try_from(value).ok()?;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((buffer >> bits) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{decode, encode};

    /// The examples of RFC 4648, without their padding.
    const EXAMPLES: [(&str, &str); 7] = [
        ("", ""),
        ("f", "MY"),
        ("fo", "MZXQ"),
        ("foo", "MZXW6"),
        ("foob", "MZXW6YQ"),
        ("fooba", "MZXW6YTB"),
        ("foobar", "MZXW6YTBOI"),
    ];

    #[test]
    fn the_examples_of_the_rfc_hold() {
        for (plain, encoded) in EXAMPLES {
            assert_eq!(encode(plain.as_bytes()), encoded);
            assert_eq!(decode(encoded).unwrap(), plain.as_bytes());
        }
    }

    #[test]
    fn secrets_are_read_as_people_write_them() {
        assert_eq!(decode("mzxw 6ytb oi======").unwrap(), b"foobar");
        assert_eq!(decode("MZXW1"), None);
        assert_eq!(decode("MZXW-6"), None);
    }

    proptest! {
        #[test]
        fn whatever_is_encoded_decodes(bytes in any::<Vec<u8>>()) {
            prop_assert_eq!(decode(&encode(&bytes)).unwrap(), bytes);
        }
    }
}
