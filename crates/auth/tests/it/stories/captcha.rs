//! Endpoints that bots abuse require a captcha, which is verified by a real HTTP service.

use std::time::Duration;

use innkeeper_auth::config::{CaptchaProvider, Config};
use innkeeper_rest::Method;
use innkeeper_service::testing::HeldPort;
use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::captcha::{Asked, CaptchaService, SECRET, configure};
use crate::support::{Answer, TestApp, bearer};

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

/// Returns every request that needs a captcha, with an otherwise valid body.
fn guarded() -> [(&'static str, Value); 6] {
    [
        (
            "/signup",
            json!({ "email": "eve@example.com", "password": PASSWORD }),
        ),
        ("/recover", json!({ "email": ADA })),
        ("/resend", json!({ "type": "signup", "email": ADA })),
        ("/magiclink", json!({ "email": "bob@example.com" })),
        ("/otp", json!({ "email": "carl@example.com" })),
        (
            "/token?grant_type=password",
            json!({ "email": ADA, "password": PASSWORD }),
        ),
    ]
}

/// Starts a server with this captcha service, and a user created by an operator, who needs no captcha.
async fn app_with(service: &CaptchaService, provider: CaptchaProvider) -> TestApp {
    let app = TestApp::with(|config| service.configure(config, provider)).await;
    with_ada(&app).await;
    app
}

async fn with_ada(app: &TestApp) {
    let body = json!({ "email": ADA, "password": PASSWORD, "email_confirm": true });
    app.post_as(&app.service_key(), "/admin/users", body)
        .await
        .ok();
}

fn with_token(body: &Value, token: &Value, is_nested: bool) -> Value {
    let mut body = body.clone();
    if is_nested {
        body["gotrue_meta_security"] = json!({ "captcha_token": token });
    } else {
        body["captcha_token"] = token.clone();
    }
    body
}

#[tokio::test]
async fn a_solved_captcha_opens_every_endpoint_that_asks_for_one() {
    for provider in [CaptchaProvider::Hcaptcha, CaptchaProvider::Turnstile] {
        let service = CaptchaService::start();
        let app = app_with(&service, provider).await;
        for (number, (target, body)) in guarded().into_iter().enumerate() {
            let is_nested = number % 2 == 0;
            let token = format!("good & new {number}");
            let solved = with_token(&body, &json!(token), is_nested);
            app.post(target, solved.clone()).await.ok();
            let asked = Asked {
                response: token,
                address: "127.0.0.1".to_owned(),
            };
            assert_eq!(service.take(), [asked], "{target}");
        }
    }
}

#[tokio::test]
async fn without_a_solved_captcha_nothing_happens() {
    let service = CaptchaService::start();
    let app = app_with(&service, CaptchaProvider::Hcaptcha).await;
    for (target, body) in guarded() {
        for sent in [
            body.clone(),
            with_token(&body, &json!(""), false),
            with_token(&body, &json!("  "), true),
            with_token(&body, &json!(null), true),
            with_token(&body, &json!(7), false),
            with_token(&body, &json!(["good"]), true),
        ] {
            let refused = app.post(target, sent).await.refused(400, "captcha_failed");
            let message = "Captcha verification failed (no captcha_token in the request)";
            assert_eq!(refused["msg"], message, "{target}");
        }
        assert_eq!(service.take(), [], "{target}");
        let answer = app
            .post(target, with_token(&body, &json!("bad"), false))
            .await;
        let refused = answer.refused(400, "captcha_failed");
        // Only error codes of the service are passed on.
        let message = "Captcha verification failed (invalid-input-response)";
        assert_eq!(refused["msg"], message, "{target}");
        assert_eq!(service.take().len(), 1, "{target}");
    }
    let long = "good".repeat(10_000);
    let (target, body) = &guarded()[0];
    let answer = app
        .post(target, with_token(body, &json!(long), false))
        .await;
    answer.refused(400, "captcha_failed");
    let users = "select count(*) from users";
    let count: i64 = app.sql().await.query_one(users, &[]).await.unwrap().get(0);
    assert_eq!(count, 1);
    assert_eq!(app.mailbox.count_to(ADA), 0);
}

#[tokio::test]
async fn a_solved_captcha_counts_once() {
    let service = CaptchaService::start();
    let app = app_with(&service, CaptchaProvider::Turnstile).await;
    let body = json!({ "email": ADA, "password": PASSWORD, "captcha_token": "good" });
    let target = "/token?grant_type=password";
    app.post(target, body.clone()).await.ok();
    let again = app.post(target, body).await.refused(400, "captcha_failed");
    assert_eq!(
        again["msg"],
        "Captcha verification failed (timeout-or-duplicate)"
    );
}

#[tokio::test]
async fn who_has_proved_something_already_needs_none() {
    let service = CaptchaService::start();
    let app = app_with(&service, CaptchaProvider::Hcaptcha).await;
    let body = json!({ "email": ADA, "password": PASSWORD, "captcha_token": "good" });
    let session = app.post("/token?grant_type=password", body).await.ok();
    service.take();
    app.refresh(session["refresh_token"].as_str().unwrap())
        .await
        .ok();
    app.get("/settings").await.ok();
    let body = json!({ "type": "signup", "email": ADA, "token": "123456" });
    app.post("/verify", body).await.refused(403, "otp_expired");
    let pkce = json!({ "auth_code": "x", "code_verifier": "y" });
    let answer = app.post("/token?grant_type=pkce", pkce).await;
    assert!((400..500).contains(&answer.status) && !answer.text.contains("captcha"));
    let unknown = app.post("/token?grant_type=wallet", json!({})).await;
    unknown.refused(400, "captcha_failed");
    assert_eq!(service.take(), []);
}

#[tokio::test]
async fn an_administrator_needs_none_and_nobody_else_is_taken_for_one() {
    let service = CaptchaService::start();
    let app = app_with(&service, CaptchaProvider::Hcaptcha).await;
    for (target, body) in guarded() {
        app.post_as(&app.service_key(), target, body).await.ok();
    }
    let anon = app.token_of_secret(&json!({ "role": "anon" }));
    let (name, _) = bearer(&anon);
    for token in [anon.as_str(), "nonsense", "eyJhbGciOiJub25lIn0.e30."] {
        let value = format!("Bearer {token}");
        for (target, body) in guarded() {
            let headers = [(name, value.as_str())];
            let answer = app.send(Method::POST, target, &headers, Some(&body)).await;
            answer.refused(400, "captcha_failed");
        }
    }
    assert_eq!(service.take(), []);
}

/// Starts a server whose captcha service is at this address.
async fn app_at(url: &str, change: impl FnOnce(&mut Config)) -> TestApp {
    let app = TestApp::with(|config| {
        configure(config, CaptchaProvider::Hcaptcha, url);
        change(config);
    })
    .await;
    with_ada(&app).await;
    app
}

async fn sign_in(app: &TestApp) -> Answer {
    let body = json!({ "email": ADA, "password": PASSWORD, "captcha_token": "good" });
    app.post("/token?grant_type=password", body).await
}

#[tokio::test]
async fn a_service_that_says_nothing_useful_refuses_with_a_clear_code() {
    let service = CaptchaService::start();
    let mut origin = Config::for_tests();
    service.configure(&mut origin, CaptchaProvider::Hcaptcha);
    let origin = origin.security.captcha.url.unwrap();
    // A port without a listener.
    let port = HeldPort::take().unwrap();
    let closed = format!("http://{}/siteverify", port.address());
    let places = ["/elsewhere", "/page", "/flood", "/nowhere"];
    let urls = places.map(|path| origin.join(path).unwrap().to_string());
    for url in urls.iter().chain([&closed]) {
        let app = app_at(url, |_| {}).await;
        let answer = sign_in(&app).await;
        assert_eq!(answer.header("retry-after"), Some("1"), "{url}");
        let body = answer.refused(503, "captcha_unavailable");
        let message = "The captcha cannot be verified at the moment, try again later";
        assert_eq!(body["msg"], message, "{url}");
    }
    assert_eq!(service.take(), []);
}

#[tokio::test]
async fn a_wrong_secret_is_the_operators_fault_and_not_shown_to_clients() {
    let service = CaptchaService::start();
    let app = TestApp::with(|config| {
        service.configure(config, CaptchaProvider::Turnstile);
        let wrong = innkeeper_service::secret::Secret::new("another secret".to_owned());
        config.security.captcha.secret = Some(wrong);
    })
    .await;
    let answer = sign_in(&app).await;
    assert!(!answer.text.contains("secret"), "{}", answer.text);
    answer.refused(503, "captcha_unavailable");
}

#[tokio::test]
async fn a_silent_service_is_given_up_after_its_time_out() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let app = app_at(&url, |config| {
        config.security.captcha.timeout = SignedDuration::from_millis(300);
    })
    .await;
    sign_in(&app).await.refused(503, "captcha_unavailable");
    // The captcha's timeout ends before the deadline of the request.
    let app = app_at(&url, |config| {
        config.security.captcha.timeout = SignedDuration::from_secs(10);
        config.api.max_request_duration = SignedDuration::from_secs(5);
    })
    .await;
    let answer = tokio::time::timeout(Duration::from_mins(1), sign_in(&app)).await;
    answer.unwrap().refused(503, "captcha_unavailable");
}

#[tokio::test]
async fn the_secret_is_sent_as_it_is() {
    // Characters that a form must encode; the service compares the decoded value.
    assert!(SECRET.contains(['&', ' ']));
    let service = CaptchaService::start();
    let app = app_with(&service, CaptchaProvider::Hcaptcha).await;
    sign_in(&app).await.ok();
}
