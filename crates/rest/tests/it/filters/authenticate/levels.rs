//! Authentication filters at all four levels.

use innkeeper_rest::filter::{ApiKey, Basic, Bearer, Cors, UserAndPassword};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Filter, Method, PlainText, Rejection, RestApi, resource};

use super::{Caller, Me, ask, check};

const BASIC: (&str, &str) = ("authorization", "Basic czNjcjN0OnM=");
const BEARER: (&str, &str) = ("authorization", "Bearer s3cr3t");
const KEY: (&str, &str) = ("x-api-key", "s3cr3t");

async fn by_name(given: UserAndPassword) -> Result<Option<Caller>, Rejection> {
    check(given.user).await
}

fn bearer() -> impl Filter {
    Bearer::new(check)
}

fn basic() -> impl Filter {
    Basic::new("office", by_name).unwrap()
}

fn api_key() -> impl Filter {
    ApiKey::in_header("x-api-key", check).unwrap()
}

/// Asserts the status of each path without and with credentials.
async fn assert_statuses(client: &Client, credentials: (&str, &str), paths: &[(&str, u16, u16)]) {
    for (path, stranger, known) in paths {
        let response = ask(client, path, &[]).await;
        assert_eq!(response.status(), *stranger, "{path}");
        assert_eq!(
            response.header("www-authenticate").is_some(),
            *stranger == 401
        );
        let response = ask(client, path, &[credentials]).await;
        assert_eq!(response.status(), *known, "{path} with {credentials:?}");
    }
}

async fn at_an_application(filter: impl Filter, credentials: (&str, &str)) {
    let app = App::new()
        .filter(filter)
        .mount("/a", RestApi::new(Me))
        .mount("/b", RestApi::new(Me).errors(PlainText))
        .handler("/ping", async |_| "pong");
    let client = Client::new(app).unwrap();
    let paths = [
        ("/a/me", 401, 200),
        ("/b/me", 401, 200),
        ("/ping", 401, 200),
        ("/nothing", 401, 404),
    ];
    assert_statuses(&client, credentials, &paths).await;
    let text = ask(&client, "/b/me", &[]).await.text();
    assert!(text.ends_with("required\n"), "{text}");
}

#[tokio::test]
async fn at_an_application_nobody_gets_past_them() {
    at_an_application(bearer(), BEARER).await;
    at_an_application(basic(), BASIC).await;
    at_an_application(api_key(), KEY).await;
}

async fn at_a_mount(filter: impl Filter, credentials: (&str, &str)) {
    let app = App::new()
        .mount("/a", RestApi::new(Me).filter(filter))
        .mount("/b", RestApi::new(Me))
        .handler("/ping", async |_| "pong");
    let client = Client::new(app).unwrap();
    let paths = [
        ("/a/me", 401, 200),
        ("/a/nothing", 401, 404),
        ("/b/me/perhaps", 200, 200),
        ("/ping", 200, 200),
    ];
    assert_statuses(&client, credentials, &paths).await;
}

#[tokio::test]
async fn at_a_mount_nobody_gets_below_its_prefix() {
    at_a_mount(bearer(), BEARER).await;
    at_a_mount(basic(), BASIC).await;
    at_a_mount(api_key(), KEY).await;
}

struct Tokens;

#[resource("/tokens")]
#[filter(bearer())]
impl Tokens {
    #[get]
    fn show(&self, #[value] caller: Caller) -> String {
        caller.0
    }
}

struct Passwords;

#[resource("/passwords")]
#[filter(basic())]
impl Passwords {
    #[get]
    fn show(&self, #[value] caller: Caller) -> String {
        caller.0
    }
}

struct Keys;

#[resource("/keys")]
#[filter(api_key())]
impl Keys {
    #[get]
    fn show(&self, #[value] caller: Caller) -> String {
        caller.0
    }
}

#[tokio::test]
async fn at_a_resource_nobody_gets_to_its_routes() {
    let api = RestApi::new(Tokens).with(Passwords).with(Keys).with(Me);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    for (path, credentials) in [("/tokens", BEARER), ("/passwords", BASIC), ("/keys", KEY)] {
        let below = format!("{path}/nothing");
        let paths = [
            (path, 401, 200),
            (below.as_str(), 404, 404),
            ("/me/perhaps", 200, 200),
        ];
        assert_statuses(&client, credentials, &paths).await;
        assert_eq!(client.put(path).send().await.status(), 405);
    }
}

struct Mixed;

#[resource("/mixed")]
impl Mixed {
    #[get]
    fn open(&self) -> u8 {
        1
    }

    #[get("/token")]
    #[filter(bearer())]
    fn token(&self, #[value] caller: Caller) -> String {
        caller.0
    }

    #[get("/password")]
    #[filter(basic())]
    fn password(&self, #[value] caller: Caller) -> String {
        caller.0
    }

    #[get("/key")]
    #[filter(api_key())]
    fn key(&self, #[value] caller: Caller) -> String {
        caller.0
    }
}

#[tokio::test]
async fn at_a_method_nobody_gets_to_that_method() {
    let client = Client::new(App::new().mount("/", RestApi::new(Mixed))).unwrap();
    for (path, credentials) in [
        ("/mixed/token", BEARER),
        ("/mixed/password", BASIC),
        ("/mixed/key", KEY),
    ] {
        let paths = [(path, 401, 200), ("/mixed", 200, 200)];
        assert_statuses(&client, credentials, &paths).await;
    }
}

#[tokio::test]
async fn pages_ask_leave_without_credentials() {
    let cors = || {
        let builder = Cors::builder().any_origin().headers(["authorization"]);
        builder.build().unwrap()
    };
    let api = RestApi::new(Me).filter(cors()).filter(bearer());
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let request = client
        .request(Method::OPTIONS, "/me")
        .header("origin", "https://page.example")
        .header("access-control-request-method", "GET")
        .header("access-control-request-headers", "authorization");
    assert_eq!(request.send().await.status(), 204);
    let refused = ask(&client, "/me", &[("origin", "https://page.example")]).await;
    assert_eq!(refused.status(), 401);
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
}
