//! The format of keys: `ink_live_`, an id of 12 characters, a secret of 32 and a checksum of 6, all of
//! letters and digits.
//!
//! The checksum lets scanners recognise keys in source code, and lets the server refuse mistyped ones without
//! the database.

use std::fmt;

use flate2::Crc;
use innkeeper_service::random;
use innkeeper_service::secret::Secret;

/// What every key begins with.
pub(crate) const PREFIX: &str = "ink_live_";

const ID_LENGTH: usize = 12;
const SECRET_LENGTH: usize = 32;
const CHECKSUM_LENGTH: usize = 6;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The public part of a key, which finds it in the database.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct KeyId([u8; ID_LENGTH]);

impl KeyId {
    /// Returns the id if it is one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let id: [u8; ID_LENGTH] = text.as_bytes().try_into().ok()?;
        id.iter().all(u8::is_ascii_alphanumeric).then_some(Self(id))
    }

    /// Returns the id as text.
    pub(crate) fn as_str(&self) -> &str {
        // Ids have letters and digits only.
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text in the format of keys, whose secret was not checked.
#[derive(Clone, Copy)]
pub(crate) struct PresentedKey<'t> {
    /// The public part.
    pub(crate) id: KeyId,
    /// The part that is hashed: the id and the secret. With the id, the hash of one key cannot stand for
    /// another.
    pub(crate) hashed: &'t str,
}

impl<'t> PresentedKey<'t> {
    /// Parses a key. Returns `None` if the text is not exactly in the format, or the checksum is wrong.
    pub(crate) fn parse(text: &'t str) -> Option<Self> {
        let rest = text.strip_prefix(PREFIX)?;
        let has_length = rest.len() == ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH;
        if !has_length || !rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        let (body, given) = text.split_at_checked(text.len() - CHECKSUM_LENGTH)?;
        if given.as_bytes() != checksum(body) {
            return None;
        }
        let hashed = rest.get(..ID_LENGTH + SECRET_LENGTH)?;
        Some(Self {
            id: KeyId::parse(hashed.get(..ID_LENGTH)?)?,
            hashed,
        })
    }
}

/// A new key.
#[derive(Debug)]
pub(crate) struct GeneratedKey {
    /// The whole key, which is shown once.
    pub(crate) text: Secret<String>,
}

impl GeneratedKey {
    /// Generates a key with 190 random bits in its secret.
    pub(crate) fn generate() -> Self {
        let letters = (0..ID_LENGTH + SECRET_LENGTH).map(|_| {
            let digit = usize::try_from(random::below(62)).unwrap_or_default();
            char::from(DIGITS.get(digit).copied().unwrap_or(b'0'))
        });
        Self::of_body(format!("{PREFIX}{}", letters.collect::<String>()))
    }

    /// Appends the checksum.
    fn of_body(mut body: String) -> Self {
        let checksum = checksum(&body);
        body.extend(checksum.map(char::from));
        Self {
            text: Secret::new(body),
        }
    }

    /// Returns the parts of the key.
    pub(crate) fn parts(&self) -> Option<PresentedKey<'_>> {
        PresentedKey::parse(self.text.reveal())
    }
}

/// Returns the checksum of all that comes before it: CRC-32 as digits of base 62, with leading zeros.
fn checksum(body: &str) -> [u8; CHECKSUM_LENGTH] {
    let mut crc = Crc::new();
    crc.update(body.as_bytes());
    let mut rest = crc.sum();
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        let place = usize::try_from(rest % 62).unwrap_or_default();
        *digit = DIGITS.get(place).copied().unwrap_or(b'0');
        rest /= 62;
    }
    digits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a key with this id and secret.
    fn key(body: &str) -> String {
        GeneratedKey::of_body(format!("{PREFIX}{body}"))
            .text
            .reveal()
            .clone()
    }

    #[test]
    fn the_format_never_changes() {
        // Keys of this format are in use: a change would refuse them.
        let text = key("0123456789ABabcdefghijklmnopqrstuvwxyzABCDEF");
        assert_eq!(
            text,
            "ink_live_0123456789ABabcdefghijklmnopqrstuvwxyzABCDEF2lXTEk"
        );
        let parsed = PresentedKey::parse(&text).unwrap();
        assert_eq!(parsed.id.as_str(), "0123456789AB");
        assert_eq!(
            parsed.hashed,
            "0123456789ABabcdefghijklmnopqrstuvwxyzABCDEF"
        );
    }

    #[test]
    fn generated_keys_differ_and_can_be_read() {
        let (one, other) = (GeneratedKey::generate(), GeneratedKey::generate());
        let (one, other) = (one.parts().unwrap(), other.parts().unwrap());
        assert_ne!(one.id, other.id);
        assert_ne!(one.hashed, other.hashed);
    }

    #[test]
    fn a_new_key_is_not_shown_by_accident() {
        let generated = GeneratedKey::generate();
        let secret = generated.text.reveal();
        assert!(!format!("{generated:?}").contains(secret.as_str()));
    }

    #[test]
    fn text_around_a_key_is_refused() {
        let text = key(&"x".repeat(44));
        for wrong in [
            "",
            "ink_live_",
            &text[1..],
            &text[..text.len() - 1],
            &format!("{text} "),
            &format!(" {text}"),
            &format!("{text}0"),
            &text.to_uppercase(),
            &text.replacen("live", "test", 1),
            &text.replacen('x', "ä", 1),
            // Of the right length in bytes, with letters that are not ASCII.
            &format!("{PREFIX}{}", "é".repeat(25)),
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        ] {
            assert!(PresentedKey::parse(wrong).is_none(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn every_body_has_one_checksum(body in "[0-9A-Za-z]{44}", other in "[0-9A-Za-z]{6}") {
            let text = key(&body);
            let parsed = PresentedKey::parse(&text).unwrap();
            prop_assert_eq!(parsed.hashed, &body);
            prop_assert_eq!(parsed.id.as_str(), &body[..12]);
            let forged = format!("{}{other}", &text[..text.len() - 6]);
            prop_assert_eq!(PresentedKey::parse(&forged).is_some(), forged == text);
        }

        #[test]
        fn a_mistyped_character_is_noticed(
            body in "[0-9A-Za-z]{44}",
            place in 9_usize..59,
            letter in "[0-9A-Za-z]",
        ) {
            let text = key(&body);
            let mut mistyped = text.clone();
            mistyped.replace_range(place..=place, &letter);
            prop_assert_eq!(PresentedKey::parse(&mistyped).is_some(), mistyped == text);
        }

        #[test]
        fn two_swapped_characters_are_noticed(body in "[0-9A-Za-z]{44}", place in 9_usize..58) {
            let text = key(&body);
            let mut bytes = text.clone().into_bytes();
            bytes.swap(place, place + 1);
            let swapped = String::from_utf8(bytes).unwrap();
            prop_assert_eq!(PresentedKey::parse(&swapped).is_some(), swapped == text);
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>(), tail in any::<String>()) {
            prop_assert!(PresentedKey::parse(&text).is_none());
            let with_prefix = format!("{PREFIX}{tail}");
            prop_assert!(PresentedKey::parse(&with_prefix).is_none());
            prop_assert_eq!(KeyId::parse(&text).is_some_and(|id| id.as_str() != text), false);
        }
    }
}
