//! The claims of an id token, checked as OpenID Connect wants it.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::jws::{JwsAlgorithm, ParsedToken};
use crate::base::error::AuthError;
use crate::model::Object;

/// How far the clocks of a provider and of this server may differ.
pub(super) const CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(60);

/// Why an id token is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum IdTokenProblem {
    #[error("it is malformed")]
    Malformed,
    #[error("it is not signed with an asymmetric algorithm")]
    Algorithm,
    #[error("the provider does not have the key that it names")]
    UnknownKey,
    #[error("the signature is wrong")]
    Signature,
    #[error("the issuer is not the provider")]
    Issuer,
    #[error("the audience is not a client id of this server")]
    Audience,
    #[error("it was issued for another client")]
    AuthorizedParty,
    #[error("it has expired")]
    Expired,
    #[error("it is not valid yet")]
    NotYetValid,
    #[error("it was issued for another access token")]
    AccessToken,
    #[error("only one of the token and the request has a nonce")]
    NonceMissing,
    #[error("the nonces do not match")]
    Nonce,
    #[error("it has no subject")]
    Subject,
}

impl From<IdTokenProblem> for AuthError {
    fn from(problem: IdTokenProblem) -> Self {
        let (error, description) = match problem {
            IdTokenProblem::NonceMissing => (
                "invalid request",
                "Passed nonce and nonce in id_token should either both exist or not.".into(),
            ),
            IdTokenProblem::Nonce => ("invalid nonce", "Nonces mismatch".into()),
            IdTokenProblem::Audience => (
                "invalid request",
                "Unacceptable audience in id_token".into(),
            ),
            other => ("invalid request", format!("Bad ID token: {other}").into()),
        };
        Self::OAuth { error, description }
    }
}

/// The nonce that a token must have.
#[derive(Debug, Clone, Copy)]
pub(super) enum ExpectedNonce<'a> {
    /// Any or none.
    Unchecked,
    /// Exactly this one, which this server sent to the provider.
    Ours(&'a str),
    /// The hash of this one, which the client sent to the provider; none if the client has none.
    HashOf(Option<&'a str>),
}

/// What the claims of a token must be.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExpectedClaims<'a> {
    pub(super) issuers: &'a [&'a str],
    pub(super) client_ids: &'a [&'a str],
    pub(super) nonce: ExpectedNonce<'a>,
    /// The access token that came with the id token, if it is known.
    pub(super) access_token: Option<&'a str>,
    pub(super) now: Timestamp,
}

impl ExpectedClaims<'_> {
    /// Checks the claims of a token whose signature was verified.
    pub(super) fn check(&self, token: &ParsedToken<'_>) -> Result<(), IdTokenProblem> {
        let issuer = token.text("iss").unwrap_or_default();
        if !self.issuers.iter().any(|known| same_issuer(known, issuer)) {
            return Err(IdTokenProblem::Issuer);
        }
        self.check_audience(&token.claims)?;
        self.check_times(&token.claims)?;
        if token.text("sub").is_none_or(str::is_empty) {
            return Err(IdTokenProblem::Subject);
        }
        self.check_nonce(token.text("nonce"))?;
        match (self.access_token, token.text("at_hash")) {
            (Some(access), Some(hash)) if hash != access_token_hash(token.algorithm, access) => {
                Err(IdTokenProblem::AccessToken)
            }
            _ => Ok(()),
        }
    }

    fn check_audience(&self, claims: &Object) -> Result<(), IdTokenProblem> {
        let audiences: Vec<&str> = match claims.get("aud") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let is_ours = |id: &str| self.client_ids.contains(&id);
        if !audiences.iter().any(|audience| is_ours(audience)) {
            return Err(IdTokenProblem::Audience);
        }
        // With a single audience the authorized party may be another client of the operator, such as an Android
        // app that asks for a token for its server.
        let party = claims.get("azp").and_then(Value::as_str);
        if audiences.len() > 1 && !party.is_some_and(is_ours) {
            return Err(IdTokenProblem::AuthorizedParty);
        }
        Ok(())
    }

    fn check_times(&self, claims: &Object) -> Result<(), IdTokenProblem> {
        let time = |name: &str| seconds(claims.get(name)?);
        let now = self.now.as_second();
        let skew = CLOCK_SKEW.as_secs();
        let expires = time("exp").ok_or(IdTokenProblem::Malformed)?;
        if now >= expires.saturating_add(skew) {
            return Err(IdTokenProblem::Expired);
        }
        let issued = time("iat").ok_or(IdTokenProblem::Malformed)?;
        let begins = time("nbf").unwrap_or(issued);
        if issued.max(begins) > now.saturating_add(skew) {
            return Err(IdTokenProblem::NotYetValid);
        }
        Ok(())
    }

    fn check_nonce(&self, found: Option<&str>) -> Result<(), IdTokenProblem> {
        let found = found.filter(|nonce| !nonce.is_empty());
        match self.nonce {
            ExpectedNonce::Unchecked | ExpectedNonce::HashOf(None) if found.is_none() => Ok(()),
            ExpectedNonce::Unchecked => Ok(()),
            ExpectedNonce::Ours(nonce) if found == Some(nonce) => Ok(()),
            ExpectedNonce::HashOf(None) => Err(IdTokenProblem::NonceMissing),
            ExpectedNonce::HashOf(Some(_)) if found.is_none() => Err(IdTokenProblem::NonceMissing),
            ExpectedNonce::HashOf(Some(nonce)) if found == Some(&hex_sha256(nonce)) => Ok(()),
            _ => Err(IdTokenProblem::Nonce),
        }
    }
}

/// Whether two issuers are the same, but for a slash at the end, which some providers write now and then.
pub(super) fn same_issuer(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

/// Reads a time in seconds, which may have a fraction.
fn seconds(value: &Value) -> Option<i64> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "saturates, which is as wrong"
    )]
    value
        .as_i64()
        .or_else(|| value.as_f64().map(|it| it as i64))
}

/// Returns the left half of an access token's hash, as `at_hash` has it.
pub(super) fn access_token_hash(algorithm: JwsAlgorithm, access_token: &str) -> String {
    let hash = digest(algorithm.digest(), access_token.as_bytes());
    let half = hash.as_ref().get(..hash.as_ref().len() / 2);
    URL_SAFE_NO_PAD.encode(half.unwrap_or_default())
}

fn hex_sha256(text: &str) -> String {
    hex(digest(&SHA256, text.as_bytes()).as_ref())
}

/// Returns bytes as hexadecimal digits in lower case.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or_default();
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}
