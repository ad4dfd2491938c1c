//! One case for each provider: what it is sent, and what its answers mean.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::{CLIENT_ID, REDIRECT_URI, SECRET, Stage, authorize, callback, query};
use crate::config::{Config, PROVIDERS};

/// How the token endpoint must be told who the client is.
#[derive(Clone, Copy, PartialEq)]
enum Told {
    Basic,
    Form,
}

/// A provider, its protocol and an example of its answers.
struct Case {
    name: &'static str,
    authorize: &'static str,
    scope: &'static str,
    pkce: bool,
    token: &'static str,
    told: Told,
    /// The endpoints of the API, with their answers.
    api: Vec<(&'static str, Value)>,
    /// Headers of API calls.
    headers: &'static [(&'static str, &'static str)],
    /// Members of the token answer.
    tokens: Value,
    /// The issuer and the claims of the id token.
    id_token: Option<(&'static str, Value)>,
    change: fn(&mut Config),
    forwarded: &'static [(&'static str, &'static str)],
    /// Members of the identity.
    expected: Value,
}

fn case(
    name: &'static str,
    authorize: &'static str,
    token: &'static str,
    told: Told,
    expected: Value,
) -> Case {
    Case {
        name,
        authorize,
        scope: "",
        pkce: false,
        token,
        told,
        api: Vec::new(),
        headers: &[],
        tokens: json!({}),
        id_token: None,
        change: |_| {},
        forwarded: &[],
        expected,
    }
}

impl Case {
    fn scope(mut self, scope: &'static str) -> Self {
        self.scope = scope;
        self
    }

    fn pkce(mut self) -> Self {
        self.pkce = true;
        self
    }

    fn api(mut self, target: &'static str, answer: Value) -> Self {
        self.api.push((target, answer));
        self
    }

    fn id_token(mut self, issuer: &'static str, claims: Value) -> Self {
        self.id_token = Some((issuer, claims));
        self
    }
}

#[expect(clippy::too_many_lines, reason = "a flat table of providers")]
fn cases() -> Vec<Case> {
    vec![
        case("apple", "/appleid.apple.com/auth/authorize", "appleid.apple.com/auth/token", Told::Form,
            json!({ "sub": "subject-1", "email": "ada@example.com", "email_verified": true,
                "custom_claims": { "is_private_email": "true" } }))
            .scope("email name")
            .id_token("https://appleid.apple.com", json!({ "is_private_email": "true", "email_verified": null })),
        case("azure", "/login.microsoftonline.com/common/oauth2/v2.0/authorize",
            "login.microsoftonline.com/common/oauth2/v2.0/token", Told::Form,
            json!({ "sub": "subject-1", "email_verified": true, "full_name": "Ada", "preferred_username": "ada@x" }))
            .scope("openid").pkce()
            .id_token("https://login.microsoftonline.com/common/v2.0",
                json!({ "name": "Ada", "preferred_username": "ada@x", "xms_edov": true })),
        case("bitbucket", "/bitbucket.org/site/oauth2/authorize", "bitbucket.org/site/oauth2/access_token", Told::Basic,
            json!({ "sub": "{u-1}", "email": "ada@example.com", "email_verified": true, "name": "Ada",
                "avatar_url": "https://p/a", "iss": "https://api.bitbucket.org/2.0" }))
            .scope("account email")
            .api("api.bitbucket.org/2.0/user", json!({ "uuid": "{u-1}", "display_name": "Ada",
                "links": { "avatar": { "href": "https://p/a" } } }))
            .api("api.bitbucket.org/2.0/user/emails", json!({ "values": [
                { "email": "old@example.com", "is_primary": false, "is_confirmed": false },
                { "email": "ada@example.com", "is_primary": true, "is_confirmed": true }] })),
        case("discord", "/discord.com/api/oauth2/authorize", "discord.com/api/oauth2/token", Told::Form,
            json!({ "sub": "7", "email": "ada@example.com", "email_verified": false, "name": "ada#0003",
                "full_name": "ada", "avatar_url": "https://cdn.discordapp.com/avatars/7/a_x.gif",
                "custom_claims": { "global_name": "Ada L" } }))
            .scope("email identify").pkce()
            .api("discord.com/api/users/@me", json!({ "id": "7", "username": "ada", "discriminator": "0003",
                "avatar": "a_x", "email": "ada@example.com", "verified": false, "global_name": "Ada L" })),
        case("facebook", "/www.facebook.com/dialog/oauth", "graph.facebook.com/oauth/access_token", Told::Form,
            json!({ "sub": "10", "email": "ada@example.com", "email_verified": true, "name": "Ada Lovelace",
                "nickname": "Countess", "avatar_url": "https://p/a" }))
            .scope("email")
            .api("graph.facebook.com/me", json!({ "id": "10", "email": "ada@example.com", "first_name": "Ada",
                "last_name": "Lovelace", "name": "Countess", "picture": { "data": { "url": "https://p/a" } } })),
        case("figma", "/www.figma.com/oauth", "api.figma.com/v1/oauth/token", Told::Basic,
            json!({ "sub": "f1", "email": "ada@example.com", "email_verified": true, "name": "ada" }))
            .scope("current_user:read").pkce()
            .api("api.figma.com/v1/me", json!({ "id": "f1", "email": "ada@example.com", "handle": "ada", "img_url": "" })),
        case("fly", "/api.fly.io/oauth/authorize", "api.fly.io/oauth/token", Told::Form,
            json!({ "sub": "fly1", "email": "ada@example.com", "full_name": "ada",
                "custom_claims": { "organizations": [{ "id": "o", "role": "admin" }] } }))
            .scope("read")
            .api("api.fly.io/oauth/token/info", json!({ "user_id": "fly1", "user_name": "ada",
                "email": "ada@example.com", "organizations": [{ "id": "o", "role": "admin" }] })),
        case("github", "/github.com/login/oauth/authorize", "github.com/login/oauth/access_token", Told::Form,
            json!({ "sub": "123", "provider_id": "123", "email": "ada@example.com", "email_verified": true,
                "name": "Ada", "user_name": "ada", "iss": "https://api.github.com" }))
            .scope("user:email").pkce()
            .api("api.github.com/user", json!({ "id": 123, "login": "ada", "name": "Ada", "avatar_url": "" }))
            .api("api.github.com/user/emails", json!([
                { "email": "ada@example.com", "primary": true, "verified": true },
                { "email": "two@example.com", "primary": false, "verified": false }])),
        case("gitlab", "/gitlab.com/oauth/authorize", "gitlab.com/oauth/token", Told::Form,
            json!({ "sub": "5", "email": "ada@example.com", "email_verified": true, "name": "Ada" }))
            .scope("read_user").pkce()
            .api("gitlab.com/api/v4/user", json!({ "id": 5, "name": "Ada", "email": "ada@example.com",
                "confirmed_at": "2020-01-01T00:00:00Z" }))
            .api("gitlab.com/api/v4/user/emails", json!([{ "id": 1, "email": "more@example.com" }])),
        case("google", "/accounts.google.com/o/oauth2/v2/auth", "oauth2.googleapis.com/token", Told::Form,
            json!({ "sub": "subject-1", "email": "ada@example.com", "email_verified": true,
                "full_name": "Ada", "custom_claims": { "hd": "example.com" } }))
            .scope("email profile").pkce()
            .id_token("https://accounts.google.com", json!({ "name": "Ada", "hd": "example.com" })),
        case("kakao", "/kauth.kakao.com/oauth/authorize", "kauth.kakao.com/oauth/token", Told::Form,
            json!({ "sub": "9", "email": "ada@example.com", "email_verified": false, "name": "ada" }))
            .scope("account_email profile_image profile_nickname")
            .api("kapi.kakao.com/v2/user/me", json!({ "id": 9, "kakao_account": {
                "profile": { "nickname": "ada" }, "email": "ada@example.com",
                "is_email_valid": true, "is_email_verified": false } })),
        Case {
            change: |config| {
                let keycloak = config.external.providers.get_mut("keycloak").unwrap();
                keycloak.url = Some("https://sso.example.com/realms/inn/".to_owned());
            },
            ..case("keycloak", "/sso.example.com/realms/inn/protocol/openid-connect/auth",
                "sso.example.com/realms/inn/protocol/openid-connect/token", Told::Form,
                json!({ "sub": "k1", "email": "ada@example.com", "email_verified": true,
                    "custom_claims": { "groups": ["staff"] }, "iss": "https://sso.example.com/realms/inn" }))
                .scope("openid profile email").pkce()
                .api("sso.example.com/realms/inn/protocol/openid-connect/userinfo",
                    json!({ "sub": "k1", "email": "ada@example.com", "email_verified": true, "groups": ["staff"] }))
        },
        case("linkedin", "/api.linkedin.com/oauth/v2/authorization", "api.linkedin.com/oauth/v2/accessToken", Told::Form,
            json!({ "sub": "l1", "email": "ada@example.com", "name": "Ada Lovelace", "picture": "https://p/a" }))
            .scope("r_emailaddress r_liteprofile")
            .api("api.linkedin.com/v2/me", json!({ "id": "l1",
                "firstName": { "localized": { "en_US": "Ada" }, "preferredLocale": { "country": "US", "language": "en" } },
                "lastName": { "localized": { "en_US": "Lovelace" }, "preferredLocale": { "country": "US", "language": "en" } },
                "profilePicture": { "displayImage~": { "elements": [{ "identifiers": [{ "identifier": "https://p/a" }] }] } } }))
            .api("api.linkedin.com/v2/emailAddress", json!({ "elements": [{ "handle~": { "emailAddress": "ada@example.com" } }] })),
        case("linkedin_oidc", "/api.linkedin.com/oauth/v2/authorization", "api.linkedin.com/oauth/v2/accessToken", Told::Form,
            json!({ "sub": "subject-1", "email_verified": true, "name": "Ada Lovelace" }))
            .scope("openid email profile")
            .id_token("https://www.linkedin.com/oauth",
                json!({ "given_name": "Ada", "family_name": "Lovelace", "email_verified": "true" })),
        Case {
            headers: &[("notion-version", "2021-08-16")],
            ..case("notion", "/api.notion.com/v1/oauth/authorize", "api.notion.com/v1/oauth/token", Told::Basic,
                json!({ "sub": "n1", "email": "ada@example.com", "name": "Ada" }))
                .api("api.notion.com/v1/users/me", json!({ "bot": { "owner": { "user": { "id": "n1", "name": "Ada",
                    "person": { "email": "ada@example.com" } } } } }))
        },
        case("slack", "/slack.com/oauth/authorize", "slack.com/api/oauth.access", Told::Form,
            json!({ "sub": "U1", "email": "ada@example.com", "email_verified": true,
                "custom_claims": { "https://slack.com/team_id": "T1" }, "iss": "https://slack.com/api" }))
            .scope("profile email openid")
            .api("slack.com/api/openid.connect.userInfo", json!({ "ok": true, "https://slack.com/user_id": "U1",
                "https://slack.com/team_id": "T1", "email": "ada@example.com", "email_verified": true })),
        case("slack_oidc", "/slack.com/openid/connect/authorize", "slack.com/api/openid.connect.token", Told::Form,
            json!({ "sub": "U1", "email": "ada@example.com", "email_verified": false }))
            .scope("profile email openid")
            .api("slack.com/api/openid.connect.userInfo", json!({ "ok": true, "https://slack.com/user_id": "U1",
                "email": "ada@example.com", "email_verified": false })),
        case("snapchat", "/accounts.snapchat.com/accounts/oauth2/auth", "accounts.snapchat.com/accounts/oauth2/token", Told::Form,
            json!({ "sub": "s1", "name": "Ada", "picture": "https://p/a", "email_verified": false }))
            .scope("https://auth.snapchat.com/oauth2/api/user.external_id \
                    https://auth.snapchat.com/oauth2/api/user.display_name \
                    https://auth.snapchat.com/oauth2/api/user.bitmoji.avatar")
            .api("kit.snapchat.com/v1/me", json!({ "data": { "me": { "externalId": "s1", "displayName": "Ada",
                "bitmoji": { "avatar": "https://p/a" } } } })),
        case("spotify", "/accounts.spotify.com/authorize", "accounts.spotify.com/api/token", Told::Basic,
            json!({ "sub": "sp1", "email": "ada@example.com", "email_verified": false, "picture": "https://p/large" }))
            .scope("user-read-email").pkce()
            .api("api.spotify.com/v1/me", json!({ "id": "sp1", "display_name": "Ada", "email": "ada@example.com",
                "images": [{ "url": "https://p/small", "height": 64, "width": 64 },
                    { "url": "https://p/large", "height": 300, "width": 300 }] })),
        Case {
            headers: &[("client-id", CLIENT_ID)],
            ..case("twitch", "/id.twitch.tv/oauth2/authorize", "id.twitch.tv/oauth2/token", Told::Form,
                json!({ "sub": "t1", "email": "ada@example.com", "name": "ada", "nickname": "Ada",
                    "custom_claims": { "type": "staff", "view_count": 3 } }))
                .scope("user:read:email")
                .api("api.twitch.tv/helix/users", json!({ "data": [{ "id": "t1", "login": "ada",
                    "display_name": "Ada", "email": "ada@example.com", "type": "staff", "view_count": 3 }] }))
        },
        case("vercel_marketplace", "/api.vercel.com/oauth/v2/authorization", "api.vercel.com/oauth/v2/accessToken", Told::Form,
            json!({ "sub": "global_user_id:g1", "email": "ada@example.com", "name": "Ada" }))
            .id_token("https://marketplace.vercel.com",
                json!({ "global_user_id": "g1", "user_email": "ada@example.com", "user_name": "Ada", "email": null })),
        Case {
            tokens: json!({ "profile": { "id": "w1", "email": "ada@example.com", "first_name": "Ada",
                "last_name": "Lovelace", "connection_id": "c1", "organization_id": "o1" } }),
            forwarded: &[("workos_provider", "GoogleOAuth")],
            ..case("workos", "/api.workos.com/sso/authorize", "api.workos.com/sso/token", Told::Form,
                json!({ "sub": "w1", "email": "ada@example.com", "email_verified": true, "name": "Ada Lovelace",
                    "custom_claims": { "connection_id": "c1", "organization_id": "o1" } }))
        },
        case("x", "/x.com/i/oauth2/authorize", "api.x.com/2/oauth2/token", Told::Basic,
            json!({ "sub": "x1", "email": "ada@example.com", "email_verified": true, "user_name": "ada" }))
            .scope("users.email tweet.read users.read offline.access").pkce()
            .api("api.x.com/2/users/me", json!({ "data": { "id": "x1", "name": "Ada", "username": "ada",
                "confirmed_email": "ada@example.com" } })),
        case("zoom", "/zoom.us/oauth/authorize", "zoom.us/oauth/token", Told::Basic,
            json!({ "sub": "z1", "email": "ada@example.com", "email_verified": false, "name": "Ada Lovelace" }))
            .pkce()
            .api("api.zoom.us/v2/users/me", json!({ "id": "z1", "first_name": "Ada", "last_name": "Lovelace",
                "email": "ada@example.com", "login_type": 100, "verified": 0 })),
    ]
}

#[test]
fn every_provider_has_a_case() {
    let mut names: Vec<&str> = cases().iter().map(|case| case.name).collect();
    // Its protocol is another one; see quirks.
    names.push("twitter");
    names.sort_unstable();
    assert_eq!(names, PROVIDERS);
}

#[tokio::test]
async fn every_provider_is_sent_what_it_expects_and_understood() {
    for case in cases() {
        run(&case).await;
    }
}

async fn run(case: &Case) {
    let stage = Stage::with(case.name, case.change).await;
    let provider = stage.provider(case.name).await;
    let authorization = authorize(&provider, case.forwarded).await;
    check_authorization(case, &authorization.url);

    let mut answer =
        json!({ "access_token": "access-1", "refresh_token": "refresh-1", "token_type": "bearer" });
    for (name, value) in case.tokens.as_object().unwrap() {
        answer[name] = value.clone();
    }
    if let Some((issuer, claims)) = &case.id_token {
        stage.publish(issuer);
        let mut claims = claims.clone();
        claims["nonce"] = json!(authorization.secrets.nonce);
        answer["id_token"] = json!(stage.id_token(issuer, &claims));
    }
    stage.double.json(&format!("POST {}", case.token), answer);
    for (target, answer) in &case.api {
        stage.double.json(&format!("GET {target}"), answer.clone());
    }
    let (user, tokens) = provider
        .exchange(&callback(), &authorization.secrets)
        .await
        .unwrap();
    assert_eq!(tokens.access_token, "access-1", "{}", case.name);
    assert_eq!(
        tokens.refresh_token.as_deref(),
        Some("refresh-1"),
        "{}",
        case.name
    );
    for (name, value) in case.expected.as_object().unwrap() {
        assert_eq!(user.data.get(name), Some(value), "{}: {name}", case.name);
    }
    assert_eq!(user.data["sub"], user.subject, "{}", case.name);
    check_requests(
        case,
        &stage,
        &authorization.url,
        authorization.secrets.code_verifier.as_deref(),
    );
}

fn check_authorization(case: &Case, url: &url::Url) {
    let (name, sent) = (case.name, query(url));
    assert_eq!(url.path(), case.authorize, "{name}");
    assert_eq!(sent["client_id"], CLIENT_ID, "{name}");
    assert_eq!(sent["redirect_uri"], REDIRECT_URI, "{name}");
    assert_eq!(sent["response_type"], "code", "{name}");
    assert_eq!(sent["state"], "state-1", "{name}");
    assert_eq!(
        sent.get("scope").map_or("", String::as_str),
        case.scope,
        "{name}"
    );
    assert_eq!(sent.contains_key("code_challenge"), case.pkce, "{name}");
    assert!(!url.as_str().contains("s3cret"), "{name}");
}

fn check_requests(case: &Case, stage: &Stage, url: &url::Url, verifier: Option<&str>) {
    let (name, received) = (case.name, stage.double.take());
    let token = received
        .iter()
        .find(|it| it.target == format!("POST {}", case.token))
        .unwrap();
    assert_eq!(token.form["grant_type"], "authorization_code", "{name}");
    assert_eq!(token.form["code"], "code-1", "{name}");
    assert_eq!(token.form["redirect_uri"], REDIRECT_URI, "{name}");
    match case.told {
        Told::Form => {
            assert_eq!(token.form["client_id"], CLIENT_ID, "{name}");
            assert_eq!(token.form["client_secret"], SECRET, "{name}");
            assert!(!token.headers.contains_key("authorization"), "{name}");
        }
        Told::Basic => {
            let expected = STANDARD.encode(format!("{CLIENT_ID}:s3cret%2Fof%2Bthe%26client"));
            assert_eq!(
                token.headers["authorization"],
                format!("Basic {expected}"),
                "{name}"
            );
            assert!(!token.form.contains_key("client_secret"), "{name}");
        }
    }
    assert_eq!(
        token.form.get("code_verifier").map(String::as_str),
        verifier,
        "{name}"
    );
    if let Some(verifier) = verifier {
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
        assert_eq!(query(url)["code_challenge"], challenge, "{name}");
        assert_eq!(query(url)["code_challenge_method"], "S256", "{name}");
    }
    for (target, _) in &case.api {
        let call = received
            .iter()
            .find(|it| it.target == format!("GET {target}"))
            .unwrap();
        assert_eq!(call.headers["authorization"], "Bearer access-1", "{name}");
        for (header, value) in case.headers {
            assert_eq!(call.headers[*header], *value, "{name}");
        }
    }
}
