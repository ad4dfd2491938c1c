//! `GET` and `POST /callback`: the browser comes back from an external provider.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Method, Request, Response, resource};
use url::form_urlencoded;

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::AuthError;
use crate::config::Profile;
use crate::config::redirect::{with_fragment, with_query};
use crate::flow::identity::callback::{self, CallbackError, CallbackOutcome, CallbackRequest};
use crate::flow::identity::finish::SignInResult;
use crate::flow::session::issue::TokenPair;
use crate::outside::external::CallbackParameters;

/// The number of characters of a provider's own words that are passed on.
const MAX_WORDS: usize = 500;

pub(crate) struct Callback {
    pub(crate) app: Arc<App>,
}

#[resource("/callback")]
impl Callback {
    /// Takes what the browser brings back from a provider, and sends it on to the site.
    #[get]
    #[responds(302, "back to the site, with tokens, a code or an error")]
    #[responds(303, "to the site, because the state is not known")]
    async fn get(&self, #[value] client: ClientInfo, #[request] request: &Request) -> Response {
        // A sign-in is not to be used up by who only looks at the link.
        if request.method() == Method::HEAD {
            return Response::ok();
        }
        let query = request.head().query().unwrap_or_default();
        self.finish(query.as_bytes(), &client).await
    }

    /// Takes what a provider lets the browser post, as Apple does.
    #[post]
    #[responds(302, "back to the site, with tokens, a code or an error")]
    #[responds(303, "to the site, because the state is not known")]
    async fn post(
        &self,
        #[value] client: ClientInfo,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Response {
        let query = request.head().query().unwrap_or_default().as_bytes();
        let form = if bytes.is_empty() { query } else { &bytes };
        self.finish(form, &client).await
    }
}

impl Callback {
    async fn finish(&self, form: &[u8], client: &ClientInfo) -> Response {
        let (status, location) = match callback::finish(&self.app, read(form), client).await {
            Ok(outcome) => (302, location_of(&self.app, &outcome)),
            // Nobody knows which page has sent the user to the provider.
            Err(error) => (303, {
                let words = ErrorWords::of(&self.app, &error);
                with_query(self.app.redirects.site(), &words.pairs())
            }),
        };
        Response::status(status)
            .header("cache-control", "no-store")
            .header("location", location)
    }
}

/// Reads the parameters of a query or a form. Of several with one name the first counts.
fn read(form: &[u8]) -> CallbackRequest {
    let value = |name: &str| {
        form_urlencoded::parse(form)
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
            .filter(|value| !value.is_empty())
    };
    CallbackRequest {
        state: value("state"),
        error: value("error"),
        error_description: value("error_description"),
        parameters: CallbackParameters {
            code: value("code"),
            oauth_token: value("oauth_token"),
            oauth_verifier: value("oauth_verifier"),
            user: value("user"),
        },
    }
}

fn location_of(app: &App, outcome: &CallbackOutcome) -> String {
    let target = outcome.target.as_str();
    match &outcome.result {
        Ok(SignInResult::Code(code)) => with_query(target, &[("code", code)]),
        Ok(SignInResult::SignedIn(issued)) => {
            // GoTrue does not name the provider; the specification does.
            let is_std = app.config.profile == Profile::Std;
            let provider = is_std.then_some(outcome.provider.as_str());
            tokens_location(target, &issued.body, provider)
        }
        Err(CallbackError::Provider { error, description }) => {
            let words = ErrorWords {
                error: shortened(error),
                code: None,
                description: shortened(description.as_deref().unwrap_or_default()),
            };
            words.location(target)
        }
        Err(CallbackError::Auth(error)) => ErrorWords::of(app, error).location(target),
    }
}

fn tokens_location(target: &str, tokens: &TokenPair, provider: Option<&str>) -> String {
    let (expires_at, expires_in) = (tokens.expires_at.to_string(), tokens.expires_in.to_string());
    let mut pairs = vec![
        ("access_token", tokens.access_token.as_str()),
        ("expires_at", &expires_at),
        ("expires_in", &expires_in),
        ("refresh_token", &tokens.refresh_token),
        ("token_type", "bearer"),
    ];
    let more = [
        ("provider", provider),
        ("provider_token", tokens.provider_token.as_deref()),
        (
            "provider_refresh_token",
            tokens.provider_refresh_token.as_deref(),
        ),
    ];
    let more = more
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    pairs.extend(more.filter(|(_, value)| !value.is_empty()));
    with_fragment(target, &pairs)
}

/// An error, as the page that the browser returns to reads it.
struct ErrorWords {
    error: String,
    code: Option<String>,
    description: String,
}

impl ErrorWords {
    fn of(app: &App, error: &AuthError) -> Self {
        let status = error.status();
        if status.is_server_error() {
            tracing::error!(
                error = error as &dyn std::error::Error,
                "a sign-in with an external provider has failed"
            );
        }
        Self {
            error: oauth_error(app.config.profile, status.as_u16(), error.code()).to_owned(),
            code: Some(error.code().to_owned()),
            description: error.to_string(),
        }
    }

    fn pairs(&self) -> Vec<(&str, &str)> {
        let mut pairs = vec![("error", self.error.as_str())];
        pairs.extend(self.code.as_deref().map(|code| ("error_code", code)));
        pairs.push(("error_description", &self.description));
        pairs
    }

    /// Adds the error to the query, for servers, and to the fragment, for clients.
    fn location(&self, target: &str) -> String {
        with_fragment(&with_query(target, &self.pairs()), &self.pairs())
    }
}

/// Returns the word of OAuth 2 for an error. GoTrue calls what it has no word for a `server_error`.
fn oauth_error(profile: Profile, status: u16, code: &str) -> &'static str {
    let denied = [
        "signup_disabled",
        "user_banned",
        "provider_email_needs_verification",
    ];
    match status {
        _ if denied.contains(&code) => "access_denied",
        400 => "invalid_request",
        401 => "unauthorized_client",
        403 => "access_denied",
        503 => "temporarily_unavailable",
        402..=499 if profile == Profile::Std => "invalid_request",
        _ => "server_error",
    }
}

/// Returns the words of a provider without control characters, and not too many.
fn shortened(text: &str) -> String {
    let letters = text.chars().filter(|letter| !letter.is_control());
    letters.take(MAX_WORDS).collect()
}

#[cfg(test)]
mod tests {
    use super::{oauth_error, read};
    use crate::config::Profile;

    #[test]
    fn errors_have_a_word_of_oauth() {
        for (status, code, std, gotrue) in [
            (
                400,
                "bad_oauth_callback",
                "invalid_request",
                "invalid_request",
            ),
            (
                401,
                "no_authorization",
                "unauthorized_client",
                "unauthorized_client",
            ),
            (403, "user_banned", "access_denied", "access_denied"),
            (403, "other", "access_denied", "access_denied"),
            (422, "signup_disabled", "access_denied", "access_denied"),
            (
                422,
                "provider_email_needs_verification",
                "access_denied",
                "access_denied",
            ),
            (
                422,
                "identity_already_exists",
                "invalid_request",
                "server_error",
            ),
            (404, "user_not_found", "invalid_request", "server_error"),
            (500, "unexpected_failure", "server_error", "server_error"),
            (
                503,
                "server_busy",
                "temporarily_unavailable",
                "temporarily_unavailable",
            ),
        ] {
            assert_eq!(oauth_error(Profile::Std, status, code), std, "{code}");
            assert_eq!(oauth_error(Profile::Gotrue, status, code), gotrue, "{code}");
        }
    }

    #[test]
    fn the_first_value_counts_and_an_empty_one_is_none() {
        let read = read(b"state=a%20b&state=c&code=&error=x+y&oauth_token=%FF&user=%7B%7D");
        assert_eq!(read.state.as_deref(), Some("a b"));
        assert_eq!(read.parameters.code, None);
        assert_eq!(read.error.as_deref(), Some("x y"));
        assert_eq!(read.parameters.oauth_token.as_deref(), Some("\u{fffd}"));
        assert_eq!(read.parameters.user.as_deref(), Some("{}"));
    }
}
