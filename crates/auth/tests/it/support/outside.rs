//! A server on a real port, for clients in other processes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use innkeeper_auth::config::{Config, Profile, reader};
use innkeeper_rest::{App, Response, RestApi, Server, Stop, resource};
use innkeeper_service::smtp_sink::Mail;
use serde_json::{Value, json};

use super::TestApp;
use super::oidc_server::{OidcProgram, OidcServer};

/// Where users are sent back to; nobody serves it.
const SITE: &str = "http://localhost:3000";

/// The settings that both profiles require.
const SETTINGS: [(&str, &str); 13] = [
    ("SITE_URL", SITE),
    ("URI_ALLOW_LIST", "http://localhost:3000/**"),
    ("API_HOST", "127.0.0.1"),
    // Long enough for a busy machine.
    ("API_MAX_REQUEST_DURATION", "2m"),
    ("DB_DRIVER", "postgres"),
    ("JWT_SECRET", "a-secret-of-forty-letters-for-the-tests!"),
    ("JWT_AUD", "authenticated"),
    ("JWT_DEFAULT_GROUP_NAME", "authenticated"),
    ("SMTP_ADMIN_EMAIL", "admin@example.com"),
    ("RATE_LIMIT_EMAIL_SENT", "100000"),
    ("RATE_LIMIT_OTP", "100000"),
    ("RATE_LIMIT_VERIFY", "100000"),
    ("RATE_LIMIT_TOKEN_REFRESH", "100000"),
];

/// A running server, and a control server from which client scripts read mails.
pub(crate) struct Outside {
    app: Arc<TestApp>,
    stop: Stop,
    address: String,
    desk: String,
    provider: Option<OidcServer>,
}

impl Outside {
    /// Starts a server with the defaults of a profile and these settings, named without prefix.
    pub(crate) async fn start(profile: Profile, settings: &[(&str, &str)]) -> Self {
        let (server, address) = listen();
        Self::on(server, address, profile, settings).await
    }

    /// Starts a server as [`start`](Self::start) does, and an OpenID Connect server with which users sign in, as
    /// the provider `keycloak`.
    pub(crate) async fn with_provider(
        profile: Profile,
        settings: &[(&str, &str)],
        program: OidcProgram,
    ) -> Self {
        let (server, address) = listen();
        let callback = format!("{address}/callback");
        let provider = OidcServer::start(program, &callback, SITE).await;
        let settings = [settings, &provider.settings(&callback)].concat();
        let mut outside = Self::on(server, address, profile, &settings).await;
        outside.provider = Some(provider);
        outside
    }

    async fn on(
        server: Server,
        address: String,
        profile: Profile,
        settings: &[(&str, &str)],
    ) -> Self {
        let change = |config: &mut Config| *config = read(config, profile, &address, settings);
        let app = Arc::new(TestApp::for_programs(change).await);
        let stop = Stop::new();
        let (auth, told) = (app.auth.clone(), stop.clone());
        tokio::spawn(async move { auth.serve(server, told).await.unwrap() });
        let (server, desk) = listen();
        let routes = App::new().mount("/", RestApi::new(TestControls(Arc::clone(&app))));
        tokio::spawn(server.stop_on(stop.clone()).serve(routes));
        Self {
            app,
            stop,
            address,
            desk,
            provider: None,
        }
    }

    /// Runs a script with the installed JavaScript client; it must succeed.
    pub(crate) async fn run_js(&self, script: &str) {
        let mut command = Command::new(installed("node"));
        command.arg("--test-reporter=spec");
        self.run(command, &format!("js/{script}.mjs")).await;
    }

    /// Runs a script with the installed Python client; it must succeed.
    pub(crate) async fn run_python(&self, script: &str) {
        let mut command = Command::new(installed("venv/bin/python"));
        // The Python client does not close its connections, which would print warnings.
        command.args(["-B", "-W", "ignore::ResourceWarning"]);
        self.run(command, &format!("python/{script}.py")).await;
    }

    async fn run(&self, mut command: Command, script: &str) {
        // Proxy settings of the machine must not apply.
        command.env_clear();
        if let Some(provider) = &self.provider {
            command
                .env("PROVIDER", &provider.url)
                .env("PROVIDER_NAME", provider.program.name());
        }
        command
            .arg(client_file(script))
            .env("CLIENTS", clients())
            .env("PROFILE", self.app.config.profile.name())
            .env("AUTH", &self.address)
            .env("DESK", &self.desk)
            .env("ALGORITHM", self.app.config.jwt.algorithm.name())
            .env("SERVICE_KEY", self.app.service_key());
        let output = tokio::task::spawn_blocking(move || command.output().unwrap());
        let output = output.await.unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(output.status.success(), "{script} failed:\n{said}");
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        self.stop.now();
    }
}

/// Endpoints with which client scripts read mails and move the clock.
struct TestControls(Arc<TestApp>);

#[resource("/")]
impl TestControls {
    /// Waits for a mail to an address, and returns the oldest unread one.
    #[get("/mail/{address}")]
    async fn mail(&self, address: &str) -> Value {
        let received = self.0.mailbox.next_to(address).await;
        let mail: &Mail = &received;
        json!({
            "subject": mail.subject(),
            "code": mail.code(),
            "link": mail.link(),
        })
    }

    /// Moves the server's clock.
    #[post("/clock/{seconds}")]
    async fn advance(&self, seconds: i64) -> Response {
        self.0.advance(seconds);
        Response::no_content()
    }
}

/// Binds a free port, and returns the server and its URL.
fn listen() -> (Server, String) {
    let server = Server::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", server.address());
    (server, address)
}

/// Reads the settings as an operator of the profile writes them.
fn read(given: &Config, profile: Profile, address: &str, settings: &[(&str, &str)]) -> Config {
    let port = given.smtp.port.to_string();
    let places = [
        ("API_EXTERNAL_URL", address),
        ("DATABASE_URL", given.database.url.reveal()),
        ("SMTP_HOST", &given.smtp.host),
        ("SMTP_PORT", &port),
    ];
    let prefix = match profile {
        Profile::Std => "AUTH_",
        Profile::Gotrue => "GOTRUE_",
    };
    let mut lines = Vec::new();
    for (name, value) in SETTINGS.iter().chain(&places).chain(settings) {
        lines.push(format!("{prefix}{name}='{value}'"));
    }
    let config = Config::read(&mut reader().with_env_file(&lines.join("\n"))).unwrap();
    assert_eq!(config.profile, profile);
    config
}

/// Returns a file of ours beside the scripts that drive the clients.
pub(super) fn client_file(path: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    folder.join(path)
}

/// Returns the folder into which `scripts/clients` installs.
pub(super) fn clients() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("clients")
}

/// Returns the path of an installed program, which must exist.
pub(super) fn installed(program: &str) -> PathBuf {
    let path = clients().join(program);
    assert!(
        path.exists(),
        "{} is missing: type `scripts/clients` to install the clients",
        path.display()
    );
    path
}
