//! The answers for features that are off or that this server does not have: those of GoTrue while they are off.
//!
//! Nothing of this is in the OpenAPI document, because there is nothing to use.

use std::sync::Arc;

use http::Method;
use innkeeper_rest::{Filter, IntoReply, Next, Request, Response};
use serde_json::{Value, json};

use super::authenticate::{check_admin, user_token};
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;

/// The segments of a path that are looked at.
const SEGMENTS: usize = 5;

/// Answers requests for features that are off.
#[derive(Debug, Clone)]
pub(crate) struct FeaturesOff(pub(crate) Arc<App>);

impl Filter for FeaturesOff {
    fn applies_to(&self, request: &Request) -> bool {
        self.asked_for(request).is_some()
    }

    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let Some(feature) = self.asked_for(request) else {
            return next.run(request).await;
        };
        match self.answer(feature, request).await {
            Ok(response) => response,
            Err(error) => error.into_reply(),
        }
    }
}

/// A feature that is off.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Feature {
    Saml,
    Passkeys,
    OauthServer(RequiredToken),
    Scim,
    /// The providers of single sign-on, and the id of one.
    SsoProviders(Option<String>),
}

/// The token that a request needs before it learns that a feature is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequiredToken {
    None,
    User,
    Admin,
}

impl Feature {
    fn at(path: &str) -> Option<Self> {
        let mut rest = path.split('/').skip(1);
        let segments: [&str; SEGMENTS] = std::array::from_fn(|_| rest.next().unwrap_or_default());
        let id_of = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Some(match segments {
            ["sso", ..] => Self::Saml,
            ["passkeys", ..] => Self::Passkeys,
            ["oauth", ..] | [".well-known", "oauth-authorization-server", "", ..] => {
                Self::OauthServer(RequiredToken::None)
            }
            ["scim", "v2", ..] => Self::Scim,
            ["user", "oauth", "grants", ..] => Self::OauthServer(RequiredToken::User),
            ["admin", "oauth", ..] => Self::OauthServer(RequiredToken::Admin),
            ["admin", "sso", "providers", id, ..] => Self::SsoProviders(id_of(id)),
            _ => return None,
        })
    }
}

impl FeaturesOff {
    /// Returns the feature that a request is about, if it is off.
    fn asked_for(&self, request: &Request) -> Option<Feature> {
        let has_passkeys = self.0.config.webauthn.passkeys_enabled;
        Feature::at(request.path()).filter(|feature| *feature != Feature::Passkeys || !has_passkeys)
    }

    async fn answer(&self, feature: Feature, request: &Request) -> Result<Response> {
        match feature {
            Feature::Saml => Err(saml_is_off()),
            Feature::Passkeys => Err(AuthError::refused(
                ErrorCode::PasskeyDisabled,
                "Passkeys are disabled",
            )),
            Feature::Scim => Err(AuthError::refused(
                ErrorCode::FeatureDisabled,
                "SCIM server is disabled",
            )),
            Feature::OauthServer(token) => {
                match token {
                    RequiredToken::None => {}
                    RequiredToken::User => self.check_user(request).await?,
                    RequiredToken::Admin => check_admin(&self.0, request).await.map(drop)?,
                }
                Err(AuthError::refused(
                    ErrorCode::FeatureDisabled,
                    "OAuth server is disabled",
                ))
            }
            Feature::SsoProviders(id) => {
                check_admin(&self.0, request).await?;
                sso_providers(request, id.as_deref())
            }
        }
    }

    async fn check_user(&self, request: &Request) -> Result<()> {
        let unknown = ClientInfo::default();
        let client = request.values().get::<ClientInfo>().unwrap_or(&unknown);
        let token = user_token(&self.0, request.head()).await?;
        token.caller(&self.0, client).await?;
        Ok(())
    }
}

fn sso_providers(request: &Request, id: Option<&str>) -> Result<Response> {
    match id {
        None if request.method() == Method::GET => Ok(json_body(&json!({ "items": [] }))),
        None => Err(saml_is_off()),
        Some(_) => Err(AuthError::refused(
            ErrorCode::SsoProviderNotFound,
            "SSO Identity Provider not found",
        )),
    }
}

fn saml_is_off() -> AuthError {
    AuthError::refused(ErrorCode::SamlProviderDisabled, "SAML 2.0 is disabled")
}

fn json_body(value: &Value) -> Response {
    Response::ok()
        .content_type("application/json")
        .body(value.to_string())
}

#[cfg(test)]
mod tests {

    use super::{Feature, RequiredToken};

    #[test]
    fn only_paths_of_missing_features_are_answered() {
        let cases = [
            ("/sso", Some(Feature::Saml)),
            ("/sso/saml/acs", Some(Feature::Saml)),
            ("/passkeys/", Some(Feature::Passkeys)),
            (
                "/oauth/token",
                Some(Feature::OauthServer(RequiredToken::None)),
            ),
            (
                "/.well-known/oauth-authorization-server",
                Some(Feature::OauthServer(RequiredToken::None)),
            ),
            ("/.well-known/openid-configuration", None),
            ("/scim/v2/Schemas", Some(Feature::Scim)),
            ("/scim", None),
            (
                "/user/oauth/grants",
                Some(Feature::OauthServer(RequiredToken::User)),
            ),
            ("/user/oauth", None),
            ("/user", None),
            ("/factors", None),
            ("/factors/9/verify", None),
            (
                "/admin/oauth/clients",
                Some(Feature::OauthServer(RequiredToken::Admin)),
            ),
            ("/admin/sso/providers", Some(Feature::SsoProviders(None))),
            (
                "/admin/sso/providers/9",
                Some(Feature::SsoProviders(Some("9".to_owned()))),
            ),
            ("/admin/users/7", None),
            ("/admin/users/7/factors", None),
            ("/admin/users/7/passkeys", None),
            ("/admin/users/7/passkeys/9", None),
            ("/ssot", None),
            ("/", None),
        ];
        for (path, expected) in cases {
            assert_eq!(Feature::at(path), expected, "{path}");
        }
    }
}
