//! Code exchanges (PKCE): the client that asked for a link is the only one that can use it.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::error::{AuthError, Result};

/// What the client will have to prove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Challenge {
    pub(crate) method: Method,
    pub(crate) text: String,
}

/// How the proof is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    S256,
    Plain,
}

impl Method {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::S256 => "s256",
            Self::Plain => "plain",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::S256, Self::Plain]
            .into_iter()
            .find(|method| method.name().eq_ignore_ascii_case(text))
    }
}

impl Challenge {
    /// Reads the two members of a request: both or neither.
    pub(crate) fn read(challenge: Option<&str>, method: Option<&str>) -> Result<Option<Self>> {
        let challenge = challenge.filter(|text| !text.is_empty());
        let method = method.filter(|text| !text.is_empty());
        let (text, method) = match (challenge, method) {
            (None, None) => return Ok(None),
            (Some(challenge), Some(method)) => (challenge, method),
            _ => {
                return Err(AuthError::validation(
                    "PKCE flow requires code_challenge_method and code_challenge",
                ));
            }
        };
        let Some(method) = Method::parse(method) else {
            return Err(AuthError::validation(
                "code_challenge_method must be one of s256, plain",
            ));
        };
        if !(43..=128).contains(&text.len()) {
            return Err(AuthError::validation(
                "code challenge has to be between 43 and 128 characters",
            ));
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._~-".contains(&byte);
        if !text.bytes().all(allowed) {
            return Err(AuthError::validation(
                "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes",
            ));
        }
        Ok(Some(Self {
            method,
            text: text.to_owned(),
        }))
    }

    /// Whether the verifier proves it.
    pub(crate) fn is_met_by(&self, verifier: &str) -> bool {
        let proof = match self.method {
            Method::S256 => URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes())),
            Method::Plain => verifier.to_owned(),
        };
        verify_slices_are_equal(proof.as_bytes(), self.text.as_bytes()).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{Challenge, Method};

    const TEXT: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn challenge_and_method_come_together_or_not_at_all() {
        assert_eq!(Challenge::read(None, None).unwrap(), None);
        assert_eq!(Challenge::read(Some(""), None).unwrap(), None);
        assert!(Challenge::read(Some(TEXT), None).is_err());
        assert!(Challenge::read(None, Some("s256")).is_err());
        assert!(Challenge::read(Some(TEXT), Some("md5")).is_err());
        assert!(Challenge::read(Some("short"), Some("s256")).is_err());
        assert!(Challenge::read(Some(&"é".repeat(30)), Some("s256")).is_err());
        let read = Challenge::read(Some(TEXT), Some("S256")).unwrap().unwrap();
        assert_eq!(read.method, Method::S256);
    }

    #[test]
    fn the_verifier_of_the_standard_meets_its_challenge() {
        let challenge = Challenge::read(Some(TEXT), Some("s256")).unwrap().unwrap();
        assert!(challenge.is_met_by("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
        assert!(!challenge.is_met_by(TEXT));
        let plain = Challenge::read(Some(TEXT), Some("plain")).unwrap().unwrap();
        assert!(plain.is_met_by(TEXT));
        assert!(!plain.is_met_by("something else"));
    }
}
