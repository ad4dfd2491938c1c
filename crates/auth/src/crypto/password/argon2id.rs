//! Argon2, which new passwords are hashed with.

use argon2::{Algorithm, Argon2, Block, Params, Version};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::format::{HashFormatError, decode, parse_number};
use crate::config::HashCost;

const LANES: u32 = 1;
const SALT_LENGTH: usize = 16;
const HASH_LENGTH: usize = 32;

/// Imported hashes may cost more, up to these limits.
const MAX_MEMORY: u32 = 1024 * 1024;
const MAX_PASSES: u32 = 20;
const MAX_LANES: u32 = 16;

/// The smallest allocation, in KiB. The C library keeps smaller blocks when they are freed, but returns
/// blocks of this size to the system. Pages that are never written to take no memory.
const MIN_ALLOCATION: usize = 33 * 1024;

/// The memory that hashing fills, reused between hashes so that it is allocated once.
#[derive(Default)]
pub(super) struct Memory(Vec<Block>);

impl Memory {
    fn blocks(&mut self, count: u32) -> Option<&mut [Block]> {
        let count = usize::try_from(count).ok()?;
        let length = self.0.len();
        if length < count {
            self.0
                .try_reserve_exact(count.max(MIN_ALLOCATION) - length)
                .ok()?;
            self.0.resize(count, Block::new());
        }
        self.0.get_mut(..count)
    }

    /// Frees the memory if it grew beyond what a new hash needs.
    pub(super) fn trim(&mut self, cost: HashCost) {
        if u32::try_from(self.0.len()).is_ok_and(|blocks| blocks > cost.memory) {
            self.release();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Frees all memory.
    pub(super) fn release(&mut self) {
        self.0 = Vec::new();
    }
}

/// A parsed argon2 hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Argon2Hash {
    algorithm: Algorithm,
    params: Params,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

impl Argon2Hash {
    /// Returns a hash that no password has and that costs as much to compute as a new one.
    pub(super) fn dummy(cost: HashCost) -> Option<Self> {
        Some(Self {
            algorithm: Algorithm::Argon2id,
            params: params(cost)?,
            salt: vec![0; SALT_LENGTH],
            hash: vec![0; HASH_LENGTH],
        })
    }

    /// Returns the algorithm and its parameters.
    pub(super) fn kind(&self) -> String {
        let (memory, passes) = (self.params.m_cost(), self.params.t_cost());
        format!(
            "{}, {memory}, {passes}, {}",
            self.algorithm,
            self.params.p_cost()
        )
    }

    /// Returns how much memory a check fills, in KiB times passes.
    pub(super) fn work(&self) -> u64 {
        u64::from(self.params.m_cost()) * u64::from(self.params.t_cost())
    }

    /// Returns the memory of a check in KiB.
    pub(super) fn memory(&self) -> u32 {
        self.params.m_cost()
    }

    /// Parses `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
    pub(super) fn parse(text: &str) -> Result<Self, HashFormatError> {
        let error = |message| Err(HashFormatError(message));
        let parts: Vec<_> = text.split('$').collect();
        let &["", name, version, params, salt, hash] = parts.as_slice() else {
            return error("an argon2 hash has the form $argon2id$v=19$m=,t=,p=$salt$hash");
        };
        let algorithm = match name {
            "argon2id" => Algorithm::Argon2id,
            "argon2i" => Algorithm::Argon2i,
            _ => return error("of argon2 hashes, only argon2id and argon2i are supported"),
        };
        if version != "v=19" {
            return error("of argon2 hashes, only version 19 is supported");
        }
        let params: Vec<_> = params.split(',').collect();
        let &[memory, passes, lanes] = params.as_slice() else {
            return error("an argon2 hash has the parameters m, t and p and no others");
        };
        let (Some(memory), Some(passes), Some(lanes)) = (
            parse_number(memory, "m="),
            parse_number(passes, "t="),
            parse_number(lanes, "p="),
        ) else {
            return error("an argon2 hash has a parameter m, t or p that is not a number");
        };
        if memory > MAX_MEMORY || passes > MAX_PASSES || lanes > MAX_LANES {
            return error("an argon2 hash may have m up to 1048576, t up to 20 and p up to 16");
        }
        let (Some(salt), Some(hash)) = (decode(salt), decode(hash)) else {
            return error("an argon2 hash has a salt or hash that is not base64");
        };
        if !(8..=512).contains(&salt.len()) || !(10..=512).contains(&hash.len()) {
            return error("an argon2 hash has a salt or hash that is too short or too long");
        }
        let Ok(params) = Params::new(memory, passes, lanes, Some(hash.len())) else {
            return error("an argon2 hash has t and p of at least 1 and m of at least 8 times p");
        };
        Ok(Self {
            algorithm,
            params,
            salt,
            hash,
        })
    }

    /// Returns whether the password has this hash, or `None` if memory ran out.
    pub(super) fn matches(&self, password: &[u8], memory: &mut Memory) -> Option<bool> {
        let computed = self.compute(password, self.hash.len(), memory)?;
        Some(verify_slices_are_equal(&computed, &self.hash).is_ok())
    }

    /// Returns whether a new hash of the same password would be stronger.
    pub(super) fn needs_rehash(&self, cost: HashCost) -> bool {
        self.algorithm != Algorithm::Argon2id
            || self.params.m_cost() < cost.memory
            || self.params.t_cost() < cost.passes
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

/// Hashes a new password. Returns `None` if memory ran out.
pub(super) fn hash(password: &[u8], cost: HashCost, memory: &mut Memory) -> Option<String> {
    let salt: [u8; SALT_LENGTH] = innkeeper_service::random::bytes();
    let hash = Argon2Hash {
        algorithm: Algorithm::Argon2id,
        params: params(cost)?,
        salt: salt.to_vec(),
        hash: Vec::new(),
    };
    let computed = hash.compute(password, HASH_LENGTH, memory)?;
    Some(format!(
        "$argon2id$v=19$m={},t={},p={LANES}${}${}",
        cost.memory,
        cost.passes,
        STANDARD_NO_PAD.encode(salt),
        STANDARD_NO_PAD.encode(computed),
    ))
}

/// Returns the parameters of a new hash.
fn params(cost: HashCost) -> Option<Params> {
    Params::new(cost.memory, cost.passes, LANES, Some(HASH_LENGTH)).ok()
}
