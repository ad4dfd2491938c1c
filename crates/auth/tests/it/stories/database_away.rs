//! A server that starts before its database is reachable.

use std::time::Duration;

use innkeeper_auth::config::Config;
use innkeeper_auth::{Auth, StartError};
use innkeeper_rest::{Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::secret::Secret;
use innkeeper_service::testing::{HeldPort, TestDatabase};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::faults::{let_in, lock_out};
use crate::support::{API_VERSION_2024, eventually};

/// Longer than any step takes, so that a failing test ends.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server.
struct Listening {
    address: String,
    stop: Stop,
    ended: JoinHandle<Result<(), StartError>>,
    client: reqwest::Client,
}

impl Listening {
    fn start(url: &str) -> Self {
        let mut config = Config::for_tests();
        config.database.url = Secret::new(url.to_owned());
        config.jwt.algorithm = innkeeper_auth::config::JwtAlgorithm::Es256;
        let server = Server::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", server.address());
        let stop = Stop::new();
        let work = Auth::serve_when_ready(config, Clock::system(), server, stop.clone());
        Self {
            address,
            stop,
            ended: tokio::spawn(work),
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
        }
    }

    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> reqwest::Response {
        let mut request = self.client.get(format!("{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    /// Waits until a path responds with this status.
    async fn until(&self, path: &str, status: u16) {
        eventually(format!("{path} responds with {status}"), async || {
            self.get(path, &[]).await.status() == status
        })
        .await;
    }

    /// Waits until the server ends without being stopped, and returns its result.
    async fn ended(self) -> Result<(), StartError> {
        tokio::time::timeout(PATIENCE, self.ended)
            .await
            .unwrap()
            .unwrap()
    }
}

#[tokio::test]
async fn a_server_listens_before_its_database_is_there_and_works_when_it_is() {
    let database = TestDatabase::empty().await.unwrap();
    lock_out(database.url()).await;
    let server = Listening::start(database.url());
    let health = server.get("/health", &[]).await;
    assert_eq!(health.status(), 503);
    let health: Value = health.json().await.unwrap();
    assert_eq!(health["name"], "GoTrue");
    let health = server.get("/health?deep=1", &[]).await;
    assert_eq!(health.status(), 503);
    let health: Value = health.json().await.unwrap();
    for part in ["database", "keys"] {
        assert_eq!(health["checks"][part], json!({ "status": "down" }));
    }
    for path in [
        "/settings",
        "/user",
        "/.well-known/jwks.json",
        "/admin/users",
        "/nowhere",
    ] {
        let answer = server.get(path, &[]).await;
        assert_eq!(answer.status(), 503, "{path}");
        assert_eq!(answer.headers()["retry-after"], "1");
        assert_eq!(answer.headers()["x-sb-error-code"], "database_unavailable");
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["code"], 503);
        assert_eq!(body["error_code"], "database_unavailable");
        let answer = server.get(path, &[API_VERSION_2024]).await;
        assert_eq!(answer.status(), 503);
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["code"], "database_unavailable");
        assert!(body["message"].is_string());
    }

    let_in(database.url()).await;
    server.until("/settings", 200).await;
    assert_eq!(server.get("/health", &[]).await.status(), 200);
    let keys: Value = server
        .get("/.well-known/jwks.json", &[])
        .await
        .json()
        .await
        .unwrap();
    assert_eq!(keys["keys"][0]["alg"], "ES256");
    let request = server
        .client
        .post(format!("{}/token?grant_type=password", server.address))
        .json(&json!({ "email": "nobody@example.com", "password": "wrong horse" }));
    assert_eq!(request.send().await.unwrap().status(), 400);
    server.stop.now();
    server.ended().await.unwrap();
}

#[tokio::test]
async fn a_server_that_waits_for_its_database_stops_when_told_to() {
    let away = HeldPort::take().unwrap();
    let server = Listening::start(&format!("postgres://nobody@{}/none", away.address()));
    assert_eq!(server.get("/health", &[]).await.status(), 503);
    server.stop.now();
    server.ended().await.unwrap();
}

#[tokio::test]
async fn a_database_that_waiting_does_not_open_ends_the_start() {
    let database = TestDatabase::empty().await.unwrap();
    let url: tokio_postgres::Config = database.url().parse().unwrap();
    let (user, name) = (url.get_user().unwrap(), url.get_dbname().unwrap());
    let missing_database = database.url().replace(name, "no_such_database");
    let missing_user = database
        .url()
        .replacen(&format!("//{user}"), "//no_such_user", 1);
    for (url, words) in [
        (missing_database, "no_such_database"),
        (missing_user, "no_such_user"),
    ] {
        let error = Listening::start(&url)
            .ended()
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("the database refuses the connection"),
            "{error}"
        );
        assert!(error.contains(words), "{error}");
    }
}

#[tokio::test]
async fn a_start_that_is_impossible_does_not_wait_for_the_database() {
    let mut config = Config::for_tests();
    let away = HeldPort::take().unwrap();
    config.database.url = Secret::new(format!("postgres://nobody@{}/none", away.address()));
    config.jwt.keys = Some(Secret::new("[]".to_owned()));
    let server = Server::bind("127.0.0.1:0").unwrap();
    let error = Auth::serve_when_ready(config, Clock::system(), server, Stop::new()).await;
    assert!(matches!(error, Err(StartError::Keys(_))));
}
