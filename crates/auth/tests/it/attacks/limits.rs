//! Ways around the limits: addresses that a client claims to have, and spellings of one account.

use innkeeper_auth::config::Config;
use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, TestApp};

const HOME: &str = "198.51.100.7";
const GRANT: &str = "/token?grant_type=password";

/// Headers by which proxies say who the client is, in spellings of various programs.
const CLAIMS: [(&str, &str); 34] = [
    ("x-forwarded-for", "203.0.113.1"),
    ("x-forwarded-for", "203.0.113.1, 203.0.113.2"),
    ("x-forwarded-for", "127.0.0.1"),
    ("x-forwarded-for", "::1"),
    ("x-forwarded-for", "[2001:db8::1]:443"),
    ("x-forwarded-for", "203.0.113.1:8080"),
    ("x-forwarded-for", "unknown"),
    ("x-forwarded-for", ""),
    ("x-forwarded-for", ", , ,203.0.113.9"),
    ("x-forwarded-for", "\"203.0.113.1\""),
    ("x-forwarded-for", "0x7f.1"),
    ("x_forwarded_for", "203.0.113.1"),
    ("x-forwarded", "for=203.0.113.1"),
    ("forwarded", "for=203.0.113.1"),
    (
        "forwarded",
        "for=\"[2001:db8::1]:443\";proto=https;by=127.0.0.1",
    ),
    ("forwarded-for", "203.0.113.1"),
    ("x-forwarded-host", "203.0.113.1"),
    ("x-forwarded-by", "203.0.113.1"),
    ("x-real-ip", "203.0.113.1"),
    ("x-client-ip", "203.0.113.1"),
    ("x-cluster-client-ip", "203.0.113.1"),
    ("x-original-forwarded-for", "203.0.113.1"),
    ("x-originating-ip", "203.0.113.1"),
    ("x-remote-ip", "203.0.113.1"),
    ("x-remote-addr", "203.0.113.1"),
    ("x-host", "203.0.113.1"),
    ("client-ip", "203.0.113.1"),
    ("true-client-ip", "203.0.113.1"),
    ("cf-connecting-ip", "203.0.113.1"),
    ("cf-connecting-ipv6", "2001:db8::1"),
    ("fastly-client-ip", "203.0.113.1"),
    ("fly-client-ip", "203.0.113.1"),
    ("sb-forwarded-for", "203.0.113.1"),
    ("via", "1.1 203.0.113.1"),
];

/// Sends a request from an address, with a header.
async fn send(app: &TestApp, target: &str, header: Option<(&str, &str)>, body: &Value) -> Answer {
    let peer = format!("{HOME}:40000").parse().unwrap();
    let mut request = app.client.post(target).from_peer(peer).json(body);
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    Answer::new(request.send().await)
}

fn two(config: &mut Config) {
    config.rate_limit.otp = 2.0;
    config.rate_limit.verify = 2.0;
    config.rate_limit.token_refresh = 2.0;
}

#[tokio::test]
async fn no_header_makes_another_client_of_one() {
    let app = TestApp::with(two).await;
    for target in ["/otp", "/signup", "/recover", "/verify", GRANT] {
        for _ in 0..2 {
            let answer = send(&app, target, None, &json!({})).await;
            assert_ne!(answer.status, 429, "{target}: {}", answer.text);
        }
        for claim in CLAIMS {
            let answer = send(&app, target, Some(claim), &json!({})).await;
            assert_eq!(answer.status, 429, "{target} {claim:?}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn no_header_and_no_spelling_gives_more_guesses() {
    let app = TestApp::autoconfirm().await;
    app.signed_up("ada@example.com", "correct horse").await;
    let guess = |email: &str| json!({ "email": email, "password": "wrong horse" });
    for _ in 0..10 {
        send(&app, GRANT, None, &guess("ada@example.com"))
            .await
            .refused(400, "invalid_credentials");
    }
    for claim in CLAIMS {
        send(&app, GRANT, Some(claim), &guess("ada@example.com"))
            .await
            .refused(429, "over_request_rate_limit");
    }
    for spelling in ["ADA@example.com", "ada@EXAMPLE.com", "Ada@Example.Com"] {
        send(&app, GRANT, None, &guess(spelling))
            .await
            .refused(429, "over_request_rate_limit");
    }
    // Another spelling of the query is the same grant.
    for target in [
        "/token?grant_type=password&x=1",
        "/token?x=1&grant_type=password",
        "/token?grant%5ftype=password",
        "/token/?grant_type=password",
    ] {
        let answer = send(&app, target, None, &guess("ada@example.com")).await;
        assert_ne!(answer.text_or_code(), "invalid_credentials", "{target}");
    }
}

/// A code is short, so its few attempts count wherever they come from.
#[tokio::test]
async fn no_address_gives_more_attempts_at_a_code() {
    let app = TestApp::start().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let code = mail.code();
    let wrong = if code == "000000" { "000001" } else { "000000" };
    for number in 0..5 {
        let email = ["ada@example.com", "ADA@example.com"][number % 2];
        let kind = ["signup", "email"][number % 2];
        let body = json!({ "type": kind, "email": email, "token": wrong });
        let address = format!("203.0.113.{number}");
        let answer = app.post_from(&address, "/verify", &body).await;
        answer.refused(403, "otp_expired");
    }
    let body = json!({ "type": "signup", "email": "ada@example.com", "token": code });
    let answer = app.post_from("192.0.2.200", "/verify", &body).await;
    answer.refused(403, "otp_expired");
}

/// The secret of a GoTrue link can be computed from an address and a guessed code, and names no account if it is
/// wrong. So wrong links count for the client that sends them, and then a right one gets the same answer.
#[tokio::test]
async fn a_link_gives_no_more_guesses_than_a_code() {
    for member in ["token_hash", "token"] {
        let app = TestApp::with(|config| config.rate_limit.verify = 30.0).await;
        app.confirmed("ada@example.com").await;
        let mail = app.mail_of("/recover", "ada@example.com").await;
        let wrong = |number: usize| json!({ "type": "recovery", member: format!("{number:056x}") });
        let right = json!({ "type": "recovery", member: mail.token() });
        for number in 0..10 {
            let answer = app.post_from(HOME, "/verify", &wrong(number)).await;
            answer.refused(403, "otp_expired");
        }
        let mut refusals = Vec::new();
        for body in [wrong(10), right.clone()] {
            let answer = app.post_from(HOME, "/verify", &body).await;
            assert_eq!(answer.header("retry-after"), Some("1"), "{}", answer.text);
            refusals.push(answer.refused(429, "over_request_rate_limit"));
        }
        assert_eq!(refusals[0], refusals[1]);
        // Nobody else has to wait.
        let answer = app.post_from("192.0.2.200", "/verify", &wrong(11)).await;
        answer.refused(403, "otp_expired");
        app.advance(1);
        app.post_from(HOME, "/verify", &right).await.ok();
    }
}

#[tokio::test]
async fn wrong_links_in_the_browser_count_too() {
    let app = TestApp::with(|config| config.rate_limit.verify = 30.0).await;
    let mail = app.mail_of_signup("ada@example.com").await;
    for number in 0..10 {
        let secret = format!("{number:056x}");
        let answer = app.open(Method::GET, "signup", &secret).await;
        answer.sent_back_with("otp_expired");
    }
    let answer = app.follow(&mail).await;
    answer.sent_back_with("over_request_rate_limit");
    app.advance(1);
    let answer = app.follow(&mail).await;
    assert_ne!(answer.said("access_token"), "");
}

/// A link that is sent with another type than its own names the account, so it counts there.
#[tokio::test]
async fn a_refused_link_counts_as_an_attempt_at_its_code() {
    let app = TestApp::start().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    for number in 0..5 {
        let body = json!({ "type": "recovery", "token_hash": mail.token() });
        let address = format!("203.0.113.{number}");
        let answer = app.post_from(&address, "/verify", &body).await;
        answer.refused(403, "otp_expired");
    }
    let body = json!({ "type": "signup", "email": "ada@example.com", "token": mail.code() });
    let answer = app.post_from("192.0.2.200", "/verify", &body).await;
    answer.refused(403, "otp_expired");
    // The link itself cannot be guessed.
    app.verify_link("signup", &mail.token()).await.ok();
}

impl Answer {
    /// Returns the code of an error, or the empty string.
    fn text_or_code(&self) -> &str {
        self.header("x-sb-error-code").unwrap_or_default()
    }
}
