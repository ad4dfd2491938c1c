//! Bearer tokens (RFC 6750).

use std::fmt;

use super::challenge::Challenge;
use super::{Check, Gate, Presented, authorization, token68};
use crate::filter::{Filter, FilterError, Next};
use crate::head::Head;
use crate::request::Request;
use crate::response::Response;

/// Lets in who has a token: `Authorization: Bearer <token>`.
///
/// Requests without one get 401 and a challenge. A token that is none, or that [`Check`] does not
/// know, gets 401 with `error="invalid_token"`; two `Authorization` headers, or one without a token,
/// get 400. Tokens in the query or a form are not looked for.
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
pub struct Bearer<K>(Gate<K>);

impl<K: Check<String>> Bearer<K> {
    /// Lets in who has a token that is known.
    pub fn new(check: K) -> Self {
        let needed = "a bearer token is needed";
        Self(Gate::new(check, Challenge::bearer(), needed))
    }

    /// Says in challenges what the token is for.
    pub fn realm(mut self, realm: impl AsRef<str>) -> Result<Self, FilterError> {
        self.0.challenge = self.0.challenge.in_realm(realm.as_ref())?;
        Ok(self)
    }

    /// Lets in requests that have no `Authorization` of this scheme too, without a value: handlers
    /// take `#[value] caller: Option<Caller>`. A token that is not valid is still refused.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.0.optional = true;
        self
    }
}

/// The token of a request.
pub(super) fn token(head: &Head) -> Presented<String> {
    authorization(head, "bearer").read(
        |bytes| token68(bytes).map(str::to_owned),
        "the bearer token is none",
    )
}

impl<K: Check<String>> Filter for Bearer<K> {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        self.0.admit(token(request.head()), request, next).await
    }
}

impl<K> Clone for Bearer<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K> fmt::Debug for Bearer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bearer").field(&self.0.challenge).finish()
    }
}
