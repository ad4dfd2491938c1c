//! Why a key is refused.

/// Why a key is refused. The texts are for the client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeyError {
    /// The text is not a key, no key has its id, or its secret is wrong. Clients cannot tell which.
    #[error("the API key is not valid")]
    Unauthenticated,
    /// The key has expired.
    #[error("the API key has expired")]
    Expired,
    /// The key was revoked.
    #[error("the API key was revoked")]
    Revoked,
    /// The key is valid, but not for requests from the address of the client.
    #[error("the API key cannot be used from this address")]
    AddressNotAllowed {
        /// The id of the key.
        key_id: String,
        /// Whose key it is.
        customer_id: String,
    },
    /// Whether the key is valid cannot be found out. The cause is for the log.
    #[error("API keys cannot be checked at the moment; try again later")]
    Unavailable(String),
}
