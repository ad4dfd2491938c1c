//! `POST /admin/generate_link`.

use innkeeper_auth::config::Profile;
use innkeeper_rest::Method;
use serde_json::{Value, json};
use url::Url;

use crate::support::operator::{Operator, count};
use crate::support::{Answer, TestApp};

const LINK: [&str; 5] = [
    "action_link",
    "email_otp",
    "hashed_token",
    "redirect_to",
    "verification_type",
];

async fn link(operator: &Operator<'_>, body: Value) -> Value {
    operator.post("/admin/generate_link", body).await.ok()
}

/// Opens a link as a browser does and returns the redirect target.
async fn follow(app: &TestApp, generated: &Value) -> String {
    let url = Url::parse(generated["action_link"].as_str().unwrap()).unwrap();
    let target = format!("{}?{}", url.path(), url.query().unwrap());
    let answer = app.get(&target).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    answer.header("location").unwrap().to_owned()
}

async fn use_hash(app: &TestApp, generated: &Value, kind: &str) -> Answer {
    let body = json!({ "type": kind, "token_hash": generated["hashed_token"] });
    app.post("/verify", body).await
}

async fn use_code(app: &TestApp, generated: &Value, kind: &str, email: &str) -> Answer {
    let body = json!({ "type": kind, "email": email, "token": generated["email_otp"] });
    app.post("/verify", body).await
}

async fn confirmed(app: &TestApp, email: &str) -> Value {
    let body = json!({ "email": email, "password": "correct horse", "email_confirm": true });
    app.operator().create(body).await
}

#[tokio::test]
async fn a_link_and_the_user_are_one_flat_object() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let app = TestApp::with(|config| {
            config.profile = profile;
            config.api.external_url = "http://localhost:9999".parse().unwrap();
            config.site_url = "http://localhost:9999".parse().unwrap();
        })
        .await;
        let operator = app.operator();
        let body = json!({
            "type": "signup",
            "email": "Ada@example.com",
            "password": "correct horse",
            "data": { "full_name": "Ada" },
            "redirect_to": "http://localhost:3000",
        });
        let generated = link(&operator, body).await;
        let token = generated["hashed_token"].as_str().unwrap();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        assert!(token.len() >= 43 && token.chars().all(is_plain), "{token}");
        assert_eq!(
            generated["action_link"],
            format!(
                "http://localhost:9999/verify?token={token}&type=signup&redirect_to=http://localhost:3000"
            )
        );
        assert_eq!(generated["redirect_to"], "http://localhost:3000");
        assert_eq!(generated["verification_type"], "signup");
        let code = generated["email_otp"].as_str().unwrap();
        assert!(
            code.len() == 6 && code.chars().all(|c| c.is_ascii_digit()),
            "{code}"
        );

        let mut user = generated.clone();
        for name in LINK {
            user.as_object_mut().unwrap().remove(name);
        }
        assert_eq!(user, operator.show(&user).await);
        assert_eq!(user["email"], "ada@example.com");
        assert_eq!(user["user_metadata"], json!({ "full_name": "Ada" }));
        assert_eq!(
            user["app_metadata"],
            json!({ "provider": "email", "providers": ["email"] })
        );
        assert!(user["confirmation_sent_at"].is_string());
        assert!(user.get("email_confirmed_at").is_none());
        assert_eq!(app.mailbox.count_to("ada@example.com"), 0);
    }
}

#[tokio::test]
async fn the_password_of_a_signup_counts_once_its_link_was_followed() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let early = json!({ "email": "ada@example.com", "password": "not her own" });
    app.post("/signup", early).await.ok();
    let body = json!({ "type": "signup", "email": "ada@example.com", "password": "correct horse" });
    let first = link(&operator, body.clone()).await;
    let second = link(&operator, body).await;
    assert_eq!(first["id"], second["id"]);
    app.sign_in("ada@example.com", "correct horse")
        .await
        .refused(400, "email_not_confirmed");
    let location = follow(&app, &first).await;
    assert!(
        location.contains("error_code=otp_expired"),
        "only the newest works: {location}"
    );
    let location = follow(&app, &second).await;
    assert!(location.starts_with("http://localhost:3000"), "{location}");
    assert!(
        location.contains("type=signup") && location.contains("access_token="),
        "{location}"
    );
    app.sign_in("ada@example.com", "not her own")
        .await
        .refused(400, "invalid_credentials");
    app.sign_in("ada@example.com", "correct horse").await.ok();
    let location = follow(&app, &second).await;
    assert!(
        location.contains("error_code=otp_expired"),
        "it works once: {location}"
    );
}

#[tokio::test]
async fn a_signup_needs_a_good_password_and_a_user_who_is_not_confirmed() {
    let app = TestApp::start().await;
    let operator = app.operator();
    confirmed(&app, "known@example.com").await;
    let ask = |body: Value| operator.post("/admin/generate_link", body);
    let body = json!({ "type": "signup", "email": "ada@example.com" });
    let refusal = ask(body).await.refused(400, "validation_failed");
    assert_eq!(refusal["msg"], "Signup requires a valid password");
    let body = json!({ "type": "signup", "email": "ada@example.com", "password": "short" });
    ask(body).await.refused(422, "weak_password");
    for kind in ["signup", "invite"] {
        let body =
            json!({ "type": kind, "email": "Known@example.com", "password": "correct horse" });
        ask(body).await.refused(422, "email_exists");
    }
    assert_eq!(
        count(&app.sql().await, "select count(*) from users").await,
        1
    );
}

#[tokio::test]
async fn an_invitation_opens_an_account_without_a_password() {
    let app = TestApp::with(|config| config.disable_signup = true).await;
    let operator = app.operator();
    let body = json!({ "type": "invite", "email": "ada@example.com", "data": { "team": 7 } });
    let generated = link(&operator, body).await;
    assert!(generated["invited_at"].is_string());
    assert_eq!(generated["verification_type"], "invite");
    assert_eq!(generated["user_metadata"], json!({ "team": 7 }));
    let again = link(
        &operator,
        json!({ "type": "invite", "email": "ada@example.com" }),
    )
    .await;
    assert_eq!(again["user_metadata"], json!({ "team": 7 }));
    let session = use_hash(&app, &again, "invite").await.ok();
    assert_eq!(session["type"], "invite");
    assert_eq!(session["user"]["id"], generated["id"]);
    let without = "select count(*) from users where encrypted_password is null";
    assert_eq!(count(&app.sql().await, without).await, 1);
}

#[tokio::test]
async fn a_magic_link_signs_a_known_user_in_and_an_unknown_one_up() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = confirmed(&app, "known@example.com").await;
    let body =
        json!({ "type": "magiclink", "email": "known@example.com", "data": { "ignored": 1 } });
    let generated = link(&operator, body).await;
    assert_eq!(generated["id"], user["id"]);
    assert_eq!(generated["verification_type"], "magiclink");
    assert_eq!(generated["user_metadata"], json!({}));
    assert!(generated["recovery_sent_at"].is_string());
    let session = use_code(&app, &generated, "magiclink", "known@example.com")
        .await
        .ok();
    assert_eq!(session["user"]["id"], user["id"]);
    app.sign_in("known@example.com", "correct horse").await.ok();

    let body = json!({ "type": "magiclink", "email": "new@example.com", "data": { "team": 7 } });
    let generated = link(&operator, body).await;
    assert_eq!(generated["verification_type"], "signup");
    assert_eq!(generated["user_metadata"], json!({ "team": 7 }));
    let action_link = generated["action_link"].as_str().unwrap();
    assert!(action_link.contains("&type=signup&"), "{action_link}");
    let session = use_code(&app, &generated, "signup", "new@example.com")
        .await
        .ok();
    assert_eq!(session["user"]["id"], generated["id"]);
}

#[tokio::test]
async fn a_recovery_needs_a_known_user() {
    let app = TestApp::start().await;
    let operator = app.operator();
    confirmed(&app, "known@example.com").await;
    let generated = link(
        &operator,
        json!({ "type": "recovery", "email": "known@example.com" }),
    )
    .await;
    assert_eq!(generated["verification_type"], "recovery");
    let location = follow(&app, &generated).await;
    assert!(location.contains("type=recovery"), "{location}");
    for (kind, more) in [
        ("recovery", json!({})),
        (
            "email_change_current",
            json!({ "new_email": "x@example.com" }),
        ),
        ("email_change_new", json!({ "new_email": "x@example.com" })),
    ] {
        let mut body = json!({ "type": kind, "email": "nobody@example.com" });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        operator
            .post("/admin/generate_link", body)
            .await
            .refused(404, "user_not_found");
    }
}

#[tokio::test]
async fn both_links_of_a_change_of_address_are_needed() {
    let app = TestApp::start().await;
    let operator = app.operator();
    confirmed(&app, "old@example.com").await;
    let body = |kind: &str| json!({ "type": kind, "email": "old@example.com", "new_email": "New@example.com" });
    let current = link(&operator, body("email_change_current")).await;
    assert_eq!(current["new_email"], "new@example.com");
    assert_eq!(current["verification_type"], "email_change_current");
    let new = link(&operator, body("email_change_new")).await;
    assert_eq!(new["verification_type"], "email_change_new");
    for generated in [&current, &new] {
        let action_link = generated["action_link"].as_str().unwrap();
        assert!(action_link.contains("&type=email_change&"), "{action_link}");
    }
    let half = use_code(&app, &new, "email_change", "new@example.com")
        .await
        .ok();
    assert!(half.get("access_token").is_none(), "{half}");
    assert_eq!(operator.show(&new).await["email"], "old@example.com");
    let session = use_hash(&app, &current, "email_change").await.ok();
    assert_eq!(session["user"]["email"], "new@example.com");
    assert!(session["user"].get("new_email").is_none());
    app.sign_in("new@example.com", "correct horse").await.ok();
}

#[tokio::test]
async fn without_secure_changes_the_link_to_the_new_address_is_enough() {
    let app = TestApp::with(|config| config.mailer.secure_email_change_enabled = false).await;
    let operator = app.operator();
    confirmed(&app, "old@example.com").await;
    let body = |kind: &str| json!({ "type": kind, "email": "old@example.com", "new_email": "new@example.com" });
    let refusal = operator
        .post("/admin/generate_link", body("email_change_current"))
        .await;
    let refusal = refusal.refused(400, "validation_failed");
    let words = "Enable secure email change to generate link for current email";
    assert_eq!(refusal["msg"], words);
    let generated = link(&operator, body("email_change_new")).await;
    let session = use_hash(&app, &generated, "email_change").await.ok();
    assert_eq!(session["user"]["email"], "new@example.com");
}

#[tokio::test]
async fn a_change_of_address_needs_a_new_one_that_is_free() {
    let app = TestApp::start().await;
    let operator = app.operator();
    confirmed(&app, "ada@example.com").await;
    confirmed(&app, "bea@example.com").await;
    for kind in ["email_change_current", "email_change_new"] {
        for (new_email, status, code) in [
            (json!(null), 400, "validation_failed"),
            (json!(""), 400, "validation_failed"),
            (json!("xx:;x@x.x"), 400, "validation_failed"),
            (json!("Bea@example.com"), 422, "email_exists"),
        ] {
            let body = json!({ "type": kind, "email": "ada@example.com", "new_email": new_email });
            let answer = operator.post("/admin/generate_link", body).await;
            answer.refused(status, code);
        }
    }
}

#[tokio::test]
async fn other_kinds_of_links_do_not_exist() {
    let app = TestApp::start().await;
    for kind in [
        json!("email_change"),
        json!("reauthentication"),
        json!("sms"),
        json!(""),
        json!(null),
        json!("Signup"),
    ] {
        let body = json!({ "type": kind, "email": "ada@example.com", "password": "correct horse" });
        let refusal = app.operator().post("/admin/generate_link", body).await;
        let refusal = refusal.refused(400, "validation_failed");
        let words = refusal["msg"].as_str().unwrap();
        assert!(
            words.starts_with("Invalid email action link type requested"),
            "{words}"
        );
    }
    let body = json!({ "type": "magiclink" });
    app.operator()
        .post("/admin/generate_link", body)
        .await
        .refused(400, "validation_failed");
}

#[tokio::test]
async fn a_link_leads_where_it_was_told_if_that_is_allowed() {
    let app = TestApp::with(|config| {
        config.uri_allow_list = vec!["https://app.example/**".to_owned()];
    })
    .await;
    let operator = app.operator();
    confirmed(&app, "ada@example.com").await;
    for (in_body, in_query, expected) in [
        (None, None, "http://localhost:3000"),
        (
            Some("https://app.example/in"),
            None,
            "https://app.example/in",
        ),
        (
            None,
            Some("https://app.example/in"),
            "https://app.example/in",
        ),
        (
            Some("https://app.example/a"),
            Some("https://app.example/b"),
            "https://app.example/a",
        ),
        (
            Some("https://evil.example"),
            Some("https://app.example/b"),
            "https://app.example/b",
        ),
        (Some("https://evil.example"), None, "http://localhost:3000"),
        (
            Some("javascript:alert(1)"),
            Some("//evil.example"),
            "http://localhost:3000",
        ),
        (
            Some("https://app.example/?a=b&c=d"),
            None,
            "https://app.example/?a=b&c=d",
        ),
    ] {
        let body =
            json!({ "type": "magiclink", "email": "ada@example.com", "redirect_to": in_body });
        let mut target = "/admin/generate_link".to_owned();
        if let Some(url) = in_query {
            target = format!("{target}?redirect_to={url}");
        }
        let generated = operator.post(&target, body).await.ok();
        let redirect_to = generated["redirect_to"].as_str().unwrap();
        assert_eq!(
            redirect_to.trim_end_matches('/'),
            expected.trim_end_matches('/')
        );
        let location = follow(&app, &generated).await;
        assert!(location.starts_with(expected), "{location}");
        assert!(location.contains("access_token="), "{location}");
    }
}

#[tokio::test]
async fn links_are_made_as_often_as_wanted_and_count_for_nothing() {
    let app = TestApp::start().await;
    let operator = app.operator();
    confirmed(&app, "ada@example.com").await;
    for _ in 0..3 {
        link(
            &operator,
            json!({ "type": "recovery", "email": "ada@example.com" }),
        )
        .await;
    }
    assert_eq!(app.mailbox.count_to("ada@example.com"), 0);
    app.post("/recover", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    app.mailbox.next_to("ada@example.com").await;
    link(
        &operator,
        json!({ "type": "recovery", "email": "ada@example.com" }),
    )
    .await;
}

#[tokio::test]
async fn links_belong_to_the_audience_of_the_request() {
    let app = TestApp::with(|config| config.jwt.audiences = vec!["elsewhere".to_owned()]).await;
    let operator = app.operator();
    confirmed(&app, "ada@example.com").await;
    let body = json!({ "type": "recovery", "email": "ada@example.com" });
    let header = ("X-JWT-AUD", "elsewhere");
    let target = "/admin/generate_link";
    let answer = operator
        .send(Method::POST, target, header, Some(&body))
        .await;
    answer.refused(404, "user_not_found");
    // The address belongs to a user of another audience.
    let body = json!({ "type": "magiclink", "email": "ada@example.com" });
    let answer = operator
        .send(Method::POST, target, header, Some(&body))
        .await;
    answer.refused(422, "email_exists");
}
