//! Encryption at rest, for values that must be useless to somebody who can only read the database.
//!
//! A sealed value is a JSON object with `key_id`, `alg`, `data` and `nonce`. It is bound to the row
//! that owns it: the key of each value is derived from the master key and the text of that row's id,
//! so a value moved to another row does not open.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Prk, Salt};
use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use innkeeper_service::random;
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize as _, Zeroizing};

/// The algorithm that values are sealed with; there is no other.
const ALGORITHM: &str = "aes-gcm-hkdf";

/// The id of the master key that is derived from `JWT_SECRET`.
pub const DERIVED_KEY_ID: &str = "innkeeper-jwt-secret";

/// Values written by GoTrue may lack padding or use the URL-safe alphabet.
const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const ANY_STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const ANY_URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// A value could not be sealed or opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The text is not a sealed value.
    #[error("the value is not sealed")]
    NotSealed,
    /// The key that sealed the value is not configured.
    #[error("the key `{0}` that sealed the value is not configured")]
    UnknownKey(String),
    /// The value was sealed with another key of the same id, for another row, or was altered.
    #[error("the value does not open: wrong key, wrong row or altered")]
    Broken,
    /// The cryptographic library failed.
    #[error("the value could not be sealed")]
    Failed,
}

/// A parsed sealed value.
#[derive(Serialize, Deserialize)]
struct SealedValue<'a> {
    #[serde(borrow)]
    key_id: Cow<'a, str>,
    #[serde(borrow)]
    alg: Cow<'a, str>,
    #[serde(borrow)]
    data: Cow<'a, str>,
    #[serde(borrow)]
    nonce: Cow<'a, str>,
}

impl<'a> SealedValue<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        if !text.starts_with('{') {
            return None;
        }
        let sealed: Self = serde_json::from_str(text).ok()?;
        let complete = !sealed.key_id.is_empty() && !sealed.data.is_empty();
        (complete && sealed.alg == ALGORITHM).then_some(sealed)
    }
}

/// Seals values with the current key, and opens values sealed with any known key.
pub struct Sealer {
    /// The id of the key that seals.
    current: String,
    /// The master keys, by their ids.
    masters: HashMap<String, Prk>,
    /// The key that [`Sealer::derive`] derives from.
    server_key: hmac::Key,
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealer")
            .field("current", &self.current)
            .finish_non_exhaustive()
    }
}

impl Sealer {
    /// Creates a sealer with the key that seals and the older keys that only open.
    ///
    /// Without a current key, a key derived from `JWT_SECRET` seals. That key always opens, so that an
    /// encryption key can be added later.
    pub fn new(
        current: Option<(String, [u8; 32])>,
        older: impl IntoIterator<Item = (String, [u8; 32])>,
        jwt_secret: &[u8],
    ) -> Result<Self, SealError> {
        let extract = |key: &[u8]| Salt::none(HKDF_SHA256).extract(key);
        let secret = extract(jwt_secret);
        let mut derived = expand(&secret, "innkeeper encryption at rest")?;
        let server_key = expand(&secret, "innkeeper server keys")?;

        let mut masters = HashMap::from([(DERIVED_KEY_ID.to_owned(), extract(&*derived))]);
        derived.zeroize();
        let current_id = match &current {
            Some((id, _)) => id.clone(),
            None => DERIVED_KEY_ID.to_owned(),
        };
        // The current key comes last: it wins if an older one has the same id.
        for (id, mut key) in older.into_iter().chain(current) {
            masters.insert(id, extract(&key));
            key.zeroize();
        }
        Ok(Self {
            current: current_id,
            masters,
            server_key: hmac::Key::new(hmac::HMAC_SHA256, &*server_key),
        })
    }

    /// Seals a value for the row whose id has this text.
    pub fn seal(&self, owner: &str, plain: &[u8]) -> Result<String, SealError> {
        let master = self.masters.get(&self.current).ok_or(SealError::Failed)?;
        let nonce: [u8; NONCE_LEN] = random::bytes();
        let mut data = Vec::with_capacity(plain.len() + AES_256_GCM.tag_len());
        data.extend_from_slice(plain);
        value_key(master, owner)?
            .seal_in_place_append_tag(Nonce::from(&nonce), Aad::empty(), &mut data)
            .map_err(|_| SealError::Failed)?;
        let sealed = SealedValue {
            key_id: Cow::Borrowed(&self.current),
            alg: Cow::Borrowed(ALGORITHM),
            data: STANDARD.encode(&data).into(),
            nonce: STANDARD.encode(nonce).into(),
        };
        serde_json::to_string(&sealed).map_err(|_| SealError::Failed)
    }

    /// Opens a value that was sealed for the row whose id has this text.
    pub fn open(&self, owner: &str, sealed: &str) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let sealed = SealedValue::parse(sealed).ok_or(SealError::NotSealed)?;
        let master = self
            .masters
            .get(&*sealed.key_id)
            .ok_or_else(|| SealError::UnknownKey(sealed.key_id.to_string()))?;
        let nonce = decode(&sealed.nonce).ok_or(SealError::Broken)?;
        let nonce = Nonce::try_assume_unique_for_key(&nonce).map_err(|_| SealError::Broken)?;
        let mut data = Zeroizing::new(decode(&sealed.data).ok_or(SealError::Broken)?);
        let length = value_key(master, owner)?
            .open_in_place(nonce, Aad::empty(), &mut data)
            .map_err(|_| SealError::Broken)?
            .len();
        data.truncate(length);
        Ok(data)
    }

    /// Returns whether a sealed value should be sealed again, because another key seals now.
    pub fn needs_reseal(&self, sealed: &str) -> bool {
        SealedValue::parse(sealed).is_some_and(|sealed| *sealed.key_id != *self.current)
    }

    /// Derives a key for one purpose, the same on every replica.
    ///
    /// The key depends only on `JWT_SECRET`, so it survives a change of the encryption keys.
    pub fn derive(&self, label: &str) -> [u8; 32] {
        let tag = hmac::sign(&self.server_key, label.as_bytes());
        let mut key = [0; 32];
        // Both have 32 bytes; a copy by iterator cannot fail.
        for (to, from) in key.iter_mut().zip(tag.as_ref()) {
            *to = *from;
        }
        key
    }
}

/// Returns whether a text from the database is a sealed value.
pub fn is_sealed(text: &str) -> bool {
    SealedValue::parse(text).is_some()
}

fn expand(key: &Prk, info: &str) -> Result<Zeroizing<[u8; 32]>, SealError> {
    let mut out = Zeroizing::new([0; 32]);
    key.expand(&[info.as_bytes()], HKDF_SHA256)
        .and_then(|okm| okm.fill(&mut *out))
        .map_err(|_| SealError::Failed)?;
    Ok(out)
}

fn value_key(master: &Prk, owner: &str) -> Result<LessSafeKey, SealError> {
    let key = expand(master, owner)?;
    UnboundKey::new(&AES_256_GCM, &*key)
        .map(LessSafeKey::new)
        .map_err(|_| SealError::Failed)
}

fn decode(text: &str) -> Option<Vec<u8>> {
    ANY_STANDARD
        .decode(text)
        .or_else(|_| ANY_URL_SAFE.decode(text))
        .ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{DERIVED_KEY_ID, SealError, Sealer, is_sealed};

    const OWNER: &str = "7f2c1f5e-5c4e-4d3e-9b55-0d6b8f0f6f11";
    const SECRET: &[u8] = b"a secret of at least thirty-two bytes";

    /// Sealed by another implementation, with the key `00 01 … 1f` for `OWNER`.
    const FOREIGN: &str = r#"{"key_id":"first","alg":"aes-gcm-hkdf","data":"MS+wju4i0K2W/Y7ukn7wI4M/lExAjFTb2M/Ory6KLJ2l","nonce":"AAECAwQFBgcICQoL"}"#;

    fn first_key() -> [u8; 32] {
        std::array::from_fn(|index| u8::try_from(index).unwrap())
    }

    fn derived() -> Sealer {
        Sealer::new(None, [], SECRET).unwrap()
    }

    #[test]
    fn a_value_sealed_by_another_implementation_opens() {
        let sealer = Sealer::new(Some(("first".into(), first_key())), [], SECRET).unwrap();
        let plain = sealer.open(OWNER, FOREIGN).unwrap();
        assert_eq!(plain.as_slice(), b"$2a$10$plain hash");

        let url_safe = FOREIGN.replace('+', "-").replace('/', "_");
        let plain = sealer.open(OWNER, &url_safe).unwrap();
        assert_eq!(plain.as_slice(), b"$2a$10$plain hash");
    }

    #[test]
    fn a_value_opens_for_its_own_row_only() {
        let sealed = derived().seal(OWNER, b"value").unwrap();
        let moved = derived().open("another row", &sealed);
        assert_eq!(moved, Err(SealError::Broken));
    }

    #[test]
    fn older_keys_open_and_the_current_one_seals() {
        let before = Sealer::new(Some(("first".into(), first_key())), [], SECRET).unwrap();
        let sealed = before.seal(OWNER, b"value").unwrap();
        assert!(!before.needs_reseal(&sealed));

        let after = Sealer::new(
            Some(("second".into(), [2; 32])),
            [("first".into(), first_key())],
            SECRET,
        )
        .unwrap();
        assert_eq!(after.open(OWNER, &sealed).unwrap().as_slice(), b"value");
        assert!(after.needs_reseal(&sealed));
        assert!(after.seal(OWNER, b"value").unwrap().contains("\"second\""));
    }

    #[test]
    fn values_sealed_under_the_secret_open_after_a_key_was_added() {
        let sealed = derived().seal(OWNER, b"value").unwrap();
        assert!(sealed.contains(DERIVED_KEY_ID));
        let with_key = Sealer::new(Some(("first".into(), first_key())), [], SECRET).unwrap();
        assert_eq!(with_key.open(OWNER, &sealed).unwrap().as_slice(), b"value");
    }

    #[test]
    fn a_wrong_key_is_an_error() {
        let sealed = derived().seal(OWNER, b"value").unwrap();
        let other = Sealer::new(None, [], b"another secret").unwrap();
        assert_eq!(other.open(OWNER, &sealed), Err(SealError::Broken));
        assert_eq!(
            other.open(OWNER, FOREIGN),
            Err(SealError::UnknownKey("first".into()))
        );
    }

    #[test]
    fn broken_values_are_errors() {
        let sealer = Sealer::new(Some(("first".into(), first_key())), [], SECRET).unwrap();
        for (text, error) in [
            ("", SealError::NotSealed),
            ("{}", SealError::NotSealed),
            ("{\"key_id\":\"first\"", SealError::NotSealed),
            ("$2a$10$plain hash", SealError::NotSealed),
            (&FOREIGN.replace("hkdf", "none"), SealError::NotSealed),
            (&FOREIGN.replace("AAEC", "!!!!"), SealError::Broken),
            (&FOREIGN.replace("AAECAwQF", ""), SealError::Broken),
            (&FOREIGN.replace("MS+w", "MS+x"), SealError::Broken),
            (
                &FOREIGN.replace("MS+wju4i0K2W/Y7ukn7wI4M/lExAjFTb2M", ""),
                SealError::Broken,
            ),
        ] {
            assert_eq!(sealer.open(OWNER, text), Err(error), "{text}");
        }
    }

    #[test]
    fn only_sealed_values_count_as_sealed() {
        assert!(is_sealed(FOREIGN));
        for text in [
            "",
            "{",
            "{}",
            "[]",
            "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA",
        ] {
            assert!(!is_sealed(text), "{text}");
        }
    }

    #[test]
    fn derived_keys_depend_on_label_and_secret_alone() {
        let sealer = derived();
        assert_eq!(sealer.derive("codes"), derived().derive("codes"));
        assert_ne!(sealer.derive("codes"), sealer.derive("addresses"));
        let other = Sealer::new(None, [], b"another secret").unwrap();
        assert_ne!(sealer.derive("codes"), other.derive("codes"));
        let keyed = Sealer::new(Some(("first".into(), first_key())), [], SECRET).unwrap();
        assert_eq!(sealer.derive("codes"), keyed.derive("codes"));
    }

    #[test]
    fn keys_do_not_show_in_debug_output() {
        let sealer = Sealer::new(Some(("first".into(), [7; 32])), [], SECRET).unwrap();
        assert_eq!(format!("{sealer:?}"), r#"Sealer { current: "first", .. }"#);
    }

    proptest! {
        #[test]
        fn whatever_is_sealed_opens(owner in ".{0,300}", plain in any::<Vec<u8>>()) {
            let sealer = derived();
            let sealed = sealer.seal(&owner, &plain).unwrap();
            prop_assert!(is_sealed(&sealed));
            let opened = sealer.open(&owner, &sealed).unwrap();
            prop_assert_eq!(opened.as_slice(), plain.as_slice());
            prop_assert_ne!(sealer.seal(&owner, &plain).unwrap(), sealed);
        }

        #[test]
        fn arbitrary_text_never_panics(text in "\\{?.{0,200}") {
            prop_assert!(derived().open(OWNER, &text).is_err());
        }
    }
}
