//! `GET /authorize`: sends the browser to an external provider.

use std::sync::Arc;

use innkeeper_rest::{Head, Request, Response, resource};
use url::form_urlencoded;
use uuid::Uuid;

use super::client::query_value;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::flow::identity::flow::{self, FlowStart};

/// The parameters that are meant for this server or chosen by it. A provider never sees them.
const OWN: &[&str] = &[
    "apikey",
    "client_id",
    "client_secret",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "invite_token",
    "provider",
    "redirect_to",
    "redirect_uri",
    "response_type",
    "scopes",
    "skip_http_redirect",
    "state",
];

pub(crate) struct Authorize {
    pub(crate) app: Arc<App>,
}

#[resource("/authorize")]
impl Authorize {
    /// Sends the browser to an external provider, which sends it back to `/callback`.
    #[get]
    #[responds(302, "to the provider")]
    async fn start(
        &self,
        #[value] client: ClientInfo,
        #[request] request: &Request,
    ) -> Result<Response> {
        let start = read_start(&self.app, request.head(), &client, None)?;
        let url = flow::start(&self.app, start).await?;
        Ok(Response::status(302).header("location", url.as_str()))
    }
}

/// Reads what a sign-in starts with from the query.
pub(crate) fn read_start(
    app: &App,
    head: &Head,
    client: &ClientInfo,
    linking_user_id: Option<Uuid>,
) -> Result<FlowStart> {
    let value = |name: &str| query_value(head, name);
    let provider = value("provider").ok_or_else(|| {
        AuthError::validation("Unsupported provider: Provider  could not be found")
    })?;
    let query = head.query().unwrap_or_default();
    let forwarded = form_urlencoded::parse(query.as_bytes())
        .filter(|(name, _)| !OWN.contains(&name.as_ref()))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    Ok(FlowStart {
        scopes: split_scopes(&provider, &value("scopes").unwrap_or_default()),
        forwarded,
        challenge: (value("code_challenge"), value("code_challenge_method")),
        invite_token: value("invite_token"),
        target: app.redirect_to(client),
        linking_user_id,
        provider,
    })
}

/// Splits scopes, which commas separate, and blanks for providers of the operator's own.
fn split_scopes(provider: &str, scopes: &str) -> Vec<String> {
    let is_custom = provider
        .get(..7)
        .is_some_and(|start| start.eq_ignore_ascii_case("custom:"));
    let separates = |letter: char| {
        if is_custom {
            letter.is_whitespace()
        } else {
            letter == ','
        }
    };
    let scopes = scopes.split(separates).map(str::trim);
    scopes
        .filter(|scope| !scope.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::split_scopes;

    #[test]
    fn commas_separate_scopes_and_blanks_those_of_custom_providers() {
        for (provider, scopes, expected) in [
            ("github", "", &[][..]),
            ("github", "repo, gist,,", &["repo", "gist"]),
            ("github", "a b", &["a b"]),
            ("custom:inn", "a b  c,d", &["a", "b", "c,d"]),
            ("Custom:Inn", "a b", &["a", "b"]),
        ] {
            assert_eq!(
                split_scopes(provider, scopes),
                expected,
                "{provider} {scopes}"
            );
        }
    }
}
