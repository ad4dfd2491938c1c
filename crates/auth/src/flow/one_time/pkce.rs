//! PKCE code challenges: only the client that requested a link can use it.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::base::error::{AuthError, Result};

/// A code challenge, which the client meets with its code verifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodeChallenge {
    pub(crate) method: ChallengeMethod,
    pub(crate) text: String,
}

/// How the challenge is computed from the verifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChallengeMethod {
    S256,
    Plain,
}

impl ChallengeMethod {
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

impl CodeChallenge {
    /// Parses `code_challenge` and `code_challenge_method` of a request: both or neither.
    pub(crate) fn parse_pair(
        challenge: Option<&str>,
        method: Option<&str>,
    ) -> Result<Option<Self>> {
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
        let Some(method) = ChallengeMethod::parse(method) else {
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

    /// Whether the verifier meets the challenge.
    pub(crate) fn is_met_by(&self, verifier: &str) -> bool {
        let proof = match self.method {
            ChallengeMethod::S256 => URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes())),
            ChallengeMethod::Plain => verifier.to_owned(),
        };
        verify_slices_are_equal(proof.as_bytes(), self.text.as_bytes()).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{ChallengeMethod, CodeChallenge};

    const TEXT: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn challenge_and_method_come_together_or_not_at_all() {
        assert_eq!(CodeChallenge::parse_pair(None, None).unwrap(), None);
        assert_eq!(CodeChallenge::parse_pair(Some(""), None).unwrap(), None);
        assert!(CodeChallenge::parse_pair(Some(TEXT), None).is_err());
        assert!(CodeChallenge::parse_pair(None, Some("s256")).is_err());
        assert!(CodeChallenge::parse_pair(Some(TEXT), Some("md5")).is_err());
        assert!(CodeChallenge::parse_pair(Some("short"), Some("s256")).is_err());
        assert!(CodeChallenge::parse_pair(Some(&"é".repeat(30)), Some("s256")).is_err());
        let read = CodeChallenge::parse_pair(Some(TEXT), Some("S256"))
            .unwrap()
            .unwrap();
        assert_eq!(read.method, ChallengeMethod::S256);
    }

    #[test]
    fn the_verifier_of_the_standard_meets_its_challenge() {
        let challenge = CodeChallenge::parse_pair(Some(TEXT), Some("s256"))
            .unwrap()
            .unwrap();
        assert!(challenge.is_met_by("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
        assert!(!challenge.is_met_by(TEXT));
        let plain = CodeChallenge::parse_pair(Some(TEXT), Some("plain"))
            .unwrap()
            .unwrap();
        assert!(plain.is_met_by(TEXT));
        assert!(!plain.is_met_by("something else"));
    }
}
