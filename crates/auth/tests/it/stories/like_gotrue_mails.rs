//! What clients of GoTrue may notice of mails, links and waiting, in the gotrue profile and, beside it, in std.

use innkeeper_auth::config::Profile;
use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::tokens::text;

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

async fn server(profile: Profile) -> TestApp {
    TestApp::with(|config| config.profile = profile).await
}

fn signup() -> Value {
    json!({ "email": ADA, "password": PASSWORD })
}

async fn link(app: &TestApp, body: Value) -> Value {
    app.post_as(&app.service_key(), "/admin/generate_link", body)
        .await
        .ok()
}

#[tokio::test]
async fn in_gotrue_nobody_waits_where_nothing_is_sent() {
    for (profile, status) in [(Profile::Gotrue, 200), (Profile::Std, 429)] {
        let app = server(profile).await;
        app.signed_up(ADA, PASSWORD).await;
        let requests = [
            ("/signup", signup()),
            ("/resend", json!({ "type": "signup", "email": ADA })),
            ("/resend", json!({ "type": "email_change", "email": ADA })),
            (
                "/resend",
                json!({ "type": "signup", "email": "nobody@example.com" }),
            ),
        ];
        // The mail of the sign-up was sent just now.
        let first = [status, status, 200, 200];
        let mails = app.mailbox.count_to(ADA);
        for ((target, body), first) in requests.into_iter().zip(first) {
            let answer = app.post(target, body.clone()).await;
            assert_eq!(answer.status, first, "{profile:?} {target} {body}");
            let answer = app.post(target, body.clone()).await;
            assert_eq!(answer.status, status, "{profile:?} {target} {body}");
        }
        assert_eq!(app.mailbox.count_to(ADA), mails);
    }
}

#[tokio::test]
async fn in_gotrue_a_code_for_a_new_address_counts_as_its_confirmation() {
    for (profile, status) in [(Profile::Gotrue, 429), (Profile::Std, 200)] {
        let app = server(profile).await;
        app.post("/otp", json!({ "email": ADA })).await.ok();
        let body = json!({ "type": "signup", "email": ADA });
        assert_eq!(app.post("/resend", body).await.status, status);
    }
}

#[tokio::test]
async fn in_gotrue_a_second_link_for_a_change_of_address_asks_both_sides_again() {
    for (profile, is_complete) in [(Profile::Gotrue, false), (Profile::Std, true)] {
        let app = server(profile).await;
        app.signed_up(ADA, PASSWORD).await;
        let body = |kind| json!({ "type": kind, "email": ADA, "new_email": "eve@example.com" });
        let first = link(&app, body("email_change_current")).await;
        let verify = |otp: Value, email| {
            let body = json!({ "type": "email_change", "token": otp, "email": email });
            app.post("/verify", body)
        };
        let half = verify(first["email_otp"].clone(), ADA).await.ok();
        assert!(half["msg"].is_string(), "{half}");
        let second = link(&app, body("email_change_new")).await;
        let answer = verify(second["email_otp"].clone(), "eve@example.com")
            .await
            .ok();
        assert_eq!(answer["access_token"].is_string(), is_complete, "{answer}");
    }
}

#[tokio::test]
async fn a_new_password_makes_gotrue_forget_what_it_has_sent() {
    for (profile, remains) in [(Profile::Gotrue, false), (Profile::Std, true)] {
        let app = server(profile).await;
        app.signed_up(ADA, PASSWORD).await;
        let session = app.sign_in(ADA, PASSWORD).await.ok();
        let token = text(&session, "access_token");
        assert!(session["user"]["confirmation_sent_at"].is_string());
        let body = json!({ "password": "battery staple", "current_password": PASSWORD });
        let user = app.put_as(&token, "/user", body).await.ok();
        assert_eq!(user["confirmation_sent_at"].is_string(), remains, "{user}");

        let invited = json!({ "type": "invite", "email": "guest@example.com" });
        let link = link(&app, invited).await;
        let body = json!({ "type": "invite", "token_hash": link["hashed_token"] });
        let session = app.post("/verify", body).await.ok();
        let sent_at = &session["user"]["confirmation_sent_at"];
        assert_eq!(sent_at.is_string(), remains, "{session}");
    }
}

#[tokio::test]
async fn a_change_of_address_leaves_the_metadata_alone_in_gotrue() {
    for (profile, expected) in [(Profile::Gotrue, ADA), (Profile::Std, "eve@example.com")] {
        let app = TestApp::with(|config| {
            config.profile = profile;
            config.mailer.secure_email_change_enabled = false;
        })
        .await;
        app.signed_up(ADA, PASSWORD).await;
        let body = json!({
            "type": "email_change_new", "email": ADA, "new_email": "eve@example.com",
        });
        let link = link(&app, body).await;
        let body = json!({ "type": "email_change", "token_hash": link["hashed_token"] });
        let session = app.post("/verify", body).await.ok();
        let user = &session["user"];
        assert_eq!(user["email"], "eve@example.com");
        assert_eq!(user["user_metadata"]["email"], expected);
        assert_eq!(user["user_metadata"]["email_verified"], true);
        let identity = &user["identities"][0]["identity_data"];
        assert_eq!(identity["email"], "eve@example.com");
    }
}

#[tokio::test]
async fn a_sign_up_without_a_mail_has_no_date_of_confirmation_yet_in_gotrue() {
    for (profile, is_shown) in [(Profile::Gotrue, false), (Profile::Std, true)] {
        let app = TestApp::with(|config| {
            config.profile = profile;
            config.mailer.autoconfirm = true;
        })
        .await;
        let session = app.post_versioned("/signup", signup()).await.ok();
        let user = &session["user"];
        assert!(user["email_confirmed_at"].is_string());
        assert_eq!(user["confirmed_at"].is_string(), is_shown);
        let token = text(&session, "access_token");
        let read = app.get_as(&token, "/user").await.ok();
        assert!(read["confirmed_at"].is_string());

        let admin = app.service_key();
        let body = json!({ "email": "bob@example.com" });
        let bob = app.post_as(&admin, "/admin/users", body).await.ok();
        let target = format!("/admin/users/{}", text(&bob, "id"));
        let body = json!({ "email_confirm": true });
        let bob = app.put_as(&admin, &target, body).await.ok();
        assert!(bob["email_confirmed_at"].is_string());
        assert_eq!(bob["confirmed_at"].is_string(), is_shown);
    }
}

#[tokio::test]
async fn requests_are_checked_in_the_order_of_gotrue() {
    let app = TestApp::with(|config| {
        config.profile = Profile::Gotrue;
        config.external.phone_enabled = false;
    })
    .await;
    let long = format!("{}@example.com", "a".repeat(250));
    let phone = "4915112345678";
    let cases = [
        (
            "/signup",
            json!({ "phone": phone, "password": PASSWORD, "channel": "letter" }),
            (400, "validation_failed"),
        ),
        (
            "/signup",
            json!({ "phone": phone, "password": PASSWORD, "code_challenge": "x" }),
            (400, "validation_failed"),
        ),
        (
            "/signup",
            json!({ "phone": phone, "password": PASSWORD }),
            (400, "phone_provider_disabled"),
        ),
        (
            "/otp",
            json!({ "phone": phone, "create_user": false }),
            (422, "otp_disabled"),
        ),
        (
            "/otp",
            json!({ "phone": "none", "create_user": false }),
            (422, "otp_disabled"),
        ),
        (
            "/otp",
            json!({ "phone": phone }),
            (400, "phone_provider_disabled"),
        ),
        (
            "/otp",
            json!({ "phone": phone, "code_challenge": "x" }),
            (400, "validation_failed"),
        ),
    ];
    for (target, body, (status, code)) in cases {
        app.post(target, body).await.refused(status, code);
    }
    let body = json!({ "email": long, "password": PASSWORD });
    let answer = app.post("/signup", body).await;
    let answer = answer.refused(400, "validation_failed");
    assert_eq!(answer["msg"], "An email address is too long");
    // A provider that is off is told before a challenge that is wrong.
    let answer = app.get("/authorize?provider=github&code_challenge=x").await;
    let answer = answer.refused(400, "validation_failed");
    let message = "Unsupported provider: provider is not enabled";
    assert_eq!(answer["msg"], message);
}

#[tokio::test]
async fn audit_entries_name_the_provider_and_in_gotrue_no_address() {
    for (profile, address) in [(Profile::Gotrue, ""), (Profile::Std, "127.0.0.1")] {
        let app = server(profile).await;
        app.post("/signup", signup()).await.ok();
        let admin = app.service_key();
        app.post_as(&admin, "/admin/users", json!({ "phone": "4915112345678" }))
            .await
            .ok();
        let entries = app.get_as(&admin, "/admin/audit").await.ok();
        let [created, requested] = entries.as_array().unwrap().as_slice() else {
            panic!("{entries}");
        };
        assert_eq!(created["payload"]["traits"]["provider"], "phone");
        assert_eq!(requested["payload"]["traits"]["provider"], "email");
        assert_eq!(created["ip_address"], address);
        let sql = app.sql().await;
        let stored = "select count(*) from audit_log_entries where ip_address = '127.0.0.1'";
        let row = sql.query_one(stored, &[]).await.unwrap();
        assert_eq!(row.get::<_, i64>(0), 2);
    }
}

#[tokio::test]
async fn lists_and_factors_answer_odd_requests_as_gotrue_does() {
    let app = server(Profile::Gotrue).await;
    let admin = app.service_key();
    for name in ["ada", "bob", "eve"] {
        let body = json!({ "email": format!("{name}@example.com") });
        app.post_as(&admin, "/admin/users", body).await.ok();
    }
    let answer = app.get_as(&admin, "/admin/users?page=0&per_page=2").await;
    let link = answer.header("link").unwrap();
    assert!(
        link.starts_with("</admin/users?page=1&per_page=2>; rel=\"next\""),
        "{link}"
    );

    let session = app.signed_up("countess@example.com", PASSWORD).await;
    let token = text(&session, "access_token");
    let answer = app.get_as(&token, "/factors").await;
    assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));
    app.get("/factors").await.refused(401, "no_authorization");
}
