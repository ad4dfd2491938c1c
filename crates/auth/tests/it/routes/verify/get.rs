//! `GET /verify`: redirect targets.

use innkeeper_rest::Method;
use serde_json::json;
use url::Url;

use super::FLOWS;
use crate::support::mail_flows::{methods_of, target_of, without_pauses};
use crate::support::tokens::text;
use crate::support::{API_VERSION_2024, Answer, TestApp};

#[tokio::test]
async fn a_link_ends_on_the_site_with_the_tokens_in_the_fragment() {
    let app = TestApp::start().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let answer = app.follow(&mail).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    assert!(
        answer
            .location()
            .starts_with("http://localhost:3000#access_token=")
    );
    let names: Vec<String> = answer
        .fragment()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        names,
        [
            "access_token",
            "expires_at",
            "expires_in",
            "refresh_token",
            "sb",
            "token_type",
            "type"
        ]
    );
    assert_eq!(answer.said("sb"), "");
    assert_eq!(answer.said("expires_in"), "3600");
    assert_eq!(answer.said("token_type"), "bearer");
    assert_eq!(answer.said("type"), "signup");
    let expires_at: i64 = answer.said("expires_at").parse().unwrap();
    assert!((expires_at - 3600 - app.clock.now().as_second()).abs() <= 5);
    let access_token = answer.said("access_token");
    assert_eq!(methods_of(&access_token), ["otp"]);
    let user = app.get_as(&access_token, "/user").await.ok();
    assert!(user["email_confirmed_at"].is_string());
    app.refresh(&answer.said("refresh_token")).await.ok();
}

/// Asserts that the browser lands on the site, with a session of this type in the fragment.
#[track_caller]
fn assert_session(answer: &Answer, kind: &str, case: &str) {
    let page = Url::parse(answer.landing()).unwrap();
    assert_eq!(page.as_str(), "http://localhost:3000/", "{case}");
    for name in ["access_token", "refresh_token"] {
        assert_ne!(answer.said(name), "", "{case}: {name}");
    }
    assert_eq!(answer.said("expires_in"), "3600", "{case}");
    assert_eq!(answer.said("token_type"), "bearer", "{case}");
    assert_eq!(answer.said("type"), kind, "{case}");
}

#[tokio::test]
async fn the_redirect_names_the_type_so_that_a_page_can_branch_on_it() {
    let app = TestApp::with(without_pauses).await;
    for (number, flow) in FLOWS.iter().enumerate() {
        let email = format!("own-{number}@example.com");
        let mail = flow.mail(&app, &email).await;
        let link = mail.link();
        let (_, own) = link.query_pairs().find(|(name, _)| name == "type").unwrap();
        assert_session(&app.follow(&mail).await, &own, flow.name);
        for (kind, resolved) in flow.good_for {
            let email = format!("{kind}-{number}@example.com");
            let mail = flow.mail(&app, &email).await;
            let answer = app.open(Method::GET, kind, &mail.token()).await;
            assert_session(&answer, resolved, &format!("{} as {kind}", flow.name));
        }
    }
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let body = json!({ "email": "new@example.com" });
    app.put_as(&text(&session, "access_token"), "/user", body)
        .await
        .ok();
    let old = app.mailbox.next_to("ada@example.com").await;
    let new = app.mailbox.next_to("new@example.com").await;
    app.open(Method::GET, "email_change", &old.token()).await;
    let answer = app.open(Method::GET, "email_change", &new.token()).await;
    assert_session(&answer, "email_change", "email_change");
}

#[tokio::test]
async fn a_bad_link_is_told_to_the_page_in_the_fragment() {
    let app = TestApp::start().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let expected = "error=access_denied&error_code=otp_expired\
                    &error_description=Email+link+is+invalid+or+has+expired&sb=";
    for (kind, token) in [
        ("signup", "forged"),
        ("signup", "AwvTqWDoOTPhM5CE0IoVb0S6cQ2fFUT6Q7kq3PyZsFU"),
        (
            "signup",
            "d63dc919e201d7bc4c825630d2cf25fdc93d4b2f0d46706d29038d01",
        ),
        ("recovery", &mail.token()),
        ("magiclink", &mail.token()),
        ("email_change", &mail.token()),
    ] {
        let answer = app.open(Method::GET, kind, token).await;
        assert_eq!(
            answer.location(),
            format!("http://localhost:3000#{expected}")
        );
    }
    app.follow(&mail).await;
    assert_eq!(
        app.follow(&mail).await.location(),
        format!("http://localhost:3000#{expected}"),
        "used twice"
    );
}

#[tokio::test]
async fn a_bad_link_of_a_code_exchange_is_told_in_the_query_too() {
    let app = TestApp::start().await;
    for kind in ["signup", "recovery", "email", "nonsense", "sms"] {
        let answer = app.open(Method::GET, kind, "pkce_forged").await;
        let query = answer.query();
        assert_eq!(query["error_code"], answer.said("error_code"), "{kind}");
        assert_eq!(query["error"], answer.said("error"), "{kind}");
        assert_eq!(query["error_description"], answer.said("error_description"));
        assert!(!query.contains_key("sb"));
    }
}

#[tokio::test]
async fn an_odd_type_is_an_error_on_the_page_and_never_a_failure() {
    let app = TestApp::start().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    for token in [
        mail.token(),
        format!("pkce_{}", mail.token()),
        "x".to_owned(),
    ] {
        for kind in [
            "nonsense",
            "sms",
            "phone_change",
            "SIGNUP",
            "%00",
            "reauthentication",
        ] {
            let answer = app.open(Method::GET, kind, &token).await;
            answer.sent_back_with("validation_failed");
            assert_eq!(answer.said("error"), "invalid_request");
        }
    }
    assert_ne!(app.follow(&mail).await.said("access_token"), "");
}

#[tokio::test]
async fn without_type_or_token_there_is_no_redirect() {
    let app = TestApp::start().await;
    for (target, message) in [
        ("/verify", "Verify requires a verification type"),
        ("/verify?token=abc", "Verify requires a verification type"),
        (
            "/verify?token=abc&type=",
            "Verify requires a verification type",
        ),
        (
            "/verify?type=signup",
            "Verify requires a token or a token hash",
        ),
        (
            "/verify?type=signup&token=",
            "Verify requires a token or a token hash",
        ),
        (
            "/verify?type=signup&token_hash=abc",
            "Verify requires a token or a token hash",
        ),
    ] {
        let body = app.get(target).await.refused(400, "validation_failed");
        assert_eq!(body["code"], 400, "{target}");
        assert_eq!(body["msg"], message, "{target}");
        let dated = app
            .send(Method::GET, target, &[API_VERSION_2024], None)
            .await;
        assert_eq!(dated.refused(400, "validation_failed")["message"], message);
    }
}

#[tokio::test]
async fn a_banned_user_is_sent_back_without_tokens() {
    let app = TestApp::start().await;
    let user = app.confirmed("ada@example.com").await;
    let mail = app.mail_of("/recover", "ada@example.com").await;
    let path = format!("/admin/users/{}", user["id"].as_str().unwrap());
    let ban = json!({ "ban_duration": "24h" });
    app.put_as(&app.service_key(), &path, ban).await.ok();
    let answer = app.follow(&mail).await;
    answer.sent_back_with("user_banned");
    assert_eq!(answer.said("error"), "access_denied");
}

#[tokio::test]
async fn head_looks_and_uses_nothing_up() {
    for confirmation_page in [false, true] {
        let app = TestApp::with(|config| config.mailer.confirmation_page = confirmation_page).await;
        let mail = app.mail_of_signup("ada@example.com").await;
        let target = target_of(&mail.link());
        for _ in 0..3 {
            let answer = app.send(Method::HEAD, &target, &[], None).await;
            assert_eq!((answer.status, answer.text.as_str()), (200, ""));
            assert_eq!(answer.header("location"), None);
            assert_eq!(answer.header("cache-control"), Some("no-store"));
        }
        let answer = app
            .send(Method::HEAD, "/verify?type=signup", &[], None)
            .await;
        assert_eq!(answer.status, 400);
        app.verify_link("signup", &mail.token()).await.ok();
    }
}

#[tokio::test]
async fn what_stands_in_the_address_of_the_page_stays_except_for_its_fragment() {
    let app = TestApp::start().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let page = "http://localhost:3000/in%20side?room=7&a=b%26c#top";
    let encoded: String = url::form_urlencoded::byte_serialize(page.as_bytes()).collect();
    let target = format!(
        "/verify?type=signup&token={}&redirect_to={encoded}",
        mail.token()
    );
    let answer = app.get(&target).await;
    let expected = "http://localhost:3000/in%20side?room=7&a=b%26c#access_token=";
    assert!(
        answer.location().starts_with(expected),
        "{}",
        answer.location()
    );
}

#[tokio::test]
async fn the_first_of_two_addresses_is_told_to_wait_for_the_other() {
    let app = TestApp::with(without_pauses).await;
    for (old, new, first_is_new) in [
        ("ada@example.com", "lovelace@example.com", true),
        ("bob@example.com", "kahn@example.com", false),
    ] {
        let session = app.signed_up(old, "correct horse").await;
        let access_token = session["access_token"].as_str().unwrap();
        app.put_as(access_token, "/user", json!({ "email": new }))
            .await
            .ok();
        let to_old = app.mailbox.next_to(old).await;
        let to_new = app.mailbox.next_to(new).await;
        let (first, second) = if first_is_new {
            (&to_new, &to_old)
        } else {
            (&to_old, &to_new)
        };
        let half = app.follow(first).await;
        let names: Vec<String> = half.fragment().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["message", "sb"]);
        assert!(half.said("message").contains("other email"));
        app.follow(first).await.sent_back_with("otp_expired");
        let whole = app.follow(second).await;
        assert_eq!(whole.said("type"), "email_change");
        let user = app.get_as(&whole.said("access_token"), "/user").await.ok();
        assert_eq!(user["email"], new);
    }
}
