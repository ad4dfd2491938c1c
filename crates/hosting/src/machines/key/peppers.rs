//! The hashes of keys, which are keyed with peppers: secrets of the server that are not in the database.

use std::collections::BTreeMap;

use aws_lc_rs::hmac;

use super::format::PresentedKey;
use crate::config::KeyConfig;
use crate::model::KeyHash;

/// The peppers, by number. The one with the highest number hashes new keys, all verify keys.
#[derive(Debug)]
pub(crate) struct Peppers(BTreeMap<i32, hmac::Key>);

impl Peppers {
    /// Takes the peppers from the settings.
    pub(crate) fn new(config: &KeyConfig) -> Self {
        let peppers = config.peppers.iter().map(|pepper| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, pepper.secret.reveal());
            (pepper.number, key)
        });
        Self(peppers.collect())
    }

    /// Tells whether there is none, so that no key can be hashed or verified.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tells whether there is a pepper with this number.
    pub(super) fn has(&self, number: i32) -> bool {
        self.0.contains_key(&number)
    }

    /// Hashes a new key; `None` if there is no pepper.
    pub(crate) fn hash(&self, key: PresentedKey<'_>) -> Option<KeyHash> {
        let (number, pepper) = self.0.last_key_value()?;
        let hash = hmac::sign(pepper, key.hashed.as_bytes());
        Some(KeyHash {
            bytes: hash.as_ref().to_vec(),
            pepper: *number,
        })
    }

    /// Tells whether a key has this hash, in a time that does not depend on where they differ.
    pub(super) fn verify(&self, key: PresentedKey<'_>, hash: &KeyHash) -> bool {
        let Some(pepper) = self.0.get(&hash.pepper) else {
            return false;
        };
        hmac::verify(pepper, key.hashed.as_bytes(), &hash.bytes).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use innkeeper_service::secret::Secret;

    use super::*;
    use crate::config::Pepper;
    use crate::machines::key::GeneratedKey;

    fn peppers(numbers: &[i32]) -> Peppers {
        let peppers = numbers.iter().map(|&number| Pepper {
            number,
            secret: Secret::new(vec![u8::try_from(number).unwrap(); 32]),
        });
        Peppers::new(&KeyConfig {
            peppers: peppers.collect(),
        })
    }

    #[test]
    fn the_highest_pepper_hashes_and_all_verify() {
        let (key, other) = (GeneratedKey::generate(), GeneratedKey::generate());
        let (key, other) = (key.parts().unwrap(), other.parts().unwrap());
        let old = peppers(&[1]).hash(key).unwrap();
        let new = peppers(&[1, 10, 2]).hash(key).unwrap();
        assert_eq!((old.pepper, new.pepper), (1, 10));
        assert_ne!(old.bytes, new.bytes);
        let both = peppers(&[1, 10]);
        assert!(both.verify(key, &old) && both.verify(key, &new));
        assert!(!both.verify(other, &old) && !both.verify(other, &new));
        let newest = peppers(&[10]);
        assert!(!newest.verify(key, &old), "its pepper is gone");
        let renumbered = KeyHash { pepper: 10, ..old };
        assert!(!both.verify(key, &renumbered));
        assert!(peppers(&[]).hash(key).is_none());
    }

    #[test]
    fn a_hash_is_that_of_one_key_and_keyed() {
        let key = GeneratedKey::generate();
        let key = key.parts().unwrap();
        let hash = peppers(&[1]).hash(key).unwrap();
        assert_eq!(hash.bytes.len(), 32);
        let plain = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, key.hashed.as_bytes());
        assert_ne!(hash.bytes, plain.as_ref());
        for cut in [&hash.bytes[..31], &[]] {
            let cut = KeyHash {
                bytes: cut.to_vec(),
                pepper: 1,
            };
            assert!(!peppers(&[1]).verify(key, &cut));
        }
    }
}
