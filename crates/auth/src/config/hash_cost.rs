//! What hashing a new password costs.

/// What a new Argon2id hash costs to compute. Stored hashes that cost less are replaced at the next sign-in.
///
/// No setting changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashCost {
    /// How much memory is filled, in KiB.
    pub(crate) memory: u32,
    /// How often it is filled.
    pub(crate) passes: u32,
}

impl HashCost {
    /// 19 MiB, two passes: the minimum that OWASP recommends. Every server uses it.
    pub const RECOMMENDED: Self = Self {
        memory: 19 * 1024,
        passes: 2,
    };

    /// So little that a password can be guessed, for tests in which thousands of users sign in.
    pub const FOR_TESTS: Self = Self {
        memory: 128,
        passes: 1,
    };
}
