//! User names and passwords (RFC 7617).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::challenge::Challenge;
use super::{Authenticator, Check, authorization};
use crate::filter::{Filter, FilterError, Next};
use crate::request::Request;
use crate::response::Response;

/// Authenticates requests by a user name and a password: `Authorization: Basic …`.
///
/// Browsers ask their users for both, and show the realm. The password is sent with every request and is
/// only as safe as the connection.
///
/// ```
/// use innkeeper_rest::filter::{Basic, UserAndPassword, same_secret};
///
/// #[derive(Clone)]
/// struct Admin;
///
/// // Passwords of people are kept as slow hashes: compare those instead.
/// let admins = Basic::new("the back office", |given: UserAndPassword| async move {
///     let right = given.user == "admin" && same_secret(&given.password, "correct horse");
///     Ok(right.then_some(Admin))
/// });
/// assert!(admins.is_ok());
/// ```
pub struct Basic<K>(Authenticator<K>);

/// The credentials of [`Basic`].
#[derive(Clone, PartialEq, Eq)]
pub struct UserAndPassword {
    /// The name of the user, which has no colon.
    pub user: String,
    /// The password. It is left out of `Debug`.
    pub password: String,
}

impl<K: Check<UserAndPassword>> Basic<K> {
    /// Authenticates by this check. Browsers show the realm.
    ///
    /// # Errors
    ///
    /// Fails if the realm is not a line of ASCII text.
    pub fn new(realm: impl AsRef<str>, check: K) -> Result<Self, FilterError> {
        let challenge = Challenge::basic().in_realm(realm.as_ref())?;
        let required = "a user name and a password are required";
        Ok(Self(Authenticator::new(check, challenge, required)))
    }

    /// Also passes on requests that have no `Authorization` of this scheme, without a value: handlers
    /// take `#[value] caller: Option<Caller>`. A wrong password is still refused.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.0.optional = true;
        self
    }
}

fn decoded(encoded: &[u8]) -> Option<UserAndPassword> {
    let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    if text.chars().any(char::is_control) {
        return None;
    }
    let (user, password) = text.split_once(':')?;
    Some(UserAndPassword {
        user: user.to_owned(),
        password: password.to_owned(),
    })
}

impl<K: Check<UserAndPassword>> Filter for Basic<K> {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let presented = authorization(request.head(), "basic")
            .parse(decoded, "the user name and the password are malformed");
        self.0.authenticate(presented, request, next).await
    }
}

impl<K> Clone for Basic<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K> fmt::Debug for Basic<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Basic").field(&self.0.challenge).finish()
    }
}

impl fmt::Debug for UserAndPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserAndPassword")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}
