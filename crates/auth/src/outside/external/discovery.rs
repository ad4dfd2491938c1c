//! Discovery documents of OpenID Connect providers.

use serde_json::Value;

use super::error::ExternalError;
use super::http::text;
use super::id_token::same_issuer;
use crate::model::Object;

/// The path of a discovery document below its issuer.
const WELL_KNOWN: &str = "/.well-known/openid-configuration";

/// The members of a discovery document that are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DiscoveryDocument {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    pub(super) userinfo_endpoint: Option<String>,
    pub(super) jwks_uri: String,
    /// How clients may authenticate; `None` means HTTP basic.
    pub(super) token_auth_methods: Option<Vec<String>>,
    /// The PKCE methods; `None` if the document does not say.
    pub(super) challenge_methods: Option<Vec<String>>,
}

/// Returns where the document of an issuer is.
pub(super) fn document_url(issuer: &str) -> String {
    format!("{}{WELL_KNOWN}", issuer.trim_end_matches('/'))
}

impl DiscoveryDocument {
    /// Reads a document, which must be that of this issuer; `None` for any issuer.
    pub(super) fn read(document: &Value, issuer: Option<&str>) -> Result<Self, ExternalError> {
        let members = document.as_object().ok_or(ExternalError::NotJson)?;
        let needed = |name: &'static str| {
            let found = text(members, name).map(str::to_owned);
            found.ok_or(ExternalError::Discovery(name))
        };
        let found = Self {
            issuer: needed("issuer")?,
            // Some providers that only issue id tokens have neither.
            authorization_endpoint: text(members, "authorization_endpoint")
                .unwrap_or_default()
                .to_owned(),
            token_endpoint: text(members, "token_endpoint")
                .unwrap_or_default()
                .to_owned(),
            userinfo_endpoint: text(members, "userinfo_endpoint").map(str::to_owned),
            jwks_uri: needed("jwks_uri")?,
            token_auth_methods: texts(members, "token_endpoint_auth_methods_supported"),
            challenge_methods: texts(members, "code_challenge_methods_supported"),
        };
        if issuer.is_some_and(|issuer| !same_issuer(issuer, &found.issuer)) {
            return Err(ExternalError::Discovery("it names another issuer"));
        }
        found.check_schemes()?;
        Ok(found)
    }

    /// Refuses endpoints without encryption, unless the issuer has none either.
    fn check_schemes(&self) -> Result<(), ExternalError> {
        let is_https = |url: &str| url.starts_with("https://");
        let mut endpoints = [
            Some(self.authorization_endpoint.as_str()),
            Some(self.token_endpoint.as_str()),
            self.userinfo_endpoint.as_deref(),
            Some(self.jwks_uri.as_str()),
        ]
        .into_iter()
        .flatten()
        .filter(|url| !url.is_empty());
        if is_https(&self.issuer) && !endpoints.all(is_https) {
            return Err(ExternalError::Discovery("an endpoint is not https"));
        }
        Ok(())
    }

    /// Refuses a document without the endpoints that a sign-in in the browser needs.
    pub(super) fn check_code_flow(&self) -> Result<(), ExternalError> {
        if self.authorization_endpoint.is_empty() {
            return Err(ExternalError::Discovery("it has no authorization_endpoint"));
        }
        if self.token_endpoint.is_empty() {
            return Err(ExternalError::Discovery("it has no token_endpoint"));
        }
        Ok(())
    }
}

/// The members of a discovery document that admins are shown.
const SHOWN: &[&str] = &[
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "userinfo_endpoint",
    "jwks_uri",
    "revocation_endpoint",
    "end_session_endpoint",
    "registration_endpoint",
    "scopes_supported",
    "response_types_supported",
    "response_modes_supported",
    "grant_types_supported",
    "subject_types_supported",
    "id_token_signing_alg_values_supported",
    "token_endpoint_auth_methods_supported",
    "claims_supported",
    "code_challenge_methods_supported",
];

/// Returns the part of a document that admins are shown.
pub(super) fn shown_members(document: &Value) -> Value {
    let members = document.as_object().into_iter().flatten();
    let members = members.filter(|(name, _)| SHOWN.contains(&name.as_str()));
    let members = members.map(|(name, value)| (name.clone(), value.clone()));
    Value::Object(members.collect())
}

fn texts(members: &Object, name: &str) -> Option<Vec<String>> {
    let values = members.get(name)?.as_array()?;
    Some(
        values
            .iter()
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect(),
    )
}
