//! Settings that give a warning, and do not keep the auth server from starting.

use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::{Process, folder, innkeeper};

/// A server of a profile that runs, and the warnings of its log.
struct Warned {
    server: Process,
    url: String,
    warnings: Vec<String>,
}

/// Returns the command that serves with the settings of this prefix.
fn serve(prefix: &str, database_url: &str, more: &[(&str, &str)]) -> Command {
    let settings = [
        ("SITE_URL", "http://localhost:3000"),
        ("API_EXTERNAL_URL", "http://localhost:8081"),
        ("API_HOST", "127.0.0.1"),
        ("PORT", "0"),
        ("DB_DRIVER", "postgres"),
        ("DATABASE_URL", database_url),
        ("JWT_SECRET", "a-secret-of-more-than-thirty-two-bytes"),
        ("SMTP_HOST", "localhost"),
        ("SMTP_PORT", "2525"),
        ("SMTP_ADMIN_EMAIL", "inn@example.com"),
        ("MAILER_AUTOCONFIRM", "true"),
        ("LOG_FORMAT", "text"),
    ];
    let mut command = innkeeper(&["auth", "serve"]);
    // One setting of the other prefix would choose the other profile.
    command.env_remove("AUTH_JWT_ALGORITHM");
    for (name, value) in settings.iter().chain(more) {
        command.env(format!("{prefix}{name}"), value);
    }
    command
}

impl Warned {
    /// Starts a server, and waits until it is ready.
    async fn start(command: &mut Command) -> Self {
        let mut server = Process::start(command);
        let (mut url, mut warnings) = (String::new(), Vec::new());
        loop {
            let line = server.error_line().await;
            if let Some((_, address)) = line.split_once("listening address=") {
                url = format!("http://{}", address.trim());
            }
            if line.contains(" WARN ") {
                warnings.push(line.trim().to_owned());
            }
            if line.contains("brought up to date") {
                break;
            }
        }
        let warned = Self {
            server,
            url,
            warnings,
        };
        // The schema exists a moment before the server is ready.
        while warned.get("/health").await.0 != 200 {
            tokio::task::yield_now().await;
        }
        warned
    }

    /// Returns the status and the body of a response.
    async fn get(&self, path: &str) -> (u16, Value) {
        let answer = reqwest::get(format!("{}{path}", self.url)).await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    async fn post(&self, path: &str, token: &str, body: &Value) -> (u16, Value) {
        let client = reqwest::Client::new();
        let mut request = client.post(format!("{}{path}", self.url)).json(body);
        if !token.is_empty() {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    #[track_caller]
    fn assert_warns(&self, text: &str) {
        let found = self.warnings.iter().any(|line| line.contains(text));
        assert!(found, "{text}: {:?}", self.warnings);
    }
}

/// Settings of features that are not built, and what the log calls the features.
const NOT_BUILT: &[(&str, &str, &str)] = &[
    ("SAML_ENABLED", "true", "sign-in by SAML"),
    ("SAML_PRIVATE_KEY", "none", "sign-in by SAML"),
    ("OAUTH_SERVER_ENABLED", "true", "the OAuth server"),
    ("EXPERIMENTAL_SCIM_ENABLED", "true", "the SCIM server"),
    ("EXTERNAL_WEB3_SOLANA_ENABLED", "true", "sign-in by wallet"),
];

#[tokio::test]
async fn features_that_are_not_built_are_off_whatever_is_set() {
    let off = |code: &str| (404, code.to_owned());
    let asked = [
        ("/sso", off("saml_provider_disabled")),
        ("/passkeys", off("passkey_disabled")),
        ("/oauth/authorize", off("feature_disabled")),
        ("/scim/v2/Schemas", off("feature_disabled")),
    ];
    for prefix in ["AUTH_", "GOTRUE_"] {
        let database = TestDatabase::empty().await.unwrap();
        let folder = folder();
        let more: Vec<(&str, &str)> = NOT_BUILT
            .iter()
            .map(|(name, value, _)| (*name, *value))
            .collect();
        let mut command = serve(prefix, database.url(), &more);
        let warned = Warned::start(command.current_dir(folder.path())).await;
        for (name, _, feature) in NOT_BUILT {
            warned.assert_warns(&format!("{prefix}{name}: "));
            warned.assert_warns(&format!("{feature} is not available yet"));
        }
        let code = |(status, body): (u16, Value)| {
            let code = body["error_code"].as_str().unwrap_or_default();
            (status, code.to_owned())
        };
        for (path, expected) in &asked {
            assert_eq!(code(warned.get(path).await), *expected, "{path}");
        }
        let wallet = json!({ "chain": "solana" });
        let refused = warned.post("/token?grant_type=web3", "", &wallet).await;
        assert_eq!(code(refused), (422, "web3_provider_disabled".to_owned()));
        let person = json!({ "email": "ada@example.com", "password": "correct horse" });
        let (status, session) = warned.post("/signup", "", &person).await;
        assert_eq!(status, 200, "{session}");
        let token = session["access_token"].as_str().unwrap();
        let key = json!({ "factor_type": "webauthn" });
        let refused = warned.post("/factors", token, &key).await;
        let expected = (422, "mfa_webauthn_enroll_not_enabled".to_owned());
        assert_eq!(code(refused), expected);
        warned.server.stop().await;
    }
}

#[tokio::test]
async fn gotrue_starts_with_a_short_secret_and_short_passwords() {
    let database = TestDatabase::empty().await.unwrap();
    let folder = folder();
    let more = [("JWT_SECRET", "short"), ("PASSWORD_MIN_LENGTH", "3")];
    let mut command = serve("GOTRUE_", database.url(), &more);
    let warned = Warned::start(command.current_dir(folder.path())).await;
    warned.assert_warns("GOTRUE_JWT_SECRET: is shorter than 32 bytes and can be guessed");
    warned.assert_warns("GOTRUE_PASSWORD_MIN_LENGTH: must be from 6 to 1024; 6 is used instead");
    let person = |password| json!({ "email": "ada@example.com", "password": password });
    let (status, _) = warned.post("/signup", "", &person("12345")).await;
    assert_eq!(status, 422);
    let (status, session) = warned.post("/signup", "", &person("correct")).await;
    assert_eq!(status, 200, "{session}");
    let grant = "/token?grant_type=password";
    let (status, session) = warned.post(grant, "", &person("correct")).await;
    assert_eq!(status, 200, "{session}");
    warned.server.stop().await;
}
