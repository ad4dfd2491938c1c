//! Nobody learns who has an account: all accounts, and none, get the same status, headers and body. That they
//! get it in the same time is in `stories/same_work.rs` and measured by `make bench-auth-timing`.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use innkeeper_auth::config::Rate;
use jiff::SignedDuration;
use regex::Regex;
use serde_json::{Value, json};

use crate::support::{Answer, TestApp};

const PASSWORD: &str = "correct horse";

/// The states that an address can be in. The names have one length, so that lengths can be compared.
const STATES: [&str; 7] = [
    "unknown", "waiting", "settled", "banished", "deleted", "codeonly", "invited",
];

/// A request with an address that an attacker is curious about.
struct Question {
    target: &'static str,
    body: Value,
}

fn questions() -> Vec<Question> {
    let ask = |target, body| Question { target, body };
    let mut questions = vec![
        ask("/signup", json!({ "password": "another horse" })),
        ask("/otp", json!({})),
        ask("/otp", json!({ "create_user": false })),
        ask("/otp", json!({ "create_user": true, "data": { "a": 1 } })),
        ask("/magiclink", json!({})),
        ask("/recover", json!({})),
        ask("/resend", json!({ "type": "signup" })),
        ask("/resend", json!({ "type": "email_change" })),
        ask(
            "/token?grant_type=password",
            json!({ "password": "wrong horse" }),
        ),
    ];
    for kind in [
        "signup",
        "recovery",
        "magiclink",
        "email",
        "email_change",
        "invite",
    ] {
        questions.push(ask("/verify", json!({ "type": kind, "token": "000000" })));
    }
    questions
}

fn address(state: &str, number: usize) -> String {
    format!("{state:_<8}{number:02}@example.com")
}

/// Brings an address into a state.
async fn prepare(app: &TestApp, state: &str, email: &str) {
    let operator = app.operator();
    let id = async || {
        app.confirmed(email).await["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    match state {
        "waiting" => {
            app.mail_of_signup(email).await;
        }
        "settled" => {
            id().await;
        }
        "banished" => {
            let target = format!("/admin/users/{}", id().await);
            let ban = json!({ "ban_duration": "9000h" });
            operator.put(&target, ban).await.ok();
        }
        "deleted" => {
            let target = format!("/admin/users/{}", id().await);
            let softly = json!({ "should_soft_delete": true });
            operator.delete(&target, Some(softly)).await.ok();
        }
        "codeonly" => {
            let user = json!({ "email": email, "email_confirm": true });
            operator.create(user).await;
        }
        "invited" => {
            operator
                .post("/invite", json!({ "email": email }))
                .await
                .ok();
        }
        _ => {}
    }
}

/// Returns all that an observer sees of a response, with placeholders for what always differs.
fn seen(answer: &Answer, email: &str) -> (u16, BTreeMap<String, String>, String) {
    let id = Regex::new("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").unwrap();
    let time = Regex::new(r"\d{4}-\d\d-\d\dT[0-9:.]+Z").unwrap();
    let number = Regex::new(r"\d+").unwrap();
    let text = answer.text.replace(email, "[email]");
    let text = time
        .replace_all(&id.replace_all(&text, "[id]"), "[time]")
        .into_owned();
    let mut headers = BTreeMap::new();
    for (name, value) in answer.headers() {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        let value = match name.as_str() {
            "x-request-id" | "date" | "etag" => "[any]".to_owned(),
            name if name.contains("ratelimit") => number.replace_all(&value, "[n]").into_owned(),
            _ => value,
        };
        headers.insert(name.to_string(), value);
    }
    (answer.status, headers, text)
}

#[tokio::test]
async fn no_status_header_or_body_tells_whether_an_address_has_an_account() {
    let app = TestApp::start().await;
    let questions = questions();
    for number in 0..questions.len() {
        for state in STATES {
            prepare(&app, state, &address(state, number)).await;
        }
    }
    // The pauses between mails are over.
    app.advance(2000);
    for (number, Question { target, body }) in questions.iter().enumerate() {
        let mut answers = Vec::new();
        for state in STATES {
            let (email, mut body) = (address(state, number), body.clone());
            body["email"] = json!(email);
            // The second request may be refused by a limit, and that must not tell anything either.
            for _ in 0..2 {
                let answer = app.post(target, body.clone()).await;
                answers.push((state, seen(&answer, &email)));
            }
        }
        let (first, second) = (&answers[0].1.clone(), &answers[1].1.clone());
        for (index, (state, answer)) in answers.iter().enumerate() {
            let expected = if index % 2 == 0 { first } else { second };
            assert_eq!(answer, expected, "{target} {body} {state}");
        }
        assert!(first.0 < 500, "{target}: {first:?}");
    }
}

/// What a user sees who asks to move to an address in a state, again and again, and tries to confirm the change.
async fn seen_by_mover(state: &str) -> Vec<(u16, BTreeMap<String, String>, String)> {
    const EVE: &str = "eve@example.com";
    let app = TestApp::with(|config| {
        config.rate_limit.email_sent = Rate::PerHour(1000);
        config.jwt.exp = SignedDuration::from_hours(24);
    })
    .await;
    let target = address(state, 0);
    prepare(&app, state, &target).await;
    app.confirmed(EVE).await;
    let session = app.sign_in(EVE, PASSWORD).await.ok();
    let token = session["access_token"].as_str().unwrap();
    let (change, resend) = (
        json!({ "email": target }),
        json!({ "type": "email_change", "email": EVE }),
    );
    let mut answers = Vec::new();
    app.advance(2000);
    for _ in 0..2 {
        // The second time each is refused by a limit.
        for _ in 0..2 {
            answers.push(app.put_as(token, "/user", change.clone()).await);
            answers.push(app.get_as(token, "/user").await);
        }
        app.mailbox.next_to(EVE).await;
        app.advance(900);
        for _ in 0..2 {
            answers.push(app.post("/resend", resend.clone()).await);
            answers.push(app.get_as(token, "/user").await);
        }
        app.advance(900);
        let other = json!({ "email": "elsewhere@example.com" });
        answers.push(app.put_as(token, "/user", other).await);
        app.mailbox.next_to(EVE).await;
        app.mailbox.next_to(EVE).await;
        app.advance(900);
    }
    answers.push(app.put_as(token, "/user", change).await);
    let half = app.mailbox.next_to(EVE).await;
    let guess = json!({ "type": "email_change", "email": target, "token": "000000" });
    for _ in 0..6 {
        answers.push(app.post("/verify", guess.clone()).await);
    }
    let link = json!({ "type": "email_change", "token_hash": "x".repeat(43) });
    answers.push(app.post("/verify", link).await);
    let current = json!({ "type": "email_change", "token_hash": half.token() });
    for _ in 0..2 {
        answers.push(app.post("/verify", current.clone()).await);
        answers.push(app.get_as(token, "/user").await);
    }
    answers.iter().map(|answer| seen(answer, &target)).collect()
}

#[tokio::test]
async fn no_change_of_address_tells_whether_the_new_one_has_an_account() {
    let expected = seen_by_mover("unknown").await;
    let statuses: Vec<u16> = expected.iter().map(|(status, ..)| *status).collect();
    assert_eq!(statuses[..8], [200, 200, 429, 200, 200, 200, 429, 200]);
    assert_eq!(statuses[statuses.len() - 4..], [200, 200, 403, 200]);
    let others = join_all(STATES.map(seen_by_mover)).await;
    for (state, seen) in STATES.iter().zip(others) {
        assert_eq!(seen, expected, "{state}");
    }
}

/// Spellings of one address are one address; those that only look alike belong to nobody, and say no more.
#[tokio::test]
async fn no_spelling_of_an_address_tells_more() {
    let app = TestApp::start().await;
    app.confirmed("settled@example.com").await;
    let mut answers = Vec::new();
    for email in [
        "settled@example.com",
        "SETTLED@example.com",
        "nobodys@example.com",
        "NOBODYS@EXAMPLE.com",
    ] {
        app.advance(2000);
        let body = json!({ "email": email, "password": PASSWORD.to_uppercase() });
        let answer = app.post("/token?grant_type=password", body.clone()).await;
        answers.push(seen(&answer, email));
        let body = json!({ "email": email });
        let answer = app.post("/recover", body).await;
        answers.push(seen(&answer, email));
    }
    for pair in answers.chunks(2) {
        assert_eq!(pair, &answers[..2]);
    }
}
