//! The contents of the log, and the secrets that it must not contain.

use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::log::Log;
use crate::support::tokens::text;

const PASSWORD: &str = "correct horse battery";
const WRONG: &str = "incorrect horse battery";

/// All values that must not appear in a log.
struct Secrets(Vec<String>);

impl Secrets {
    /// Adds both tokens of a session.
    fn session(&mut self, session: &Value) {
        for name in ["access_token", "refresh_token"] {
            self.0.push(text(session, name));
        }
    }
}

/// Runs a user through sign-up, sign-in, refresh and several failures, and returns the secrets.
async fn a_life(app: &TestApp) -> Secrets {
    let mut secrets = Secrets(vec![PASSWORD.to_owned(), WRONG.to_owned()]);
    let body = json!({ "email": "ada@example.com", "password": PASSWORD });
    app.post("/signup?redirect_to=http://localhost:3000/welcome", body)
        .await
        .ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    let code = mail.code();
    secrets.0.extend([code.clone(), mail.token()]);
    let wrong = json!({ "type": "signup", "email": "ada@example.com", "token": "000000" });
    app.post("/verify", wrong).await.failed(403);
    let target = format!("/verify?type=signup&token={}", mail.token());
    let location = app.get(&target).await;
    let location = location.header("location").unwrap().to_owned();
    let fragment = location.split_once('#').unwrap().1.to_owned();
    for (name, value) in url::form_urlencoded::parse(fragment.as_bytes()) {
        if name.ends_with("_token") {
            secrets.0.push(value.into_owned());
        }
    }
    app.sign_in("ada@example.com", WRONG).await.failed(400);
    let session = app.sign_in("ada@example.com", PASSWORD).await.ok();
    secrets.session(&session);
    let next = app.refresh(&text(&session, "refresh_token")).await.ok();
    secrets.session(&next);
    app.advance(11);
    // The reuse of an old token, as by a thief.
    app.refresh(&text(&session, "refresh_token"))
        .await
        .failed(400);
    app.get_as(&text(&next, "access_token"), "/user?nonce=in-a-query")
        .await
        .failed(403);
    let exchange =
        json!({ "auth_code": "an-auth-code-of-a-link", "code_verifier": "its-verifier" });
    app.post("/token?grant_type=pkce", exchange)
        .await
        .failed(404);
    let broken = r#"{"email":"ada@example.com","password":"correct horse battery","#;
    let request = app.client.request(Method::POST, "/signup").body(broken);
    assert_eq!(request.send().await.status(), 400);
    for secret in [
        "in-a-query",
        "an-auth-code-of-a-link",
        "its-verifier",
        "welcome",
        app.config.jwt.secret.reveal(),
        app.config.database.url.reveal(),
    ] {
        secrets.0.push(secret.to_owned());
    }
    secrets
}

/// Returns whether a text contains a secret as a word: the digits of a code may be part of a time.
fn holds(text: &str, secret: &str) -> bool {
    let word = format!(
        r"(^|[^0-9A-Za-z.]){}([^0-9A-Za-z]|$)",
        regex::escape(secret)
    );
    regex::Regex::new(&word).unwrap().is_match(text)
}

/// Asserts that the log contains none of these secrets.
#[track_caller]
fn assert_hidden(secrets: &Secrets, text: &str) {
    for secret in &secrets.0 {
        assert!(!holds(text, secret), "{secret} is in the log:\n{text}");
    }
}

#[tokio::test]
async fn no_password_token_code_query_or_mail_is_ever_logged() {
    let log = Log::capture();
    let app = TestApp::start().await;
    let secrets = a_life(&app).await;
    let text = log.text();
    assert_hidden(&secrets, &text);
    // The log does contain these events.
    for words in [
        "/token",
        "/verify",
        "status=403",
        "grant_type=\"password\"",
        "used again",
    ] {
        assert!(text.contains(words), "{words} is not in the log:\n{text}");
    }
}

#[tokio::test]
async fn errors_of_the_database_are_logged_without_secrets() {
    let log = Log::capture();
    let app = TestApp::start().await;
    let secrets = a_life(&app).await;
    app.lose_database().await;
    app.sign_in("ada@example.com", PASSWORD).await.failed(503);
    app.find_database().await;
    app.sign_in("ada@example.com", PASSWORD).await.ok();
    let text = log.text();
    assert_hidden(&secrets, &text);
    assert!(text.contains("database"), "{text}");
}

#[tokio::test]
async fn the_start_says_which_defaults_apply_and_what_to_look_at() {
    let log = Log::capture();
    TestApp::with(|config| {
        config.profile_reason = "because of a test".to_owned();
        config.warnings = vec!["a setting looks odd".to_owned()];
        config.notices = vec!["a setting is deprecated".to_owned()];
    })
    .await;
    let text = log.text();
    for words in [
        "profile=\"std\"",
        "because of a test",
        "looks odd",
        "is deprecated",
    ] {
        assert!(text.contains(words), "{words} is not in the log:\n{text}");
    }
}

#[tokio::test]
async fn keys_are_said_to_have_changed_only_when_they_have() {
    let log = Log::capture();
    let said = || log.text().matches("the signing keys have changed").count();
    let app = TestApp::start().await;
    app.replica().await;
    app.auth.refresh_keys().await.unwrap();
    assert_eq!(said(), 0);
    innkeeper_auth::rotate_keys(&app.config, &app.clock, innkeeper_auth::OldKeys::Retire)
        .await
        .unwrap();
    app.auth.refresh_keys().await.unwrap();
    app.auth.refresh_keys().await.unwrap();
    assert_eq!(said(), 1);
}

/// Returns the log line of a request to this path.
fn line_of(text: &str, path: &str) -> String {
    let mut lines = text
        .lines()
        .filter(|line| line.contains("request completed"));
    let line = lines.find(|line| line.contains(&format!("path=\"{path}\"")));
    line.unwrap_or_else(|| panic!("{path} is not in the log:\n{text}"))
        .to_owned()
}

#[tokio::test]
async fn every_request_is_a_line_with_what_an_operator_asks_first() {
    let log = Log::capture();
    let app = TestApp::start().await;
    let headers = [
        ("X-Request-Id", "r-7"),
        ("Referer", "https://site.example/page?token=a-secret#more"),
    ];
    let body = json!({ "email": "nobody@example.com", "password": WRONG });
    app.send(
        Method::POST,
        "/token?grant_type=password&other=hidden",
        &headers,
        Some(&body),
    )
    .await
    .failed(400);
    let line = line_of(&log.text(), "/token");
    for part in [
        "WARN",
        "component=\"api\"",
        "method=\"POST\"",
        "status=400",
        "duration=",
        "remote_addr=127.0.0.1",
        "referer=\"https://site.example/page\"",
        "grant_type=\"password\"",
        "error_code=\"invalid_credentials\"",
        "request_id=\"r-7\"",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(
        !line.contains("hidden") && !line.contains("a-secret"),
        "{line}"
    );
}

#[tokio::test]
async fn the_level_of_a_line_follows_the_status_and_health_is_not_logged() {
    let log = Log::capture();
    let app = TestApp::start().await;
    app.get("/settings").await.ok();
    app.get("/user").await.failed(401);
    app.get("/health").await.ok();
    app.get("/health/").await;
    app.lose_database().await;
    app.sign_in("ada@example.com", PASSWORD).await.failed(503);
    app.find_database().await;
    let text = log.text();
    assert!(line_of(&text, "/settings").contains(" INFO "));
    assert!(line_of(&text, "/user").contains(" WARN "));
    assert!(line_of(&text, "/token").contains("ERROR "));
    assert!(!text.contains("path=\"/health"), "{text}");
}

#[tokio::test]
async fn preflights_are_logged_like_other_requests() {
    let log = Log::capture();
    let app = TestApp::start().await;
    let headers = [
        ("Origin", "https://site.example"),
        ("Access-Control-Request-Method", "POST"),
    ];
    app.send(Method::OPTIONS, "/token", &headers, None)
        .await
        .ok();
    assert!(line_of(&log.text(), "/token").contains("method=\"OPTIONS\""));
}

/// What clients send stands in the log inside of a line, whatever it contains.
#[tokio::test]
async fn no_request_writes_a_line_of_its_own() {
    let log = Log::capture();
    let app = TestApp::start().await;
    let forged = "x\r\n2026-01-01T00:00:00Z ERROR forged: by a client\u{1b}[31m\u{2028}";
    let escaped = "x%0d%0a2026-01-01T00:00:00Z%20ERROR%20forged:%20by%20a%20client%1b[31m";
    for target in [
        format!("/{escaped}"),
        format!("/token?grant_type={escaped}"),
        format!("/verify?type={escaped}&token={escaped}&redirect_to={escaped}"),
    ] {
        app.get(&target).await;
        app.post(&target, json!({ "email": forged, "password": forged }))
            .await;
    }
    app.post("/signup", json!({ "email": forged, "password": forged }))
        .await;
    let headers = [
        ("user-agent", "x\tERROR forged: by a client"),
        ("referer", escaped),
        ("x-request-id", "x ERROR forged: by a client"),
        ("authorization", "Bearer x ERROR forged: by a client"),
    ];
    app.send(Method::GET, "/user", &headers, None).await;
    let text = log.text();
    assert!(text.contains("/token"), "{text}");
    for line in text.lines() {
        let is_forged = line.contains("forged") && line.starts_with("2026-01-01T00:00:00Z");
        assert!(!is_forged, "{line}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
}
