//! Bearer tokens (RFC 6750).

use std::fmt;
use std::sync::Arc;

use super::challenge::Challenge;
use http::header::AUTHORIZATION;

use super::{Authenticator, Check, Presented, authorization, token68};
use crate::filter::{Filter, FilterError, Next};
use crate::head::Head;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;

/// Authenticates requests by a token: `Authorization: Bearer <token>`.
///
/// Requests without one get 401 and a challenge. A token that is malformed, or that [`Check`] does not
/// know, gets 401 with `error="invalid_token"`; two `Authorization` headers, or one without a token,
/// get 400. Tokens in the query or a form are not read.
///
/// ```
/// use innkeeper_rest::filter::Bearer;
/// use innkeeper_rest::testing::Client;
/// use innkeeper_rest::{App, RestApi, resource};
///
/// #[derive(Clone)]
/// struct Caller {
///     name: String,
/// }
///
/// struct Me;
///
/// #[resource("/me")]
/// impl Me {
///     #[get]
///     fn show(&self, #[value] caller: Caller) -> String {
///         caller.name
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let sessions = Bearer::new(|token: String| async move {
///     Ok((token == "s3cr3t").then(|| Caller { name: "ada".to_owned() }))
/// });
/// let client = Client::new(App::new().mount("/", RestApi::new(Me).filter(sessions))).unwrap();
///
/// let stranger = client.get("/me").send().await;
/// assert_eq!(stranger.status(), 401);
/// assert_eq!(stranger.header("www-authenticate"), Some("Bearer"));
/// let known = client.get("/me").header("authorization", "Bearer s3cr3t").send().await;
/// assert_eq!(known.text(), "ada");
/// # });
/// ```
pub struct Bearer<K> {
    authenticator: Authenticator<K>,
    opaque: bool,
}

impl<K: Check<String>> Bearer<K> {
    /// Authenticates by this check.
    pub fn new(check: K) -> Self {
        let required = "a bearer token is required";
        Self {
            authenticator: Authenticator::new(check, Challenge::bearer(), required),
            opaque: false,
        }
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

    /// Also passes on requests that have no `Authorization` of this scheme, without a value: handlers
    /// take `#[value] caller: Option<Caller>`. An invalid token is still refused.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.authenticator.optional = true;
        self
    }

    /// Accepts any text without a space as a token, and leaves its syntax to the check. See
    /// [`bearer_token`].
    #[must_use]
    pub fn opaque(mut self) -> Self {
        self.opaque = true;
        self
    }

    /// Refuses requests without a usable token with this rejection, and without a challenge.
    #[must_use]
    pub fn refuse_with(
        mut self,
        rejection: impl Fn() -> Rejection + Send + Sync + 'static,
    ) -> Self {
        self.authenticator.refuse = Some(Arc::new(move |_, _| rejection()));
        self
    }
}

/// Returns the text after `Authorization: Bearer` and one space, if it is one word. It checks neither the
/// alphabet nor for a second header; [`Bearer`] checks both unless it is [opaque](Bearer::opaque).
///
/// ```
/// use innkeeper_rest::filter::bearer_token;
/// use innkeeper_rest::{Head, Method};
///
/// let mut head = Head::new(Method::GET, "/me");
/// assert_eq!(bearer_token(&head), None);
/// head.headers_mut().insert("authorization", "Bearer s3cr3t!".parse().unwrap());
/// assert_eq!(bearer_token(&head), Some("s3cr3t!"));
/// ```
pub fn bearer_token(head: &Head) -> Option<&str> {
    let (scheme, token) = head.header_text(AUTHORIZATION)?.split_once(' ')?;
    let is_bearer = scheme.eq_ignore_ascii_case("bearer");
    (is_bearer && !token.is_empty() && !token.contains(' ')).then_some(token)
}

/// Returns the token of a request.
pub(super) fn token(head: &Head) -> Presented<String> {
    authorization(head, "bearer").parse(
        |bytes| token68(bytes).map(str::to_owned),
        "the bearer token is malformed",
    )
}

impl<K: Check<String>> Filter for Bearer<K> {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let presented = if self.opaque {
            let token = bearer_token(request.head()).map(str::to_owned);
            token.map_or(Presented::Nothing, Presented::Credentials)
        } else {
            token(request.head())
        };
        self.authenticator
            .authenticate(presented, request, next)
            .await
    }
}

impl<K> Clone for Bearer<K> {
    fn clone(&self) -> Self {
        Self {
            authenticator: self.authenticator.clone(),
            opaque: self.opaque,
        }
    }
}

impl<K> fmt::Debug for Bearer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bearer")
            .field(&self.authenticator.challenge)
            .finish()
    }
}
