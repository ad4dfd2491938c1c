//! API keys, in a header, in the query, or as a bearer token.

use std::borrow::Cow;
use std::fmt;

use http::header::HeaderName;

use super::challenge::Challenge;
use super::{Check, Gate, Presented, bearer, same_secret};
use crate::filter::{Filter, FilterError, Next};
use crate::head::Head;
use crate::request::Request;
use crate::response::Response;
use crate::source::decode;

/// Lets in who has an API key.
///
/// A request without a key gets 401 and a challenge that says where the key belongs; so does one
/// whose key [`Check`] does not know. Two different keys get 400.
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
    gate: Gate<K>,
    places: Vec<Place>,
}

#[derive(Debug, Clone)]
enum Place {
    Header(HeaderName),
    Query(String),
    Bearer,
}

const NEEDED: &str = "an API key is needed";

impl<K: Check<String>> ApiKey<K> {
    /// Looks for keys in a header, such as `X-Api-Key`.
    pub fn in_header(name: impl AsRef<str>, check: K) -> Result<Self, FilterError> {
        let name = name.as_ref();
        let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
            let name = name.escape_debug();
            return Err(FilterError::one(format!("`{name}` is no header name")));
        };
        let challenge = Challenge::api_key("header", name.as_str());
        Ok(Self {
            gate: Gate::new(check, challenge, NEEDED),
            places: vec![Place::Header(name)],
        })
    }

    /// Looks for keys in the query, such as `?api_key=…`.
    ///
    /// Addresses are logged by proxies and kept by browsers: use this only for keys that may be
    /// known, or that do not live long.
    pub fn in_query(name: impl Into<String>, check: K) -> Result<Self, FilterError> {
        let name = name.into();
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || !name.bytes().all(allowed) {
            let name = name.escape_debug();
            let problem = format!(
                "`{name}` is no name for a parameter: it has letters, digits, `-`, `_` and `.`"
            );
            return Err(FilterError::one(problem));
        }
        let challenge = Challenge::api_key("query", &name);
        Ok(Self {
            gate: Gate::new(check, challenge, NEEDED),
            places: vec![Place::Query(name)],
        })
    }

    /// Looks for keys in `Authorization: Bearer …` too.
    #[must_use]
    pub fn or_bearer(mut self) -> Self {
        self.places.push(Place::Bearer);
        self.gate.challenge = self.gate.challenge.or(Challenge::bearer());
        self
    }

    /// Says in challenges what the key is for.
    pub fn realm(mut self, realm: impl AsRef<str>) -> Result<Self, FilterError> {
        self.gate.challenge = self.gate.challenge.in_realm(realm.as_ref())?;
        Ok(self)
    }

    /// Lets in requests that have no key too, without a value: handlers take
    /// `#[value] customer: Option<Customer>`. A key that is not valid is still refused.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.gate.optional = true;
        self
    }
}

impl<K> ApiKey<K> {
    /// The only key of a request.
    fn key(&self, head: &Head) -> Presented<String> {
        let mut found = Presented::Nothing;
        for place in &self.places {
            match (place.key(head), &found) {
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

impl Place {
    fn key(&self, head: &Head) -> Presented<String> {
        match self {
            Self::Header(name) => {
                let lines = head.header_values(name).map(std::str::from_utf8);
                sole(lines.map(|line| line.ok().map(Cow::Borrowed)))
            }
            Self::Query(name) => {
                let pairs = head.query().unwrap_or_default().split('&');
                sole(pairs.filter_map(|pair| {
                    let (known, value) = pair.split_once('=').unwrap_or((pair, ""));
                    let same = decode::query(known).is_ok_and(|known| known == *name);
                    same.then(|| decode::query(value).ok())
                }))
            }
            Self::Bearer => bearer::token(head),
        }
    }
}

/// The only one of these, if it is text.
fn sole<'h>(mut keys: impl Iterator<Item = Option<Cow<'h, str>>>) -> Presented<String> {
    let Some(first) = keys.next() else {
        return Presented::Nothing;
    };
    match first {
        _ if keys.next().is_some() => Presented::Ambiguous("there is more than one API key"),
        Some(key) if !key.is_empty() => Presented::Credentials(key.into_owned()),
        _ => Presented::Malformed("the API key is none"),
    }
}

impl<K: Check<String>> Filter for ApiKey<K> {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let presented = self.key(request.head());
        self.gate.admit(presented, request, next).await
    }
}

impl<K> Clone for ApiKey<K> {
    fn clone(&self) -> Self {
        Self {
            gate: self.gate.clone(),
            places: self.places.clone(),
        }
    }
}

impl<K> fmt::Debug for ApiKey<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey")
            .field("places", &self.places)
            .finish_non_exhaustive()
    }
}
