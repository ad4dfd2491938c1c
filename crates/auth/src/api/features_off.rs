//! The answers for features that this server does not have: those of GoTrue while they are off.
//!
//! Nothing of this is in the OpenAPI document, because there is nothing to use.

use std::sync::Arc;

use http::Method;
use innkeeper_rest::{Filter, IntoReply, Next, Rejection, Request, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::authenticate::{check_admin, user_token};
use super::body::read_json;
use crate::app::App;
use crate::client::ClientInfo;
use crate::config::Profile;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::input::parse_id;
use crate::store;
use crate::user::admin::require_user;

/// The segments of a path that are looked at.
const SEGMENTS: usize = 5;

/// Answers requests for features that are off.
#[derive(Debug, Clone)]
pub(crate) struct FeaturesOff(pub(crate) Arc<App>);

impl Filter for FeaturesOff {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let Some(feature) = Feature::at(request.path()) else {
            return next.run(request).await;
        };
        let is_enrolment = request.method() == Method::POST;
        if feature == Feature::Factors(None) && !is_enrolment && self.is_std() {
            return next.run(request).await;
        }
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
    /// The factors of the caller, and the id of one.
    Factors(Option<String>),
    /// The providers of single sign-on, and the id of one.
    SsoProviders(Option<String>),
    /// The factors or passkeys of a user.
    CredentialsOfUser(UserCredentials),
}

/// The token that a request needs before it learns that a feature is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequiredToken {
    None,
    User,
    Admin,
}

/// What an admin asks for about a user.
#[derive(Debug, Clone, PartialEq, Eq)]
struct UserCredentials {
    user_id: String,
    are_passkeys: bool,
    id: Option<String>,
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
            ["factors", id, ..] => Self::Factors(id_of(id)),
            ["admin", "oauth", ..] => Self::OauthServer(RequiredToken::Admin),
            ["admin", "sso", "providers", id, ..] => Self::SsoProviders(id_of(id)),
            [
                "admin",
                "users",
                user_id,
                kind @ ("factors" | "passkeys"),
                id,
            ] => Self::CredentialsOfUser(UserCredentials {
                user_id: user_id.to_owned(),
                are_passkeys: kind == "passkeys",
                id: id_of(id),
            }),
            _ => return None,
        })
    }
}

/// The part of an enrolment that is looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Enrolment {
    factor_type: String,
}

impl FeaturesOff {
    fn is_std(&self) -> bool {
        self.0.config.profile == Profile::Std
    }

    async fn answer(&self, feature: Feature, request: &mut Request) -> Result<Response> {
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
            Feature::Factors(None) => {
                self.check_user(request).await?;
                if request.method() != Method::POST {
                    return Ok(Response::status(405).header("allow", "POST"));
                }
                refuse_enrolment(request).await
            }
            Feature::Factors(Some(id)) => {
                self.check_user(request).await?;
                parse_id(&id, "factor_id")?;
                Err(factor_not_found())
            }
            Feature::SsoProviders(id) => {
                check_admin(&self.0, request).await?;
                sso_providers(request, id.as_deref())
            }
            Feature::CredentialsOfUser(wanted) => {
                check_admin(&self.0, request).await?;
                self.credentials_of_user(&wanted).await
            }
        }
    }

    async fn credentials_of_user(&self, wanted: &UserCredentials) -> Result<Response> {
        let user_id = parse_id(&wanted.user_id, "user_id")?;
        let conn = self.0.shared().await?;
        require_user(store::users::find_by_id(&conn, user_id).await?)?;
        match &wanted.id {
            None => Ok(json_body(&json!([]))),
            Some(_) if wanted.are_passkeys => Err(AuthError::refused_as(
                http::StatusCode::NOT_FOUND,
                ErrorCode::ValidationFailed,
                "Passkey not found",
            )),
            Some(id) => {
                parse_id(id, "factor_id")?;
                Err(factor_not_found())
            }
        }
    }

    async fn check_user(&self, request: &Request) -> Result<()> {
        let unknown = ClientInfo::default();
        let client = request.values().get::<ClientInfo>().unwrap_or(&unknown);
        let token = user_token(&self.0, request.head()).await?;
        let caller = token.caller(&self.0, client).await?;
        if caller.user.is_anonymous {
            return Err(AuthError::refused_as(
                http::StatusCode::FORBIDDEN,
                ErrorCode::NoAuthorization,
                "Anonymous user not allowed to perform these actions",
            ));
        }
        Ok(())
    }
}

/// Refuses to enrol a factor of the requested type.
async fn refuse_enrolment(request: &mut Request) -> Result<Response> {
    let body = match request.take_body().read_all().await {
        Ok(body) => body,
        Err(error) => return Ok(Rejection::from(error).into_reply()),
    };
    let enrolment: Enrolment = read_json(&body)?.unwrap_or_default();
    let (code, name) = match enrolment.factor_type.as_str() {
        "totp" => (ErrorCode::MfaTotpEnrollNotEnabled, "TOTP"),
        "phone" => (ErrorCode::MfaPhoneEnrollNotEnabled, "Phone"),
        "webauthn" => (ErrorCode::MfaWebauthnEnrollNotEnabled, "WebAuthn"),
        _ => {
            return Err(AuthError::validation(
                "factor_type needs to be totp, phone, or webauthn",
            ));
        }
    };
    Err(AuthError::refused(
        code,
        format!("MFA enroll is disabled for {name}"),
    ))
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

fn factor_not_found() -> AuthError {
    AuthError::refused(ErrorCode::MfaFactorNotFound, "Factor not found")
}

fn json_body(value: &Value) -> Response {
    Response::ok()
        .content_type("application/json")
        .body(value.to_string())
}

#[cfg(test)]
mod tests {

    use super::{Feature, RequiredToken, UserCredentials};

    #[test]
    fn only_paths_of_missing_features_are_answered() {
        let credentials = |are_passkeys, id: Option<&str>| {
            Some(Feature::CredentialsOfUser(UserCredentials {
                user_id: "7".to_owned(),
                are_passkeys,
                id: id.map(str::to_owned),
            }))
        };
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
            ("/factors", Some(Feature::Factors(None))),
            (
                "/factors/9/verify",
                Some(Feature::Factors(Some("9".to_owned()))),
            ),
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
            ("/admin/users/7/factors", credentials(false, None)),
            ("/admin/users/7/factors/9", credentials(false, Some("9"))),
            ("/admin/users/7/passkeys", credentials(true, None)),
            ("/ssot", None),
            ("/", None),
        ];
        for (path, expected) in cases {
            assert_eq!(Feature::at(path), expected, "{path}");
        }
    }
}
