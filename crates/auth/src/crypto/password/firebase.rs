//! Firebase's variant of scrypt, for users imported from Firebase.

use std::str::Split;

use aws_lc_rs::cipher::{AES_256, EncryptingKey, EncryptionContext, UnboundCipherKey};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::iv::FixedLength;
use scrypt::{Params, scrypt};
use zeroize::Zeroizing;

use super::format::{HashFormatError, decode, parse_number};

/// The most memory, in bytes, that computing a hash may take.
const MAX_MEMORY: u64 = 256 * 1024 * 1024;
const MAX_LANES: u32 = 16;

/// A parsed Firebase hash.
///
/// Firebase derives a key from the password with scrypt and encrypts the project's signer key with it;
/// the ciphertext is the hash. Without a signer key, the hash is scrypt's output.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FirebaseHash {
    params: Params,
    /// The user's salt followed by the project's salt separator.
    salt: Vec<u8>,
    signer_key: Option<Vec<u8>>,
    hash: Vec<u8>,
}

impl FirebaseHash {
    /// Parses `$fbscrypt$v=1,n=14,r=8,p=1,ss=…,sk=…$salt$hash`; `ss` and `sk` may be missing.
    pub(super) fn parse(text: &str) -> Result<Self, HashFormatError> {
        let error = |message| Err(HashFormatError(message));
        let parts: Vec<_> = text.split('$').collect();
        let &["", "fbscrypt", settings, salt, hash] = parts.as_slice() else {
            return error("a scrypt hash has the form $fbscrypt$v=1,n=,r=,p=,ss=,sk=$salt$hash");
        };
        let mut settings = settings.split(',');
        let params = parse_params(&mut settings)?;

        let mut rest = settings.peekable();
        let mut optional = |name| {
            rest.next_if(|text| text.starts_with(name))
                .map(|text| text.get(3..))
        };
        let (separator, signer_key) = (optional("ss="), optional("sk="));
        if rest.next().is_some() {
            return error("a scrypt hash has the parameters v, n, r, p, ss, sk and no others");
        }
        let bytes = |text: Option<Option<&str>>| match text {
            Some(text) => text.and_then(decode).map(Some),
            None => Some(None),
        };
        let (Some(mut salt), Some(separator), Some(signer_key), Some(hash)) = (
            decode(salt),
            bytes(separator),
            bytes(signer_key),
            decode(hash),
        ) else {
            return error("a scrypt hash has a part that is not base64");
        };
        salt.extend(separator.unwrap_or_default());
        let length = signer_key.as_ref().map_or(hash.len(), Vec::len);
        if salt.is_empty() || hash.len() != length || !(16..=512).contains(&length) {
            return error("a scrypt hash has a salt, hash or signer key of the wrong length");
        }
        Ok(Self {
            params,
            salt,
            signer_key,
            hash,
        })
    }

    /// Returns the algorithm and its parameters.
    pub(super) fn kind(&self) -> String {
        let (n, r, p) = (self.params.log_n(), self.params.r(), self.params.p());
        format!("scrypt, {n}, {r}, {p}")
    }

    /// Returns how many blocks a check mixes: 2ⁿ·r·p.
    pub(super) fn work(&self) -> u64 {
        let rounds = 1_u64.checked_shl(u32::from(self.params.log_n()));
        rounds
            .and_then(|rounds| rounds.checked_mul(u64::from(self.params.r())))
            .and_then(|blocks| blocks.checked_mul(u64::from(self.params.p())))
            .unwrap_or(u64::MAX)
    }

    /// Returns whether the password has this hash, or `None` if the library failed.
    pub(super) fn matches(&self, password: &[u8]) -> Option<bool> {
        let scrypt = |out: &mut [u8]| scrypt(password, &self.salt, &self.params, out).ok();
        let computed = if let Some(signer_key) = &self.signer_key {
            let mut key = Zeroizing::new([0; 32]);
            scrypt(&mut *key)?;
            encrypt(&*key, signer_key)?
        } else {
            let mut hash = vec![0; self.hash.len()];
            scrypt(&mut hash)?;
            hash
        };
        Some(verify_slices_are_equal(&computed, &self.hash).is_ok())
    }
}

fn parse_params(settings: &mut Split<'_, char>) -> Result<Params, HashFormatError> {
    let error = |message| Err(HashFormatError(message));
    let mut next = |name| settings.next().and_then(|text| parse_number(text, name));
    let (Some(version), Some(power), Some(blocks), Some(lanes)) =
        (next("v="), next("n="), next("r="), next("p="))
    else {
        return error("a scrypt hash has a parameter v, n, r or p that is not a number");
    };
    if version != 1 {
        return error("of scrypt hashes, only version 1 is supported");
    }
    let memory = 1_u64
        .checked_shl(power)
        .and_then(|cost| cost.checked_mul(128 * u64::from(blocks)));
    if memory.is_none_or(|memory| memory > MAX_MEMORY) || lanes > MAX_LANES {
        return error("a scrypt hash may take 128·r·2ⁿ bytes up to 256 MiB, and p up to 16");
    }
    u8::try_from(power)
        .ok()
        .filter(|power| *power > 0)
        .and_then(|power| Params::new(power, blocks, lanes).ok())
        .ok_or(HashFormatError(
            "a scrypt hash has n, r and p of at least 1",
        ))
}

/// Encrypts with AES-256 in counter mode. The counter starts at zero, because each key is used once.
fn encrypt(key: &[u8], plain: &[u8]) -> Option<Vec<u8>> {
    let key = UnboundCipherKey::new(&AES_256, key).ok()?;
    let key = EncryptingKey::ctr(key).ok()?;
    let mut data = plain.to_vec();
    let start = EncryptionContext::Iv128(FixedLength::from([0; 16]));
    key.less_safe_encrypt(&mut data, start).ok()?;
    Some(data)
}
