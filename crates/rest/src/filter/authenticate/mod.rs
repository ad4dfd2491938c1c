//! Authenticates requests by bearer tokens, API keys, and user names with passwords.

mod api_key;
mod basic;
mod bearer;
mod challenge;
mod secret;

use std::future::Future;
use std::sync::Arc;

use http::StatusCode;
use http::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};

pub use api_key::ApiKey;
pub use basic::{Basic, UserAndPassword};
pub use bearer::{Bearer, bearer_token};
use challenge::Challenge;
pub use secret::{StaticKeys, same_secret};

use super::Next;
use crate::head::Head;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;

/// Checks credentials: the text of a token or key, or a [`UserAndPassword`].
///
/// A function is a check, and so is [`StaticKeys`]. Implement the trait to use the rest of the request,
/// too.
///
/// | Result | Response |
/// |---|---|
/// | `Ok(Some(value))` | that of the handler, which takes the value with `#[value]` |
/// | `Ok(None)` | 401: nobody has these credentials |
/// | `Err(rejection)` | this rejection; a 401 gets the challenge of the filter |
///
/// ```
/// use innkeeper_rest::filter::{Bearer, Check};
/// use innkeeper_rest::{Rejection, Request, StatusCode};
///
/// #[derive(Clone)]
/// struct Caller {
///     name: String,
/// }
///
/// // A function.
/// let sessions = Bearer::new(|token: String| async move {
///     Ok((token == "s3cr3t").then(|| Caller { name: "ada".to_owned() }))
/// });
///
/// /// A type of its own.
/// struct Sessions;
///
/// impl Check<String> for Sessions {
///     type Value = Caller;
///
///     async fn check(&self, token: String, request: &Request) -> Result<Option<Caller>, Rejection> {
///         let admin = request.route().is_some_and(|route| !route.security.is_empty());
///         match token.as_str() {
///             "s3cr3t" if admin => {
///                 Err(Rejection::new(StatusCode::FORBIDDEN, "forbidden", "this is for admins"))
///             }
///             "s3cr3t" => Ok(Some(Caller { name: "ada".to_owned() })),
///             _ => Ok(None),
///         }
///     }
/// }
///
/// let sessions = Bearer::new(Sessions);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not check credentials of type `{C}`",
    note = "give it a function such as `|token: String| async move {{ Ok(Some(caller)) }}`, whose \
        value is `Clone` and whose future is `Send`, or implement `innkeeper_rest::filter::Check`"
)]
pub trait Check<C>: Send + Sync + 'static {
    /// The owner of the credentials, for `#[value]`.
    type Value: Clone + Send + Sync + 'static;

    /// Returns the owner of the credentials.
    fn check(
        &self,
        credentials: C,
        request: &Request,
    ) -> impl Future<Output = Result<Option<Self::Value>, Rejection>> + Send;
}

impl<C, F, W, V> Check<C> for F
where
    F: Fn(C) -> W + Send + Sync + 'static,
    W: Future<Output = Result<Option<V>, Rejection>> + Send,
    V: Clone + Send + Sync + 'static,
{
    type Value = V;

    fn check(
        &self,
        credentials: C,
        _: &Request,
    ) -> impl Future<Output = Result<Option<V>, Rejection>> + Send {
        self(credentials)
    }
}

/// Why the credentials of a request cannot be checked, for [`ApiKey::refuse_with`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CredentialProblem {
    /// There are none.
    Missing,
    /// They do not have the syntax of the scheme.
    Malformed(&'static str),
    /// There are several, or a scheme without credentials.
    Ambiguous(&'static str),
}

/// The credentials of a request.
enum Presented<T> {
    Nothing,
    Credentials(T),
    /// Credentials that do not have the syntax of the scheme.
    Malformed(&'static str),
    /// Several credentials, or a scheme without credentials.
    Ambiguous(&'static str),
}

impl<T> Presented<T> {
    /// Parses the credentials; `None` means malformed.
    fn parse<U>(self, parse: impl FnOnce(T) -> Option<U>, problem: &'static str) -> Presented<U> {
        match self {
            Self::Nothing => Presented::Nothing,
            Self::Credentials(raw) => match parse(raw) {
                Some(credentials) => Presented::Credentials(credentials),
                None => Presented::Malformed(problem),
            },
            Self::Malformed(problem) => Presented::Malformed(problem),
            Self::Ambiguous(problem) => Presented::Ambiguous(problem),
        }
    }
}

/// The part that all authentication filters share.
struct Authenticator<K> {
    check: Arc<K>,
    optional: bool,
    challenge: Challenge,
    /// The message of the 401 for requests without credentials.
    required: &'static str,
    /// Makes the refusal of a request without usable credentials, instead of the default.
    refuse: Option<RefusalFn>,
}

type RefusalFn = Arc<dyn Fn(CredentialProblem, &Challenge) -> Rejection + Send + Sync>;

impl<K> Clone for Authenticator<K> {
    fn clone(&self) -> Self {
        Self {
            check: Arc::clone(&self.check),
            optional: self.optional,
            challenge: self.challenge.clone(),
            required: self.required,
            refuse: self.refuse.clone(),
        }
    }
}

impl<K> Authenticator<K> {
    fn new(check: K, challenge: Challenge, required: &'static str) -> Self {
        Self {
            check: Arc::new(check),
            optional: false,
            challenge,
            required,
            refuse: None,
        }
    }

    /// Passes an authenticated request on, and refuses others.
    async fn authenticate<C>(
        &self,
        presented: Presented<C>,
        request: &mut Request,
        next: Next<'_>,
    ) -> Response
    where
        K: Check<C>,
    {
        match self.caller(presented, request).await {
            Ok(Some(value)) => request.values_mut().set(value),
            Ok(None) => {}
            Err(refusal) => return Response::rejected(refusal),
        }
        next.run(request).await
    }

    async fn caller<C>(
        &self,
        presented: Presented<C>,
        request: &Request,
    ) -> Result<Option<K::Value>, Rejection>
    where
        K: Check<C>,
    {
        let problem = match presented {
            Presented::Credentials(credentials) => {
                return self.owner(credentials, request).await.map(Some);
            }
            Presented::Nothing if self.optional => return Ok(None),
            Presented::Nothing => CredentialProblem::Missing,
            Presented::Malformed(problem) => CredentialProblem::Malformed(problem),
            Presented::Ambiguous(problem) => CredentialProblem::Ambiguous(problem),
        };
        Err(match &self.refuse {
            Some(refuse) => refuse(problem, &self.challenge),
            None => self.default_refusal(problem),
        })
    }

    fn default_refusal(&self, problem: CredentialProblem) -> Rejection {
        let challenge = self.challenge.for_problem(problem);
        match problem {
            CredentialProblem::Missing => refusal(self.required, challenge),
            CredentialProblem::Malformed(problem) => refusal(problem, challenge),
            CredentialProblem::Ambiguous(problem) => {
                Rejection::new(StatusCode::BAD_REQUEST, "ambiguous_credentials", problem)
                    .with_header(WWW_AUTHENTICATE, challenge)
            }
        }
    }

    async fn owner<C>(&self, credentials: C, request: &Request) -> Result<K::Value, Rejection>
    where
        K: Check<C>,
    {
        match self.check.check(credentials, request).await {
            Ok(Some(value)) => Ok(value),
            Ok(None) => {
                let problem = "the credentials are not valid";
                Err(refusal(problem, self.challenge.invalid()))
            }
            Err(refusal) => Err(challenged(refusal, self.challenge.invalid())),
        }
    }
}

/// Adds a challenge to a 401 that has none.
fn challenged(refusal: Rejection, challenge: HeaderValue) -> Rejection {
    let is_bare = refusal.status() == StatusCode::UNAUTHORIZED
        && !refusal.headers().contains_key(WWW_AUTHENTICATE);
    if is_bare {
        refusal.with_header(WWW_AUTHENTICATE, challenge)
    } else {
        refusal
    }
}

fn refusal(problem: &'static str, challenge: HeaderValue) -> Rejection {
    Rejection::new(StatusCode::UNAUTHORIZED, "unauthenticated", problem)
        .with_header(WWW_AUTHENTICATE, challenge)
}

/// Returns the credentials after a scheme in `Authorization`. Other schemes are ignored.
fn authorization<'h>(head: &'h Head, scheme: &str) -> Presented<&'h [u8]> {
    let mut lines = head.header_values(&AUTHORIZATION);
    let Some(line) = lines.next() else {
        return Presented::Nothing;
    };
    if lines.next().is_some() {
        return Presented::Ambiguous("there is more than one `Authorization` header");
    }
    let (name, rest) = match line.iter().position(|&byte| byte == b' ') {
        Some(space) => line.split_at(space),
        None => (line, &[] as &[u8]),
    };
    if !name.eq_ignore_ascii_case(scheme.as_bytes()) {
        return Presented::Nothing;
    }
    match rest.trim_ascii() {
        [] => Presented::Ambiguous("`Authorization` has a scheme but no credentials"),
        credentials => Presented::Credentials(credentials),
    }
}

/// Returns the text of a token: letters, digits and `-._~+/`, and `=` at its end.
fn token68(bytes: &[u8]) -> Option<&str> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
    let text = str::from_utf8(bytes).ok()?;
    let body = text.trim_end_matches('=');
    (!body.is_empty() && body.bytes().all(allowed)).then_some(text)
}
