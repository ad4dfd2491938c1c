//! Argon2: what new passwords are hashed with.

use argon2::{Algorithm, Argon2, Block, Params, Version};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::hash::{HashFormatError, decode, number};

/// 19 MiB, two passes, one lane: the least that OWASP asks for.
const MEMORY: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
const SALT_LENGTH: usize = 16;
const HASH_LENGTH: usize = 32;

/// Hashes made elsewhere may cost more, up to here.
const MAX_MEMORY: u32 = 1024 * 1024;
const MAX_PASSES: u32 = 20;
const MAX_LANES: u32 = 16;

/// Room for this many KiB is asked for at least. The C library keeps smaller pieces to itself when they
/// are freed; one of this size it gives back. What is not written to takes no memory.
const ROOM: usize = 33 * 1024;

/// The memory that hashing fills. Kept between hashes, it is asked of the system once.
#[derive(Default)]
pub(super) struct Memory(Vec<Block>);

impl Memory {
    fn blocks(&mut self, count: u32) -> Option<&mut [Block]> {
        let count = usize::try_from(count).ok()?;
        let length = self.0.len();
        if length < count {
            self.0.try_reserve_exact(count.max(ROOM) - length).ok()?;
            self.0.resize(count, Block::new());
        }
        self.0.get_mut(..count)
    }

    /// Gives back what a costlier hash took.
    pub(super) fn trim(&mut self) {
        if u32::try_from(self.0.len()).is_ok_and(|blocks| blocks > MEMORY) {
            self.release();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives back everything.
    pub(super) fn release(&mut self) {
        self.0 = Vec::new();
    }
}

/// A hash as it stands in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Argon2Hash {
    algorithm: Algorithm,
    params: Params,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

impl Argon2Hash {
    /// A hash that no password has, and that costs what a new one costs.
    pub(super) fn dummy() -> Self {
        Self {
            algorithm: Algorithm::Argon2id,
            params: Params::DEFAULT,
            salt: vec![0; SALT_LENGTH],
            hash: vec![0; HASH_LENGTH],
        }
    }

    /// Reads `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
    pub(super) fn parse(text: &str) -> Result<Self, HashFormatError> {
        let fault = |what| Err(HashFormatError(what));
        let parts: Vec<_> = text.split('$').collect();
        let &["", name, version, params, salt, hash] = parts.as_slice() else {
            return fault("an argon2 hash has the form $argon2id$v=19$m=,t=,p=$salt$hash");
        };
        let algorithm = match name {
            "argon2id" => Algorithm::Argon2id,
            "argon2i" => Algorithm::Argon2i,
            _ => return fault("of argon2 hashes, only argon2id and argon2i are supported"),
        };
        if version != "v=19" {
            return fault("of argon2 hashes, only version 19 is supported");
        }
        let params: Vec<_> = params.split(',').collect();
        let &[memory, passes, lanes] = params.as_slice() else {
            return fault("an argon2 hash has the parameters m, t and p and no others");
        };
        let (Some(memory), Some(passes), Some(lanes)) = (
            number(memory, "m="),
            number(passes, "t="),
            number(lanes, "p="),
        ) else {
            return fault("an argon2 hash has a parameter m, t or p that is not a number");
        };
        if memory > MAX_MEMORY || passes > MAX_PASSES || lanes > MAX_LANES {
            return fault("an argon2 hash may have m up to 1048576, t up to 20 and p up to 16");
        }
        let (Some(salt), Some(hash)) = (decode(salt), decode(hash)) else {
            return fault("an argon2 hash has a salt or hash that is not base64");
        };
        if !(8..=512).contains(&salt.len()) || !(10..=512).contains(&hash.len()) {
            return fault("an argon2 hash has a salt or hash that is too short or too long");
        }
        let Ok(params) = Params::new(memory, passes, lanes, Some(hash.len())) else {
            return fault("an argon2 hash has t and p of at least 1 and m of at least 8 times p");
        };
        Ok(Self {
            algorithm,
            params,
            salt,
            hash,
        })
    }

    /// Whether this is the hash of that password; `None` if there is not enough memory to tell.
    pub(super) fn matches(&self, password: &[u8], memory: &mut Memory) -> Option<bool> {
        let computed = self.compute(password, self.hash.len(), memory)?;
        Some(verify_slices_are_equal(&computed, &self.hash).is_ok())
    }

    /// Whether a new hash of the password would be stronger.
    pub(super) fn needs_rehash(&self) -> bool {
        self.algorithm != Algorithm::Argon2id
            || self.params.m_cost() < MEMORY
            || self.params.t_cost() < PASSES
            || self.salt.len() < SALT_LENGTH
            || self.hash.len() < HASH_LENGTH
    }

    fn compute(&self, password: &[u8], length: usize, memory: &mut Memory) -> Option<Vec<u8>> {
        let mut out = vec![0; length];
        let blocks = memory.blocks(self.params.m_cost())?;
        Argon2::new(self.algorithm, Version::V0x13, self.params.clone())
            .hash_password_into_with_memory(password, &self.salt, &mut out, blocks)
            .ok()?;
        Some(out)
    }
}

/// Hashes a new password; `None` if there is not enough memory.
pub(super) fn hash(password: &[u8], memory: &mut Memory) -> Option<String> {
    let salt: [u8; SALT_LENGTH] = innkeeper_service::random::bytes();
    let params = Params::new(MEMORY, PASSES, LANES, Some(HASH_LENGTH)).ok()?;
    let hash = Argon2Hash {
        algorithm: Algorithm::Argon2id,
        params,
        salt: salt.to_vec(),
        hash: Vec::new(),
    };
    let computed = hash.compute(password, HASH_LENGTH, memory)?;
    Some(format!(
        "$argon2id$v=19$m={MEMORY},t={PASSES},p={LANES}${}${}",
        STANDARD_NO_PAD.encode(salt),
        STANDARD_NO_PAD.encode(computed),
    ))
}
