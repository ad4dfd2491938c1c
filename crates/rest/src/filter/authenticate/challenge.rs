//! `WWW-Authenticate`: the credentials that a client has to send.

use http::header::HeaderValue;

use super::CredentialProblem;
use crate::filter::FilterError;

/// The challenges of a filter, one per authentication scheme.
#[derive(Debug, Clone)]
pub(super) struct Challenge {
    realm: Option<String>,
    schemes: Vec<ChallengeScheme>,
}

#[derive(Debug, Clone)]
struct ChallengeScheme {
    name: &'static str,
    /// Parameters besides the realm.
    parameters: Vec<(&'static str, String)>,
    /// Whether the challenge has an `error` parameter (RFC 6750).
    has_errors: bool,
}

impl Challenge {
    pub(super) fn basic() -> Self {
        let charset = ("charset", "UTF-8".to_owned());
        Self::of("Basic", vec![charset])
    }

    pub(super) fn bearer() -> Self {
        let mut challenge = Self::of("Bearer", Vec::new());
        for scheme in &mut challenge.schemes {
            scheme.has_errors = true;
        }
        challenge
    }

    /// A key in a header or query parameter. No scheme of this name is registered, but a 401 must have a
    /// challenge, and this one tells what to send.
    pub(super) fn api_key(location: &'static str, name: &str) -> Self {
        Self::of("ApiKey", vec![(location, name.to_owned())])
    }

    fn of(name: &'static str, parameters: Vec<(&'static str, String)>) -> Self {
        let scheme = ChallengeScheme {
            name,
            parameters,
            has_errors: false,
        };
        Self {
            realm: None,
            schemes: vec![scheme],
        }
    }

    /// Adds the schemes of another challenge.
    pub(super) fn or(mut self, other: Self) -> Self {
        self.schemes.extend(other.schemes);
        self
    }

    pub(super) fn in_realm(mut self, realm: &str) -> Result<Self, FilterError> {
        let allowed = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        if realm.is_empty() || !realm.bytes().all(allowed) {
            let realm = realm.escape_debug();
            let problem = format!("`{realm}` is not a realm: a realm is a line of ASCII text");
            return Err(FilterError::one(problem));
        }
        self.realm = Some(realm.to_owned());
        Ok(self)
    }

    /// The header for credentials that cannot be checked.
    pub(super) fn for_problem(&self, problem: CredentialProblem) -> HeaderValue {
        match problem {
            CredentialProblem::Missing => self.write(None),
            CredentialProblem::Malformed(_) => self.invalid(),
            CredentialProblem::Ambiguous(_) => self.write(Some("invalid_request")),
        }
    }

    /// The header for invalid credentials.
    pub(super) fn invalid(&self) -> HeaderValue {
        self.write(Some("invalid_token"))
    }

    fn write(&self, error: Option<&str>) -> HeaderValue {
        let challenges = self.schemes.iter().map(|scheme| {
            let realm = self.realm.as_deref().map(|realm| ("realm", realm));
            let fixed = scheme.parameters.iter();
            let fixed = fixed.map(|(name, value)| (*name, value.as_str()));
            let error = error.filter(|_| scheme.has_errors);
            let parameters: Vec<String> = realm
                .into_iter()
                .chain(fixed)
                .chain(error.map(|error| ("error", error)))
                .map(|(name, value)| format!("{name}=\"{}\"", quoted(value)))
                .collect();
            let text = format!("{} {}", scheme.name, parameters.join(", "));
            text.trim_end().to_owned()
        });
        let text = challenges.collect::<Vec<_>>().join(", ");
        // Realms and names are checked when the filter is made.
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("Bearer"))
    }
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
