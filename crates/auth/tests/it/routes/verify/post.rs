//! `POST /verify`: accepted requests and their responses.

use serde_json::json;

use super::{FLOWS, TYPES};
use crate::support::mail_flows::{claims_of, methods_of, without_pauses};
use crate::support::{API_VERSION_2024, TestApp};

#[tokio::test]
async fn every_type_takes_links_and_codes_of_its_kind_and_no_others() {
    let app = TestApp::with(without_pauses).await;
    for (number, flow) in FLOWS.iter().enumerate() {
        for (kind, resolved) in flow.good_for {
            let case = format!("{} as {kind}", flow.name);
            let email = format!("link-{number}-{kind}@example.com");
            let mail = flow.mail(&app, &email).await;
            for wrong in TYPES.into_iter().filter(|kind| !flow.is_good_for(kind)) {
                let answer = app.verify_link(wrong, &mail.token()).await;
                assert!([400, 403].contains(&answer.status), "{case}: {wrong}");
                let answer = app.verify_code(wrong, &email, &mail.code()).await;
                assert!([400, 403].contains(&answer.status), "{case}: {wrong}");
            }
            let answer = app.verify_link(kind, &mail.token()).await;
            assert_eq!(answer.status, 200, "{case}: {}", answer.text);
            assert_eq!(answer.body["type"], resolved, "{case}");

            let email = format!("code-{number}-{kind}@example.com");
            let mail = flow.mail(&app, &email).await;
            let answer = app.verify_code(kind, &email, &mail.code()).await;
            assert_eq!(answer.status, 200, "{case}: {}", answer.text);
            assert_eq!(answer.body["type"], resolved, "{case}");
            assert!(
                answer.body["user"]["email_confirmed_at"].is_string(),
                "{case}"
            );
        }
    }
}

#[tokio::test]
async fn a_good_code_opens_a_session_that_says_how() {
    let app = TestApp::start().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let answer = app
        .verify_code("signup", "Ada@Example.COM", &mail.code())
        .await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let session = answer.ok();
    assert_eq!(session["type"], "signup");
    assert_eq!(session["token_type"], "bearer");
    assert_eq!(session["expires_in"], 3600);
    assert!(session["expires_at"].is_i64());
    assert!(session.get("weak_password").is_none());
    let access_token = session["access_token"].as_str().unwrap();
    assert_eq!(methods_of(access_token), ["otp"]);
    assert_eq!(claims_of(access_token)["email"], "ada@example.com");
    assert_eq!(session["user"]["app_metadata"]["provider"], "email");
    assert_eq!(session["user"]["user_metadata"]["email_verified"], true);
    let identity = &session["user"]["identities"][0];
    assert_eq!(identity["identity_data"]["email_verified"], true);
    app.get_as(access_token, "/user").await.ok();
    let refresh_token = session["refresh_token"].as_str().unwrap();
    app.refresh(refresh_token).await.ok();
}

#[tokio::test]
async fn a_link_or_code_works_once() {
    let app = TestApp::with(without_pauses).await;
    let mail = app.mail_of_signup("ada@example.com").await;
    app.verify_link("signup", &mail.token()).await.ok();
    let again = app.verify_link("signup", &mail.token()).await;
    assert_eq!(
        again.refused(403, "otp_expired")["msg"],
        "Email link is invalid or has expired"
    );
    let again = app
        .verify_code("signup", "ada@example.com", &mail.code())
        .await;
    assert_eq!(
        again.refused(403, "otp_expired")["msg"],
        "Token has expired or is invalid"
    );
    let mail = app.mail_of("/recover", "ada@example.com").await;
    app.verify_code("recovery", "ada@example.com", &mail.code())
        .await
        .ok();
    app.verify_code("recovery", "ada@example.com", &mail.code())
        .await
        .refused(403, "otp_expired");
    app.verify_link("recovery", &mail.token())
        .await
        .refused(403, "otp_expired");
}

#[tokio::test]
async fn links_and_codes_live_as_long_as_the_setting_says() {
    for (age, lives) in [(560, true), (602, false)] {
        let app = TestApp::with(|config| {
            without_pauses(config);
            config.mailer.otp_exp = jiff::SignedDuration::from_secs(601);
        })
        .await;
        let ada = app.mail_of_signup("ada@example.com").await;
        let bob = app.mail_of_signup("bob@example.com").await;
        let eve = app.mail_of_signup("eve@example.com").await;
        app.advance(age);
        let by_code = app
            .verify_code("signup", "ada@example.com", &ada.code())
            .await;
        let by_secret = app.verify_link("signup", &bob.token()).await;
        let by_link = app.follow(&eve).await;
        if lives {
            by_code.ok();
            by_secret.ok();
            assert_ne!(by_link.said("access_token"), "");
        } else {
            by_code.refused(403, "otp_expired");
            by_secret.refused(403, "otp_expired");
            by_link.sent_back_with("otp_expired");
        }
    }
}

#[tokio::test]
async fn a_code_is_good_with_its_own_address_only() {
    let app = TestApp::with(without_pauses).await;
    let ada = app.mail_of_signup("ada@example.com").await;
    let bob = app.mail_of_signup("bob@example.com").await;
    if ada.code() != bob.code() {
        app.verify_code("signup", "bob@example.com", &ada.code())
            .await
            .refused(403, "otp_expired");
    }
    app.verify_code("signup", "nobody@example.com", &ada.code())
        .await
        .refused(403, "otp_expired");
    let body = json!({ "type": "signup", "email": "ada@example.com", "token": ada.code() });
    let elsewhere = [("X-JWT-AUD", "another")];
    let answer = app
        .send(
            innkeeper_rest::Method::POST,
            "/verify",
            &elsewhere,
            Some(&body),
        )
        .await;
    answer.refused(403, "otp_expired");
    app.verify_code("signup", "ada@example.com", &ada.code())
        .await
        .ok();
}

#[tokio::test]
async fn a_mail_to_an_earlier_address_confirms_nothing() {
    let app = TestApp::with(without_pauses).await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let sql = app.sql().await;
    let user: uuid::Uuid = sql
        .query_one("select id from users where email = 'ada@example.com'", &[])
        .await
        .unwrap()
        .get(0);
    let body = json!({ "email": "lovelace@example.com" });
    let path = format!("/admin/users/{user}");
    app.put_as(&app.service_key(), &path, body).await.ok();
    app.verify_link("signup", &mail.token())
        .await
        .refused(403, "otp_expired");
    for email in ["ada@example.com", "lovelace@example.com"] {
        app.verify_code("signup", email, &mail.code())
            .await
            .refused(403, "otp_expired");
    }
}

#[tokio::test]
async fn a_banned_user_is_told_and_uses_nothing_up() {
    let app = TestApp::with(without_pauses).await;
    let user = app.confirmed("ada@example.com").await;
    let path = format!("/admin/users/{}", user["id"].as_str().unwrap());
    let mail = app.mail_of("/otp", "ada@example.com").await;
    let ban = json!({ "ban_duration": "10m" });
    app.put_as(&app.service_key(), &path, ban).await.ok();
    app.verify_code("magiclink", "ada@example.com", &mail.code())
        .await
        .refused(403, "user_banned");
    app.verify_link("magiclink", &mail.token())
        .await
        .refused(403, "user_banned");
    app.follow(&mail).await.sent_back_with("user_banned");
    app.advance(601);
    app.verify_link("magiclink", &mail.token()).await.ok();
}

#[tokio::test]
async fn an_account_without_a_password_can_be_given_one() {
    let app = TestApp::with(without_pauses).await;
    let mail = app.mail_of("/otp", "ada@example.com").await;
    let body = |password: &str| json!({ "type": "signup", "token_hash": mail.token(), "password": password });
    let weak = app.post("/verify", body("12345")).await;
    assert_eq!(
        weak.refused(422, "weak_password")["weak_password"]["reasons"],
        json!(["length"])
    );
    app.post("/verify", body("correct horse")).await.ok();
    app.sign_in("ada@example.com", "correct horse").await.ok();

    let mail = app.mail_of("/recover", "ada@example.com").await;
    let body = json!({
        "type": "recovery", "email": "ada@example.com", "token": mail.code(),
        "password": "another one",
    });
    app.post("/verify", body).await.ok();
    app.sign_in("ada@example.com", "correct horse").await.ok();
    app.sign_in("ada@example.com", "another one")
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn an_unknown_user_and_a_wrong_code_are_answered_alike() {
    let app = TestApp::with(without_pauses).await;
    app.mail_of_signup("ada@example.com").await;
    app.confirmed("bob@example.com").await;
    for headers in [&[][..], &[API_VERSION_2024][..]] {
        let mut answers = Vec::new();
        for email in ["ada@example.com", "bob@example.com", "nobody@example.com"] {
            for kind in ["signup", "recovery", "email", "email_change"] {
                let body = json!({ "type": kind, "email": email, "token": "no code" });
                let method = innkeeper_rest::Method::POST;
                let answer = app.send(method, "/verify", headers, Some(&body)).await;
                answers.push((answer.status, answer.text));
            }
        }
        assert_eq!(answers[0].0, 403);
        assert!(
            answers.iter().all(|answer| *answer == answers[0]),
            "{answers:?}"
        );
        assert!(answers[0].1.contains("Token has expired or is invalid"));
    }
}

#[tokio::test]
async fn a_change_of_address_needs_both_addresses_by_code_or_by_link() {
    let app = TestApp::with(without_pauses).await;
    for by_code in [true, false] {
        let (old, new) = (
            format!("old-{by_code}@example.com"),
            format!("new-{by_code}@example.com"),
        );
        let session = app.signed_up(&old, "correct horse").await;
        let access_token = session["access_token"].as_str().unwrap();
        let body = json!({ "email": new });
        app.put_as(access_token, "/user", body).await.ok();
        let (to_old, to_new) = (
            app.mailbox.next_to(&old).await,
            app.mailbox.next_to(&new).await,
        );
        let verify = async |email: &str, mail: &crate::support::mailbox::ReceivedMail| {
            if by_code {
                app.verify_code("email_change", email, &mail.code())
                    .await
                    .ok()
            } else {
                app.verify_link("email_change", &mail.token()).await.ok()
            }
        };
        let half = verify(&new, &to_new).await;
        assert_eq!(half["code"], "200");
        assert!(half["msg"].as_str().unwrap().contains("other email"));
        assert!(half.get("access_token").is_none());
        let whole = verify(&old, &to_old).await;
        assert_eq!(whole["type"], "email_change");
        assert_eq!(whole["user"]["email"], new);
        assert!(whole["user"].get("new_email").is_none());
    }
}
