//! `JWT_*`: the tokens this server signs and accepts.

use innkeeper_service::loopback::is_loopback_host;
use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting, Value};
use jiff::SignedDuration;

use super::Profile;
use super::api::ApiConfig;
use super::checks::{positive, report};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "JWT_SECRET",
        Kind::Text,
        "Signs and verifies HS256 tokens, and encrypts generated keys. At least 32 bytes; gotrue also starts \
         with a shorter one, and warns.",
    )
    .secret()
    .required("always"),
    Setting::new(
        "JWT_EXP",
        Kind::Seconds,
        "How long an access token is valid.",
    )
    .default(&["3600"]),
    Setting::new("JWT_AUD", Kind::Text, "The audience of new users."),
    Setting::new(
        "JWT_AUDIENCES",
        Kind::List,
        "The other audiences that a sign-up may choose with `X-JWT-AUD`, and that tokens are signed for.",
    ),
    Setting::new(
        "JWT_ADMIN_ROLES",
        Kind::List,
        "The roles that may use the admin endpoints.",
    )
    .default(&["service_role,supabase_admin"]),
    Setting::new(
        "JWT_ALGORITHM",
        Kind::OneOf(&["RS256", "ES256", "EdDSA", "HS256"]),
        "The algorithm that signs access tokens when `JWT_KEYS` is not set.",
    )
    .default(&["RS256", "HS256"]),
    Setting::new(
        "JWT_KEYS",
        Kind::Other("a JSON array of keys"),
        "The private keys (JWK). The one with `sign` among its `key_ops` signs, the others verify.",
    )
    .secret(),
    Setting::new(
        "JWT_VALID_METHODS",
        Kind::Other("names of algorithms with commas"),
        "The accepted algorithms. By default those of the keys, and HS256 with `JWT_SECRET`.",
    ),
    Setting::new(
        "JWT_ISSUER",
        Kind::Text,
        "The `iss` claim. When it is not set, std has the server's URL, and gotrue leaves the claim out.",
    ),
    Setting::new(
        "JWT_KEY_ID",
        Kind::Text,
        "The `kid` of the key derived from `JWT_SECRET`.",
    ),
    Setting::new("JWT_ADMIN_GROUP_NAME", Kind::Text, "Without effect.")
        .default(&["admin"])
        .deprecated(),
    Setting::new(
        "JWT_DEFAULT_GROUP_NAME",
        Kind::Text,
        "The role of new users.",
    )
    .default(&["authenticated", ""])
    .deprecated(),
];

const SHORT: &str = "is shorter than 32 bytes and can be guessed";

/// What to do about a short secret.
const ADVICE: &str = "; set a longer one, such as `openssl rand -base64 32` prints, or AUTH_PROFILE=gotrue, \
                      which starts with this one";

/// The algorithms that tokens can name, whether or not a configured key uses them.
const METHODS: &[&str] = &[
    "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256",
    "ES384", "ES512", "EdDSA",
];

/// Secrets that stand in the documentation or in the examples of this server, of GoTrue and of Supabase. Anybody can
/// sign tokens with them.
const PUBLISHED_SECRETS: &[&str] = &[
    "at-least-thirty-two-bytes-long-it-is",
    "super-secret-jwt-token-with-at-least-32-characters-long",
    "your-super-secret-jwt-token-with-at-least-32-characters-long",
    "CHANGE-THIS! VERY IMPORTANT!",
    "supersecretvalue",
    "testsecret",
    "X4dNv2oLvR7BnqmYk07Fi2NG2frvL2sxNQ9hxBJ65eDkFQ4He6qHrLJB9UrjYIZ1Rk0/yeh4vmihlCtxpFTeVQ==",
];

/// `JWT_*` settings.
#[derive(Debug, Clone)]
pub struct JwtConfig {
    /// `JWT_SECRET`, required.
    pub secret: Secret<String>,
    /// `JWT_EXP` in seconds, default 3600.
    pub exp: SignedDuration,
    /// `JWT_AUD`: the audience of new users, empty unless set.
    pub aud: String,
    /// `JWT_AUDIENCES`: the other audiences that users may have.
    pub audiences: Vec<String>,
    /// `JWT_ADMIN_GROUP_NAME`, default `admin`; deprecated and without effect.
    pub admin_group_name: String,
    /// `JWT_DEFAULT_GROUP_NAME`: the role of new users, default `authenticated` in std and none in gotrue.
    pub default_group_name: String,
    /// `JWT_ADMIN_ROLES`, default `service_role,supabase_admin`.
    pub admin_roles: Vec<String>,
    /// `JWT_ISSUER`; see [`Config::issuer`](super::Config::issuer).
    pub issuer: Option<String>,
    /// `JWT_KEY_ID`: the `kid` of the key derived from `JWT_SECRET`.
    pub key_id: Option<String>,
    /// `JWT_KEYS`: a JSON array of private keys.
    pub keys: Option<Secret<String>>,
    /// `JWT_VALID_METHODS`: the accepted algorithms; empty means those of the keys and HS256.
    pub valid_methods: Vec<String>,
    /// `JWT_ALGORITHM`: the algorithm that signs when `JWT_KEYS` is not set.
    pub algorithm: JwtAlgorithm,
}

/// The signature algorithm of access tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JwtAlgorithm {
    /// RSA with SHA-256.
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// Ed25519.
    EdDsa,
    /// HMAC with SHA-256 under `JWT_SECRET`.
    Hs256,
}

impl JwtAlgorithm {
    /// Returns the name in the header of a token.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
            Self::Hs256 => "HS256",
        }
    }
}

impl Value for JwtAlgorithm {
    fn parse(text: &str, kind: Kind) -> Option<Self> {
        let name = String::parse(text, kind)?;
        [Self::Rs256, Self::Es256, Self::EdDsa, Self::Hs256]
            .into_iter()
            .find(|algorithm| algorithm.name() == name)
    }
}

impl JwtConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        Self {
            secret: read_secret(reader, profile),
            exp: positive(reader, profile, "JWT_EXP"),
            aud: reader.get("JWT_AUD"),
            audiences: reader.get("JWT_AUDIENCES"),
            admin_group_name: reader.get("JWT_ADMIN_GROUP_NAME"),
            default_group_name: reader.get("JWT_DEFAULT_GROUP_NAME"),
            admin_roles: reader.get("JWT_ADMIN_ROLES"),
            issuer: reader.optional("JWT_ISSUER"),
            key_id: reader.optional("JWT_KEY_ID"),
            keys: read_keys(reader),
            valid_methods: read_methods(reader),
            algorithm: reader
                .optional("JWT_ALGORITHM")
                .unwrap_or(JwtAlgorithm::Rs256),
        }
    }

    /// Refuses a published secret, unless only this machine reaches the server. In the gotrue profile the address to
    /// listen on gives a warning only: in a container it is never that of this machine.
    pub(super) fn check_published(&self, reader: &mut Reader, profile: Profile, api: &ApiConfig) {
        if !PUBLISHED_SECRETS.contains(&self.secret.reveal().as_str()) {
            return;
        }
        let problem = "is a published example, with which anybody can sign tokens; generate one with \
                       `openssl rand -hex 32`";
        let url = api.external_url.host_str().unwrap_or_default();
        if !is_loopback_host(url) {
            reader.fault("JWT_SECRET", problem);
        } else if !is_loopback_host(&api.host) {
            report(reader, profile, "JWT_SECRET", problem);
        }
    }

    /// Whether users may have this audience.
    pub(crate) fn has_audience(&self, aud: &str) -> bool {
        aud == self.aud || self.audiences.iter().any(|known| known == aud)
    }
}

fn read_secret(reader: &mut Reader, profile: Profile) -> Secret<String> {
    let secret: Option<Secret<String>> = reader.required("JWT_SECRET");
    if secret
        .as_ref()
        .is_some_and(|secret| secret.reveal().len() < 32)
    {
        let problem = match profile {
            Profile::Std => format!("{SHORT}{ADVICE}"),
            Profile::Gotrue => SHORT.to_owned(),
        };
        report(reader, profile, "JWT_SECRET", &problem);
    }
    secret.unwrap_or_default()
}

/// Checks only that it is an array of objects; the keys are checked where they are used.
fn read_keys(reader: &mut Reader) -> Option<Secret<String>> {
    reader.parsed("JWT_KEYS", |text, setting| {
        let keys: Result<Vec<serde_json::Map<String, serde_json::Value>>, _> =
            serde_json::from_str(text);
        match keys {
            Ok(keys) if !keys.is_empty() => Ok(Secret::new(text.to_owned())),
            _ => Err(format!("expected {}", setting.kind.expects())),
        }
    })
}

fn read_methods(reader: &mut Reader) -> Vec<String> {
    let methods: Vec<String> = reader.get("JWT_VALID_METHODS");
    if let Some(unknown) = methods
        .iter()
        .find(|name| !METHODS.contains(&name.as_str()))
    {
        let problem = format!("`{unknown}` is none of {}", METHODS.join(", "));
        reader.fault("JWT_VALID_METHODS", &problem);
    }
    methods
}
