//! Requests to providers.

use http::header::{ACCEPT, CONTENT_TYPE};
use innkeeper_service::outbound::{Outbound, OutboundResponse};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use url::{Url, form_urlencoded};

use super::error::ExternalError;
use crate::model::Object;

/// The longest answer of a provider, in bytes.
pub(super) const MAX_ANSWER: usize = 1024 * 1024;

/// An HTTP client for providers.
#[derive(Debug, Clone)]
pub(super) struct ProviderHttp(pub(super) Outbound);

impl ProviderHttp {
    /// Builds a request for JSON.
    pub(super) fn request(
        &self,
        method: Method,
        url: &Url,
    ) -> Result<RequestBuilder, ExternalError> {
        let request = self.0.request(method, url)?;
        Ok(request.header(ACCEPT, "application/json"))
    }

    /// Builds a request with a form as its body.
    pub(super) fn form(
        &self,
        url: &Url,
        fields: &[(&str, &str)],
    ) -> Result<RequestBuilder, ExternalError> {
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let request = self.request(Method::POST, url)?;
        Ok(request
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body))
    }

    /// Sends a request whose answer must be JSON with a status of success.
    pub(super) async fn json(&self, request: RequestBuilder) -> Result<Value, ExternalError> {
        let answer = self.0.send(request).await?;
        if !(200..300).contains(&answer.status) {
            return Err(ExternalError::Status(answer.status));
        }
        serde_json::from_slice(&answer.body).map_err(|_| ExternalError::NotJson)
    }

    /// Fetches JSON.
    pub(super) async fn get(&self, url: &Url) -> Result<Value, ExternalError> {
        self.json(self.request(Method::GET, url)?).await
    }

    /// Sends a request to a token endpoint, whose answer is JSON or a form.
    pub(super) async fn tokens(&self, request: RequestBuilder) -> Result<Object, ExternalError> {
        let answer = self.0.send(request).await?;
        let is_success = (200..300).contains(&answer.status);
        let Some(members) = members(&answer) else {
            return Err(if is_success {
                ExternalError::NotJson
            } else {
                ExternalError::Status(answer.status)
            });
        };
        // Some providers answer 200 to wrong codes.
        if let Some(error) = text(&members, "error") {
            return Err(ExternalError::Refused {
                error: error.to_owned(),
                description: text(&members, "error_description").map(str::to_owned),
            });
        }
        if !is_success {
            return Err(ExternalError::Status(answer.status));
        }
        Ok(members)
    }
}

/// Returns the members of an answer that is a JSON object or a form.
fn members(answer: &OutboundResponse) -> Option<Object> {
    if let Ok(members) = serde_json::from_slice(&answer.body) {
        return Some(members);
    }
    let content_type = answer.headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if !matches!(
        media_type,
        "application/x-www-form-urlencoded" | "text/plain"
    ) {
        return None;
    }
    let pairs = form_urlencoded::parse(&answer.body).into_owned();
    Some(
        pairs
            .map(|(name, value)| (name, Value::String(value)))
            .collect(),
    )
}

/// Returns a member that is a text and not empty.
pub(super) fn text<'a>(members: &'a Object, name: &str) -> Option<&'a str> {
    let text = members.get(name)?.as_str()?;
    (!text.is_empty()).then_some(text)
}
