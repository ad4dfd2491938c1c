//! Links that only the client that requested them can use.

use futures_util::future::join_all;
use innkeeper_auth::config::Profile;
use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::mail_flows::{methods_of, target_of, without_pauses};
use crate::support::mailbox::ReceivedMail;
use crate::support::{Answer, TestApp};

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Returns the body with a challenge.
fn challenging(mut body: Value) -> Value {
    body["code_challenge"] = json!(CHALLENGE);
    body["code_challenge_method"] = json!("s256");
    body
}

async fn ask(app: &TestApp, target: &str, body: Value) -> ReceivedMail {
    let email = body["email"].as_str().unwrap().to_owned();
    app.post(target, challenging(body)).await.ok();
    app.mailbox.next_to(&email).await
}

async fn exchange(app: &TestApp, code: &str, verifier: &str) -> Answer {
    let body = json!({ "auth_code": code, "code_verifier": verifier });
    app.post("/token?grant_type=pkce", body).await
}

/// Follows a link, exchanges its code, and returns the session's authentication methods.
async fn opened_by(app: &TestApp, mail: &ReceivedMail) -> Vec<String> {
    let code = app.follow(mail).await.query()["code"].clone();
    let session = exchange(app, &code, VERIFIER).await.ok();
    methods_of(session["access_token"].as_str().unwrap())
}

#[tokio::test]
async fn every_kind_of_link_ends_in_a_code_for_its_client() {
    let app = TestApp::with(without_pauses).await;
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    let mail = ask(&app, "/signup", body).await;
    assert!(mail.token().starts_with("pkce_"));
    assert_eq!(opened_by(&app, &mail).await, ["email/signup"]);
    app.sign_in("ada@example.com", "correct horse").await.ok();

    for (target, body, method) in [
        ("/otp", json!({ "email": "ada@example.com" }), "magiclink"),
        (
            "/magiclink",
            json!({ "email": "ada@example.com" }),
            "magiclink",
        ),
        (
            "/recover",
            json!({ "email": "ada@example.com" }),
            "recovery",
        ),
        (
            "/otp",
            json!({ "email": "bob@example.com" }),
            "email/signup",
        ),
    ] {
        let mail = ask(&app, target, body).await;
        assert_eq!(opened_by(&app, &mail).await, [method], "{target}");
    }

    let body = json!({ "email": "eve@example.com", "password": "correct horse" });
    app.post("/signup", body).await.ok();
    app.mailbox.next_to("eve@example.com").await;
    let body = json!({ "type": "signup", "email": "eve@example.com" });
    let mail = ask(&app, "/resend", body).await;
    assert_eq!(opened_by(&app, &mail).await, ["email/signup"]);
}

#[tokio::test]
async fn a_change_of_address_ends_in_a_code_when_both_have_agreed() {
    let app = TestApp::with(without_pauses).await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let access_token = session["access_token"].as_str().unwrap();
    let body = challenging(json!({ "email": "new@example.com" }));
    app.put_as(access_token, "/user", body).await.ok();
    let to_old = app.mailbox.next_to("ada@example.com").await;
    let to_new = app.mailbox.next_to("new@example.com").await;
    let half = app.follow(&to_old).await;
    assert!(half.query()["message"].contains("other email"));
    assert_eq!(half.query()["message"], half.said("message"));
    assert!(!half.query().contains_key("code"));
    assert_eq!(opened_by(&app, &to_new).await, ["email_change"]);
    assert_eq!(app.accounts("new@example.com").await, 1);
}

#[tokio::test]
async fn the_code_joins_the_query_of_the_page_and_nothing_else_is_told() {
    let app = TestApp::start().await;
    let page = "http://localhost:3000/in?room=7&code=old#top";
    let body = challenging(json!({ "email": "ada@example.com" }));
    let headers = [("redirect_to", page)];
    app.send(Method::POST, "/otp", &headers, Some(&body))
        .await
        .ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    let answer = app.follow(&mail).await;
    let code = answer.query()["code"].clone();
    assert_eq!(
        answer.location(),
        format!("http://localhost:3000/in?room=7&code={code}#top")
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    // The link no longer works, and the code is still valid.
    app.follow(&mail).await.sent_back_with("otp_expired");
    let session = exchange(&app, &code, VERIFIER).await.ok();
    assert_eq!(session["user"]["email"], "ada@example.com");
}

#[tokio::test]
async fn a_link_may_be_followed_late_and_its_code_is_exchanged_soon() {
    for (wait, status) in [(280, 200), (301, 422)] {
        let app = TestApp::start().await;
        let body = json!({ "email": "ada@example.com", "password": "correct horse" });
        let mail = ask(&app, "/signup", body).await;
        app.advance(3000);
        let code = app.follow(&mail).await.query()["code"].clone();
        app.advance(wait);
        let answer = exchange(&app, &code, VERIFIER).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        if status == 422 {
            answer.refused(422, "flow_state_expired");
        }
    }
}

#[tokio::test]
async fn how_long_a_code_waits_is_a_setting() {
    let app = TestApp::with(|config| {
        config.external.flow_state_expiry_duration = jiff::SignedDuration::from_mins(20);
    })
    .await;
    let mail = ask(&app, "/otp", json!({ "email": "ada@example.com" })).await;
    let code = app.follow(&mail).await.query()["code"].clone();
    app.advance(15 * 60);
    exchange(&app, &code, VERIFIER).await.ok();
}

#[tokio::test]
async fn whoever_reads_the_mail_gets_no_session_from_the_link() {
    let app = TestApp::with(without_pauses).await;
    app.confirmed("ada@example.com").await;
    let mail = ask(&app, "/otp", json!({ "email": "ada@example.com" })).await;
    for member in ["token_hash", "token"] {
        let body = json!({ "type": "email", member: mail.token() });
        app.post("/verify", body)
            .await
            .refused(400, "validation_failed");
    }
    // The link was not used up.
    let code = app.follow(&mail).await.query()["code"].clone();
    exchange(&app, &code, VERIFIER).await.ok();
}

#[tokio::test]
async fn in_gotrue_an_app_that_has_the_link_or_the_code_needs_no_exchange() {
    let app = TestApp::with(|config| {
        without_pauses(config);
        config.profile = Profile::Gotrue;
    })
    .await;
    for (email, target) in [("ada@example.com", "/otp"), ("ada@example.com", "/recover")] {
        app.confirmed(email).await;
        let mail = ask(&app, target, json!({ "email": email })).await;
        let bare = mail.token().strip_prefix("pkce_").unwrap().to_owned();
        app.verify_link("email", &bare)
            .await
            .refused(403, "otp_expired");
        let session = app.verify_link("email", &mail.token()).await.ok();
        assert_eq!(
            methods_of(session["access_token"].as_str().unwrap()),
            ["otp"]
        );
        let mail = ask(&app, target, json!({ "email": email })).await;
        let session = app.verify_code("email", email, &mail.code()).await.ok();
        assert_eq!(
            methods_of(session["access_token"].as_str().unwrap()),
            ["otp"]
        );
        app.sql()
            .await
            .execute("delete from users", &[])
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn the_code_is_stored_as_a_hash_and_the_hash_is_no_code() {
    let app = TestApp::start().await;
    let mail = ask(&app, "/otp", json!({ "email": "ada@example.com" })).await;
    let code = app.follow(&mail).await.query()["code"].clone();
    app.assert_no_row_holds(&code).await;
    app.assert_no_row_holds(&code.replace('-', "")).await;
    let row = app
        .sql()
        .await
        .query_one("select auth_code from flow_state", &[])
        .await;
    let stored: String = row.unwrap().get(0);
    assert_eq!(stored.len(), 64);
    exchange(&app, &stored, VERIFIER)
        .await
        .refused(404, "flow_state_not_found");
    exchange(&app, &code, VERIFIER).await.ok();
    let row = app
        .sql()
        .await
        .query_one("select count(*) from flow_state", &[])
        .await;
    assert_eq!(row.unwrap().get::<_, i64>(0), 0);
}

#[tokio::test]
async fn a_wrong_verifier_is_refused_and_the_right_one_works_after() {
    let app = TestApp::start().await;
    let mail = ask(&app, "/otp", json!({ "email": "ada@example.com" })).await;
    let code = app.follow(&mail).await.query()["code"].clone();
    exchange(&app, &code, CHALLENGE)
        .await
        .refused(400, "bad_code_verifier");
    exchange(&app, &code, "")
        .await
        .refused(400, "validation_failed");
    exchange(&app, "", VERIFIER)
        .await
        .refused(400, "validation_failed");
    exchange(&app, "unknown", VERIFIER)
        .await
        .refused(404, "flow_state_not_found");
    exchange(&app, &code, VERIFIER).await.ok();
}

#[tokio::test]
async fn of_fifty_exchanges_at_once_exactly_one_succeeds() {
    let app = TestApp::start().await;
    let mail = ask(&app, "/otp", json!({ "email": "ada@example.com" })).await;
    let answers = join_all((0..50).map(|_| app.follow(&mail))).await;
    let codes: Vec<String> = answers
        .iter()
        .filter_map(|answer| answer.query().get("code").cloned())
        .collect();
    assert_eq!(codes.len(), 1);
    let answers = join_all((0..50).map(|_| exchange(&app, &codes[0], VERIFIER))).await;
    assert_eq!(
        answers.iter().filter(|answer| answer.status == 200).count(),
        1
    );
    assert!(
        answers
            .iter()
            .all(|answer| [200, 404].contains(&answer.status))
    );
}

#[tokio::test]
async fn both_methods_work_in_any_case() {
    let app = TestApp::with(without_pauses).await;
    for (challenge, method) in [
        (CHALLENGE, "s256"),
        (CHALLENGE, "S256"),
        (VERIFIER, "plain"),
        (VERIFIER, "PLAIN"),
    ] {
        let body = json!({
            "email": "ada@example.com",
            "code_challenge": challenge,
            "code_challenge_method": method,
        });
        app.post("/otp", body).await.ok();
        let mail = app.mailbox.next_to("ada@example.com").await;
        let code = app.follow(&mail).await.query()["code"].clone();
        exchange(&app, &code, VERIFIER).await.ok();
    }
}

#[tokio::test]
async fn a_broken_challenge_is_refused_everywhere() {
    let app = TestApp::start().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let access_token = session["access_token"].as_str().unwrap();
    let odd = "é".repeat(30);
    for (challenge, method) in [
        (json!(CHALLENGE), json!("md5")),
        (json!(CHALLENGE), json!("S 256")),
        (json!(CHALLENGE), json!(null)),
        (json!(null), json!("s256")),
        (json!("short"), json!("s256")),
        (json!("x".repeat(129)), json!("plain")),
        (json!(odd), json!("plain")),
    ] {
        for (target, mut body) in [
            (
                "/signup",
                json!({ "email": "bob@example.com", "password": "correct horse" }),
            ),
            ("/otp", json!({ "email": "ada@example.com" })),
            ("/magiclink", json!({ "email": "ada@example.com" })),
            ("/recover", json!({ "email": "ada@example.com" })),
            (
                "/resend",
                json!({ "email": "ada@example.com", "type": "signup" }),
            ),
            (
                "/resend",
                json!({ "email": "ada@example.com", "type": "email_change" }),
            ),
        ] {
            body["code_challenge"] = challenge.clone();
            body["code_challenge_method"] = method.clone();
            app.post(target, body)
                .await
                .refused(400, "validation_failed");
        }
        let body = json!({
            "email": "new@example.com",
            "code_challenge": challenge,
            "code_challenge_method": method,
        });
        app.put_as(access_token, "/user", body)
            .await
            .refused(400, "validation_failed");
    }
    // Null and the empty string count as absent.
    let body =
        json!({ "email": "ada@example.com", "code_challenge": null, "code_challenge_method": "" });
    app.post("/otp", body).await.ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    assert!(!mail.token().starts_with("pkce_"));
}

#[tokio::test]
async fn the_newest_link_belongs_to_the_newest_challenge() {
    let app = TestApp::with(without_pauses).await;
    app.confirmed("ada@example.com").await;
    let former = ask(&app, "/otp", json!({ "email": "ada@example.com" })).await;
    // Another device makes a request with its own challenge.
    let body = json!({
        "email": "ada@example.com",
        "code_challenge": VERIFIER,
        "code_challenge_method": "plain",
    });
    app.post("/recover", body).await.ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    app.follow(&former).await.sent_back_with("otp_expired");
    let target = target_of(&mail.link()).replace("type=recovery", "type=email");
    let code = app.get(&target).await.query()["code"].clone();
    let session = exchange(&app, &code, VERIFIER).await.ok();
    assert_eq!(
        methods_of(session["access_token"].as_str().unwrap()),
        ["recovery"]
    );
}

#[tokio::test]
async fn exchanges_that_cannot_end_any_more_are_forgotten() {
    let app = TestApp::with(without_pauses).await;
    app.confirmed("ada@example.com").await;
    for target in ["/otp", "/recover", "/magiclink", "/otp"] {
        ask(&app, target, json!({ "email": "ada@example.com" })).await;
    }
    let row = app
        .sql()
        .await
        .query_one("select count(*) from flow_state", &[])
        .await;
    assert_eq!(row.unwrap().get::<_, i64>(0), 1);
}
