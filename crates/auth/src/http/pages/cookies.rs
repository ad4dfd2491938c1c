//! The two cookies of the pages. Both are sealed, so that browsers can neither read nor change them.
//!
//! The *browser* cookie belongs to everybody: it proves that a form was sent from a page of this server, and holds what
//! a page has to tell the next one. The *session* cookie belongs to who is signed in. Neither is an access token: the
//! API accepts none of them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{COOKIE, HeaderValue, SET_COOKIE};
use innkeeper_rest::{Head, Response};
use innkeeper_service::random;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use url::Url;
use uuid::Uuid;

use super::notice::Notice;
use super::pending::{PendingChallenge, PendingCode};
use crate::app::App;
use crate::base::error::{AuthError, Result};
use crate::flow::session::issue::{IssuedTokens, TokenPair};

const BROWSER: &str = "innkeeper-browser";
const SESSION: &str = "innkeeper-session";

/// What a browser remembers from one page to the next, signed in or not.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct BrowserState {
    /// Random, for the tokens of forms.
    pub(super) id: String,
    /// The language that the visitor has chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) language: Option<String>,
    /// The code that the visitor is about to enter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pending: Option<PendingCode>,
    /// What the next page says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) notice: Option<Notice>,
    /// The code verifier of a sign-in that goes on at an external provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) verifier: Option<String>,
    /// The code by text message that the visitor is about to enter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) challenge: Option<PendingChallenge>,
}

impl BrowserState {
    pub(super) fn new() -> Self {
        Self {
            id: URL_SAFE_NO_PAD.encode(random::bytes::<16>()),
            language: None,
            pending: None,
            notice: None,
            verifier: None,
            challenge: None,
        }
    }
}

/// The session of a browser.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SessionState {
    pub(super) user_id: Uuid,
    pub(super) session_id: Uuid,
    pub(super) refresh_token: String,
    /// When the session must be refreshed, in seconds since 1970.
    pub(super) refresh_at: i64,
}

impl SessionState {
    pub(super) fn of(issued: &IssuedTokens) -> Self {
        Self::with_tokens(issued.session_id(), &issued.body)
    }

    pub(super) fn with_tokens(session_id: Uuid, tokens: &TokenPair) -> Self {
        Self {
            user_id: tokens.user.id,
            session_id,
            refresh_token: tokens.refresh_token.clone(),
            refresh_at: tokens.expires_at,
        }
    }
}

/// How cookies are named and sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cookies {
    /// Browsers send the cookies over HTTPS only.
    is_secure: bool,
}

impl Cookies {
    pub(super) fn new(external_url: &Url) -> Self {
        Self {
            is_secure: external_url.scheme() == "https",
        }
    }

    /// With HTTPS, the prefix of the name keeps other hosts of the domain from setting the cookie.
    fn name(self, name: &str) -> String {
        let prefix = if self.is_secure { "__Host-" } else { "" };
        format!("{prefix}{name}")
    }

    pub(super) fn browser(self, app: &App, head: &Head) -> Option<BrowserState> {
        open(app, BROWSER, &self.find(head, BROWSER)?)
    }

    pub(super) fn session(self, app: &App, head: &Head) -> Option<SessionState> {
        open(app, SESSION, &self.find(head, SESSION)?)
    }

    fn find(self, head: &Head, name: &str) -> Option<String> {
        let name = self.name(name);
        let headers = head.header_values(&COOKIE).collect::<Vec<_>>();
        let mut pairs = headers
            .iter()
            .filter_map(|header| std::str::from_utf8(header).ok())
            .flat_map(|header| header.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        let pair = pairs.find(|(key, _)| *key == name);
        pair.map(|(_, value)| value.to_owned())
    }

    pub(super) fn set_browser(
        self,
        app: &App,
        response: &mut Response,
        state: &BrowserState,
    ) -> Result<()> {
        self.set(response, BROWSER, &seal(app, BROWSER, state)?, "")
    }

    pub(super) fn set_session(
        self,
        app: &App,
        response: &mut Response,
        state: &SessionState,
    ) -> Result<()> {
        self.set(response, SESSION, &seal(app, SESSION, state)?, "")
    }

    pub(super) fn remove_session(self, response: &mut Response) -> Result<()> {
        self.set(response, SESSION, "", "; Max-Age=0")
    }

    /// Sets a cookie that ends with the browser. It is sent with links from other sites, such as those of a
    /// webmail, but not with their forms.
    fn set(self, response: &mut Response, name: &str, value: &str, more: &str) -> Result<()> {
        let name = self.name(name);
        let secure = if self.is_secure { "; Secure" } else { "" };
        let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{more}");
        let cookie = HeaderValue::try_from(cookie).map_err(AuthError::internal)?;
        response.headers_mut().append(SET_COOKIE, cookie);
        Ok(())
    }
}

/// Seals what a browser keeps, or sends back in a form.
pub(super) fn seal(app: &App, name: &str, state: &impl Serialize) -> Result<String> {
    let state = serde_json::to_vec(state).map_err(AuthError::internal)?;
    let sealed = app.sealer.seal(name, &state).map_err(AuthError::internal)?;
    Ok(URL_SAFE_NO_PAD.encode(sealed))
}

/// Opens what was sealed under this name. What was sealed with another key, or was altered, counts as absent.
pub(super) fn open<T: DeserializeOwned>(app: &App, name: &str, value: &str) -> Option<T> {
    let sealed = URL_SAFE_NO_PAD.decode(value).ok()?;
    let state = app
        .sealer
        .open(name, std::str::from_utf8(&sealed).ok()?)
        .ok()?;
    serde_json::from_slice(&state).ok()
}
