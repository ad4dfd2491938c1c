//! Requests to SMS providers, limited in time and size.

use std::time::Duration;

use http::Method;
use http::header::{ACCEPT, CONTENT_TYPE};
use innkeeper_service::outbound::{Outbound, OutboundError, OutboundOptions};
use jiff::SignedDuration;
use reqwest::RequestBuilder;
use serde_json::Value;
use url::{Url, form_urlencoded};

use super::error::{SmsError, without_secrets};
use crate::config::Config;

/// The longest answer of a provider, in bytes.
const MAX_ANSWER: usize = 256 * 1024;

/// An HTTP client for SMS providers.
#[derive(Debug)]
pub(super) struct SmsClient {
    outbound: Outbound,
    /// Takes the place of the provider's own address.
    api_url: Option<Url>,
}

/// An answer of a provider. It is `null` if it was not JSON.
#[derive(Debug)]
pub(super) struct ProviderAnswer {
    pub(super) status: u16,
    pub(super) body: Value,
}

impl SmsClient {
    pub(super) fn new(config: &Config) -> Result<Self, OutboundError> {
        let outbound = Outbound::new(OutboundOptions {
            timeout: timeout(config),
            max_response: MAX_ANSWER,
            ..OutboundOptions::default()
        })?;
        Ok(Self {
            outbound,
            api_url: config.sms.api_url.clone(),
        })
    }

    /// Builds a request with a form as its body. `path` has the host and the segments of the URL.
    pub(super) fn form(
        &self,
        host: &str,
        path: &[&str],
        fields: &[(&str, &str)],
    ) -> Result<RequestBuilder, SmsError> {
        let invalid = || SmsError::Unreachable("the URL of the provider is not valid".to_owned());
        let mut url = match &self.api_url {
            Some(url) => url.clone(),
            None => Url::parse(&format!("https://{host}")).map_err(|_| invalid())?,
        };
        url.path_segments_mut()
            .map_err(|()| invalid())?
            .pop_if_empty()
            .extend(path);
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let request = self.outbound.request(Method::POST, &url);
        let request = request.map_err(|error| SmsError::Unreachable(error.to_string()))?;
        Ok(request
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body))
    }

    /// Sends a request and reads the answer.
    pub(super) async fn send(&self, request: RequestBuilder) -> Result<ProviderAnswer, SmsError> {
        let answer = self.outbound.send(request).await;
        let answer = answer.map_err(|error| SmsError::Unreachable(error.to_string()))?;
        Ok(ProviderAnswer {
            status: answer.status,
            body: serde_json::from_slice(&answer.body).unwrap_or_default(),
        })
    }
}

impl ProviderAnswer {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns a text of the body.
    pub(super) fn text(&self, pointer: &str) -> Option<&str> {
        let text = self.body.pointer(pointer)?.as_str()?;
        (!text.is_empty()).then_some(text)
    }

    /// Returns the error of an answer that is not a success, with the provider's own text if there is one.
    pub(super) fn refusal(&self, text: Option<&str>, secrets: &[&str]) -> SmsError {
        match text {
            Some(text) => SmsError::refused(self.status, &without_secrets(text, secrets)),
            None => SmsError::InvalidAnswer(self.status),
        }
    }
}

/// Returns how long a provider may take: less than the request, which must still tell that it failed.
fn timeout(config: &Config) -> Duration {
    let of_request = config.api.max_request_duration / 5 * 4;
    let limit = config.internal_http_timeout.min(of_request);
    limit.max(SignedDuration::from_millis(1)).unsigned_abs()
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::timeout;
    use crate::config::Config;

    #[test]
    fn a_provider_has_less_time_than_the_request() {
        let mut config = Config::for_tests();
        for (provider, request, expected) in [(10, 10, 8), (5, 10, 5), (10, 120, 10)] {
            config.internal_http_timeout = SignedDuration::from_secs(provider);
            config.api.max_request_duration = SignedDuration::from_secs(request);
            assert_eq!(timeout(&config).as_secs(), expected);
        }
    }
}
