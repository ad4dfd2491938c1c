//! The two formats of refresh tokens.
//!
//! Version 2 names its session and a counter and is signed with the session's own key, so the database
//! stores no token and a successor can be computed again. Its bytes, before base64url without padding,
//! are: a zero, the 16 bytes of the session's id, the counter as a little-endian base-128 number, 16
//! bytes of HMAC-SHA-256 over all that, and 4 bytes of SHA-256 over all of it. The last four reveal a
//! damaged token without a query.
//!
//! Version 1 is a random text that stands in the database: 12 lower-case letters and digits, or 22 characters of
//! base64url in old databases. It is issued only beside a GoTrue that knows no other.

use std::fmt;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_service::random;
use uuid::Uuid;
use zeroize::Zeroizing;

const VERSION: u8 = 0;
const SIGNATURE_LENGTH: usize = 16;
const CHECKSUM_LENGTH: usize = 4;
/// The longest counter that fits a database `bigint` takes nine bytes.
const MAX_LENGTH: usize = 1 + 16 + 9 + SIGNATURE_LENGTH + CHECKSUM_LENGTH;

/// The key that signs the refresh tokens of one session.
#[derive(Clone)]
pub struct RefreshKey(Zeroizing<[u8; 32]>);

impl fmt::Debug for RefreshKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RefreshKey(…)")
    }
}

impl RefreshKey {
    /// Generates a new key.
    pub fn generate() -> Self {
        Self(Zeroizing::new(random::bytes()))
    }

    /// Returns the key as it is sealed and stored: base64url without padding.
    pub fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(URL_SAFE_NO_PAD.encode(*self.0))
    }

    /// Parses a stored key; `None` if it is not 32 bytes in base64url.
    pub fn from_text(text: &str) -> Option<Self> {
        let bytes = Zeroizing::new(URL_SAFE_NO_PAD.decode(text).ok()?);
        let key = <[u8; 32]>::try_from(bytes.as_slice()).ok()?;
        Some(Self(Zeroizing::new(key)))
    }

    fn sign(&self, message: &[u8]) -> hmac::Tag {
        hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &*self.0), message)
    }
}

/// The content of a refresh token of version 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefreshToken {
    /// The session it refreshes.
    pub session_id: Uuid,
    /// Its position in the chain of that session's tokens.
    pub counter: u64,
}

impl RefreshToken {
    /// Returns the text of the token, signed with the session's key.
    pub fn encode(&self, key: &RefreshKey) -> String {
        let mut bytes = Vec::with_capacity(MAX_LENGTH + 1);
        bytes.push(VERSION);
        bytes.extend_from_slice(self.session_id.as_bytes());
        write_number(&mut bytes, self.counter);
        let signature = key.sign(&bytes);
        bytes.extend(signature.as_ref().iter().take(SIGNATURE_LENGTH));
        let checksum = digest(&SHA256, &bytes);
        bytes.extend(checksum.as_ref().iter().take(CHECKSUM_LENGTH));
        URL_SAFE_NO_PAD.encode(&bytes)
    }
}

/// The characters of a token of version 1: those of base32.
const V1_ALPHABET: [char; 32] = [
    'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's',
    't', 'u', 'v', 'w', 'x', 'y', 'z', '2', '3', '4', '5', '6', '7',
];

/// Generates a token of version 1, which has 60 random bits.
pub fn generate_v1() -> String {
    let bytes: [u8; 12] = random::bytes();
    let letter = |byte: &u8| V1_ALPHABET.get(usize::from(byte & 31));
    bytes.iter().filter_map(letter).collect()
}

/// A refresh token that a client presented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParsedRefreshToken {
    /// A token of version 1, to be looked up in the database.
    V1(String),
    /// A token of version 2 whose checksum is right; its signature was not checked yet.
    V2(SignedToken),
    /// Not a refresh token.
    Malformed,
}

impl ParsedRefreshToken {
    /// Parses a token, without a key and without the database.
    pub fn parse(text: &str) -> Self {
        if is_v1(text) {
            return Self::V1(text.to_owned());
        }
        SignedToken::parse(text).map_or(Self::Malformed, Self::V2)
    }
}

/// A token of version 2 whose signature was not checked yet.
#[derive(Clone, PartialEq, Eq)]
pub struct SignedToken {
    token: RefreshToken,
    signed: Vec<u8>,
    signature: [u8; SIGNATURE_LENGTH],
}

impl fmt::Debug for SignedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedToken")
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}

impl SignedToken {
    /// Returns the session that the token claims to belong to, to find the key.
    pub fn session_id(&self) -> Uuid {
        self.token.session_id
    }

    /// Returns the token if it was signed with this key.
    pub fn verify(&self, key: &RefreshKey) -> Option<RefreshToken> {
        let expected = key.sign(&self.signed);
        let expected = expected.as_ref().get(..SIGNATURE_LENGTH)?;
        verify_slices_are_equal(expected, &self.signature).ok()?;
        Some(self.token)
    }

    fn parse(text: &str) -> Option<Self> {
        // The length is checked first, so that a huge text is not even decoded.
        if text.len() > MAX_LENGTH.div_ceil(3) * 4 {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (body, checksum) = bytes.split_last_chunk::<CHECKSUM_LENGTH>()?;
        let (signed, signature) = body.split_last_chunk::<SIGNATURE_LENGTH>()?;
        let expected = digest(&SHA256, body);
        if expected.as_ref().get(..CHECKSUM_LENGTH)? != checksum {
            return None;
        }
        let (&version, rest) = signed.split_first()?;
        let (session_id, counter) = rest.split_first_chunk::<16>()?;
        if version != VERSION {
            return None;
        }
        Some(Self {
            token: RefreshToken {
                session_id: Uuid::from_bytes(*session_id),
                counter: read_number(counter)?,
            },
            signed: signed.to_vec(),
            signature: *signature,
        })
    }
}

fn is_v1(text: &str) -> bool {
    let bytes = text.as_bytes();
    match bytes.len() {
        12 => bytes
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
        22 => bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')),
        _ => false,
    }
}

fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    loop {
        let low = number.to_le_bytes()[0] & 0x7f;
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}

/// Reads a number that fills all of `bytes`, is encoded the shortest way and fits a `bigint`.
fn read_number(bytes: &[u8]) -> Option<u64> {
    let (&last, leading) = bytes.split_last()?;
    let shortest = last != 0 || leading.is_empty();
    let fits = leading.len() <= 8;
    let continued = leading.iter().all(|byte| byte & 0x80 != 0);
    if !(shortest && fits && continued && last & 0x80 == 0) {
        return None;
    }
    let number = bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f));
    Some(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::{ParsedRefreshToken, RefreshKey, RefreshToken};

    const SESSION: Uuid = Uuid::from_u128(0x0c0f_7a5e_41b5_4f0b_8f6e_6f0b_6f0b_6f0b);

    fn key() -> RefreshKey {
        RefreshKey::from_text("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").unwrap()
    }

    fn read(text: &str, key: &RefreshKey) -> Option<RefreshToken> {
        match ParsedRefreshToken::parse(text) {
            ParsedRefreshToken::V2(token) => token.verify(key),
            _ => None,
        }
    }

    #[test]
    fn tokens_of_gotrue_are_read_and_written_alike() {
        for (counter, text) in [
            (0, "AAwPel5BtU8Lj25vC28LbwsArXGZSSik18HvqgRDKzzE1HjKqQQ"),
            (1, "AAwPel5BtU8Lj25vC28LbwsBSlrgkvJ6fsd1uoIRO31cOD8g-O0"),
            (300, "AAwPel5BtU8Lj25vC28LbwusAkIR9fo1UmR__fpwL92IRnN0KHpV"),
        ] {
            let token = RefreshToken {
                session_id: SESSION,
                counter,
            };
            assert_eq!(token.encode(&key()), text);
            assert_eq!(read(text, &key()), Some(token));
        }
    }

    #[test]
    fn the_child_can_be_computed_again() {
        let child = RefreshToken {
            session_id: SESSION,
            counter: 8,
        };
        assert_eq!(child.encode(&key()), child.encode(&key()));
    }

    #[test]
    fn old_tokens_are_taken_as_they_are() {
        for text in [
            "abcdefgh2345",
            "0123456789az",
            "AbCdEfGhIjKlMnOpQrStU-",
            "0123456789_bcdefghijkl",
        ] {
            assert_eq!(
                ParsedRefreshToken::parse(text),
                ParsedRefreshToken::V1(text.to_owned())
            );
        }
    }

    #[test]
    fn anything_else_is_malformed() {
        let huge = "A".repeat(1 << 20);
        for text in [
            "",
            "short",
            "ABCDEFGH2345",
            "abcdefgh234!",
            "abcdefgh23456",
            "not base64url!!!!!!!!!",
            "AAwPel5BtU8Lj25vC28LbwsArXGZSSik18HvqgRDKzzE1HjKqQ",
            "AAwPel5BtU8Lj25vC28LbwsArXGZSSik18HvqgRDKzzE1HjKqQQ=",
            " AAwPel5BtU8Lj25vC28LbwsArXGZSSik18HvqgRDKzzE1HjKqQQ",
            &huge,
        ] {
            assert_eq!(
                ParsedRefreshToken::parse(text),
                ParsedRefreshToken::Malformed,
                "{text:.60}"
            );
        }
    }

    #[test]
    fn the_key_of_another_session_does_not_verify() {
        let text = RefreshToken {
            session_id: SESSION,
            counter: 3,
        }
        .encode(&key());
        assert_eq!(read(&text, &RefreshKey::generate()), None);
    }

    #[test]
    fn a_counter_past_what_the_database_holds_is_malformed() {
        let text = RefreshToken {
            session_id: SESSION,
            counter: u64::MAX,
        }
        .encode(&key());
        assert_eq!(
            ParsedRefreshToken::parse(&text),
            ParsedRefreshToken::Malformed
        );
    }

    #[test]
    fn neither_key_nor_signature_shows_in_debug_output() {
        let text = RefreshToken {
            session_id: SESSION,
            counter: 3,
        }
        .encode(&key());
        let shown = format!("{:?} {:?}", ParsedRefreshToken::parse(&text), key());
        assert!(shown.contains("counter: 3"));
        assert!(!shown.contains("signature"));
        assert!(shown.ends_with("RefreshKey(…)"));
    }

    proptest! {
        #[test]
        fn every_token_comes_back(session: u128, counter in 0..=i64::MAX.unsigned_abs()) {
            let key = RefreshKey::generate();
            let token = RefreshToken { session_id: Uuid::from_u128(session), counter };
            prop_assert_eq!(read(&token.encode(&key), &key), Some(token));
            let stored = RefreshKey::from_text(&key.to_text()).unwrap();
            prop_assert_eq!(read(&token.encode(&stored), &key), Some(token));
        }

        #[test]
        fn any_changed_letter_is_refused(counter in 0..=i64::MAX.unsigned_abs(), at: prop::sample::Index, letter in "[A-Za-z0-9_-]") {
            let text = RefreshToken { session_id: SESSION, counter }.encode(&key());
            let at = at.index(text.len());
            let mut forged = text.clone();
            forged.replace_range(at..=at, &letter);
            prop_assume!(forged != text);
            prop_assert_eq!(ParsedRefreshToken::parse(&forged), ParsedRefreshToken::Malformed);
        }

        #[test]
        fn arbitrary_text_never_panics(text in ".{0,80}") {
            let _ = read(&text, &key());
        }

        #[test]
        fn arbitrary_bytes_with_a_right_checksum_never_verify(body in prop::collection::vec(any::<u8>(), 0..60)) {
            use base64::Engine as _;
            let mut bytes = body;
            let checksum = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &bytes);
            bytes.extend_from_slice(&checksum.as_ref()[..4]);
            let text = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(&bytes);
            prop_assert_eq!(read(&text, &key()), None);
        }
    }
}
