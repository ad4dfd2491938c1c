//! API keys, in a header, in the query, or as a bearer token.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use http::header::HeaderName;

use super::challenge::Challenge;
use super::{Authenticator, Check, CredentialProblem, Presented, bearer, challenged, same_secret};
use crate::filter::{Filter, FilterError, Next};
use crate::head::Head;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;
use crate::syntax::decode;

/// Authenticates requests by an API key.
///
/// A request without a key gets 401 and a challenge that names the header or parameter of the key; so does
/// one whose key [`Check`] does not know. Two different keys get 400.
///
/// ```
/// use innkeeper_rest::filter::{ApiKey, StaticKeys};
///
/// #[derive(Clone)]
/// struct Customer(&'static str);
///
/// let keys = StaticKeys::new([("k-5f2a91", Customer("north")), ("k-88c1d0", Customer("south"))]);
/// // `X-Api-Key: k-5f2a91` or `Authorization: Bearer k-5f2a91`.
/// let customers = ApiKey::in_header("x-api-key", keys.unwrap()).unwrap().or_bearer();
/// ```
pub struct ApiKey<K> {
    authenticator: Authenticator<K>,
    locations: Vec<KeyLocation>,
}

#[derive(Debug, Clone)]
enum KeyLocation {
    Header(HeaderName),
    Query(String),
    Bearer,
}

const REQUIRED: &str = "an API key is required";

impl<K: Check<String>> ApiKey<K> {
    /// Reads keys from a header, such as `X-Api-Key`.
    ///
    /// # Errors
    ///
    /// Fails if the name is not a header name.
    pub fn in_header(name: impl AsRef<str>, check: K) -> Result<Self, FilterError> {
        let name = name.as_ref();
        let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
            let name = name.escape_debug();
            return Err(FilterError::one(format!("`{name}` is not a header name")));
        };
        let challenge = Challenge::api_key("header", name.as_str());
        Ok(Self {
            authenticator: Authenticator::new(check, challenge, REQUIRED),
            locations: vec![KeyLocation::Header(name)],
        })
    }

    /// Reads keys from the query, such as `?api_key=…`.
    ///
    /// Proxies log URLs and browsers keep them: use this only for keys that are not secret, or that
    /// expire soon.
    ///
    /// # Errors
    ///
    /// Fails if the name has other characters than letters, digits, `-`, `_` and `.`.
    pub fn in_query(name: impl Into<String>, check: K) -> Result<Self, FilterError> {
        let name = name.into();
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || !name.bytes().all(allowed) {
            let name = name.escape_debug();
            let problem = format!(
                "`{name}` is not a parameter name: names have letters, digits, `-`, `_` and `.`"
            );
            return Err(FilterError::one(problem));
        }
        let challenge = Challenge::api_key("query", &name);
        Ok(Self {
            authenticator: Authenticator::new(check, challenge, REQUIRED),
            locations: vec![KeyLocation::Query(name)],
        })
    }

    /// Also reads keys from `Authorization: Bearer …`.
    #[must_use]
    pub fn or_bearer(mut self) -> Self {
        self.locations.push(KeyLocation::Bearer);
        self.authenticator.challenge = self.authenticator.challenge.or(Challenge::bearer());
        self
    }

    /// Sets the realm of challenges.
    ///
    /// # Errors
    ///
    /// Fails if the realm is not a line of ASCII text.
    pub fn realm(mut self, realm: impl AsRef<str>) -> Result<Self, FilterError> {
        self.authenticator.challenge = self.authenticator.challenge.in_realm(realm.as_ref())?;
        Ok(self)
    }

    /// Also passes on requests that have no key, without a value: handlers take
    /// `#[value] customer: Option<Customer>`. An invalid key is still refused.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.authenticator.optional = true;
        self
    }

    /// Refuses requests without a usable key with the rejection that this function makes. A 401 without a
    /// challenge gets that of the filter. A key that can be read is the [`Check`]'s to refuse.
    ///
    /// ```
    /// use innkeeper_rest::filter::{ApiKey, CredentialProblem, StaticKeys};
    /// use innkeeper_rest::{Rejection, StatusCode};
    ///
    /// let keys = StaticKeys::new([("k-5f2a91", "north")]).unwrap();
    /// let keys = ApiKey::in_header("x-api-key", keys).unwrap().refuse_with(|problem| match problem {
    ///     CredentialProblem::Ambiguous(problem) => {
    ///         Rejection::new(StatusCode::BAD_REQUEST, "invalid_request", problem)
    ///     }
    ///     _ => Rejection::new(StatusCode::UNAUTHORIZED, "no_key", "ask us for a key"),
    /// });
    /// ```
    #[must_use]
    pub fn refuse_with(
        mut self,
        rejection: impl Fn(CredentialProblem) -> Rejection + Send + Sync + 'static,
    ) -> Self {
        self.authenticator.refuse = Some(Arc::new(move |problem, challenge| {
            challenged(rejection(problem), challenge.for_problem(problem))
        }));
        self
    }
}

impl<K> ApiKey<K> {
    /// Returns the key of a request, which must have only one.
    fn key(&self, head: &Head) -> Presented<String> {
        let mut found = Presented::Nothing;
        for location in &self.locations {
            match (location.key(head), &found) {
                (Presented::Nothing, _) => {}
                (one, Presented::Nothing) => found = one,
                (Presented::Credentials(one), Presented::Credentials(known))
                    if same_secret(&one, known) => {}
                _ => return Presented::Ambiguous("there is more than one API key"),
            }
        }
        found
    }
}

impl KeyLocation {
    fn key(&self, head: &Head) -> Presented<String> {
        match self {
            Self::Header(name) => {
                let lines = head.header_values(name).map(std::str::from_utf8);
                only_key(lines.map(|line| line.ok().map(Cow::Borrowed)))
            }
            Self::Query(name) => {
                let pairs = head.query().unwrap_or_default().split('&');
                only_key(pairs.filter_map(|pair| {
                    let (known, value) = pair.split_once('=').unwrap_or((pair, ""));
                    let same = decode::query(known).is_ok_and(|known| known == *name);
                    same.then(|| decode::query(value).ok())
                }))
            }
            Self::Bearer => bearer::token(head),
        }
    }
}

/// Returns the only key of an iterator, if it is text.
fn only_key<'h>(mut keys: impl Iterator<Item = Option<Cow<'h, str>>>) -> Presented<String> {
    let Some(first) = keys.next() else {
        return Presented::Nothing;
    };
    match first {
        _ if keys.next().is_some() => Presented::Ambiguous("there is more than one API key"),
        Some(key) if !key.is_empty() => Presented::Credentials(key.into_owned()),
        _ => Presented::Malformed("the API key is malformed"),
    }
}

impl<K: Check<String>> Filter for ApiKey<K> {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let presented = self.key(request.head());
        self.authenticator
            .authenticate(presented, request, next)
            .await
    }
}

impl<K> Clone for ApiKey<K> {
    fn clone(&self) -> Self {
        Self {
            authenticator: self.authenticator.clone(),
            locations: self.locations.clone(),
        }
    }
}

impl<K> fmt::Debug for ApiKey<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey")
            .field("locations", &self.locations)
            .finish_non_exhaustive()
    }
}
