//! Azure, where one set of endpoints serves many tenants, each of which is an issuer of its own.

use serde_json::Value;
use uuid::Uuid;

use super::entry::{ProviderEntry, UserSource, at};
use super::jws::ParsedToken;
use super::profile::{CustomClaims, UserMapping, is_true};
use crate::config::Profile;

/// The endpoints for users of any tenant.
const COMMON: &str = "https://login.microsoftonline.com/common";
/// The tenant of all private Microsoft accounts, whose email addresses nobody in particular has verified.
const CONSUMERS: &str = "9188040d-6c67-4c5b-b112-36a304b66dad";
/// What stands for the tenant in the issuer of endpoints that serve several.
const TENANT: &str = "{tenantid}";

pub(super) const ENTRY: ProviderEntry = ProviderEntry::new(
    "azure",
    at(COMMON, "/oauth2/v2.0/authorize"),
    at(COMMON, "/oauth2/v2.0/token"),
    UserSource::IdToken,
    UserMapping::OIDC,
)
.scopes(&["openid"])
.pkce()
.issuer("")
.id_mapping(UserMapping {
    email: None,
    ..UserMapping::at(
        "/sub",
        &[
            ("name", "/name"),
            ("full_name", "/name"),
            ("preferred_username", "/preferred_username"),
        ],
    )
    .custom(CustomClaims::AllBut(&[
        "aud", "iss", "iat", "nbf", "exp", "c_hash", "at_hash", "aio", "nonce", "rh", "uti", "jti",
        "ver", "sub",
    ]))
});

/// Returns the address of the discovery document below the base of a tenant.
pub(super) fn issuer_base(base: Option<&str>) -> String {
    format!("{}/v2.0", base.unwrap_or(COMMON).trim_end_matches('/'))
}

/// Whether an issuer is a tenant.
pub(super) fn is_issuer(issuer: &str) -> bool {
    let tenant = issuer.strip_prefix("https://login.microsoftonline.com/");
    let tenant = tenant.and_then(|rest| rest.trim_end_matches('/').strip_suffix("/v2.0"));
    tenant.is_some_and(|tenant| !tenant.is_empty() && !tenant.contains('/'))
}

/// Returns the issuer of a token: that of the document, with the tenant of the token if the document is for several.
pub(super) fn issuer_of(document: &str, token: &ParsedToken<'_>) -> String {
    match token
        .text("tid")
        .and_then(|tenant| Uuid::parse_str(tenant).ok())
    {
        Some(tenant) => document.replace(TENANT, &tenant.to_string()),
        None => document.to_owned(),
    }
}

/// Whether the endpoints serve only the tenant of the operator.
fn is_fixed(document: &str) -> bool {
    !document.contains(TENANT) && !document.contains(CONSUMERS)
}

/// Whether the email address belongs to the user. Any tenant can give its users any address; only `xms_edov` says
/// that the tenant owns the domain. Without it the address counts where the operator has named the tenant, and in
/// the gotrue profile.
pub(super) fn is_email_verified(profile: Profile, document: &str, claims: &Value) -> bool {
    match claims.get("xms_edov") {
        None | Some(Value::Null) => profile == Profile::Gotrue || is_fixed(document),
        Some(value) => is_true(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_email_verified;
    use crate::config::Profile;

    const ANY: &str = "https://login.microsoftonline.com/{tenantid}/v2.0";
    const ONE: &str = "https://login.microsoftonline.com/0b2c2a94-8a8e-4b5a-8a5c-6ad1d6a1a001/v2.0";
    const CONSUMERS: &str =
        "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0";

    #[test]
    fn an_address_is_verified_by_the_claim_or_in_a_fixed_tenant() {
        let (std, gotrue) = (Profile::Std, Profile::Gotrue);
        for (profile, document, claims, expected) in [
            (std, ANY, json!({}), false),
            (std, ANY, json!({ "xms_edov": null }), false),
            (std, CONSUMERS, json!({}), false),
            (std, ONE, json!({}), true),
            (gotrue, ANY, json!({}), true),
            (std, ANY, json!({ "xms_edov": true }), true),
            (std, ANY, json!({ "xms_edov": "1" }), true),
            (std, ANY, json!({ "xms_edov": 1 }), true),
            (std, ANY, json!({ "xms_edov": "true" }), true),
            (std, ONE, json!({ "xms_edov": false }), false),
            (gotrue, ANY, json!({ "xms_edov": "0" }), false),
            (gotrue, ANY, json!({ "xms_edov": ["1"] }), false),
        ] {
            let found = is_email_verified(profile, document, &claims);
            assert_eq!(found, expected, "{profile:?} {document} {claims}");
        }
    }
}
