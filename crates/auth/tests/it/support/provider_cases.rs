//! The external providers: what each must be sent, an example of its answers, and the identity that these make.

use serde_json::{Value, json};

/// The client id of the tests at every provider.
pub(crate) const CLIENT_ID: &str = "client-1";
/// The client secret of the tests at every provider; it has letters that forms and headers encode.
pub(crate) const SECRET: &str = "s3cret/of+the&client";

/// How the token endpoint must be told who the client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientProof {
    Basic,
    Form,
    /// OAuth 1: every request is signed.
    Signature,
}

/// A provider. Endpoints are written without a scheme.
#[derive(Debug, Clone)]
pub(crate) struct ProviderCase {
    pub(crate) name: &'static str,
    pub(crate) authorize: &'static str,
    pub(crate) scope: &'static str,
    /// Further parameters of the authorization request.
    pub(crate) parameters: &'static [(&'static str, &'static str)],
    pub(crate) has_challenge: bool,
    pub(crate) has_nonce: bool,
    pub(crate) token: &'static str,
    pub(crate) proof: ClientProof,
    /// Members of the token answer besides the tokens.
    pub(crate) tokens: Value,
    /// The issuer of the id token, and claims besides the usual ones; null removes one.
    pub(crate) id_token: Option<(&'static str, Value)>,
    /// The endpoints of the API with their queries, and the answers.
    pub(crate) api: Vec<(&'static str, Value)>,
    /// Headers of API calls.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// The setting `EXTERNAL_<PROVIDER>_URL`.
    pub(crate) url: Option<&'static str>,
    /// What the client adds to the query of `/authorize`.
    pub(crate) query: &'static str,
    /// The name that the provider lets the browser post, once.
    pub(crate) posted_user: Option<&'static str>,
    /// Members of the identity's data.
    pub(crate) expected: Value,
}

fn case(
    name: &'static str,
    authorize: &'static str,
    token: &'static str,
    proof: ClientProof,
    expected: Value,
) -> ProviderCase {
    ProviderCase {
        name,
        authorize,
        scope: "",
        parameters: &[],
        has_challenge: false,
        has_nonce: false,
        token,
        proof,
        tokens: json!({}),
        id_token: None,
        api: Vec::new(),
        headers: &[],
        url: None,
        query: "",
        posted_user: None,
        expected,
    }
}

impl ProviderCase {
    /// Returns the case of a provider.
    pub(crate) fn of(name: &str) -> Self {
        let mut cases = all_cases().into_iter();
        let found = cases.find(|case| case.name == name);
        found.unwrap_or_else(|| panic!("{name} has no case"))
    }

    fn scope(mut self, scope: &'static str) -> Self {
        self.scope = scope;
        self
    }

    fn challenge(mut self) -> Self {
        self.has_challenge = true;
        self
    }

    fn nonce(mut self) -> Self {
        self.has_nonce = true;
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

    /// Returns the data that the identity must have.
    pub(crate) fn identity_data(&self) -> Value {
        let mut data = self.expected.clone();
        data["provider_id"] = data["sub"].clone();
        data["phone_verified"] = json!(false);
        data
    }

    /// Whether the user has an address at the provider.
    pub(crate) fn has_email(&self) -> bool {
        self.expected["email"].is_string()
    }
}

/// Returns all providers, in alphabetical order.
#[expect(clippy::too_many_lines, reason = "a flat table of providers")]
pub(crate) fn all_cases() -> Vec<ProviderCase> {
    use ClientProof::{Basic, Form, Signature};
    vec![
        ProviderCase {
            parameters: &[("response_mode", "form_post")],
            posted_user: Some(r#"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"boss@example.com"}"#),
            ..case("apple", "appleid.apple.com/auth/authorize", "appleid.apple.com/auth/token", Form,
                json!({ "sub": "subject-1", "email": "ada@example.com", "email_verified": true,
                    "iss": "https://appleid.apple.com", "name": "Ada Lovelace", "full_name": "Ada Lovelace",
                    "custom_claims": { "is_private_email": "true" } }))
                .scope("email name").nonce()
                .id_token("https://appleid.apple.com", json!({ "is_private_email": "true", "email_verified": null }))
        },
        case("azure", "login.microsoftonline.com/common/oauth2/v2.0/authorize",
            "login.microsoftonline.com/common/oauth2/v2.0/token", Form,
            json!({ "sub": "subject-1", "email": "ada@example.com", "email_verified": true, "name": "Ada",
                "full_name": "Ada", "preferred_username": "ada@x",
                "iss": "https://login.microsoftonline.com/common/v2.0",
                "custom_claims": { "email": "ada@example.com", "email_verified": true, "xms_edov": true } }))
            .scope("openid").challenge().nonce()
            .id_token("https://login.microsoftonline.com/common/v2.0",
                json!({ "name": "Ada", "preferred_username": "ada@x", "xms_edov": true })),
        case("bitbucket", "bitbucket.org/site/oauth2/authorize", "bitbucket.org/site/oauth2/access_token", Basic,
            json!({ "sub": "{u-1}", "email": "ada@example.com", "email_verified": true, "name": "Ada",
                "full_name": "Ada", "picture": "https://p/a", "avatar_url": "https://p/a",
                "iss": "https://api.bitbucket.org/2.0" }))
            .scope("account email")
            .api("api.bitbucket.org/2.0/user", json!({ "uuid": "{u-1}", "display_name": "Ada",
                "links": { "avatar": { "href": "https://p/a" } } }))
            .api("api.bitbucket.org/2.0/user/emails", json!({ "values": [
                { "email": "old@example.com", "is_primary": false, "is_confirmed": false },
                { "email": "ada@example.com", "is_primary": true, "is_confirmed": true }] })),
        case("discord", "discord.com/api/oauth2/authorize", "discord.com/api/oauth2/token", Form,
            json!({ "sub": "7", "email": "ada@example.com", "email_verified": false, "name": "ada#0003",
                "full_name": "ada", "picture": "https://cdn.discordapp.com/avatars/7/a_x.gif",
                "avatar_url": "https://cdn.discordapp.com/avatars/7/a_x.gif", "iss": "https://discord.com/api",
                "custom_claims": { "global_name": "Ada L" } }))
            .scope("email identify").challenge()
            .api("discord.com/api/users/@me", json!({ "id": "7", "username": "ada", "discriminator": "0003",
                "avatar": "a_x", "email": "ada@example.com", "verified": false, "global_name": "Ada L" })),
        case("facebook", "www.facebook.com/dialog/oauth", "graph.facebook.com/oauth/access_token", Form,
            json!({ "sub": "10", "email": "ada@example.com", "email_verified": true, "name": "Ada Lovelace",
                "full_name": "Ada Lovelace", "nickname": "Countess", "slug": "Countess",
                "picture": "https://p/a", "avatar_url": "https://p/a",
                "iss": "https://graph.facebook.com/me?fields=email,first_name,last_name,name,picture" }))
            .scope("email")
            .api("graph.facebook.com/me?fields=email,first_name,last_name,name,picture",
                json!({ "id": "10", "email": "ada@example.com", "first_name": "Ada",
                    "last_name": "Lovelace", "name": "Countess", "picture": { "data": { "url": "https://p/a" } } })),
        case("figma", "www.figma.com/oauth", "api.figma.com/v1/oauth/token", Basic,
            json!({ "sub": "f1", "email": "ada@example.com", "email_verified": true, "name": "ada",
                "full_name": "ada", "iss": "https://api.figma.com" }))
            .scope("current_user:read").challenge()
            .api("api.figma.com/v1/me", json!({ "id": "f1", "email": "ada@example.com", "handle": "ada", "img_url": "" })),
        case("fly", "api.fly.io/oauth/authorize", "api.fly.io/oauth/token", Form,
            json!({ "sub": "fly1", "email": "ada@example.com", "email_verified": true, "name": "ada",
                "full_name": "ada", "iss": "https://api.fly.io",
                "custom_claims": { "organizations": [{ "id": "o", "role": "admin" }] } }))
            .scope("read")
            .api("api.fly.io/oauth/token/info", json!({ "user_id": "fly1", "user_name": "ada",
                "email": "ada@example.com", "organizations": [{ "id": "o", "role": "admin" }] })),
        case("github", "github.com/login/oauth/authorize", "github.com/login/oauth/access_token", Form,
            json!({ "sub": "123", "email": "ada@example.com", "email_verified": true, "name": "Ada",
                "full_name": "Ada", "user_name": "ada", "preferred_username": "ada",
                "iss": "https://api.github.com" }))
            .scope("user:email").challenge()
            .api("api.github.com/user", json!({ "id": 123, "login": "ada", "name": "Ada", "avatar_url": "" }))
            .api("api.github.com/user/emails", json!([
                { "email": "ada@example.com", "primary": true, "verified": true },
                { "email": "two@example.com", "primary": false, "verified": false }])),
        case("gitlab", "gitlab.com/oauth/authorize", "gitlab.com/oauth/token", Form,
            json!({ "sub": "5", "email": "ada@example.com", "email_verified": true, "name": "Ada",
                "full_name": "Ada", "iss": "https://gitlab.com" }))
            .scope("read_user").challenge()
            .api("gitlab.com/api/v4/user", json!({ "id": 5, "name": "Ada", "email": "ada@example.com",
                "confirmed_at": "2020-01-01T00:00:00Z" }))
            .api("gitlab.com/api/v4/user/emails", json!([{ "id": 1, "email": "more@example.com" }])),
        case("google", "accounts.google.com/o/oauth2/v2/auth", "oauth2.googleapis.com/token", Form,
            json!({ "sub": "subject-1", "email": "ada@example.com", "email_verified": true, "name": "Ada",
                "full_name": "Ada", "iss": "https://accounts.google.com",
                "custom_claims": { "hd": "example.com" } }))
            .scope("email profile").challenge().nonce()
            .id_token("https://accounts.google.com", json!({ "name": "Ada", "hd": "example.com" })),
        case("kakao", "kauth.kakao.com/oauth/authorize", "kauth.kakao.com/oauth/token", Form,
            json!({ "sub": "9", "email": "ada@example.com", "email_verified": false, "name": "ada",
                "full_name": "ada", "user_name": "ada", "preferred_username": "ada",
                "iss": "https://kapi.kakao.com" }))
            .scope("account_email profile_image profile_nickname")
            .api("kapi.kakao.com/v2/user/me", json!({ "id": 9, "kakao_account": {
                "profile": { "nickname": "ada" }, "email": "ada@example.com",
                "is_email_valid": true, "is_email_verified": false } })),
        ProviderCase {
            url: Some("https://sso.example.com/realms/inn/"),
            ..case("keycloak", "sso.example.com/realms/inn/protocol/openid-connect/auth",
                "sso.example.com/realms/inn/protocol/openid-connect/token", Form,
                json!({ "sub": "k1", "email": "ada@example.com", "email_verified": true,
                    "custom_claims": { "groups": ["staff"] }, "iss": "https://sso.example.com/realms/inn" }))
                .scope("openid profile email").challenge()
                .api("sso.example.com/realms/inn/protocol/openid-connect/userinfo",
                    json!({ "sub": "k1", "email": "ada@example.com", "email_verified": true, "groups": ["staff"] }))
        },
        case("linkedin", "api.linkedin.com/oauth/v2/authorization", "api.linkedin.com/oauth/v2/accessToken", Form,
            json!({ "sub": "l1", "email": "ada@example.com", "email_verified": true, "name": "Ada Lovelace",
                "full_name": "Ada Lovelace", "picture": "https://p/a", "avatar_url": "https://p/a",
                "iss": "https://api.linkedin.com" }))
            .scope("r_emailaddress r_liteprofile")
            .api("api.linkedin.com/v2/me?projection=(id,firstName,lastName,profilePicture(displayImage~:playableStreams))",
                json!({ "id": "l1",
                    "firstName": { "localized": { "en_US": "Ada" }, "preferredLocale": { "country": "US", "language": "en" } },
                    "lastName": { "localized": { "en_US": "Lovelace" }, "preferredLocale": { "country": "US", "language": "en" } },
                    "profilePicture": { "displayImage~": { "elements": [{ "identifiers": [{ "identifier": "https://p/a" }] }] } } }))
            .api("api.linkedin.com/v2/emailAddress?q=members&projection=(elements*(handle~))",
                json!({ "elements": [{ "handle~": { "emailAddress": "ada@example.com" } }] })),
        case("linkedin_oidc", "api.linkedin.com/oauth/v2/authorization", "api.linkedin.com/oauth/v2/accessToken", Form,
            json!({ "sub": "subject-1", "email": "ada@example.com", "email_verified": true,
                "name": "Ada Lovelace", "full_name": "Ada Lovelace", "given_name": "Ada",
                "family_name": "Lovelace", "iss": "https://www.linkedin.com/oauth" }))
            .scope("openid email profile")
            .id_token("https://www.linkedin.com/oauth",
                json!({ "given_name": "Ada", "family_name": "Lovelace", "email_verified": "true" })),
        ProviderCase {
            parameters: &[("owner", "user")],
            headers: &[("notion-version", "2021-08-16")],
            ..case("notion", "api.notion.com/v1/oauth/authorize", "api.notion.com/v1/oauth/token", Basic,
                json!({ "sub": "n1", "email": "ada@example.com", "email_verified": true, "name": "Ada",
                    "full_name": "Ada", "iss": "https://api.notion.com" }))
                .api("api.notion.com/v1/users/me", json!({ "bot": { "owner": { "user": { "id": "n1", "name": "Ada",
                    "person": { "email": "ada@example.com" } } } } }))
        },
        case("slack", "slack.com/oauth/authorize", "slack.com/api/oauth.access", Form,
            json!({ "sub": "U1", "email": "ada@example.com", "email_verified": true,
                "custom_claims": { "https://slack.com/team_id": "T1" }, "iss": "https://slack.com/api" }))
            .scope("profile email openid")
            .api("slack.com/api/openid.connect.userInfo", json!({ "ok": true, "https://slack.com/user_id": "U1",
                "https://slack.com/team_id": "T1", "email": "ada@example.com", "email_verified": true })),
        case("slack_oidc", "slack.com/openid/connect/authorize", "slack.com/api/openid.connect.token", Form,
            json!({ "sub": "U1", "email": "ada@example.com", "email_verified": false,
                "iss": "https://slack.com/api" }))
            .scope("profile email openid")
            .api("slack.com/api/openid.connect.userInfo", json!({ "ok": true, "https://slack.com/user_id": "U1",
                "email": "ada@example.com", "email_verified": false })),
        case("snapchat", "accounts.snapchat.com/accounts/oauth2/auth", "accounts.snapchat.com/accounts/oauth2/token", Form,
            json!({ "sub": "s1", "email_verified": false, "name": "Ada", "full_name": "Ada", "slug": "Ada",
                "picture": "https://p/a", "avatar_url": "https://p/a", "iss": "https://kit.snapchat.com" }))
            .scope("https://auth.snapchat.com/oauth2/api/user.external_id \
                    https://auth.snapchat.com/oauth2/api/user.display_name \
                    https://auth.snapchat.com/oauth2/api/user.bitmoji.avatar")
            .api("kit.snapchat.com/v1/me?query={me+{+externalId+displayName+bitmoji+{+avatar+id+}+email+}+}",
                json!({ "data": { "me": { "externalId": "s1", "displayName": "Ada",
                    "bitmoji": { "avatar": "https://p/a" } } } })),
        case("spotify", "accounts.spotify.com/authorize", "accounts.spotify.com/api/token", Basic,
            json!({ "sub": "sp1", "email": "ada@example.com", "email_verified": false, "name": "Ada",
                "full_name": "Ada", "picture": "https://p/large", "avatar_url": "https://p/large",
                "iss": "https://api.spotify.com/v1" }))
            .scope("user-read-email").challenge()
            .api("api.spotify.com/v1/me", json!({ "id": "sp1", "display_name": "Ada", "email": "ada@example.com",
                "images": [{ "url": "https://p/small", "height": 64, "width": 64 },
                    { "url": "https://p/large", "height": 300, "width": 300 }] })),
        ProviderCase {
            headers: &[("client-id", CLIENT_ID)],
            ..case("twitch", "id.twitch.tv/oauth2/authorize", "id.twitch.tv/oauth2/token", Form,
                json!({ "sub": "t1", "email": "ada@example.com", "email_verified": true, "name": "ada",
                    "full_name": "ada", "nickname": "Ada", "slug": "Ada", "iss": "https://api.twitch.tv",
                    "custom_claims": { "type": "staff", "view_count": 3 } }))
                .scope("user:read:email")
                .api("api.twitch.tv/helix/users", json!({ "data": [{ "id": "t1", "login": "ada",
                    "display_name": "Ada", "email": "ada@example.com", "type": "staff", "view_count": 3 }] }))
        },
        case("twitter", "api.twitter.com/oauth/authenticate", "api.twitter.com/oauth/access_token", Signature,
            json!({ "sub": "5", "email": "ada@example.com", "email_verified": true, "name": "Ada",
                "full_name": "Ada", "user_name": "ada", "preferred_username": "ada",
                "iss": "https://api.twitter.com/1.1/account/verify_credentials.json" }))
            .api("api.twitter.com/1.1/account/verify_credentials.json\
                    ?include_entities=false&skip_status=true&include_email=true",
                json!({ "id_str": "5", "name": "Ada", "screen_name": "ada", "email": "ada@example.com" })),
        case("vercel_marketplace", "api.vercel.com/oauth/v2/authorization", "api.vercel.com/oauth/v2/accessToken", Form,
            json!({ "sub": "global_user_id:g1", "email": "ada@example.com", "email_verified": true, "name": "Ada",
                "full_name": "Ada", "iss": "https://marketplace.vercel.com" }))
            .id_token("https://marketplace.vercel.com",
                json!({ "global_user_id": "g1", "user_email": "ada@example.com", "user_name": "Ada", "email": null })),
        ProviderCase {
            parameters: &[("provider", "GoogleOAuth")],
            query: "&workos_provider=GoogleOAuth",
            tokens: json!({ "profile": { "id": "w1", "email": "ada@example.com", "first_name": "Ada",
                "last_name": "Lovelace", "connection_id": "c1", "organization_id": "o1" } }),
            ..case("workos", "api.workos.com/sso/authorize", "api.workos.com/sso/token", Form,
                json!({ "sub": "w1", "email": "ada@example.com", "email_verified": true, "name": "Ada Lovelace",
                    "full_name": "Ada Lovelace", "iss": "https://api.workos.com",
                    "custom_claims": { "connection_id": "c1", "organization_id": "o1" } }))
        },
        case("x", "x.com/i/oauth2/authorize", "api.x.com/2/oauth2/token", Basic,
            json!({ "sub": "x1", "email": "ada@example.com", "email_verified": true, "name": "Ada",
                "full_name": "Ada", "user_name": "ada", "preferred_username": "ada", "iss": "https://api.x.com" }))
            .scope("users.email tweet.read users.read offline.access").challenge()
            .api("api.x.com/2/users/me?user.fields=id,name,username,confirmed_email,profile_image_url,url,created_at",
                json!({ "data": { "id": "x1", "name": "Ada", "username": "ada",
                    "confirmed_email": "ada@example.com" } })),
        case("zoom", "zoom.us/oauth/authorize", "zoom.us/oauth/token", Basic,
            json!({ "sub": "z1", "email": "ada@example.com", "email_verified": false, "name": "Ada Lovelace",
                "full_name": "Ada Lovelace", "iss": "https://api.zoom.us/v2" }))
            .challenge()
            .api("api.zoom.us/v2/users/me", json!({ "id": "z1", "first_name": "Ada", "last_name": "Lovelace",
                "email": "ada@example.com", "login_type": 100, "verified": 0 })),
    ]
}
