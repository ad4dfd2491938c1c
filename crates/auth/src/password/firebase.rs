//! Firebase's variant of scrypt, for users who come from there.

use std::str::Split;

use aws_lc_rs::cipher::{AES_256, EncryptingKey, EncryptionContext, UnboundCipherKey};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::iv::FixedLength;
use scrypt::{Params, scrypt};
use zeroize::Zeroizing;

use super::hash::{HashFormatError, decode, number};

/// How much memory a hash may ask for.
const MAX_MEMORY: u64 = 256 * 1024 * 1024;
const MAX_LANES: u32 = 16;

/// A hash as it stands in the database.
///
/// Firebase encrypts its project's signer key with what scrypt makes of the password; the
/// ciphertext is the hash. Without a signer key, the hash is what scrypt makes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FirebaseHash {
    params: Params,
    /// The user's salt and the project's separator.
    salt: Vec<u8>,
    signer_key: Option<Vec<u8>>,
    hash: Vec<u8>,
}

impl FirebaseHash {
    /// Reads `$fbscrypt$v=1,n=14,r=8,p=1,ss=…,sk=…$salt$hash`; `ss` and `sk` may be missing.
    pub(super) fn parse(text: &str) -> Result<Self, HashFormatError> {
        let fault = |what| Err(HashFormatError(what));
        let parts: Vec<_> = text.split('$').collect();
        let &["", "fbscrypt", settings, salt, hash] = parts.as_slice() else {
            return fault("a scrypt hash has the form $fbscrypt$v=1,n=,r=,p=,ss=,sk=$salt$hash");
        };
        let mut settings = settings.split(',');
        let params = read_params(&mut settings)?;

        let mut rest = settings.peekable();
        let mut optional = |name| {
            rest.next_if(|text| text.starts_with(name))
                .map(|text| text.get(3..))
        };
        let (separator, signer_key) = (optional("ss="), optional("sk="));
        if rest.next().is_some() {
            return fault("a scrypt hash has the parameters v, n, r, p, ss, sk and no others");
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
            return fault("a scrypt hash has a part that is not base64");
        };
        salt.extend(separator.unwrap_or_default());
        let length = signer_key.as_ref().map_or(hash.len(), Vec::len);
        if salt.is_empty() || hash.len() != length || !(16..=512).contains(&length) {
            return fault("a scrypt hash has a salt, hash or signer key of the wrong length");
        }
        Ok(Self {
            params,
            salt,
            signer_key,
            hash,
        })
    }

    /// Whether this is the hash of that password; `None` if the library refused to work.
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

fn read_params(settings: &mut Split<'_, char>) -> Result<Params, HashFormatError> {
    let fault = |what| Err(HashFormatError(what));
    let mut next = |name| settings.next().and_then(|text| number(text, name));
    let (Some(version), Some(power), Some(blocks), Some(lanes)) =
        (next("v="), next("n="), next("r="), next("p="))
    else {
        return fault("a scrypt hash has a parameter v, n, r or p that is not a number");
    };
    if version != 1 {
        return fault("of scrypt hashes, only version 1 is supported");
    }
    let memory = 1_u64
        .checked_shl(power)
        .and_then(|cost| cost.checked_mul(128 * u64::from(blocks)));
    if memory.is_none_or(|memory| memory > MAX_MEMORY) || lanes > MAX_LANES {
        return fault("a scrypt hash may take 128·r·2ⁿ bytes up to 256 MiB, and p up to 16");
    }
    u8::try_from(power)
        .ok()
        .filter(|power| *power > 0)
        .and_then(|power| Params::new(power, blocks, lanes).ok())
        .ok_or(HashFormatError(
            "a scrypt hash has n, r and p of at least 1",
        ))
}

/// AES-256 in counter mode, counting from zero: the key is used once.
fn encrypt(key: &[u8], plain: &[u8]) -> Option<Vec<u8>> {
    let key = UnboundCipherKey::new(&AES_256, key).ok()?;
    let key = EncryptingKey::ctr(key).ok()?;
    let mut data = plain.to_vec();
    let start = EncryptionContext::Iv128(FixedLength::from([0; 16]));
    key.less_safe_encrypt(&mut data, start).ok()?;
    Some(data)
}
