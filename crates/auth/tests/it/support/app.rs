//! The server under test, one for each test.

use std::net::SocketAddr;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use innkeeper_auth::Auth;
use innkeeper_auth::config::{Config, HashCost, JwtAlgorithm, Profile, Rate};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{Method, Shared};
use innkeeper_service::clock::Clock;
use innkeeper_service::secret::Secret;
use innkeeper_service::testing::{TestDatabase, TestPooler};
use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio_postgres::NoTls;

use super::client::{Answer, bearer};
use super::mailbox::Mailbox;

/// A server with a database, a mailbox and a clock of its own.
pub(crate) struct TestApp {
    pub(crate) client: Client<Shared>,
    pub(crate) mailbox: Mailbox,
    pub(crate) clock: Clock,
    pub(crate) config: Config,
    pub(crate) auth: Auth,
    database: Arc<TestDatabase>,
    _pooler: Option<TestPooler>,
}

/// A connection to the database of a [`TestApp`]. It keeps the database alive even after the server is
/// dropped.
pub(crate) struct Sql {
    client: tokio_postgres::Client,
    _database: Arc<TestDatabase>,
}

impl Deref for Sql {
    type Target = tokio_postgres::Client;

    fn deref(&self) -> &Self::Target {
        &self.client
    }
}

impl DerefMut for Sql {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.client
    }
}

impl TestApp {
    /// Starts a server in the std profile, with small changes for speed.
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// Starts a server that confirms addresses automatically.
    pub(crate) async fn autoconfirm() -> Self {
        Self::with(|config| config.mailer.autoconfirm = true).await
    }

    /// Starts a server with changed settings.
    pub(crate) async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let database = TestDatabase::create(migrate).await.unwrap();
        Self::on(database, change).await
    }

    /// Starts a server on the system's clock, for clients in other processes.
    pub(crate) async fn for_programs(change: impl FnOnce(&mut Config)) -> Self {
        let database = TestDatabase::create(migrate).await.unwrap();
        Box::pin(Self::at(Clock::running(), database, change)).await
    }

    /// Starts a server on an existing database.
    pub(crate) async fn on(database: TestDatabase, change: impl FnOnce(&mut Config)) -> Self {
        Box::pin(Self::at(Clock::manual(), database, change)).await
    }

    async fn at(clock: Clock, database: TestDatabase, change: impl FnOnce(&mut Config)) -> Self {
        let mailbox = Mailbox::start().await;
        let mut config = Config::for_tests();
        config.database.url = Secret::new(database.url().to_owned());
        let pooler = pooler(database.url()).await;
        if let Some(pooler) = &pooler {
            config.database.url = Secret::new(pooler.url().to_owned());
        }
        mailbox.configure(&mut config);
        // Generating an RSA key is slow; only one test does.
        config.jwt.algorithm = JwtAlgorithm::Es256;
        config.hash_cost = HashCost::FOR_TESTS;
        "authenticated".clone_into(&mut config.jwt.aud);
        "authenticated".clone_into(&mut config.jwt.default_group_name);
        // Tests send more requests than people do; tests of the limits set their own.
        config.rate_limit.otp = 1e9;
        config.rate_limit.verify = 1e9;
        config.rate_limit.token_refresh = 1e9;
        config.rate_limit.passkey = 1e9;
        config.mfa.rate_limit = 1e9;
        config.rate_limit.email_sent = Rate::PerHour(100_000);
        // Long enough for a busy machine; a test of the deadline sets its own.
        config.api.max_request_duration = SignedDuration::from_mins(2);
        change(&mut config);
        let auth = Auth::start(config.clone(), clock.clone()).await.unwrap();
        Self {
            client: Client::new(auth.routes().unwrap()).unwrap(),
            mailbox,
            clock,
            config,
            auth,
            database: Arc::new(database),
            _pooler: pooler,
        }
    }

    /// Starts a second server on the same database, as a replica behind a load balancer.
    pub(crate) async fn replica(&self) -> Client<Shared> {
        let auth = Auth::start(self.config.clone(), self.clock.clone())
            .await
            .unwrap();
        Client::new(auth.routes().unwrap()).unwrap()
    }

    /// Connects to the database, as an operator does.
    pub(crate) async fn sql(&self) -> Sql {
        let (client, connection) = tokio_postgres::connect(self.database.url(), NoTls)
            .await
            .unwrap();
        tokio::spawn(connection);
        let schema = self.config.database.namespace.replace('"', "\"\"");
        let path = format!("set search_path to \"{schema}\"");
        client.batch_execute(&path).await.unwrap();
        Sql {
            client,
            _database: Arc::clone(&self.database),
        }
    }

    /// Sends a request from a loopback address.
    pub(crate) async fn send(
        &self,
        method: Method,
        target: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        let described = method.clone();
        let mut request = self
            .client
            .request(method, target)
            .from_peer(SocketAddr::from(([127, 0, 0, 1], 40_000)));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = Answer::new(request.send().await);
        // Off by default, so that a test of a new feature need not wait for its documentation.
        let checked = std::env::var_os("CHECK_DOCUMENT").is_some();
        if checked && self.config.profile == Profile::Std {
            super::documented::check(&described, target, &answer);
        }
        answer
    }

    pub(crate) async fn get(&self, target: &str) -> Answer {
        self.send(Method::GET, target, &[], None).await
    }

    pub(crate) async fn get_as(&self, token: &str, target: &str) -> Answer {
        let (name, value) = bearer(token);
        self.send(Method::GET, target, &[(name, &value)], None)
            .await
    }

    pub(crate) async fn post(&self, target: &str, body: Value) -> Answer {
        self.send(Method::POST, target, &[], Some(&body)).await
    }

    /// Sends a request as an official client, with the version header.
    pub(crate) async fn post_versioned(&self, target: &str, body: Value) -> Answer {
        self.send(
            Method::POST,
            target,
            &[super::API_VERSION_2024],
            Some(&body),
        )
        .await
    }

    pub(crate) async fn post_as(&self, token: &str, target: &str, body: Value) -> Answer {
        let (name, value) = bearer(token);
        self.send(Method::POST, target, &[(name, &value)], Some(&body))
            .await
    }

    pub(crate) async fn put_as(&self, token: &str, target: &str, body: Value) -> Answer {
        let (name, value) = bearer(token);
        self.send(Method::PUT, target, &[(name, &value)], Some(&body))
            .await
    }

    pub(crate) async fn delete_as(&self, token: &str, target: &str, body: Option<Value>) -> Answer {
        let (name, value) = bearer(token);
        self.send(Method::DELETE, target, &[(name, &value)], body.as_ref())
            .await
    }

    /// Moves the time of this server and its replicas.
    pub(crate) fn advance(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// Returns a service token: a token with an admin role and no other claims, as operators make them.
    pub(crate) fn service_key(&self) -> String {
        self.token_of_secret(&json!({ "role": "service_role" }))
    }

    /// Returns a token signed with `JWT_SECRET`.
    pub(crate) fn token_of_secret(&self, claims: &Value) -> String {
        sign_hs256(self.config.jwt.secret.reveal(), claims)
    }

    /// Signs up and confirms with the mail's code. Returns the response to the confirmation.
    pub(crate) async fn signed_up(&self, email: &str, password: &str) -> Value {
        let body = json!({ "email": email, "password": password });
        let answer = self.post("/signup", body).await;
        if self.config.mailer.autoconfirm {
            return answer.ok();
        }
        answer.ok();
        let mail = self.mailbox.next_to(email).await;
        let code = mail.code();
        let body = json!({ "type": "signup", "email": email, "token": code });
        self.post("/verify", body).await.ok()
    }

    pub(crate) async fn sign_in(&self, email: &str, password: &str) -> Answer {
        let body = json!({ "email": email, "password": password });
        self.post("/token?grant_type=password", body).await
    }

    /// Exchanges a refresh token for new tokens.
    pub(crate) async fn refresh(&self, refresh_token: &str) -> Answer {
        let body = json!({ "refresh_token": refresh_token });
        self.post("/token?grant_type=refresh_token", body).await
    }
}

/// Starts a PgBouncer for the server under test, whose sessions a client of another schema uses too, if the
/// tests run behind one.
async fn pooler(url: &str) -> Option<TestPooler> {
    std::env::var_os("TEST_POOLER")?;
    let pooler = TestPooler::start(url).await.unwrap();
    let tables = ["users", "sessions", "refresh_tokens", "one_time_tokens"];
    Some(pooler.with_neighbour(&tables).await.unwrap())
}

/// Prepares the template that every test's database is a copy of.
async fn migrate(url: String) -> Result<(), innkeeper_auth::migrate::MigrateError> {
    let (mut client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    innkeeper_auth::migrate::migrate(&mut client, "auth").await?;
    Ok(())
}

/// Signs a token as scripts of operators do.
pub(crate) fn sign_hs256(secret: &str, claims: &Value) -> String {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let message = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, secret.as_bytes());
    let signature = URL_SAFE_NO_PAD.encode(aws_lc_rs::hmac::sign(&key, message.as_bytes()));
    format!("{message}.{signature}")
}
