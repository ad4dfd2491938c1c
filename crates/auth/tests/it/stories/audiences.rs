//! Audiences: which ones users can have, and that nobody can keep an address in another one.

use innkeeper_auth::config::Profile;
use innkeeper_rest::Method;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::mail_flows::claims_of;

const OWNER: &str = "owner@example.com";
const PASSWORD: &str = "correct horse";
const NOWHERE: (&str, &str) = ("X-JWT-AUD", "nowhere");
const TENANTS: (&str, &str) = ("X-JWT-AUD", "tenants");

/// Returns the claims of a session's access token.
fn claims(session: &Value) -> Value {
    claims_of(session["access_token"].as_str().unwrap())
}

async fn server(profile: Profile) -> TestApp {
    TestApp::with(|config| {
        config.profile = profile;
        config.smtp.max_frequency = Some(SignedDuration::ZERO);
        config.jwt.audiences = vec!["tenants".to_owned()];
    })
    .await
}

#[tokio::test]
async fn nobody_signs_up_into_an_audience_that_no_setting_names() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let app = server(profile).await;
        let body = json!({ "email": OWNER, "password": PASSWORD });
        for target in ["/signup", "/otp", "/magiclink"] {
            app.send(Method::POST, target, &[NOWHERE], Some(&body))
                .await
                .refused(400, "validation_failed");
        }
        // The owner signs up as if nothing had happened.
        let session = app.signed_up(OWNER, PASSWORD).await;
        assert_eq!(session["user"]["aud"], "authenticated");
    }
}

#[tokio::test]
async fn a_listed_audience_is_that_of_the_user_and_of_the_token() {
    let app = server(Profile::Std).await;
    let body = json!({ "email": OWNER, "password": PASSWORD });
    app.send(Method::POST, "/signup", &[TENANTS], Some(&body))
        .await
        .ok();
    let code = app.mailbox.next_to(OWNER).await.code();
    let body = json!({ "type": "signup", "email": OWNER, "token": code });
    let answer = app
        .send(Method::POST, "/verify", &[TENANTS], Some(&body))
        .await;
    assert_eq!(claims(&answer.ok())["aud"], "tenants");
}

#[tokio::test]
async fn an_unconfirmed_account_of_another_audience_keeps_nobody_away() {
    for profile in [Profile::Std, Profile::Gotrue] {
        for target in ["/signup", "/otp"] {
            let app = server(profile).await;
            let squat = json!({ "email": OWNER, "password": "known to the attacker" });
            app.send(Method::POST, "/signup", &[TENANTS], Some(&squat))
                .await
                .ok();
            app.mailbox.next_to(OWNER).await;
            let body = json!({ "email": OWNER, "password": PASSWORD });
            app.post(target, body).await.ok();
            let mail = app.mailbox.next_to(OWNER).await;
            let session = app.verify_code("signup", OWNER, &mail.code()).await.ok();
            assert_eq!(session["user"]["aud"], "authenticated");
            assert_eq!(claims(&session)["aud"], "authenticated");
            app.sign_in(OWNER, "known to the attacker")
                .await
                .refused(400, "invalid_credentials");
        }
    }
}

#[tokio::test]
async fn a_confirmed_account_of_another_audience_stays_where_it_is() {
    let app = server(Profile::Std).await;
    let operator = app.operator();
    operator
        .create(json!({ "email": OWNER, "email_confirm": true, "aud": "tenants" }))
        .await;
    for target in ["/signup", "/otp"] {
        let body = json!({ "email": OWNER, "password": PASSWORD });
        app.post(target, body).await.ok();
    }
    app.assert_no_mail(OWNER).await;
    let sql = app.sql().await;
    let row = sql
        .query_one("select aud from users where email = $1", &[&OWNER])
        .await
        .unwrap();
    assert_eq!(row.get::<_, String>(0), "tenants");
}

#[tokio::test]
async fn no_token_is_signed_for_an_audience_that_no_setting_names() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let app = server(profile).await;
        let session = app.signed_up(OWNER, PASSWORD).await;
        let sql = app.sql().await;
        sql.execute("update users set aud = 'nowhere'", &[])
            .await
            .unwrap();
        let body = json!({ "email": OWNER, "password": PASSWORD });
        let target = "/token?grant_type=password";
        let signed_in = app
            .send(Method::POST, target, &[NOWHERE], Some(&body))
            .await;
        let refreshed = app
            .refresh(session["refresh_token"].as_str().unwrap())
            .await;
        for answer in [signed_in, refreshed] {
            match profile {
                Profile::Std => {
                    answer.refused(403, "unexpected_audience");
                }
                // What GoTrue signs in stays signed in.
                Profile::Gotrue => assert_eq!(claims(&answer.ok())["aud"], "nowhere"),
            }
        }
    }
}

#[tokio::test]
async fn operators_choose_among_the_same_audiences() {
    let app = server(Profile::Std).await;
    let operator = app.operator();
    let body = json!({ "email": OWNER, "aud": "nowhere" });
    operator
        .post("/admin/users", body)
        .await
        .refused(400, "validation_failed");
    let user = operator.create(json!({ "email": OWNER })).await;
    let path = format!("/admin/users/{}", user["id"].as_str().unwrap());
    operator
        .put(&path, json!({ "aud": "nowhere" }))
        .await
        .refused(400, "validation_failed");
    operator.put(&path, json!({ "aud": "tenants" })).await.ok();
}
