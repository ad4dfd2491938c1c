//! Hooks whose responses are late, too large, malformed or missing.

use std::time::Duration;

use innkeeper_auth::config::{Config, HookKind, HookTarget};
use innkeeper_rest::Method;
use innkeeper_service::testing::HeldPort;
use serde_json::{Value, json};

use crate::support::hook::{Receiver, Reply, SECRET, patient};
use crate::support::log::Log;
use crate::support::profile::gotrue;
use crate::support::{API_VERSION_2024, Answer, TestApp};

const KIND: HookKind = HookKind::BeforeUserCreated;

async fn start(receiver: &Receiver, change: impl FnOnce(&mut Config)) -> TestApp {
    TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        receiver.configure(config, KIND);
        change(config);
    })
    .await
}

async fn sign_up(app: &TestApp, headers: &[(&str, &str)]) -> Answer {
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    app.send(Method::POST, "/signup", headers, Some(&body))
        .await
}

/// Asserts that a sign-up is refused like this in both formats, and creates no account.
async fn refused(app: &TestApp, status: u16, code: &str, message: &str) {
    let mut body = sign_up(app, &[]).await.refused(status, code);
    body.as_object_mut().unwrap().remove("error_id");
    let expected = json!({ "code": status, "error_code": code, "msg": message });
    assert_eq!(body, expected);
    let answer = sign_up(app, &[API_VERSION_2024]).await;
    assert_eq!(answer.header(API_VERSION_2024.0), Some(API_VERSION_2024.1));
    let body = answer.refused(status, code);
    assert_eq!(body, json!({ "code": code, "message": message }));
    assert_eq!(app.accounts("ada@example.com").await, 0);
}

fn with_type(content_type: &str, body: &str) -> Reply {
    let header = format!("content-type: {content_type}\r\n");
    Reply::Raw(200, header, body.to_owned())
}

/// Asserts that each of these replies is refused like this, after one call.
async fn each_is_refused(answers: Vec<(Reply, u16, &str, &str)>) {
    let receiver = Receiver::content().await;
    let app = start(&receiver, |_| {}).await;
    for (reply, status, code, message) in answers {
        let before = receiver.count();
        receiver.answer(move |_| reply.clone());
        refused(&app, status, code, message).await;
        // One call for each of the two sign-ups: no retry, and no redirect followed.
        assert_eq!(receiver.count(), before + 2, "{message}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_json_or_too_long_has_its_code() {
    let not_json = "hook_payload_invalid_content_type";
    let prefix = "Invalid JSON response. Received content-type:";
    let html = format!("{prefix} text/html");
    let none = format!("{prefix} none");
    let broken = format!("{prefix} application/json, but the body is not JSON");
    let huge = format!("{{\"padding\":\"{}\"}}", "x".repeat(201 * 1024));
    each_is_refused(vec![
        (with_type("text/html", "<p>Hello</p>"), 400, not_json, &html),
        (
            Reply::Raw(200, String::new(), "{}".to_owned()),
            400,
            not_json,
            &none,
        ),
        (Reply::text("{\"error\": "), 400, not_json, &broken),
        (
            Reply::text("[]"),
            500,
            "unexpected_failure",
            "The hook gave an answer that cannot be used: it is not an object",
        ),
        (
            Reply::text(&huge),
            422,
            "hook_payload_over_size_limit",
            "Payload size exceeded size limit of 204800 bytes",
        ),
    ])
    .await;
}

#[tokio::test]
async fn an_answer_with_another_status_is_a_failure_and_a_redirect_is_not_followed() {
    let elsewhere = "location: /elsewhere\r\ncontent-type: application/json\r\n".to_owned();
    let failed = "unexpected_failure";
    let unexpected = |status| format!("Unexpected status code returned from hook: {status}");
    let (moved, missing) = (unexpected(302), unexpected(404));
    each_is_refused(vec![
        (
            Reply::Raw(302, elsewhere, "{}".to_owned()),
            500,
            failed,
            &moved,
        ),
        (
            Reply::status(400),
            500,
            failed,
            "Invalid payload sent to hook",
        ),
        (
            Reply::status(401),
            500,
            failed,
            "Hook requires authorization token",
        ),
        (Reply::status(404), 500, failed, &missing),
        (
            Reply::status(429),
            500,
            failed,
            "Service currently unavailable due to hook",
        ),
    ])
    .await;
}

#[tokio::test]
async fn what_the_application_says_is_told_with_the_status_of_a_failure() {
    let receiver = Receiver::content().await;
    let app = start(&receiver, |_| {}).await;
    for (http_code, status, code) in [
        (json!(418), 418, "unknown"),
        (json!(429), 429, "unknown"),
        (json!(503), 503, "unknown"),
        (json!(500), 500, "unexpected_failure"),
        (json!(null), 500, "unexpected_failure"),
        (json!(200), 500, "unexpected_failure"),
        (json!(302), 500, "unexpected_failure"),
        (json!(-1), 500, "unexpected_failure"),
        (json!(1e300), 500, "unexpected_failure"),
    ] {
        let error = json!({ "http_code": http_code, "message": "Not today" });
        receiver.answer(move |_| Reply::Json(json!({ "error": error })));
        refused(&app, status, code, "Not today").await;
    }
    for odd in [
        json!("no"),
        json!({ "http_code": "403", "message": "no" }),
        json!({ "message": 7 }),
    ] {
        receiver.answer(move |_| Reply::Json(json!({ "error": odd })));
        let message = "The hook gave an answer that cannot be used: \
                       `error` needs a number `http_code` and a text `message`";
        refused(&app, 500, "unexpected_failure", message).await;
    }
    // An error without a message does not count as an error.
    receiver.answer(|_| Reply::Json(json!({ "error": { "http_code": 403, "message": "" } })));
    sign_up(&app, &[]).await.ok();
}

#[tokio::test]
async fn good_answers_have_one_of_three_statuses() {
    let accepted = "content-type: Application/JSON;charset=utf-8\r\n".to_owned();
    for reply in [
        Reply::Json(json!({})),
        Reply::Json(Value::Null),
        Reply::Raw(202, accepted, "{}".to_owned()),
        Reply::status(204),
    ] {
        let receiver = Receiver::start(move |_| reply.clone()).await;
        let app = start(&receiver, |_| {}).await;
        sign_up(&app, &[]).await.ok();
    }
}

#[tokio::test]
async fn a_hook_that_does_not_answer_in_time_is_given_up() {
    let log = Log::capture();
    let receiver = Receiver::start(|_| Reply::Silence).await;
    let app = start(&receiver, |config| {
        config.hooks.timeout = Duration::from_millis(100);
    })
    .await;
    let message = "Failed to reach hook within maximum time of 0.1 seconds";
    refused(&app, 422, "hook_timeout", message).await;
    let text = log.text();
    let line = text.lines().find(|line| line.contains("a hook failed"));
    let line = line.expect("a line in the log");
    assert!(line.contains("before-user-created"), "{line}");
    assert!(!line.contains("127.0.0.1") && !text.contains(SECRET));
}

#[tokio::test]
async fn a_connection_that_is_cut_is_tried_three_times_with_one_id() {
    let receiver = Receiver::start(|_| Reply::Cut).await;
    let app = start(&receiver, |_| {}).await;
    let answer = sign_up(&app, &[]).await;
    answer.refused(422, "hook_timeout_after_retry");
    assert_eq!(receiver.count(), 3);
    let ids = [
        receiver.next().await.id,
        receiver.next().await.id,
        receiver.next().await.id,
    ];
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    let message = "Failed to reach hook after maximum retries";
    refused(&app, 422, "hook_timeout_after_retry", message).await;
}

#[tokio::test]
async fn a_hook_that_nobody_answers_for_is_given_up() {
    let nobody = HeldPort::take().unwrap();
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        let secret = format!("v1,whsec_{SECRET}");
        let uri = format!("http://{}/hook?key=hunter2", nobody.address());
        let target = HookTarget::parse(&uri, Some(&secret)).unwrap();
        config.hooks.targets.insert(KIND, target);
        patient(config);
    })
    .await;
    let log = Log::capture();
    let message = "Failed to reach hook after maximum retries";
    refused(&app, 422, "hook_timeout_after_retry", message).await;
    assert!(!log.text().contains("hunter2"), "{}", log.text());
}

#[tokio::test]
async fn a_hook_that_asks_for_a_pause_is_asked_again() {
    let busy = std::sync::atomic::AtomicUsize::new(0);
    let receiver =
        Receiver::start(
            move |_| match busy.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
                0 => Reply::Raw(503, "retry-after: 0\r\n".to_owned(), String::new()),
                1 => {
                    let date = "retry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
                    Reply::Raw(429, date.to_owned(), String::new())
                }
                _ => Reply::status(204),
            },
        )
        .await;
    let app = start(&receiver, |_| {}).await;
    sign_up(&app, &[]).await.ok();
    assert_eq!(receiver.count(), 3);

    let later = "retry-after: 0\r\n".to_owned();
    receiver.answer(move |_| Reply::Raw(503, later.clone(), String::new()));
    let body = json!({ "email": "ben@example.com", "password": "correct horse" });
    let answer = app.post("/signup", body.clone()).await;
    answer.refused(500, "unexpected_failure");
    assert_eq!(receiver.count(), 6);

    // A retry after an hour is too late: the server gives up immediately.
    let later = "retry-after: 3600\r\n".to_owned();
    receiver.answer(move |_| Reply::Raw(503, later.clone(), String::new()));
    let answer = app.post("/signup", body).await;
    answer.refused(500, "unexpected_failure");
    assert_eq!(receiver.count(), 7);
}

#[tokio::test]
async fn several_secrets_sign_so_that_they_can_be_changed() {
    for (is_gotrue, separator) in [(false, " "), (true, ", ")] {
        let receiver = Receiver::content().await;
        let app = start(&receiver, |config| {
            if is_gotrue {
                gotrue(config);
                config.mailer.autoconfirm = true;
                receiver.configure(config, KIND);
            }
            let Some(HookTarget::Http { url, .. }) = config.hooks.targets.get(&KIND) else {
                panic!("no hook");
            };
            let other = "v1,whsec_aWxpa2VzdXBhYmFzZXZlcnltdWNoYW5kaWhvcGV5b3Vkb3Rvbw==";
            let secrets = format!("{other}|v1,whsec_{SECRET}");
            let target = HookTarget::parse(url.as_str(), Some(&secrets)).unwrap();
            config.hooks.targets.insert(KIND, target);
        })
        .await;
        sign_up(&app, &[]).await.ok();
        let call = receiver.next().await;
        let parts: Vec<&str> = call.signature.split(separator).collect();
        assert_eq!(parts.len(), 2, "{}", call.signature);
        assert!(
            parts
                .iter()
                .all(|part| part.starts_with("v1,") && part.ends_with('='))
        );
    }
}
