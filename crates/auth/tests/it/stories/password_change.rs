//! A user changes their password.

use futures_util::future::join_all;
use innkeeper_auth::config::Profile;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::{Answer, TestApp};

const EMAIL: &str = "ada@example.com";
const OLD: &str = "correct horse";
const NEW: &str = "battery staple";

fn token(session: &Value) -> String {
    session["access_token"].as_str().unwrap().to_owned()
}

async fn change(app: &TestApp, token: &str, body: Value) -> Answer {
    app.put_as(token, "/user", body).await
}

/// Starts a server on which a password change needs a nonce, and signs up a user.
async fn careful(profile: Profile) -> (TestApp, String) {
    let app = TestApp::with(|config| {
        config.profile = profile;
        config.mailer.autoconfirm = true;
        config.smtp.max_frequency = Some(SignedDuration::ZERO);
        config.security.update_password_require_reauthentication = true;
        // Fifty concurrent changes need a hundred hashes, which one thread computes one after another.
        config.api.max_request_duration = SignedDuration::from_mins(5);
    })
    .await;
    let session = app.signed_up(EMAIL, OLD).await;
    let token = token(&session);
    (app, token)
}

/// Requests a nonce and reads it from the mail.
async fn nonce(app: &TestApp, token: &str) -> String {
    app.get_as(token, "/reauthenticate").await.ok();
    app.mailbox.next_to(EMAIL).await.code()
}

/// Returns a different code.
fn other_than(code: &str) -> String {
    let number: u32 = code.parse().unwrap();
    format!("{:06}", (number + 1) % 1_000_000)
}

#[tokio::test]
async fn the_new_password_works_and_the_old_one_does_not() {
    let app = TestApp::autoconfirm().await;
    let token = token(&app.signed_up(EMAIL, OLD).await);
    let user = change(&app, &token, json!({ "password": NEW })).await.ok();
    assert_eq!(user["email"], EMAIL);
    app.sign_in(EMAIL, NEW).await.ok();
    app.sign_in(EMAIL, OLD)
        .await
        .refused(400, "invalid_credentials");
    assert_eq!(app.mailbox.count_to(EMAIL), 0);
}

#[tokio::test]
async fn the_other_sessions_end_and_this_one_goes_on() {
    let app = TestApp::autoconfirm().await;
    app.signed_up(EMAIL, OLD).await;
    let here = app.sign_in(EMAIL, OLD).await.ok();
    let there = app.sign_in(EMAIL, OLD).await.ok();
    change(&app, &token(&here), json!({ "password": NEW }))
        .await
        .ok();
    app.get_as(&token(&here), "/user").await.ok();
    app.refresh(here["refresh_token"].as_str().unwrap())
        .await
        .ok();
    app.get_as(&token(&there), "/user")
        .await
        .refused(403, "session_not_found");
    app.refresh(there["refresh_token"].as_str().unwrap())
        .await
        .failed(400);
}

#[tokio::test]
async fn a_token_without_a_session_ends_all_sessions() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(EMAIL, OLD).await;
    let claims = json!({
        "sub": session["user"]["id"],
        "aud": "authenticated",
        "role": "authenticated",
        "exp": app.clock.now().as_second() + 60,
    });
    let bare = app.token_of_secret(&claims);
    // Nobody knows when its user signed in.
    change(&app, &bare, json!({ "password": NEW }))
        .await
        .refused(400, "reauthentication_needed");
    let body = json!({ "password": NEW, "current_password": OLD });
    change(&app, &bare, body).await.ok();
    app.get_as(&token(&session), "/user")
        .await
        .refused(403, "session_not_found");
}

#[tokio::test]
async fn links_that_were_sent_before_do_not_work_any_more() {
    let app = TestApp::autoconfirm().await;
    let token = token(&app.signed_up(EMAIL, OLD).await);
    app.post("/recover", json!({ "email": EMAIL })).await.ok();
    let mail = app.mailbox.next_to(EMAIL).await;
    change(&app, &token, json!({ "password": NEW })).await.ok();
    let link = json!({ "type": "recovery", "token_hash": mail.token() });
    app.post("/verify", link).await.refused(403, "otp_expired");
    let code = json!({ "type": "recovery", "email": EMAIL, "token": mail.code() });
    app.post("/verify", code).await.refused(403, "otp_expired");
}

#[tokio::test]
async fn a_password_that_is_not_good_enough_is_refused() {
    let app = TestApp::autoconfirm().await;
    let token = token(&app.signed_up(EMAIL, OLD).await);
    for weak in ["", "short"] {
        let refused = change(&app, &token, json!({ "password": weak })).await;
        let refused = refused.refused(422, "weak_password");
        assert_eq!(refused["weak_password"]["reasons"], json!(["length"]));
    }
    change(&app, &token, json!({ "password": OLD }))
        .await
        .refused(422, "same_password");
    change(&app, &token, json!({ "password": "x".repeat(4097) }))
        .await
        .refused(400, "validation_failed");
    app.sign_in(EMAIL, OLD).await.ok();

    let gotrue = TestApp::with(|config| {
        config.profile = Profile::Gotrue;
        config.mailer.autoconfirm = true;
    })
    .await;
    let session = gotrue.signed_up(EMAIL, OLD).await;
    let token = session["access_token"].as_str().unwrap();
    change(&gotrue, token, json!({ "password": "x".repeat(73) }))
        .await
        .refused(400, "validation_failed");
    change(&gotrue, token, json!({ "password": "x".repeat(72) }))
        .await
        .ok();
}

#[tokio::test]
async fn whoever_has_no_password_may_set_one() {
    let app = TestApp::start().await;
    app.post("/otp", json!({ "email": EMAIL })).await.ok();
    let code = app.mailbox.next_to(EMAIL).await.code();
    let body = json!({ "type": "email", "email": EMAIL, "token": code });
    let session = app.post("/verify", body).await.ok();
    change(&app, &token(&session), json!({ "password": NEW }))
        .await
        .ok();
    app.sign_in(EMAIL, NEW).await.ok();
}

#[tokio::test]
async fn the_current_password_is_asked_for_when_the_setting_is_on() {
    let app = TestApp::with(|config| {
        config.smtp.max_frequency = Some(SignedDuration::ZERO);
        config.security.update_password_require_current_password = true;
    })
    .await;
    app.signed_up(EMAIL, OLD).await;
    let here = token(&app.sign_in(EMAIL, OLD).await.ok());
    for missing in [
        json!({ "password": NEW }),
        json!({ "password": NEW, "current_password": "" }),
    ] {
        change(&app, &here, missing)
            .await
            .refused(400, "current_password_required");
    }
    let wrong = json!({ "password": NEW, "current_password": "not it" });
    change(&app, &here, wrong)
        .await
        .refused(400, "current_password_invalid");
    let right = json!({ "password": NEW, "current_password": OLD });
    change(&app, &here, right).await.ok();

    // A user who signed in by a recovery mail may have forgotten the password.
    app.post("/recover", json!({ "email": EMAIL })).await.ok();
    let mail = app.mailbox.next_to(EMAIL).await;
    let link = json!({ "type": "recovery", "token_hash": mail.token() });
    let session = app.post("/verify", link).await.ok();
    change(&app, &token(&session), json!({ "password": OLD }))
        .await
        .ok();
}

#[tokio::test]
async fn guesses_at_the_current_password_are_throttled() {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.security.update_password_require_current_password = true;
        config.security.password_failures = 3;
    })
    .await;
    let token = token(&app.signed_up(EMAIL, OLD).await);
    let guess = |current: &str| {
        let body = json!({ "password": NEW, "current_password": current });
        app.put_as(&token, "/user", body)
    };
    let mut statuses = Vec::new();
    for _ in 0..5 {
        statuses.push(guess("not it").await.status);
    }
    assert!(statuses.contains(&429), "{statuses:?}");
    app.advance(700);
    guess(OLD).await.ok();
}

#[tokio::test]
async fn std_always_wants_a_nonce_when_the_setting_is_on() {
    let (app, token) = careful(Profile::Std).await;
    for missing in [
        json!({ "password": NEW }),
        json!({ "password": NEW, "nonce": "" }),
    ] {
        change(&app, &token, missing)
            .await
            .refused(400, "reauthentication_needed");
    }
    // Other changes need no nonce.
    change(&app, &token, json!({ "data": { "name": "Ada" } }))
        .await
        .ok();
    let nonce = nonce(&app, &token).await;
    let body = json!({ "password": NEW, "nonce": nonce });
    change(&app, &token, body).await.ok();
    app.sign_in(EMAIL, NEW).await.ok();
}

#[tokio::test]
async fn gotrue_wants_a_nonce_for_sessions_over_a_day_old() {
    let (app, token) = careful(Profile::Gotrue).await;
    change(&app, &token, json!({ "password": NEW })).await.ok();
    let session = app.sign_in(EMAIL, NEW).await.ok();
    app.advance(24 * 3600 - 10);
    let refresh = session["refresh_token"].as_str().unwrap();
    let session = app.refresh(refresh).await.ok();
    let fresh = session["access_token"].as_str().unwrap();
    change(&app, fresh, json!({ "password": "a third one" }))
        .await
        .ok();
    app.advance(20);
    change(&app, fresh, json!({ "password": "a fourth one" }))
        .await
        .refused(400, "reauthentication_needed");
    let nonce = nonce(&app, fresh).await;
    let body = json!({ "password": "a fourth one", "nonce": nonce });
    change(&app, fresh, body).await.ok();
}

#[tokio::test]
async fn gotrue_wants_a_nonce_of_a_token_without_a_session() {
    let (app, token) = careful(Profile::Gotrue).await;
    let user = app.get_as(&token, "/user").await.ok();
    let claims = json!({ "sub": user["id"], "aud": "authenticated", "role": "authenticated" });
    let bare = app.token_of_secret(&claims);
    change(&app, &bare, json!({ "password": NEW }))
        .await
        .refused(400, "reauthentication_needed");
}

#[tokio::test]
async fn a_nonce_works_once() {
    let (app, token) = careful(Profile::Std).await;
    let nonce = nonce(&app, &token).await;
    let body = json!({ "password": NEW, "nonce": nonce });
    change(&app, &token, body).await.ok();
    let body = json!({ "password": "a third one", "nonce": nonce });
    change(&app, &token, body)
        .await
        .refused(422, "reauthentication_not_valid");
    app.sign_in(EMAIL, NEW).await.ok();
}

#[tokio::test]
async fn the_newest_nonce_counts_and_it_expires() {
    let (app, token) = careful(Profile::Std).await;
    let first = nonce(&app, &token).await;
    let second = nonce(&app, &token).await;
    if first != second {
        let body = json!({ "password": NEW, "nonce": first });
        change(&app, &token, body)
            .await
            .refused(422, "reauthentication_not_valid");
    }
    app.advance(app.config.mailer.otp_exp.as_secs() + 1);
    let session = app.sign_in(EMAIL, OLD).await.ok();
    let token = session["access_token"].as_str().unwrap();
    let body = json!({ "password": NEW, "nonce": second });
    change(&app, token, body)
        .await
        .refused(422, "reauthentication_not_valid");
}

#[tokio::test]
async fn a_nonce_of_somebody_else_is_worth_nothing() {
    let (app, ada) = careful(Profile::Std).await;
    let eve = app.signed_up("eve@example.com", OLD).await;
    let own = nonce(&app, &ada).await;
    app.get_as(&token(&eve), "/reauthenticate").await.ok();
    let theirs = app.mailbox.next_to("eve@example.com").await.code();
    if theirs == own {
        // Both codes are equal, once in a million runs.
        return;
    }
    let body = json!({ "password": NEW, "nonce": theirs });
    change(&app, &ada, body)
        .await
        .refused(422, "reauthentication_not_valid");
}

#[tokio::test]
async fn five_wrong_guesses_end_a_nonce() {
    let (app, token) = careful(Profile::Std).await;
    let nonce = nonce(&app, &token).await;
    let wrong = json!({ "password": NEW, "nonce": other_than(&nonce) });
    for _ in 0..5 {
        change(&app, &token, wrong.clone())
            .await
            .refused(422, "reauthentication_not_valid");
    }
    let right = json!({ "password": NEW, "nonce": nonce });
    change(&app, &token, right)
        .await
        .refused(422, "reauthentication_not_valid");
    let fresh = self::nonce(&app, &token).await;
    let right = json!({ "password": NEW, "nonce": fresh });
    change(&app, &token, right).await.ok();
}

#[tokio::test]
async fn a_wrong_guess_with_a_new_address_sends_no_mail_and_uses_up_no_pause() {
    let app = TestApp::with(|config| {
        config.security.update_password_require_reauthentication = true;
    })
    .await;
    let token = token(&app.signed_up(EMAIL, OLD).await);
    let nonce = nonce(&app, &token).await;
    let mut body =
        json!({ "password": NEW, "email": "new@example.com", "nonce": other_than(&nonce) });
    change(&app, &token, body.clone())
        .await
        .refused(422, "reauthentication_not_valid");
    let me = app.get_as(&token, "/user").await.ok();
    assert!(me.get("new_email").is_none());
    body["nonce"] = json!(nonce);
    let changed = change(&app, &token, body).await.ok();
    assert_eq!(changed["new_email"], "new@example.com");
    app.mailbox.next_to("new@example.com").await;
    assert_eq!(app.mailbox.count_to("new@example.com"), 0);
}

#[tokio::test]
async fn of_fifty_uses_of_a_nonce_at_once_one_succeeds() {
    let (app, token) = careful(Profile::Std).await;
    let nonce = nonce(&app, &token).await;
    let attempts = (0..50).map(|number| {
        let body = json!({ "password": format!("battery staple {number}"), "nonce": nonce });
        change(&app, &token, body)
    });
    let answers = join_all(attempts).await;
    let (won, lost): (Vec<_>, Vec<_>) = (0..)
        .zip(answers)
        .partition(|(_, answer)| answer.status == 200);
    assert_eq!(won.len(), 1);
    for (_, answer) in lost {
        answer.refused(422, "reauthentication_not_valid");
    }
    let password = format!("battery staple {}", won[0].0);
    app.sign_in(EMAIL, &password).await.ok();
}

/// Starts a server with a user whose sign-in is too old to change the password with the token alone.
async fn long_signed_in() -> (TestApp, String) {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.smtp.max_frequency = Some(SignedDuration::ZERO);
        config.jwt.exp = SignedDuration::from_hours(24);
    })
    .await;
    let token = token(&app.signed_up(EMAIL, OLD).await);
    app.advance(15 * 60 + 1);
    (app, token)
}

#[tokio::test]
async fn an_old_access_token_alone_does_not_change_the_password() {
    let (app, token) = long_signed_in().await;
    change(&app, &token, json!({ "password": NEW }))
        .await
        .refused(400, "reauthentication_needed");
    // Nor does it tell what the password is.
    change(&app, &token, json!({ "password": OLD }))
        .await
        .refused(400, "reauthentication_needed");
    let wrong = json!({ "password": NEW, "current_password": "not it at all" });
    change(&app, &token, wrong)
        .await
        .refused(400, "current_password_invalid");
    // Other changes need nothing more.
    change(&app, &token, json!({ "data": { "name": "Ada" } }))
        .await
        .ok();
    let right = json!({ "password": NEW, "current_password": OLD });
    change(&app, &token, right).await.ok();
    app.sign_in(EMAIL, NEW).await.ok();
}

#[tokio::test]
async fn a_nonce_or_a_recent_sign_in_does_instead_of_the_current_password() {
    let (app, token) = long_signed_in().await;
    let code = nonce(&app, &token).await;
    let wrong = json!({ "password": NEW, "nonce": other_than(&code) });
    change(&app, &token, wrong)
        .await
        .refused(422, "reauthentication_not_valid");
    let right = json!({ "password": NEW, "nonce": code });
    change(&app, &token, right.clone()).await.ok();
    // It was used up.
    let again = json!({ "password": OLD, "nonce": right["nonce"] });
    change(&app, &token, again)
        .await
        .refused(422, "reauthentication_not_valid");
    let session = app.sign_in(EMAIL, NEW).await.ok();
    let recent = session["access_token"].as_str().unwrap();
    app.advance(14 * 60);
    change(&app, recent, json!({ "password": OLD })).await.ok();
}

#[tokio::test]
async fn who_came_by_mail_or_has_no_password_needs_nothing_more() {
    let (app, _) = long_signed_in().await;
    app.post("/recover", json!({ "email": EMAIL })).await.ok();
    let mail = app.mailbox.next_to(EMAIL).await;
    let session = app.verify_code("recovery", EMAIL, &mail.code()).await.ok();
    app.advance(3600);
    change(&app, &token(&session), json!({ "password": NEW }))
        .await
        .ok();
    let session = app.sign_in(EMAIL, NEW).await.ok();
    let sql = app.sql().await;
    sql.execute("update users set encrypted_password = null", &[])
        .await
        .unwrap();
    app.advance(3600);
    change(&app, &token(&session), json!({ "password": OLD }))
        .await
        .ok();
}

#[tokio::test]
async fn a_setting_lets_the_access_token_suffice() {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.security.update_password_sign_in_age = None;
    })
    .await;
    let token = token(&app.signed_up(EMAIL, OLD).await);
    app.advance(3000);
    change(&app, &token, json!({ "password": NEW })).await.ok();
}

#[tokio::test]
async fn a_wrong_nonce_does_not_tell_what_the_password_is() {
    let (app, token) = careful(Profile::Std).await;
    let code = nonce(&app, &token).await;
    for guess in [OLD, NEW] {
        let body = json!({ "password": guess, "nonce": other_than(&code) });
        change(&app, &token, body)
            .await
            .refused(422, "reauthentication_not_valid");
    }
    // The right one does, and stays valid.
    let same = json!({ "password": OLD, "nonce": code });
    change(&app, &token, same)
        .await
        .refused(422, "same_password");
    change(&app, &token, json!({ "password": NEW, "nonce": code }))
        .await
        .ok();
}
