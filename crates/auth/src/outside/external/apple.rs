//! Apple, whose client secret is a token that we sign, and who tells the name of a user only once.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use innkeeper_service::secret::Secret;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::entry::{ProviderEntry, UserSource, at};
use super::error::ExternalError;
use super::profile::{CustomClaims, EmailStatus, UserMapping, UserProfile};
use super::quirks::set_full_name;
use crate::crypto::jwt::{Algorithm, SigningKey};

const ISSUER: &str = "https://appleid.apple.com";
/// How long a client secret is valid; it is used at once.
const SECRET_LIFETIME: SignedDuration = SignedDuration::from_mins(5);
/// The longest `user` parameter that is read, in bytes.
const MAX_USER: usize = 4096;

pub(super) const ENTRY: ProviderEntry = ProviderEntry::new(
    "apple",
    at(ISSUER, "/auth/authorize"),
    at(ISSUER, "/auth/token"),
    UserSource::IdToken,
    UserMapping::OIDC,
)
.scopes(&["email", "name"])
.parameters(&[("response_mode", "form_post")])
.issuer(ISSUER)
.other_issuers(&["https://account.apple.com"])
.id_mapping(
    UserMapping::at("/sub", &[])
        .email("/email", EmailStatus::Verified)
        .custom(CustomClaims::Only(&[
            ("is_private_email", "/is_private_email"),
            ("auth_time", "/auth_time"),
            ("transfer_sub", "/transfer_sub"),
        ])),
)
.fixed();

/// The key with which client secrets are signed.
#[derive(Debug, Clone)]
pub(super) struct AppleKey {
    pub(super) team_id: String,
    pub(super) key_id: String,
    /// The content of the `.p8` file.
    pub(super) pem: Secret<String>,
}

#[derive(Serialize)]
struct SecretClaims<'a> {
    iss: &'a str,
    iat: i64,
    exp: i64,
    aud: &'a str,
    sub: &'a str,
}

/// Whether a secret is a private key, not a client secret made of one.
pub(super) fn is_private_key(secret: &str) -> bool {
    secret.trim_start().starts_with("-----BEGIN")
}

impl AppleKey {
    /// Signs a client secret.
    pub(super) fn client_secret(
        &self,
        client_id: &str,
        now: Timestamp,
    ) -> Result<String, ExternalError> {
        let unusable = || ExternalError::PrivateKey;
        let der = der(self.pem.reveal()).ok_or_else(unusable)?;
        let key = SigningKey::from_private_bytes(&self.key_id, Algorithm::Es256, &der)
            .map_err(|_| unusable())?;
        let claims = SecretClaims {
            iss: &self.team_id,
            iat: now.as_second(),
            exp: now.as_second() + SECRET_LIFETIME.as_secs(),
            aud: ISSUER,
            sub: client_id,
        };
        key.sign(&claims).map_err(|_| unusable())
    }
}

/// Decodes a PEM file. Line breaks may be written as `\n`, because settings are often on one line.
fn der(pem: &str) -> Option<Vec<u8>> {
    let pem = pem.replace("\\n", "\n");
    let (_, rest) = pem.split_once("-----BEGIN PRIVATE KEY-----")?;
    let (body, _) = rest.split_once("-----END PRIVATE KEY-----")?;
    let body: String = body.split_whitespace().collect();
    STANDARD.decode(body).ok()
}

#[derive(Deserialize)]
struct AppleUser {
    name: AppleName,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AppleName {
    #[serde(default)]
    first_name: String,
    #[serde(default)]
    last_name: String,
}

/// Reads the name out of the `user` parameter. The browser brings it, so nothing else in it counts.
pub(super) fn set_name(user: Option<&str>, profile: &mut UserProfile) {
    let user = user.filter(|text| text.len() <= MAX_USER);
    let user: Option<AppleUser> = user.and_then(|text| serde_json::from_str(text).ok());
    if let Some(AppleUser { name }) = user {
        set_full_name(profile, &name.first_name, &name.last_name);
    }
}
