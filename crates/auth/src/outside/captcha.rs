//! Captchas, verified by the service that issued them.

use std::time::Duration;

use http::Method;
use http::header::CONTENT_TYPE;
use innkeeper_service::outbound::{Outbound, OutboundError, OutboundOptions};
use innkeeper_service::secret::Secret;
use serde::Deserialize;
use url::{Url, form_urlencoded};

use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Config;

/// The longest token that is sent to the service; real ones are far shorter.
const MAX_TOKEN: usize = 16 * 1024;
/// The longest response that is read from the service.
const MAX_RESPONSE: usize = 64 * 1024;

/// A client of the captcha service.
#[derive(Debug)]
pub(crate) struct Captcha {
    outbound: Outbound,
    url: Url,
    secret: Secret<String>,
}

/// The response of the service's `siteverify` endpoint.
#[derive(Debug, Deserialize)]
struct SiteverifyResponse {
    success: bool,
    #[serde(default, rename = "error-codes")]
    codes: Vec<String>,
}

impl Captcha {
    /// Creates the client; `None` if no captcha is required.
    pub(crate) fn new(config: &Config) -> std::result::Result<Option<Self>, OutboundError> {
        let settings = &config.security.captcha;
        let Some(url) = settings.url.clone().filter(|_| settings.enabled) else {
            return Ok(None);
        };
        let outbound = Outbound::new(OutboundOptions {
            timeout: timeout(config),
            max_response: MAX_RESPONSE,
            ..OutboundOptions::default()
        })?;
        Ok(Some(Self {
            outbound,
            url,
            secret: settings.secret.clone().unwrap_or_default(),
        }))
    }

    /// Refuses a request whose captcha was not solved.
    pub(crate) async fn check(&self, token: Option<&str>, client: &ClientInfo) -> Result<()> {
        let token = token.map(str::trim).filter(|token| !token.is_empty());
        let token = token.ok_or_else(|| refused("no captcha_token in the request"))?;
        if token.len() > MAX_TOKEN {
            return Err(refused("the captcha_token is too long"));
        }
        let response = self.siteverify(token, client).await?;
        if response.success {
            return Ok(());
        }
        let codes = readable(&response.codes);
        // Not the client's fault: every request fails until the setting is right.
        if codes.contains("-input-secret") || codes.contains("sitekey-secret-mismatch") {
            let problem = format!("the captcha service does not accept the secret: {codes}");
            return Err(AuthError::CaptchaUnavailable(problem.into()));
        }
        Err(refused(&codes))
    }

    fn form(&self, token: &str, client: &ClientInfo) -> String {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("secret", self.secret.reveal())
            .append_pair("response", token);
        if let Some(address) = client.address {
            form.append_pair("remoteip", &address.to_string());
        }
        form.finish()
    }

    async fn siteverify(&self, token: &str, client: &ClientInfo) -> Result<SiteverifyResponse> {
        let unavailable = |error: OutboundError| AuthError::CaptchaUnavailable(Box::new(error));
        let request = self
            .outbound
            .request(Method::POST, &self.url)
            .map_err(unavailable)?
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(self.form(token, client));
        let answer = self.outbound.send(request).await.map_err(unavailable)?;
        serde_json::from_slice(&answer.body).map_err(|_| {
            let problem = format!(
                "the captcha service answered {} without a result",
                answer.status
            );
            AuthError::CaptchaUnavailable(problem.into())
        })
    }
}

/// Returns `SECURITY_CAPTCHA_TIMEOUT`, shortened so that the response can still be sent before the
/// deadline of the request.
fn timeout(config: &Config) -> Duration {
    let deadline = config.api.max_request_duration.unsigned_abs();
    let configured = config.security.captcha.timeout.unsigned_abs();
    configured.min(deadline.saturating_mul(9) / 10)
}

/// 400 `captcha_failed`.
fn refused(why: &str) -> AuthError {
    AuthError::refused(
        ErrorCode::CaptchaFailed,
        format!("Captcha verification failed ({why})"),
    )
}

/// Joins the error codes of the service, leaving out texts that cannot be codes.
fn readable(codes: &[String]) -> String {
    let is_code = |code: &&String| {
        let letters = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        code.len() <= 64 && code.bytes().all(letters)
    };
    let codes: Vec<&str> = codes
        .iter()
        .filter(is_code)
        .take(8)
        .map(String::as_str)
        .collect();
    if codes.is_empty() {
        return "no reason was given".to_owned();
    }
    codes.join(", ")
}
