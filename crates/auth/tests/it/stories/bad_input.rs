//! Invalid input of any kind: the client gets a clear error, and the server does not fail.

use futures_util::{StreamExt as _, stream};
use innkeeper_auth::config::Config;
use innkeeper_rest::Method;
use jiff::SignedDuration;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{API_VERSION_2024, Answer, TestApp, bearer};

const PASSWORD: &str = "correct horse";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const EXCHANGE: [&str; 2] = ["code_challenge", "code_challenge_method"];

/// An endpoint, a valid body, and the fields to corrupt.
struct Endpoint {
    method: Method,
    target: String,
    token: Option<String>,
    body: Value,
    fields: Vec<&'static str>,
}

impl Endpoint {
    fn post(target: &str, body: Value, fields: &[&'static str]) -> Self {
        Self {
            method: Method::POST,
            target: target.to_owned(),
            token: None,
            body,
            fields: fields.to_vec(),
        }
    }

    fn exchanges(mut self) -> Self {
        self.body["code_challenge"] = json!(CHALLENGE);
        self.body["code_challenge_method"] = json!("s256");
        self.fields.extend(EXCHANGE);
        self
    }

    fn of(mut self, method: Method, token: &str) -> Self {
        self.method = method;
        self.token = Some(token.to_owned());
        self
    }
}

fn patient(config: &mut Config) {
    config.smtp.max_frequency = Some(SignedDuration::ZERO);
}

/// Returns the placeholder for an unused address, which [`freshen`] replaces.
fn fresh() -> Value {
    json!("[fresh]")
}

#[expect(clippy::too_many_lines, reason = "a flat table of endpoints")]
fn public() -> Vec<Endpoint> {
    let token = |grant: &str| format!("/token?grant_type={grant}");
    vec![
        Endpoint::post(
            "/signup",
            json!({ "email": fresh(), "password": PASSWORD, "data": {} }),
            &[
                "email",
                "phone",
                "password",
                "data",
                "channel",
                "captcha_token",
            ],
        )
        .exchanges(),
        Endpoint::post(
            &token("password"),
            json!({ "email": fresh(), "password": PASSWORD }),
            &["email", "phone", "password"],
        ),
        Endpoint::post(&token("refresh_token"), json!({}), &["refresh_token"]),
        Endpoint::post(
            &token("pkce"),
            json!({ "auth_code": Uuid::new_v4(), "code_verifier": CHALLENGE }),
            &["auth_code", "code_verifier"],
        ),
        Endpoint::post(&token("none"), json!({}), &["email"]),
        Endpoint::post(
            "/verify",
            json!({ "type": "signup", "email": fresh(), "token": "123456" }),
            &[
                "type",
                "email",
                "phone",
                "token",
                "token_hash",
                "password",
                "redirect_to",
            ],
        ),
        Endpoint::post(
            "/verify",
            json!({ "type": "email", "token_hash": "none" }),
            &["type", "token_hash"],
        ),
        Endpoint::post(
            "/otp",
            json!({ "email": fresh(), "data": {} }),
            &["email", "phone", "create_user", "data", "channel"],
        )
        .exchanges(),
        Endpoint::post(
            "/magiclink",
            json!({ "email": fresh() }),
            &["email", "data"],
        )
        .exchanges(),
        Endpoint::post("/recover", json!({ "email": fresh() }), &["email"]).exchanges(),
        Endpoint::post(
            "/resend",
            json!({ "type": "signup", "email": fresh() }),
            &["type", "email", "phone"],
        )
        .exchanges(),
    ]
}

fn of_users(token: &str) -> Vec<Endpoint> {
    vec![
        Endpoint::post(
            "/user",
            json!({ "data": {} }),
            &[
                "email",
                "phone",
                "password",
                "current_password",
                "nonce",
                "data",
                "app_metadata",
            ],
        )
        .exchanges()
        .of(Method::PUT, token),
        Endpoint::post("/user", json!({ "email": fresh() }), &["email", "channel"])
            .of(Method::PUT, token),
    ]
}

fn of_operators(token: &str, user_id: &str) -> Vec<Endpoint> {
    let input = [
        "id",
        "aud",
        "role",
        "email",
        "phone",
        "password",
        "password_hash",
        "email_confirm",
        "phone_confirm",
        "user_metadata",
        "app_metadata",
        "ban_duration",
    ];
    let user = format!("/admin/users/{user_id}");
    let nobody = format!("/admin/users/{}", Uuid::new_v4());
    vec![
        Endpoint::post("/invite", json!({ "email": fresh() }), &["email", "data"])
            .of(Method::POST, token),
        Endpoint::post("/admin/users", json!({ "email": fresh() }), &input).of(Method::POST, token),
        Endpoint::post(&nobody, json!({ "email": fresh() }), &["id", "email"])
            .of(Method::POST, token),
        Endpoint::post(&user, json!({}), &input).of(Method::PUT, token),
        Endpoint::post(&nobody, json!({}), &["should_soft_delete"]).of(Method::DELETE, token),
        Endpoint::post(
            "/admin/generate_link",
            json!({ "type": "signup", "email": fresh(), "password": PASSWORD }),
            &["type", "email", "password", "data", "redirect_to"],
        )
        .of(Method::POST, token),
        Endpoint::post(
            "/admin/generate_link",
            json!({ "type": "email_change_new", "email": "ada@example.com", "new_email": fresh() }),
            &["new_email", "email"],
        )
        .of(Method::POST, token),
    ]
}

/// Returns values that hardly any field accepts.
fn spoilt() -> Vec<Value> {
    let nested = (0..90).fold(json!(1), |inner, _| json!([inner]));
    vec![
        json!(null),
        json!(0),
        json!(-1.5e300),
        json!(true),
        json!([]),
        json!(["a", null]),
        json!({}),
        json!({ "a": { "b": [] }, "": null }),
        json!({ "a\u{0}": 1 }),
        json!([["\u{0}"]]),
        json!(""),
        json!(" "),
        json!("\u{0}"),
        json!("ada\u{0}@example.com"),
        json!("a@b.example\r\nBcc: eve@example.com"),
        json!("\u{1}\u{1f}\u{7f}\u{85}"),
        json!("\u{202e}\u{feff}\u{fffe}"),
        json!("💥".repeat(20)),
        json!("'; drop table users; --"),
        json!("%00%ff\\u0000"),
        json!("a".repeat(300)),
        json!("a".repeat(100_000)),
        nested,
    ]
}

/// Returns whether a value contains NUL, which the database cannot store.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(elements) => elements.iter().any(has_nul),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}

/// Asserts that the response is not a server error, and that a refusal has the requested format.
#[track_caller]
fn check(answer: &Answer, is_dated: bool, what: &str) {
    let (status, body) = (answer.status, &answer.body);
    assert!(status < 500, "{what}: {status} {}", answer.text);
    if status < 400 {
        return;
    }
    let code = answer.header("x-sb-error-code").unwrap_or_default();
    assert!(!code.is_empty(), "{what}: {}", answer.text);
    let (said, message) = if is_dated {
        (json!(code), &body["message"])
    } else {
        assert_eq!(body["error_code"], code, "{what}: {}", answer.text);
        (json!(status), &body["msg"])
    };
    assert_eq!(body["code"], said, "{what}: {}", answer.text);
    assert!(
        message.as_str().is_some_and(|text| !text.is_empty()),
        "{what}: {}",
        answer.text
    );
    assert_eq!(
        answer.header("content-type"),
        Some("application/json"),
        "{what}"
    );
    for leak in ["postgres", "sqlstate", "panicked", "innkeeper_", "src/"] {
        assert!(
            !answer.text.to_lowercase().contains(leak),
            "{what}: {}",
            answer.text
        );
    }
}

async fn send(app: &TestApp, endpoint: &Endpoint, body: Vec<u8>, is_dated: bool) -> Answer {
    let mut request = app
        .client
        .request(endpoint.method.clone(), endpoint.target.clone())
        .header("content-type", "application/json");
    if let Some(token) = &endpoint.token {
        let (name, value) = bearer(token);
        request = request.header(name, &value);
    }
    if is_dated {
        request = request.header(API_VERSION_2024.0, API_VERSION_2024.1);
    }
    Answer::new(request.body(body).send().await)
}

/// Replaces the placeholder in a body by a new address.
fn freshen(body: &Value) -> Vec<u8> {
    let email = format!("{}@example.com", Uuid::new_v4().simple());
    body.to_string().replace("[fresh]", &email).into_bytes()
}

async fn sweep_fields(app: &TestApp, endpoints: &[Endpoint]) {
    let mut cases = Vec::new();
    for endpoint in endpoints {
        for field in &endpoint.fields {
            for (number, value) in spoilt().into_iter().enumerate() {
                cases.push((endpoint, *field, value, number % 2 == 0));
            }
        }
    }
    stream::iter(cases)
        .for_each_concurrent(6, |(endpoint, field, value, is_dated)| async move {
            let mut body = endpoint.body.clone();
            body[field] = value.clone();
            let answer = send(app, endpoint, freshen(&body), is_dated).await;
            let short: String = value.to_string().chars().take(40).collect();
            let what = format!("{} {} {field}={short}", endpoint.method, endpoint.target);
            check(&answer, is_dated, &what);
            if has_nul(&value) {
                assert_eq!(answer.status, 400, "{what}: {}", answer.text);
            }
        })
        .await;
}

async fn sweep_bodies(app: &TestApp, endpoints: &[Endpoint]) {
    let deep = format!("{{\"data\":{}{}}}", "[".repeat(200), "]".repeat(200));
    let cases: [(&[u8], Option<u16>); 14] = [
        (b"", None),
        (b" ", None),
        (b"null", None),
        (b"[]", Some(400)),
        (b"7", Some(400)),
        (b"\"text\"", Some(400)),
        (b"{", Some(400)),
        (b"{\"email\":\"ada@exam", Some(400)),
        (b"{\"email\":\"\\ud800\"}", Some(400)),
        (b"{\"email\":\"\xff\xfe\"}", Some(400)),
        (b"{} {}", Some(400)),
        (b"email=ada%40example.com&password=secret", Some(400)),
        (b"{\"a\\u0000\":1}", Some(400)),
        (deep.as_bytes(), Some(400)),
    ];
    for endpoint in endpoints {
        for (number, (body, status)) in cases.iter().enumerate() {
            let is_dated = number % 2 == 0;
            let answer = send(app, endpoint, body.to_vec(), is_dated).await;
            let text = String::from_utf8_lossy(&body[..body.len().min(40)]);
            let what = format!("{} {} {text}", endpoint.method, endpoint.target);
            check(&answer, is_dated, &what);
            if let Some(status) = *status {
                answer.refused(status, "bad_json");
            }
        }
        let large = vec![b' '; 1024 * 1024 + 1];
        let answer = send(app, endpoint, large, false).await;
        answer.refused(413, "request_entity_too_large");
    }
}

#[tokio::test]
async fn spoilt_fields_of_public_endpoints_are_refused_clearly() {
    let app = TestApp::with(patient).await;
    sweep_fields(&app, &public()).await;
}

#[tokio::test]
async fn spoilt_fields_of_users_are_refused_clearly() {
    let app = TestApp::with(|config| {
        patient(config);
        config.mailer.autoconfirm = true;
    })
    .await;
    let session = app.signed_up("ada@example.com", PASSWORD).await;
    let token = session["access_token"].as_str().unwrap();
    sweep_fields(&app, &of_users(token)).await;
    app.get_as(token, "/user").await.ok();
}

#[tokio::test]
async fn spoilt_fields_of_operators_are_refused_clearly() {
    let app = TestApp::with(patient).await;
    let key = app.service_key();
    let user = json!({ "email": "ada@example.com", "email_confirm": true });
    let user = app.post_as(&key, "/admin/users", user).await.ok();
    let id = user["id"].as_str().unwrap();
    sweep_fields(&app, &of_operators(&key, id)).await;
    app.get_as(&key, &format!("/admin/users/{id}")).await.ok();
    app.get_as(&key, "/admin/users?per_page=1000").await.ok();
    app.get_as(&key, "/admin/audit?per_page=1000").await.ok();
}

#[tokio::test]
async fn bodies_that_are_no_object_are_refused_clearly() {
    let app = TestApp::with(|config| {
        patient(config);
        config.mailer.autoconfirm = true;
    })
    .await;
    let session = app.signed_up("ada@example.com", PASSWORD).await;
    let token = session["access_token"].as_str().unwrap();
    let id = session["user"]["id"].as_str().unwrap();
    sweep_bodies(&app, &public()).await;
    sweep_bodies(&app, &of_users(token)).await;
    sweep_bodies(&app, &of_operators(&app.service_key(), id)).await;
    app.get_as(token, "/user").await.ok();
}

#[tokio::test]
async fn metadata_that_was_accepted_can_be_read_again() {
    let app = TestApp::autoconfirm().await;
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let sign_up = |email: &str, levels: usize| {
        let data = json!({ "deep": nested(levels) });
        app.post(
            "/signup",
            json!({ "email": email, "password": PASSWORD, "data": data }),
        )
    };
    sign_up("ada@example.com", 120)
        .await
        .refused(400, "bad_json");
    sign_up("ada@example.com", 97)
        .await
        .refused(422, "metadata_too_large");
    // The deepest accepted nesting: it is returned in the user, its identity and its token.
    let session = sign_up("ada@example.com", 31).await.ok();
    let token = session["access_token"].as_str().unwrap();
    let me = app.get_as(token, "/user").await.ok();
    assert_eq!(me["user_metadata"]["deep"], nested(31));
    assert_eq!(me["identities"][0]["identity_data"]["deep"], nested(31));
    let data = json!({ "big": 1e300, "small": 5e-324, "minus": -0.0, "long": "x".repeat(10_000) });
    let changed = app
        .put_as(token, "/user", json!({ "data": data }))
        .await
        .ok();
    assert_eq!(changed["user_metadata"]["big"], json!(1e300));
    app.get_as(token, "/user").await.ok();
    app.sign_in("ada@example.com", PASSWORD).await.ok();
}

#[tokio::test]
async fn an_address_with_nul_in_its_data_is_refused_whether_it_is_known_or_not() {
    let app = TestApp::start().await;
    app.signed_up("ada@example.com", PASSWORD).await;
    for email in ["ada@example.com", "new@example.com"] {
        let body = json!({ "email": email, "password": PASSWORD, "data": { "name": "\u{0}" } });
        app.post("/signup", body).await.refused(400, "bad_json");
    }
}

/// Endings that are appended to a target.
const ENDINGS: [&str; 14] = [
    "%00",
    "a%00b",
    "%ff%fe",
    "%",
    "%zz",
    "%0d%0aset-cookie:%20a",
    "-1",
    "1e9",
    "99999999999999999999",
    "'",
    "%F0%9F%92%A5",
    "&",
    "=",
    "null",
];

async fn sweep_endings(app: &TestApp, token: Option<&str>, targets: &[&str]) {
    let long = "a".repeat(5000);
    let bearer = token.map(bearer);
    let headers: Vec<(&str, &str)> = bearer
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    for target in targets {
        for ending in ENDINGS.into_iter().chain([long.as_str()]) {
            let target = format!("{target}{ending}");
            let answer = app.send(Method::GET, &target, &headers, None).await;
            let short: String = target.chars().take(60).collect();
            check(&answer, false, &short);
            if let Some(location) = answer.header("location") {
                assert!(location.starts_with("http://localhost:3000"), "{location}");
            }
        }
    }
}

#[tokio::test]
async fn spoilt_queries_and_paths_are_refused_clearly() {
    let app = TestApp::with(patient).await;
    let user = app.signed_up("ada@example.com", PASSWORD).await;
    let anybody = [
        "/verify?type=signup&token=",
        "/verify?token=none&type=",
        "/verify?token=pkce_none&type=",
        "/verify?token=none&type=signup&redirect_to=",
        "/settings?x=",
        "/health?x=",
        "/",
    ];
    sweep_endings(&app, None, &anybody).await;
    let token = user["access_token"].as_str().unwrap();
    sweep_endings(&app, Some(token), &["/user?x=", "/user/sessions/"]).await;
    let operators = [
        "/admin/users?page=",
        "/admin/users?per_page=",
        "/admin/users?sort=",
        "/admin/users?filter=",
        "/admin/users?email=",
        "/admin/users?phone=",
        "/admin/users?cursor=",
        "/admin/users?limit=",
        "/admin/users/",
        "/admin/audit?page=",
        "/admin/audit?query=",
        "/admin/audit?query=author:",
    ];
    sweep_endings(&app, Some(&app.service_key()), &operators).await;
    for ending in ENDINGS {
        let target = format!("/token?grant_type={ending}");
        let answer = app.post(&target, json!({})).await;
        check(&answer, false, &target);
        answer.failed(400);
        if ending != "&" && ending != "=" {
            let target = format!("/logout?scope={ending}");
            app.post_as(token, &target, json!({})).await.failed(400);
        }
    }
    app.get_as(token, "/user").await.ok();
}

#[tokio::test]
async fn spoilt_headers_are_refused_clearly_or_ignored() {
    let app = TestApp::with(patient).await;
    let long = "a".repeat(20_000);
    let values: [&[u8]; 9] = [
        b"",
        b" ",
        b"\xff\xfe",
        "💥".as_bytes(),
        b"a\tb",
        b"%00%0d%0a",
        b"1.2.3.4, 5.6.7.8, nonsense",
        b"2024-99-99",
        long.as_bytes(),
    ];
    for name in [
        "user-agent",
        "x-jwt-aud",
        "redirect_to",
        "referer",
        "x-forwarded-for",
        "x-supabase-api-version",
        "x-client-info",
        "authorization",
        "content-type",
        "accept",
        "origin",
        "x-request-id",
        "content-encoding",
    ] {
        for value in values {
            let email = format!("{}@example.com", Uuid::new_v4().simple());
            let body = json!({ "email": email, "password": PASSWORD }).to_string();
            let request = app.client.post("/otp").header(name, value).body(body);
            let answer = Answer::new(request.send().await);
            let shown = String::from_utf8_lossy(&value[..value.len().min(20)]).into_owned();
            check(&answer, false, &format!("{name}: {shown}"));
        }
    }
}

#[tokio::test]
async fn bearers_that_are_none_are_refused_clearly() {
    let app = TestApp::start().await;
    for (value, status, code) in [
        ("Bearer", 401, "no_authorization"),
        ("Bearer ", 401, "no_authorization"),
        ("Bearer a b", 401, "no_authorization"),
        ("Basic YTpi", 401, "no_authorization"),
        ("Bearer a.b.c", 403, "bad_jwt"),
        ("Bearer ...", 403, "bad_jwt"),
        ("bearer \u{e9}", 401, "no_authorization"),
    ] {
        for target in ["/user", "/reauthenticate", "/admin/users", "/user/sessions"] {
            let headers = [("Authorization", value)];
            let answer = app.send(Method::GET, target, &headers, None).await;
            check(&answer, false, value);
            answer.refused(status, code);
        }
    }
}
