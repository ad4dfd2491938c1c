//! The authorization code flow of OAuth 2, towards a provider.

use std::collections::BTreeSet;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::header::AUTHORIZATION;
use innkeeper_service::random;
use url::{Url, form_urlencoded};

use super::entry::ClientAuth;
use super::error::ExternalError;
use super::flow::{Authorization, AuthorizationRequest, FlowSecrets, ProviderTokens};
use super::hosts::Hosts;
use super::http::{ProviderHttp, text};
use super::setup::ProviderSetup;
use crate::model::Object;

/// Parameters that clients cannot give: this server sets them, they are meant for it, or they would replace the
/// others (`request`, `request_uri`).
const RESERVED: &[&str] = &[
    "client_id",
    "client_secret",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "invite_token",
    "provider",
    "redirect_to",
    "redirect_uri",
    "request",
    "request_uri",
    "response_mode",
    "response_type",
    "scope",
    "scopes",
    "skip_http_redirect",
    "state",
];

/// Returns where to send the browser.
pub(super) fn authorization(
    setup: &ProviderSetup,
    hosts: &Hosts,
    request: &AuthorizationRequest<'_>,
) -> Result<Authorization, ExternalError> {
    let mut url = hosts.parse(&setup.authorize, "the authorization endpoint")?;
    let forwarded = forwarded(setup, request.forwarded);
    let mut secrets = FlowSecrets::default();
    let mut query = url.query_pairs_mut();
    query
        .append_pair("client_id", setup.credentials.id())
        .append_pair("redirect_uri", &setup.credentials.redirect_uri)
        .append_pair("response_type", "code")
        .append_pair("state", request.state);
    let scopes = scopes(&setup.scopes, request.scopes);
    if !scopes.is_empty() {
        query.append_pair("scope", &scopes);
    }
    if setup.pkce {
        let verifier = URL_SAFE_NO_PAD.encode(random::bytes::<32>());
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
        query
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        secrets.code_verifier = Some(verifier);
    }
    if setup.sends_nonce {
        let given = forwarded.iter().find(|(name, _)| *name == "nonce");
        let nonce = match given {
            Some((_, nonce)) => (*nonce).to_owned(),
            None => URL_SAFE_NO_PAD.encode(random::bytes::<24>()),
        };
        query.append_pair("nonce", &nonce);
        secrets.nonce = Some(nonce);
    }
    for (name, value) in &setup.parameters {
        query.append_pair(name, value);
    }
    for (name, value) in forwarded {
        if name != "nonce" || !setup.sends_nonce {
            query.append_pair(name, value);
        }
    }
    drop(query);
    check_choice(setup, &url)?;
    Ok(Authorization { url, secrets })
}

/// Returns the client's parameters for the provider.
fn forwarded<'a>(setup: &ProviderSetup, given: &'a [(String, String)]) -> Vec<(&'a str, &'a str)> {
    // Apple refuses parameters that it does not know.
    if setup.name == "apple" {
        let is_nonce = |(name, _): &&(String, String)| name == "nonce";
        return given.iter().filter(is_nonce).map(pair).collect();
    }
    let is_set = |name: &str| setup.parameters.iter().any(|(own, _)| own == name);
    let allowed = given
        .iter()
        .map(pair)
        .filter_map(|(name, value)| match name {
            "workos_provider" if setup.name == "workos" => Some(("provider", value)),
            name if RESERVED.contains(&name) || is_set(name) => None,
            name => Some((name, value)),
        });
    allowed.collect()
}

fn pair((name, value): &(String, String)) -> (&str, &str) {
    (name, value)
}

/// Refuses a request that lacks all the parameters of which the provider needs one.
fn check_choice(setup: &ProviderSetup, url: &Url) -> Result<(), ExternalError> {
    let is_given = |needed: &&str| url.query_pairs().any(|(name, _)| name == *needed);
    if setup.one_of.is_empty() || setup.one_of.iter().any(is_given) {
        return Ok(());
    }
    Err(ExternalError::Request(
        "WorkOS needs one of the parameters connection, organization and workos_provider",
    ))
}

/// Joins the default scopes and the further ones, each once.
fn scopes(defaults: &[String], further: &[String]) -> String {
    let mut seen = BTreeSet::new();
    let all = defaults.iter().chain(further).map(|scope| scope.trim());
    let all: Vec<&str> = all
        .filter(|scope| !scope.is_empty() && seen.insert(*scope))
        .collect();
    all.join(" ")
}

/// The answer of a token endpoint.
pub(super) struct TokenAnswer {
    pub(super) tokens: ProviderTokens,
    pub(super) id_token: Option<String>,
    pub(super) members: Object,
}

/// Exchanges a code for tokens.
pub(super) async fn exchange(
    setup: &ProviderSetup,
    secret: &str,
    http: &ProviderHttp,
    hosts: &Hosts,
    code: &str,
    secrets: &FlowSecrets,
) -> Result<TokenAnswer, ExternalError> {
    let url = hosts.parse(&setup.token, "the token endpoint")?;
    let mut fields = vec![
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", setup.credentials.redirect_uri.as_str()),
    ];
    if setup.pkce {
        let verifier = secrets.code_verifier.as_deref();
        let verifier = verifier.ok_or(ExternalError::Callback("code verifier"))?;
        fields.push(("code_verifier", verifier));
    }
    let id = setup.credentials.id();
    let members = match setup.client_auth {
        ClientAuth::Basic => http.tokens(basic(http, &url, &fields, id, secret)?).await,
        ClientAuth::Form => http.tokens(in_form(http, &url, &fields, id, secret)?).await,
        ClientAuth::Detect => match http.tokens(basic(http, &url, &fields, id, secret)?).await {
            Err(error) if is_unknown_client(&error) => {
                http.tokens(in_form(http, &url, &fields, id, secret)?).await
            }
            outcome => outcome,
        },
    }?;
    let access_token = text(&members, "access_token");
    Ok(TokenAnswer {
        tokens: ProviderTokens {
            access_token: access_token
                .ok_or(ExternalError::Missing("access token"))?
                .to_owned(),
            refresh_token: text(&members, "refresh_token").map(str::to_owned),
        },
        id_token: text(&members, "id_token").map(str::to_owned),
        members,
    })
}

/// Whether a token endpoint did not accept how the client authenticated.
fn is_unknown_client(error: &ExternalError) -> bool {
    match error {
        ExternalError::Refused { error, .. } => error == "invalid_client",
        ExternalError::Status(status) => *status == 401,
        _ => false,
    }
}

fn basic(
    http: &ProviderHttp,
    url: &Url,
    fields: &[(&str, &str)],
    id: &str,
    secret: &str,
) -> Result<reqwest::RequestBuilder, ExternalError> {
    let encoded =
        |text: &str| -> String { form_urlencoded::byte_serialize(text.as_bytes()).collect() };
    let pair = format!("{}:{}", encoded(id), encoded(secret));
    let header = format!("Basic {}", STANDARD.encode(pair));
    Ok(http.form(url, fields)?.header(AUTHORIZATION, header))
}

fn in_form(
    http: &ProviderHttp,
    url: &Url,
    fields: &[(&str, &str)],
    id: &str,
    secret: &str,
) -> Result<reqwest::RequestBuilder, ExternalError> {
    let credentials = [("client_id", id), ("client_secret", secret)];
    http.form(url, &[fields, &credentials].concat())
}
