//! Two people sign up with one address before it is confirmed.

use innkeeper_auth::config::Profile;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::mailbox::ReceivedMail;
use crate::support::{Answer, TestApp};

const OWNER: &str = "owner@example.com";
const OWN: &str = "chosen by the owner";
const STRANGE: &str = "chosen by a stranger";

/// A server with two sign-ups that wait, and their mails, oldest first.
struct Waiting {
    app: TestApp,
    mails: Vec<ReceivedMail>,
}

async fn sign_up(app: &TestApp, password: &str) -> ReceivedMail {
    let body = json!({ "email": OWNER, "password": password });
    app.post("/signup", body).await.ok();
    app.mailbox.next_to(OWNER).await
}

async fn waiting_in(profile: Profile, passwords: &[&str]) -> Waiting {
    let app = TestApp::with(|config| {
        config.profile = profile;
        config.smtp.max_frequency = Some(SignedDuration::ZERO);
    })
    .await;
    let mut mails = Vec::new();
    for password in passwords {
        mails.push(sign_up(&app, password).await);
    }
    Waiting { app, mails }
}

async fn open(app: &TestApp, mail: &ReceivedMail) -> Answer {
    let link = mail.link();
    let target = format!("{}?{}", link.path(), link.query().unwrap_or_default());
    app.get(&target).await
}

/// Returns the parameters in the fragment of a redirect.
fn fragment(answer: &Answer) -> Value {
    let location = url::Url::parse(answer.header("location").unwrap()).unwrap();
    let fragment = location.fragment().unwrap_or_default().as_bytes();
    url::form_urlencoded::parse(fragment)
        .map(|(name, value)| (name.into_owned(), json!(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

async fn assert_no_password(app: &TestApp) {
    for password in [OWN, STRANGE] {
        app.sign_in(OWNER, password)
            .await
            .refused(400, "invalid_credentials");
    }
}

#[tokio::test]
async fn with_different_passwords_any_link_confirms_and_stores_none() {
    for profile in [Profile::Std, Profile::Gotrue] {
        for passwords in [[OWN, STRANGE], [STRANGE, OWN]] {
            for opened in [0, 1] {
                let Waiting { app, mails } = waiting_in(profile, &passwords).await;
                let said = fragment(&open(&app, &mails[opened]).await);
                assert_eq!(said["type"], "signup", "{said}");
                let message = said["message"].as_str().unwrap();
                assert!(message.contains("No password was stored"), "{message}");
                assert_no_password(&app).await;
                let token = said["access_token"].as_str().unwrap();
                app.put_as(token, "/user", json!({ "password": OWN }))
                    .await
                    .ok();
                app.sign_in(OWNER, OWN).await.ok();
                // The other link is of no use any more.
                let other = fragment(&open(&app, &mails[1 - opened]).await);
                assert_eq!(other["error_code"], "otp_expired");
            }
        }
    }
}

#[tokio::test]
async fn the_response_to_a_hash_or_a_code_says_that_no_password_was_stored() {
    for by_code in [true, false] {
        let Waiting { app, mails } = waiting_in(Profile::Std, &[OWN, STRANGE]).await;
        let body = if by_code {
            json!({ "type": "signup", "email": OWNER, "token": mails[1].code() })
        } else {
            json!({ "type": "signup", "token_hash": mails[0].token() })
        };
        let session = app.post("/verify", body).await.ok();
        let message = session["message"].as_str().unwrap();
        assert!(message.contains("No password was stored"), "{message}");
        assert_no_password(&app).await;
    }
}

#[tokio::test]
async fn the_same_password_stays_and_earlier_links_are_valid() {
    for profile in [Profile::Std, Profile::Gotrue] {
        for opened in [0, 1, 2] {
            let Waiting { app, mails } = waiting_in(profile, &[OWN, OWN, OWN]).await;
            let said = fragment(&open(&app, &mails[opened]).await);
            assert!(said["access_token"].is_string(), "{said}");
            assert!(said.get("message").is_none(), "{said}");
            app.sign_in(OWNER, OWN).await.ok();
        }
    }
}

#[tokio::test]
async fn a_third_sign_up_does_not_settle_which_password_counts() {
    for third in [OWN, STRANGE] {
        let Waiting { app, mails } = waiting_in(Profile::Std, &[OWN, STRANGE, third]).await;
        open(&app, &mails[2]).await;
        assert_no_password(&app).await;
    }
}

#[tokio::test]
async fn a_sign_up_over_a_sign_up_without_a_password_stores_none() {
    let app = TestApp::with(|config| config.smtp.max_frequency = Some(SignedDuration::ZERO)).await;
    app.post("/otp", json!({ "email": OWNER })).await.ok();
    app.mailbox.next_to(OWNER).await;
    let mail = sign_up(&app, STRANGE).await;
    let said = fragment(&open(&app, &mail).await);
    assert!(said["message"].is_string(), "{said}");
    assert_no_password(&app).await;
}

#[tokio::test]
async fn a_link_without_a_password_does_not_end_that_of_the_sign_up() {
    let Waiting { app, mails } = waiting_in(Profile::Std, &[OWN]).await;
    // Anyone can request this.
    app.post("/otp", json!({ "email": OWNER })).await.ok();
    app.mailbox.next_to(OWNER).await;
    let said = fragment(&open(&app, &mails[0]).await);
    assert!(said["access_token"].is_string(), "{said}");
    assert!(said["message"].is_string(), "{said}");
    assert_no_password(&app).await;
}

#[tokio::test]
async fn an_expired_sign_up_does_not_count() {
    let Waiting { app, mails } = waiting_in(Profile::Std, &[STRANGE]).await;
    app.advance(app.config.mailer.otp_exp.as_secs() + 1);
    let mail = sign_up(&app, OWN).await;
    let expired = fragment(&open(&app, &mails[0]).await);
    assert_eq!(expired["error_code"], "otp_expired");
    open(&app, &mail).await;
    app.sign_in(OWNER, OWN).await.ok();
}

#[tokio::test]
async fn an_earlier_link_expires_by_its_own_time() {
    let Waiting { app, mails } = waiting_in(Profile::Std, &[OWN]).await;
    let lifetime = app.config.mailer.otp_exp.as_secs();
    app.advance(lifetime);
    let later = sign_up(&app, OWN).await;
    app.advance(1);
    let expired = fragment(&open(&app, &mails[0]).await);
    assert_eq!(expired["error_code"], "otp_expired");
    let said = fragment(&open(&app, &later).await);
    assert!(said["access_token"].is_string(), "{said}");
    app.sign_in(OWNER, OWN).await.ok();
}

#[tokio::test]
async fn an_earlier_link_ends_in_a_code_for_its_own_client() {
    let app = TestApp::with(|config| config.smtp.max_frequency = Some(SignedDuration::ZERO)).await;
    let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    let mut mails = Vec::new();
    for challenge in [
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "a-challenge-of-somebody-else-of-forty-three",
    ] {
        let body = json!({
            "email": OWNER, "password": OWN,
            "code_challenge": challenge, "code_challenge_method": "s256",
        });
        app.post("/signup", body).await.ok();
        mails.push(app.mailbox.next_to(OWNER).await);
    }
    let code = app.follow(&mails[0]).await.query()["code"].clone();
    let body = json!({ "auth_code": code, "code_verifier": verifier });
    app.post("/token?grant_type=pkce", body).await.ok();
    app.sign_in(OWNER, OWN).await.ok();
}
