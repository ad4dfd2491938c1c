//! The providers. One that speaks plain OAuth 2 or OpenID Connect is one entry here and one case in the tests.

use super::entry::{HeaderText, ProviderEntry, UserSource, at};
use super::profile::{CustomClaims, EmailStatus, TOKEN_CLAIMS, UserMapping};
use super::quirks::{
    bitbucket_emails, discord_name_and_avatar, github_emails, gitlab_emails, kakao_email,
    spotify_picture, vercel_subject, workos_name, zoom_name_and_email,
};
use super::{apple, azure, facebook, linkedin, slack, twitter};

const GITHUB: &str = "https://github.com";
const GITHUB_API: &str = "https://api.github.com";
const NOTION: &str = "https://api.notion.com";
const WORKOS: &str = "https://api.workos.com";

/// Every provider that this server knows.
pub(super) const TABLE: &[ProviderEntry] = &[
    apple::ENTRY,
    azure::ENTRY,
    ProviderEntry::new(
        "bitbucket",
        at("https://bitbucket.org", "/site/oauth2/authorize"),
        at("https://bitbucket.org", "/site/oauth2/access_token"),
        UserSource::Api(&[
            at("https://api.bitbucket.org", "/2.0/user"),
            at("https://api.bitbucket.org", "/2.0/user/emails"),
        ]),
        UserMapping::at(
            "/uuid",
            &[
                ("name", "/display_name"),
                ("full_name", "/display_name"),
                ("picture", "/links/avatar/href"),
                ("avatar_url", "/links/avatar/href"),
            ],
        )
        .more(bitbucket_emails),
    )
    .scopes(&["account", "email"])
    .issuer_path("/2.0")
    .basic_auth(),
    ProviderEntry::new(
        "discord",
        at("https://discord.com", "/api/oauth2/authorize"),
        at("https://discord.com", "/api/oauth2/token"),
        UserSource::Api(&[at("https://discord.com", "/api/users/@me")]),
        UserMapping::at("/id", &[("full_name", "/username")])
            .email("/email", EmailStatus::At("/verified"))
            .custom(CustomClaims::Only(&[("global_name", "/global_name")]))
            .more(discord_name_and_avatar),
    )
    .scopes(&["email", "identify"])
    .issuer_path("/api")
    .pkce(),
    facebook::ENTRY,
    ProviderEntry::new(
        "figma",
        at("https://www.figma.com", "/oauth"),
        at("https://api.figma.com", "/v1/oauth/token"),
        UserSource::Api(&[at("https://api.figma.com", "/v1/me")]),
        UserMapping::at(
            "/id",
            &[
                ("name", "/handle"),
                ("full_name", "/handle"),
                ("picture", "/img_url"),
                ("avatar_url", "/img_url"),
            ],
        )
        .email("/email", EmailStatus::Verified),
    )
    .scopes(&["current_user:read"])
    .basic_auth()
    .pkce(),
    ProviderEntry::new(
        "fly",
        at("https://api.fly.io", "/oauth/authorize"),
        at("https://api.fly.io", "/oauth/token"),
        UserSource::Api(&[at("https://api.fly.io", "/oauth/token/info")]),
        UserMapping::at(
            "/user_id",
            &[("name", "/user_name"), ("full_name", "/user_name")],
        )
        .email("/email", EmailStatus::Verified)
        .custom(CustomClaims::Only(&[
            ("resource_owner_id", "/resource_owner_id"),
            ("organizations", "/organizations"),
            ("application", "/application"),
            ("scope", "/scope"),
            ("created_at", "/created_at"),
        ])),
    )
    .scopes(&["read"]),
    ProviderEntry::new(
        "github",
        at(GITHUB, "/login/oauth/authorize"),
        at(GITHUB, "/login/oauth/access_token"),
        UserSource::Api(&[at(GITHUB_API, "/user"), at(GITHUB_API, "/user/emails")]),
        UserMapping::at(
            "/id",
            &[
                ("name", "/name"),
                ("full_name", "/name"),
                ("preferred_username", "/login"),
                ("user_name", "/login"),
                ("avatar_url", "/avatar_url"),
            ],
        )
        .more(github_emails),
    )
    .scopes(&["user:email"])
    .api_prefix("/api/v3")
    .pkce(),
    ProviderEntry::new(
        "gitlab",
        at("https://gitlab.com", "/oauth/authorize"),
        at("https://gitlab.com", "/oauth/token"),
        UserSource::Api(&[
            at("https://gitlab.com", "/api/v4/user"),
            at("https://gitlab.com", "/api/v4/user/emails"),
        ]),
        UserMapping::at(
            "/id",
            &[
                ("name", "/name"),
                ("full_name", "/name"),
                ("picture", "/avatar_url"),
                ("avatar_url", "/avatar_url"),
            ],
        )
        .more(gitlab_emails),
    )
    .scopes(&["read_user"])
    .pkce(),
    ProviderEntry::new(
        "google",
        at("https://accounts.google.com", "/o/oauth2/v2/auth"),
        at("https://oauth2.googleapis.com", "/token"),
        UserSource::IdTokenOr(&[at("https://www.googleapis.com", "/userinfo/v2/me")]),
        UserMapping::at(
            "/id",
            &[
                ("name", "/name"),
                ("full_name", "/name"),
                ("picture", "/picture"),
                ("avatar_url", "/picture"),
            ],
        )
        .email("/email", EmailStatus::At("/verified_email"))
        .custom(CustomClaims::Only(&[("hd", "/hd")])),
    )
    .scopes(&["email", "profile"])
    .pkce()
    .issuer("https://accounts.google.com")
    .other_issuers(&["accounts.google.com"])
    .id_mapping(UserMapping::OIDC.custom(CustomClaims::Only(&[("hd", "/hd")])))
    .fixed(),
    ProviderEntry::new(
        "kakao",
        at("https://kauth.kakao.com", "/oauth/authorize"),
        at("https://kauth.kakao.com", "/oauth/token"),
        UserSource::Api(&[at("https://kapi.kakao.com", "/v2/user/me")]),
        UserMapping::at(
            "/id",
            &[
                ("name", "/kakao_account/profile/nickname"),
                ("full_name", "/kakao_account/profile/nickname"),
                ("preferred_username", "/kakao_account/profile/nickname"),
                ("user_name", "/kakao_account/profile/nickname"),
                ("avatar_url", "/kakao_account/profile/profile_image_url"),
            ],
        )
        .more(kakao_email),
    )
    .scopes(&["account_email", "profile_image", "profile_nickname"])
    .issuer("https://kauth.kakao.com")
    .id_mapping(
        UserMapping::at(
            "/sub",
            &[
                ("name", "/nickname"),
                ("preferred_username", "/nickname"),
                ("picture", "/picture"),
            ],
        )
        .email("/email", EmailStatus::Verified),
    ),
    ProviderEntry::new(
        "keycloak",
        at("", "/protocol/openid-connect/auth"),
        at("", "/protocol/openid-connect/token"),
        UserSource::Api(&[at("", "/protocol/openid-connect/userinfo")]),
        UserMapping::OIDC.custom(CustomClaims::AllBut(TOKEN_CLAIMS)),
    )
    .scopes(&["openid", "profile", "email"])
    .pkce()
    .issuer("")
    .id_mapping(UserMapping::OIDC.custom(CustomClaims::AllBut(TOKEN_CLAIMS))),
    linkedin::ENTRY,
    linkedin::OIDC_ENTRY,
    ProviderEntry::new(
        "notion",
        at(NOTION, "/v1/oauth/authorize"),
        at(NOTION, "/v1/oauth/token"),
        UserSource::Api(&[at(NOTION, "/v1/users/me")]),
        UserMapping::at(
            "/bot/owner/user/id",
            &[
                ("name", "/bot/owner/user/name"),
                ("full_name", "/bot/owner/user/name"),
                ("picture", "/bot/owner/user/avatar_url"),
                ("avatar_url", "/bot/owner/user/avatar_url"),
            ],
        )
        .email("/bot/owner/user/person/email", EmailStatus::Verified),
    )
    .parameters(&[("owner", "user")])
    .headers(&[("notion-version", HeaderText::Fixed("2021-08-16"))])
    .basic_auth(),
    slack::ENTRY,
    slack::OIDC_ENTRY,
    ProviderEntry::new(
        "snapchat",
        at("https://accounts.snapchat.com", "/accounts/oauth2/auth"),
        at("https://accounts.snapchat.com", "/accounts/oauth2/token"),
        UserSource::Api(&[at(
            "https://kit.snapchat.com",
            "/v1/me?query=%7Bme+%7B+externalId+displayName+bitmoji+%7B+avatar+id+%7D+email+%7D+%7D",
        )]),
        UserMapping::at(
            "/data/me/externalId",
            &[
                ("name", "/data/me/displayName"),
                ("full_name", "/data/me/displayName"),
                ("slug", "/data/me/displayName"),
                ("picture", "/data/me/bitmoji/avatar"),
                ("avatar_url", "/data/me/bitmoji/avatar"),
            ],
        )
        .email("/data/me/email", EmailStatus::Verified),
    )
    .scopes(&[
        "https://auth.snapchat.com/oauth2/api/user.external_id",
        "https://auth.snapchat.com/oauth2/api/user.display_name",
        "https://auth.snapchat.com/oauth2/api/user.bitmoji.avatar",
    ])
    .issuer("https://accounts.snapchat.com/accounts/oauth2/token")
    .id_mapping(UserMapping::OIDC.email("/email", EmailStatus::Verified)),
    ProviderEntry::new(
        "spotify",
        at("https://accounts.spotify.com", "/authorize"),
        at("https://accounts.spotify.com", "/api/token"),
        UserSource::Api(&[at("https://api.spotify.com/v1", "/me")]),
        UserMapping::at(
            "/id",
            &[("name", "/display_name"), ("full_name", "/display_name")],
        )
        .email("/email", EmailStatus::Unknown)
        .more(spotify_picture),
    )
    .scopes(&["user-read-email"])
    .basic_auth()
    .pkce(),
    ProviderEntry::new(
        "twitch",
        at("https://id.twitch.tv", "/oauth2/authorize"),
        at("https://id.twitch.tv", "/oauth2/token"),
        UserSource::Api(&[at("https://api.twitch.tv", "/helix/users")]),
        UserMapping::at(
            "/data/0/id",
            &[
                ("name", "/data/0/login"),
                ("full_name", "/data/0/login"),
                ("nickname", "/data/0/display_name"),
                ("slug", "/data/0/display_name"),
                ("picture", "/data/0/profile_image_url"),
                ("avatar_url", "/data/0/profile_image_url"),
            ],
        )
        .email("/data/0/email", EmailStatus::Verified)
        .custom(CustomClaims::Only(&[
            ("broadcaster_type", "/data/0/broadcaster_type"),
            ("description", "/data/0/description"),
            ("type", "/data/0/type"),
            ("offline_image_url", "/data/0/offline_image_url"),
            ("view_count", "/data/0/view_count"),
        ])),
    )
    .scopes(&["user:read:email"])
    .headers(&[("client-id", HeaderText::ClientId)]),
    twitter::ENTRY,
    ProviderEntry::new(
        "vercel_marketplace",
        at("https://api.vercel.com", "/oauth/v2/authorization"),
        at("https://api.vercel.com", "/oauth/v2/accessToken"),
        UserSource::IdToken,
        UserMapping::OIDC,
    )
    .issuer("https://marketplace.vercel.com")
    .without_nonce()
    .id_mapping(
        UserMapping::at(
            "/sub",
            &[
                ("name", "/user_name"),
                ("full_name", "/user_name"),
                ("picture", "/user_avatar_url"),
                ("avatar_url", "/user_avatar_url"),
            ],
        )
        .email("/user_email", EmailStatus::Verified)
        .more(vercel_subject),
    ),
    ProviderEntry::new(
        "workos",
        at(WORKOS, "/sso/authorize"),
        at(WORKOS, "/sso/token"),
        UserSource::TokenAnswer,
        UserMapping::at("/profile/id", &[])
            .email("/profile/email", EmailStatus::Verified)
            .custom(CustomClaims::Only(&[
                ("connection_id", "/profile/connection_id"),
                ("organization_id", "/profile/organization_id"),
            ]))
            .more(workos_name),
    )
    .needs_one_of(&["connection", "organization", "provider"]),
    ProviderEntry::new(
        "x",
        at("https://x.com", "/i/oauth2/authorize"),
        at("https://api.x.com", "/2/oauth2/token"),
        UserSource::Api(&[at(
            "https://api.x.com",
            "/2/users/me?user.fields=id,name,username,confirmed_email,profile_image_url,url,created_at",
        )]),
        UserMapping::at(
            "/data/id",
            &[
                ("name", "/data/name"),
                ("full_name", "/data/name"),
                ("preferred_username", "/data/username"),
                ("user_name", "/data/username"),
                ("website", "/data/url"),
                ("picture", "/data/profile_image_url"),
                ("avatar_url", "/data/profile_image_url"),
            ],
        )
        .email("/data/confirmed_email", EmailStatus::Verified)
        .custom(CustomClaims::Only(&[("created_at", "/data/created_at")])),
    )
    .scopes(&["users.email", "tweet.read", "users.read", "offline.access"])
    .basic_auth()
    .pkce(),
    ProviderEntry::new(
        "zoom",
        at("https://zoom.us", "/oauth/authorize"),
        at("https://zoom.us", "/oauth/token"),
        UserSource::Api(&[at("https://api.zoom.us", "/v2/users/me")]),
        UserMapping::at("/id", &[("picture", "/pic_url"), ("avatar_url", "/pic_url")])
            .more(zoom_name_and_email),
    )
    .issuer_path("/v2")
    .basic_auth()
    .pkce(),
];

/// Returns the entry of a provider.
pub(super) fn find(name: &str) -> Option<&'static ProviderEntry> {
    TABLE.iter().find(|entry| entry.name == name)
}
