//! An attacker signs up with somebody else's address before its owner does.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::{Answer, TestApp};

const VICTIM: &str = "victim@example.com";
const ATTACKERS: &str = "known to the attacker";

/// Starts a server on which the attacker has signed up and the mail is unread.
async fn attacked() -> TestApp {
    attacked_where(false).await
}

async fn attacked_where(unverified_may_sign_in: bool) -> TestApp {
    let app = TestApp::with(|config| {
        config.smtp.max_frequency = Some(SignedDuration::ZERO);
        config.mailer.allow_unverified_email_sign_ins = unverified_may_sign_in;
    })
    .await;
    let body = json!({ "email": VICTIM, "password": ATTACKERS });
    app.post("/signup", body).await.ok();
    app.mailbox.next_to(VICTIM).await;
    app
}

/// Opens a link as a browser does; the redirect has the tokens in its fragment.
async fn open(app: &TestApp, link: &url::Url) -> Answer {
    let target = format!("{}?{}", link.path(), link.query().unwrap_or_default());
    let answer = app.get(&target).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    let location = answer.header("location").unwrap();
    assert!(location.contains("access_token="), "{location}");
    answer
}

/// Asserts that the account is confirmed and the attacker's password does not work.
async fn assert_attacker_is_out(app: &TestApp) {
    app.sign_in(VICTIM, ATTACKERS)
        .await
        .refused(400, "invalid_credentials");
    let key = app.service_key();
    let users = app.get_as(&key, "/admin/users").await.ok();
    assert!(users["users"][0]["email_confirmed_at"].is_string());
    // Another sign-up with that password changes nothing either.
    app.post("/signup", json!({ "email": VICTIM, "password": ATTACKERS }))
        .await
        .ok();
    app.sign_in(VICTIM, ATTACKERS)
        .await
        .refused(400, "invalid_credentials");
}

/// Sets the victim's password with the session that the confirmation opened.
async fn choose_password(app: &TestApp, session: &Value) {
    let token = session["access_token"].as_str().unwrap();
    let body = json!({ "password": "chosen by the victim" });
    app.put_as(token, "/user", body).await.ok();
    app.sign_in(VICTIM, "chosen by the victim").await.ok();
}

#[tokio::test]
async fn a_link_of_otp_drops_the_attackers_password() {
    let app = attacked().await;
    app.post("/otp", json!({ "email": VICTIM })).await.ok();
    let mail = app.mailbox.next_to(VICTIM).await;
    open(&app, &mail.link()).await;
    assert_attacker_is_out(&app).await;
}

#[tokio::test]
async fn a_magic_link_drops_the_attackers_password() {
    let app = attacked().await;
    app.post("/magiclink", json!({ "email": VICTIM }))
        .await
        .ok();
    let mail = app.mailbox.next_to(VICTIM).await;
    open(&app, &mail.link()).await;
    assert_attacker_is_out(&app).await;
}

#[tokio::test]
async fn a_code_of_otp_drops_the_attackers_password() {
    let app = attacked().await;
    app.post("/otp", json!({ "email": VICTIM })).await.ok();
    let code = app.mailbox.next_to(VICTIM).await.code();
    let body = json!({ "type": "email", "email": VICTIM, "token": code });
    let session = app.post("/verify", body).await.ok();
    assert_attacker_is_out(&app).await;
    choose_password(&app, &session).await;
}

#[tokio::test]
async fn recovery_by_link_drops_the_attackers_password() {
    let app = attacked().await;
    app.post("/recover", json!({ "email": VICTIM })).await.ok();
    let mail = app.mailbox.next_to(VICTIM).await;
    open(&app, &mail.link()).await;
    assert_attacker_is_out(&app).await;
}

#[tokio::test]
async fn recovery_by_code_drops_the_attackers_password() {
    let app = attacked().await;
    app.post("/recover", json!({ "email": VICTIM })).await.ok();
    let code = app.mailbox.next_to(VICTIM).await.code();
    let body = json!({ "type": "recovery", "email": VICTIM, "token": code });
    let session = app.post("/verify", body).await.ok();
    assert_attacker_is_out(&app).await;
    choose_password(&app, &session).await;
}

#[tokio::test]
async fn an_invitation_drops_the_attackers_password() {
    for by_link in [true, false] {
        let app = attacked().await;
        let key = app.service_key();
        app.post_as(&key, "/invite", json!({ "email": VICTIM }))
            .await
            .ok();
        let mail = app.mailbox.next_to(VICTIM).await;
        if by_link {
            open(&app, &mail.link()).await;
        } else {
            let body = json!({ "type": "invite", "email": VICTIM, "token": mail.code() });
            app.post("/verify", body).await.ok();
        }
        assert_attacker_is_out(&app).await;
    }
}

#[tokio::test]
async fn a_link_that_an_operator_makes_drops_the_attackers_password() {
    for kind in ["magiclink", "recovery", "invite"] {
        for way in ["link", "hash", "code"] {
            let app = attacked().await;
            let key = app.service_key();
            let body = json!({ "type": kind, "email": VICTIM });
            let made = app.post_as(&key, "/admin/generate_link", body).await.ok();
            let body = match way {
                "link" => {
                    let link = made["action_link"].as_str().unwrap().parse().unwrap();
                    open(&app, &link).await;
                    assert_attacker_is_out(&app).await;
                    continue;
                }
                "hash" => json!({ "type": kind, "token_hash": made["hashed_token"] }),
                _ => json!({ "type": kind, "email": VICTIM, "token": made["email_otp"] }),
            };
            app.post("/verify", body).await.ok();
            assert_attacker_is_out(&app).await;
        }
    }
}

#[tokio::test]
async fn sending_again_does_not_bring_the_attackers_password_back() {
    for by_operator in [false, true] {
        let app = attacked().await;
        if by_operator {
            let key = app.service_key();
            app.post_as(&key, "/invite", json!({ "email": VICTIM }))
                .await
                .ok();
        } else {
            app.post("/otp", json!({ "email": VICTIM })).await.ok();
        }
        app.mailbox.next_to(VICTIM).await;
        // Anyone can request this, including the attacker.
        let again = json!({ "type": "signup", "email": VICTIM });
        app.post("/resend", again).await.ok();
        let mail = app.mailbox.next_to(VICTIM).await;
        open(&app, &mail.link()).await;
        assert_attacker_is_out(&app).await;
    }
}

#[tokio::test]
async fn the_victims_own_sign_up_drops_the_attackers_password_and_stores_none() {
    let app = attacked().await;
    let own = "chosen by the victim";
    app.post("/signup", json!({ "email": VICTIM, "password": own }))
        .await
        .ok();
    let mail = app.mailbox.next_to(VICTIM).await;
    let session = app.verify_code("signup", VICTIM, &mail.code()).await.ok();
    assert!(session["message"].is_string());
    app.sign_in(VICTIM, own)
        .await
        .refused(400, "invalid_credentials");
    assert_attacker_is_out(&app).await;
    choose_password(&app, &session).await;
}

#[tokio::test]
async fn a_session_of_the_attacker_ends_with_the_confirmation() {
    for path in ["/otp", "/recover"] {
        let app = attacked_where(true).await;
        let session = app.sign_in(VICTIM, ATTACKERS).await.ok();
        app.post(path, json!({ "email": VICTIM })).await.ok();
        let mail = app.mailbox.next_to(VICTIM).await;
        open(&app, &mail.link()).await;
        let access = session["access_token"].as_str().unwrap();
        app.get_as(access, "/user")
            .await
            .refused(403, "session_not_found");
        let refresh = session["refresh_token"].as_str().unwrap();
        assert_eq!(app.refresh(refresh).await.status, 400, "{path}");
        assert_attacker_is_out(&app).await;
    }
}

#[tokio::test]
async fn an_email_change_that_the_attacker_began_is_void_after_the_confirmation() {
    let app = attacked_where(true).await;
    let session = app.sign_in(VICTIM, ATTACKERS).await.ok();
    let access = session["access_token"].as_str().unwrap();
    let body = json!({ "email": "attacker@example.com" });
    app.put_as(access, "/user", body).await.ok();
    let theirs = app.mailbox.next_to("attacker@example.com").await;
    app.mailbox.next_to(VICTIM).await;

    app.post("/recover", json!({ "email": VICTIM })).await.ok();
    let mail = app.mailbox.next_to(VICTIM).await;
    let session = app.verify_code("recovery", VICTIM, &mail.code()).await.ok();
    choose_password(&app, &session).await;
    let change = json!({ "type": "email_change", "token_hash": theirs.token() });
    app.post("/verify", change)
        .await
        .refused(403, "otp_expired");
    let again = json!({ "type": "email_change", "email": VICTIM });
    app.post("/resend", again).await.ok();
    app.assert_no_mail("attacker@example.com").await;
    let session = app.sign_in(VICTIM, "chosen by the victim").await.ok();
    assert!(session["user"].get("new_email").is_none());
}

#[tokio::test]
async fn nobody_is_signed_up_into_an_account_that_is_in_use_without_confirmation() {
    let app = attacked_where(true).await;
    // The first to sign up already uses the account.
    let session = app.sign_in(VICTIM, ATTACKERS).await.ok();
    let access = session["access_token"].as_str().unwrap();
    let body = json!({ "email": VICTIM, "password": "chosen by somebody else" });
    app.post("/signup", body).await.ok();
    app.assert_no_mail(VICTIM).await;
    app.sign_in(VICTIM, "chosen by somebody else")
        .await
        .refused(400, "invalid_credentials");
    app.get_as(access, "/user").await.ok();
    app.sign_in(VICTIM, ATTACKERS).await.ok();
}

/// Signs up a user with their own address, and returns the confirmation mail.
async fn honest() -> (TestApp, crate::support::mailbox::ReceivedMail) {
    let app = TestApp::with(|config| config.smtp.max_frequency = Some(SignedDuration::ZERO)).await;
    let body = json!({ "email": VICTIM, "password": "my own password" });
    app.post("/signup", body).await.ok();
    let mail = app.mailbox.next_to(VICTIM).await;
    (app, mail)
}

#[tokio::test]
async fn the_link_of_a_sign_up_keeps_its_password() {
    let (app, mail) = honest().await;
    open(&app, &mail.link()).await;
    app.sign_in(VICTIM, "my own password").await.ok();
}

#[tokio::test]
async fn the_code_of_a_sign_up_keeps_its_password() {
    for kind in ["signup", "email"] {
        let (app, mail) = honest().await;
        let body = json!({ "type": kind, "email": VICTIM, "token": mail.code() });
        app.post("/verify", body).await.ok();
        app.sign_in(VICTIM, "my own password").await.ok();
    }
}

#[tokio::test]
async fn a_sign_up_that_is_sent_again_keeps_its_password() {
    for by_link in [true, false] {
        let (app, _) = honest().await;
        let again = json!({ "type": "signup", "email": VICTIM });
        app.post("/resend", again).await.ok();
        let mail = app.mailbox.next_to(VICTIM).await;
        if by_link {
            open(&app, &mail.link()).await;
        } else {
            let body = json!({ "type": "signup", "email": VICTIM, "token": mail.code() });
            app.post("/verify", body).await.ok();
        }
        app.sign_in(VICTIM, "my own password").await.ok();
    }
}

#[tokio::test]
async fn a_password_comes_with_the_confirmation_when_the_account_has_none() {
    let app = TestApp::with(|config| config.smtp.max_frequency = Some(SignedDuration::ZERO)).await;
    app.post("/otp", json!({ "email": VICTIM })).await.ok();
    let code = app.mailbox.next_to(VICTIM).await.code();
    let verify = |password: &str| {
        let body =
            json!({ "type": "signup", "email": VICTIM, "token": code, "password": password });
        app.post("/verify", body)
    };
    // A weak password is refused, and the code stays valid.
    let refused = verify("short").await.refused(422, "weak_password");
    assert_eq!(refused["weak_password"]["reasons"], json!(["length"]));
    let session = verify("my own password").await.ok();
    assert_eq!(session["type"], "signup");
    app.sign_in(VICTIM, "my own password").await.ok();
}

#[tokio::test]
async fn a_password_that_comes_with_the_confirmation_replaces_none() {
    let (app, mail) = honest().await;
    let body = json!({ "type": "signup", "token_hash": mail.token(), "password": "another one" });
    app.post("/verify", body).await.ok();
    app.sign_in(VICTIM, "my own password").await.ok();
    app.sign_in(VICTIM, "another one")
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn a_password_that_comes_with_another_confirmation_takes_the_place_of_the_attackers() {
    let app = attacked().await;
    app.post("/otp", json!({ "email": VICTIM })).await.ok();
    let mail = app.mailbox.next_to(VICTIM).await;
    let body = json!({
        "type": "signup",
        "token_hash": mail.token(),
        "password": "chosen by the victim",
    });
    app.post("/verify", body).await.ok();
    app.sign_in(VICTIM, "chosen by the victim").await.ok();
    assert_attacker_is_out(&app).await;
}
