//! Slack: its API of old, and OpenID Connect. Both describe users at the same endpoint.

use super::entry::{Endpoint, ProviderEntry, UserSource, at};
use super::profile::{CustomClaims, EmailStatus, UserMapping};

const HOST: &str = "https://slack.com";

pub(super) const ENTRY: ProviderEntry = ProviderEntry::new(
    "slack",
    at(HOST, "/oauth/authorize"),
    at(HOST, "/api/oauth.access"),
    UserSource::Api(USER),
    MAPPING,
)
.scopes(&["profile", "email", "openid"])
.issuer_path("/api");

pub(super) const OIDC_ENTRY: ProviderEntry = ProviderEntry::new(
    "slack_oidc",
    at(HOST, "/openid/connect/authorize"),
    at(HOST, "/api/openid.connect.token"),
    UserSource::Api(USER),
    MAPPING,
)
.scopes(&["profile", "email", "openid"])
.issuer_path("/api");

const USER: &[Endpoint] = &[at(HOST, "/api/openid.connect.userInfo")];

const MAPPING: UserMapping = UserMapping::at(
    "/https:~1~1slack.com~1user_id",
    &[
        ("name", "/name"),
        ("full_name", "/name"),
        ("picture", "/picture"),
        ("avatar_url", "/picture"),
    ],
)
.email("/email", EmailStatus::At("/email_verified"))
.custom(CustomClaims::Only(&[(
    "https://slack.com/team_id",
    "/https:~1~1slack.com~1team_id",
)]));
