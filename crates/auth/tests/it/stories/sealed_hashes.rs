//! Password hashes are stored encrypted, regardless of who sets the password.

use innkeeper_auth::config::Config;
use innkeeper_auth::seal::is_sealed;
use innkeeper_service::secret::Secret;
use serde_json::json;

use crate::support::TestApp;
use crate::support::mail_flows::without_pauses;
use crate::support::operator::path_of;

const ADA: &str = "ada@example.com";
const FIRST: &str = "correct horse";
const SECOND: &str = "battery staple";
/// A hash of `FIRST`.
const BCRYPT: &str = "$2a$04$XvLUj7NYHQ0H5ywbRjLqHOpUIyjsH7BvkF6qUjrJzKk/Nnv4aCWwu";
/// A hash of `user1password`, with all optional parameters.
const FIREBASE: &str = "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==";

fn encrypted(config: &mut Config) {
    without_pauses(config);
    let encryption = &mut config.security.db_encryption;
    encryption.encrypt = true;
    // The maximum length of a key id.
    encryption.encryption_key_id = "k".repeat(32);
    encryption.encryption_key = Some(Secret::new([7; 32]));
}

/// Asserts that the stored hash is encrypted and belongs to this password.
async fn assert_sealed(app: &TestApp, email: &str, password: &str) {
    let stored = "select encrypted_password from users where email = $1";
    let stored = app.sql().await.query_one(stored, &[&email]).await.unwrap();
    let stored: &str = stored.get(0);
    assert!(is_sealed(stored), "{stored}");
    app.sign_in(email, password).await.ok();
}

#[tokio::test]
async fn a_sign_up_stores_no_open_hash() {
    let app = TestApp::with(|config| {
        encrypted(config);
        config.mailer.autoconfirm = true;
    })
    .await;
    app.signed_up(ADA, FIRST).await;
    assert_sealed(&app, ADA, FIRST).await;
}

#[tokio::test]
async fn a_sign_up_that_is_repeated_before_it_is_confirmed_stores_no_open_hash() {
    let app = TestApp::with(encrypted).await;
    app.mail_of_signup(ADA).await;
    // The first one has expired, so that the second password counts.
    app.advance(app.config.mailer.otp_exp.as_secs() + 1);
    let body = json!({ "email": ADA, "password": SECOND });
    app.post("/signup", body).await.ok();
    let mail = app.mailbox.next_to(ADA).await;
    app.verify_code("signup", ADA, &mail.code()).await.ok();
    assert_sealed(&app, ADA, SECOND).await;
}

#[tokio::test]
async fn a_change_of_password_stores_no_open_hash() {
    let app = TestApp::with(encrypted).await;
    let session = app.signed_up(ADA, FIRST).await;
    let token = session["access_token"].as_str().unwrap();
    let body = json!({ "password": SECOND });
    app.put_as(token, "/user", body).await.ok();
    assert_sealed(&app, ADA, SECOND).await;
}

#[tokio::test]
async fn operators_store_no_open_hash() {
    let app = TestApp::with(encrypted).await;
    let operator = app.operator();
    let body = json!({ "email": ADA, "password": FIRST, "email_confirm": true });
    let user = operator.create(body).await;
    assert_sealed(&app, ADA, FIRST).await;
    let body = json!({ "password": SECOND });
    operator.put(&path_of(&user), body).await.ok();
    assert_sealed(&app, ADA, SECOND).await;

    let ben = "ben@example.com";
    let body = json!({ "email": ben, "password_hash": BCRYPT, "email_confirm": true });
    operator.create(body).await;
    assert_sealed(&app, ben, FIRST).await;

    let cem = "cem@example.com";
    // The second link is for an existing account.
    for password in [FIRST, SECOND] {
        let body = json!({ "type": "signup", "email": cem, "password": password });
        let link = operator.post("/admin/generate_link", body).await.ok();
        if password == SECOND {
            let secret = link["hashed_token"].as_str().unwrap();
            app.verify_link("signup", secret).await.ok();
        }
    }
    assert_sealed(&app, cem, SECOND).await;
}

#[tokio::test]
async fn a_password_that_is_chosen_with_an_invitation_is_stored_sealed() {
    let app = TestApp::with(encrypted).await;
    let operator = app.operator();
    operator.post("/invite", json!({ "email": ADA })).await.ok();
    let mail = app.mailbox.next_to(ADA).await;
    let body = json!({ "type": "invite", "email": ADA, "token": mail.code(), "password": FIRST });
    app.post("/verify", body).await.ok();
    assert_sealed(&app, ADA, FIRST).await;
}

#[tokio::test]
async fn a_foreign_hash_that_is_too_long_to_be_sealed_is_sealed_at_the_first_sign_in() {
    let app = TestApp::with(encrypted).await;
    let body = json!({ "email": ADA, "password_hash": FIREBASE, "email_confirm": true });
    app.operator().create(body).await;
    app.sign_in(ADA, "user1password").await.ok();
    assert_sealed(&app, ADA, "user1password").await;
}
