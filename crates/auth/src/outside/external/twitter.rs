//! Twitter, which speaks OAuth 1.0a (RFC 5849).

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::header::AUTHORIZATION;
use innkeeper_service::random;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, RequestBuilder};
use url::Url;

use super::entry::{ProviderEntry, UserSource, at};
use super::error::ExternalError;
use super::flow::{
    Authorization, AuthorizationRequest, CallbackParameters, FlowSecrets, ProviderTokens,
    ProviderUser,
};
use super::http::text;
use super::profile::{EmailStatus, UserMapping};
use super::provider::Provider;
use super::setup::SetupSource;

pub(super) const NAME: &str = "twitter";
const HOST: &str = "https://api.twitter.com";
const USER: &str = "/1.1/account/verify_credentials.json";
const USER_PARAMETERS: &[(&str, &str)] = &[
    ("include_entities", "false"),
    ("skip_status", "true"),
    ("include_email", "true"),
];

/// The endpoints: for the browser, for request tokens, for access tokens, and for the user.
pub(super) const ENTRY: ProviderEntry = ProviderEntry::new(
    NAME,
    at(HOST, "/oauth/authenticate"),
    at(HOST, "/oauth/request_token"),
    UserSource::Api(&[at(HOST, "/oauth/access_token"), at(HOST, USER)]),
    MAPPING,
)
.issuer_path(USER);

const MAPPING: UserMapping = UserMapping::at(
    "/id_str",
    &[
        ("name", "/name"),
        ("full_name", "/name"),
        ("preferred_username", "/screen_name"),
        ("user_name", "/screen_name"),
        ("picture", "/profile_image_url_https"),
        ("avatar_url", "/profile_image_url_https"),
    ],
)
.email("/email", EmailStatus::Verified);

/// What is not encoded in OAuth 1: letters, digits and these.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Gets a request token, and returns where to send the browser with it.
pub(super) async fn authorization(
    provider: &Provider,
    request: &AuthorizationRequest<'_>,
) -> Result<Authorization, ExternalError> {
    let callback = Url::parse(&provider.setup.credentials.redirect_uri);
    let mut callback = callback.map_err(|_| ExternalError::Address("the redirect URI"))?;
    callback
        .query_pairs_mut()
        .append_pair("state", request.state);
    let url = provider
        .shared
        .hosts
        .parse(&provider.setup.token, "the endpoint for request tokens")?;
    let signer = Signer::new(provider, None);
    let own = [("oauth_callback", callback.as_str())];
    let members = provider
        .shared
        .http
        .tokens(signer.request(Method::POST, &url, &own)?)
        .await?;
    let token = text(&members, "oauth_token").ok_or(ExternalError::Missing("request token"))?;
    let secret = text(&members, "oauth_token_secret");
    let secret = secret.ok_or(ExternalError::Missing("secret of the request token"))?;
    if text(&members, "oauth_callback_confirmed") != Some("true") {
        return Err(ExternalError::Missing("confirmation of the callback"));
    }
    let hosts = &provider.shared.hosts;
    let mut url = hosts.parse(&provider.setup.authorize, "the authorization endpoint")?;
    url.query_pairs_mut().append_pair("oauth_token", token);
    Ok(Authorization {
        url,
        secrets: FlowSecrets {
            request_token: Some(token.to_owned()),
            request_token_secret: Some(secret.to_owned()),
            ..FlowSecrets::default()
        },
    })
}

/// Exchanges the verifier that the browser brought back for an access token, and reads the user.
pub(super) async fn exchange(
    provider: &Provider,
    callback: &CallbackParameters,
    secrets: &FlowSecrets,
) -> Result<(ProviderUser, ProviderTokens), ExternalError> {
    let token = callback.oauth_token.as_deref();
    let verifier = callback.oauth_verifier.as_deref();
    let verifier = verifier.ok_or(ExternalError::Callback("oauth_verifier"))?;
    let known = secrets.request_token.as_deref();
    // A token of another sign-in would sign in somebody else.
    let token = token.filter(|token| Some(*token) == known);
    let token = token.ok_or(ExternalError::Callback("oauth_token"))?;
    let secret = secrets.request_token_secret.as_deref().unwrap_or_default();
    let SetupSource::Api(urls) = &provider.setup.user else {
        return Err(ExternalError::Address("the user info endpoint"));
    };
    let [access_url, user_url] = urls.as_slice() else {
        return Err(ExternalError::Address("the user info endpoint"));
    };
    let url = provider
        .shared
        .hosts
        .parse(access_url, "the token endpoint")?;
    let signer = Signer::new(provider, Some((token, secret)));
    let request = signer.request(Method::POST, &url, &[("oauth_verifier", verifier)])?;
    let members = provider.shared.http.tokens(request).await?;
    let access = text(&members, "oauth_token").ok_or(ExternalError::Missing("access token"))?;
    let secret = text(&members, "oauth_token_secret").unwrap_or_default();

    let mut url = provider
        .shared
        .hosts
        .parse(user_url, "the user info endpoint")?;
    url.query_pairs_mut().extend_pairs(USER_PARAMETERS);
    let signer = Signer::new(provider, Some((access, secret)));
    let answer = provider
        .shared
        .http
        .json(signer.request(Method::GET, &url, &[])?)
        .await?;
    let profile = MAPPING.read(&provider.setup.api_issuer, &[answer])?;
    let tokens = ProviderTokens {
        access_token: access.to_owned(),
        refresh_token: None,
    };
    Ok((profile.into_user(), tokens))
}

/// Signs requests with HMAC-SHA1.
struct Signer<'a> {
    provider: &'a Provider,
    /// A token and its secret.
    token: Option<(&'a str, &'a str)>,
}

impl<'a> Signer<'a> {
    fn new(provider: &'a Provider, token: Option<(&'a str, &'a str)>) -> Self {
        Self { provider, token }
    }

    /// Builds a signed request; `own` are parameters of the protocol that only this request has.
    fn request(
        &self,
        method: Method,
        url: &Url,
        own: &[(&str, &str)],
    ) -> Result<RequestBuilder, ExternalError> {
        let nonce = URL_SAFE_NO_PAD.encode(random::bytes::<24>());
        let timestamp = self.provider.shared.clock.now().as_second().to_string();
        let credentials = &self.provider.setup.credentials;
        let mut parameters = vec![
            ("oauth_consumer_key", credentials.id()),
            ("oauth_nonce", &nonce),
            ("oauth_signature_method", "HMAC-SHA1"),
            ("oauth_timestamp", &timestamp),
            ("oauth_version", "1.0"),
        ];
        parameters.extend(self.token.map(|(token, _)| ("oauth_token", token)));
        parameters.extend(own);
        let token_secret = self.token.map_or("", |(_, secret)| secret);
        let secret = credentials.secret.reveal();
        let signature = signature(&method, url, &parameters, secret, token_secret);
        parameters.push(("oauth_signature", &signature));
        let parts: Vec<String> = parameters
            .iter()
            .map(|(name, value)| format!("{name}=\"{}\"", encode(value)))
            .collect();
        let request = self.provider.shared.http.request(method, url)?;
        Ok(request.header(AUTHORIZATION, format!("OAuth {}", parts.join(", "))))
    }
}

/// Returns the signature of a request (RFC 5849, section 3.4).
fn signature(
    method: &Method,
    url: &Url,
    parameters: &[(&str, &str)],
    secret: &str,
    token_secret: &str,
) -> String {
    let mut all: Vec<(String, String)> = url
        .query_pairs()
        .map(|(name, value)| (encode(&name), encode(&value)))
        .chain(
            parameters
                .iter()
                .map(|(name, value)| (encode(name), encode(value))),
        )
        .collect();
    all.sort();
    let all: Vec<String> = all
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let mut base = url.clone();
    base.set_query(None);
    base.set_fragment(None);
    let text = [
        method.as_str().to_owned(),
        encode(base.as_str()),
        encode(&all.join("&")),
    ];
    let key = format!("{}&{}", encode(secret), encode(token_secret));
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, key.as_bytes());
    STANDARD.encode(hmac::sign(&key, text.join("&").as_bytes()))
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

#[cfg(test)]
mod tests {
    use reqwest::Method;

    use super::signature;

    /// The example of RFC 5849, section 1.2.
    #[test]
    fn a_signature_is_that_of_the_standard() {
        let url = "http://photos.example.net/photos?file=vacation.jpg&size=original";
        let parameters = [
            ("oauth_consumer_key", "dpf43f3p2l4k3l03"),
            ("oauth_token", "nnch734d00sl2jdk"),
            ("oauth_signature_method", "HMAC-SHA1"),
            ("oauth_timestamp", "137131202"),
            ("oauth_nonce", "chapoH"),
        ];
        let url = url.parse().unwrap();
        let [secret, token_secret] = ["kd94hf93k423kf44", "pfkkdhi9sl3r4s00"];
        assert_eq!(
            signature(&Method::GET, &url, &parameters, secret, token_secret),
            "MdpQcU8iPSUjWoN/UDMsK2sui9I="
        );
    }
}
