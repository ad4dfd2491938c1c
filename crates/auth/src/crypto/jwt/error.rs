//! The reasons why a token is refused.

/// The reason why a token is not accepted. The messages are GoTrue's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid JWT: unable to parse or verify signature, {}", self.detail())]
pub enum JwtError {
    /// The text is not a token: wrong shape, encoding, header or claims.
    Malformed(&'static str),
    /// The algorithm is not accepted, or is not the one of the key that the token names.
    Algorithm,
    /// No key of this server can have signed the token.
    UnknownKey,
    /// The signature is wrong.
    Signature,
    /// The token has expired.
    Expired,
    /// The token is not valid yet.
    NotYetValid,
    /// The token was issued in the future.
    IssuedAhead,
}

impl JwtError {
    fn detail(self) -> String {
        match self {
            Self::Malformed(reason) => format!("token is malformed: {reason}"),
            Self::Algorithm => "token signature is invalid: signing method is invalid".into(),
            Self::UnknownKey => "token is unverifiable: unrecognized JWT kid".into(),
            Self::Signature => "token signature is invalid: signature is invalid".into(),
            Self::Expired => "token has invalid claims: token is expired".into(),
            Self::NotYetValid => "token has invalid claims: token is not valid yet".into(),
            Self::IssuedAhead => "token has invalid claims: token used before issued".into(),
        }
    }
}
