//! The accounts that users of external providers get, and the identities that they link and unlink.

use innkeeper_auth::config::{Config, MessageKind, Profile};
use serde_json::{Value, json};
use url::Url;

use crate::support::github::{Github, Landing, person};
use crate::support::mail_flows::{claims_of, without_pauses};
use crate::support::profile::gotrue;
use crate::support::{Answer, TestApp};

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

async fn start(change: impl FnOnce(&mut Config)) -> (TestApp, Github) {
    let github = Github::start().await;
    let app = TestApp::with(|config| {
        without_pauses(config);
        change(config);
        github.configure(config);
    })
    .await;
    (app, github)
}

fn with_linking(config: &mut Config) {
    config.security.manual_linking_enabled = true;
    config.mailer.notifications = [MessageKind::IdentityLinked, MessageKind::IdentityUnlinked]
        .into_iter()
        .collect();
}

async fn user_of(app: &TestApp, landing: &Landing) -> Value {
    app.get_as(&landing.access_token(), "/user").await.ok()
}

fn token(session: &Value) -> String {
    session["access_token"].as_str().unwrap().to_owned()
}

/// Adds an identity to the account of a token.
async fn link(app: &TestApp, github: &Github, token: &str, person: &Value) -> Landing {
    let target = "/user/identities/authorize?provider=github&skip_http_redirect=true";
    let url = app.get_as(token, target).await.ok();
    let at = Url::parse(url["url"].as_str().unwrap()).unwrap();
    app.come_back(github, &at, person).await
}

async fn unlink(app: &TestApp, token: &str, identity: &Value) -> Answer {
    let id = identity["identity_id"].as_str().unwrap();
    app.delete_as(token, &format!("/user/identities/{id}"), None)
        .await
}

#[tokio::test]
async fn a_verified_address_leads_to_the_account_that_has_it() {
    let (app, github) = start(|config| {
        config.mailer.notifications = [MessageKind::IdentityLinked].into_iter().collect();
    })
    .await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let landing = app.enter_with(&github, &person(42, &[(ADA, true)])).await;
    let user = user_of(&app, &landing).await;
    assert_eq!(user["id"], session["user"]["id"]);
    assert_eq!(
        user["app_metadata"]["providers"],
        json!(["email", "github"])
    );
    assert_eq!(user["identities"].as_array().unwrap().len(), 2);
    let mail = app.mailbox.next_to(ADA).await;
    assert!(mail.text.to_lowercase().contains("github"), "{}", mail.text);
    // Its owner keeps the password and the sessions.
    app.sign_in(ADA, PASSWORD).await.ok();
    app.get_as(&token(&session), "/user").await.ok();
}

#[tokio::test]
async fn an_address_that_nobody_has_verified_leads_to_no_other_account() {
    for change in [(|_: &mut Config| {}) as fn(&mut Config), |config| {
        config.mailer.autoconfirm = true;
    }] {
        let (app, github) = start(change).await;
        app.signed_up(ADA, PASSWORD).await;
        let landing = app.enter_with(&github, &person(42, &[(ADA, false)])).await;
        landing.refused("access_denied", "provider_email_needs_verification");
        assert_eq!(
            (app.rows("users").await, app.rows("identities").await),
            (1, 1)
        );
    }
    let (app, github) = start(|config| {
        gotrue(config);
        config.mailer.autoconfirm = true;
    })
    .await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let landing = app.enter_with(&github, &person(42, &[(ADA, false)])).await;
    assert_eq!(user_of(&app, &landing).await["id"], session["user"]["id"]);
}

#[tokio::test]
async fn somebody_who_typed_the_address_first_loses_the_account_to_its_owner() {
    let (app, github) = start(|_| {}).await;
    let body = json!({ "email": ADA, "password": PASSWORD, "data": { "plan": "eve's" } });
    app.post("/signup", body).await.ok();
    let mail = app.mailbox.next_to(ADA).await;
    let sql = app.sql().await;
    let other = "insert into identities (provider_id, user_id, identity_data, provider) \
                 select '666', id, '{\"email\": \"ada@example.com\"}', 'gitlab' from users";
    sql.execute(other, &[]).await.unwrap();
    let landing = app.enter_with(&github, &person(42, &[(ADA, true)])).await;
    let user = user_of(&app, &landing).await;
    assert!(user["email_confirmed_at"].is_string());
    assert_eq!(user["app_metadata"]["providers"], json!(["github"]));
    assert_eq!(user["identities"].as_array().unwrap().len(), 1);
    assert!(user["user_metadata"].get("plan").is_none());
    app.sign_in(ADA, PASSWORD)
        .await
        .refused(400, "invalid_credentials");
    app.follow(&mail).await.sent_back_with("otp_expired");
}

#[tokio::test]
async fn an_unverified_address_is_confirmed_by_a_mail() {
    let (app, github) = start(|_| {}).await;
    let ada = person(42, &[(ADA, false)]);
    let landing = app.enter_with(&github, &ada).await;
    landing.refused("access_denied", "provider_email_needs_verification");
    let mail = app.mailbox.next_to(ADA).await;
    assert_eq!(app.rows("sessions").await, 0);
    app.enter_with(&github, &ada)
        .await
        .refused("access_denied", "provider_email_needs_verification");
    let answer = app.follow(&mail).await;
    assert_eq!(answer.said("message"), "");
    assert!(!answer.said("access_token").is_empty());
    let user = user_of(&app, &app.enter_with(&github, &ada).await).await;
    assert!(user["email_confirmed_at"].is_string());
    assert_eq!(app.rows("users").await, 1);
}

#[tokio::test]
async fn whoever_confirms_the_address_otherwise_does_not_keep_a_claimed_identity() {
    let (app, github) = start(|_| {}).await;
    let eve = person(666, &[(ADA, false)]);
    app.enter_with(&github, &eve).await;
    app.mailbox.next_to(ADA).await;
    let mail = app.mail_of("/magiclink", ADA).await;
    let session = app.verify_code("email", ADA, &mail.code()).await.ok();
    assert_eq!(
        session["user"]["app_metadata"]["providers"],
        json!(["email"])
    );
    let landing = app.enter_with(&github, &eve).await;
    landing.refused("access_denied", "provider_email_needs_verification");
}

#[tokio::test]
async fn unverified_users_enter_where_that_is_allowed() {
    let (app, github) = start(|config| config.mailer.allow_unverified_email_sign_ins = true).await;
    let landing = app.enter_with(&github, &person(42, &[(ADA, false)])).await;
    assert!(
        user_of(&app, &landing)
            .await
            .get("email_confirmed_at")
            .is_none()
    );
    app.mailbox.next_to(ADA).await;
}

#[tokio::test]
async fn a_user_without_an_address_enters_only_where_none_is_needed() {
    let nobody = person(42, &[]);
    let (app, github) = start(|_| {}).await;
    let landing = app.enter_with(&github, &nobody).await;
    landing.refused("invalid_request", "email_address_not_provided");
    assert_eq!(app.rows("users").await, 0);
    let (app, github) = start(gotrue).await;
    let landing = app.enter_with(&github, &nobody).await;
    landing.refused("server_error", "unexpected_failure");
    let (app, github) = start(|config| {
        config
            .external
            .providers
            .get_mut("github")
            .unwrap()
            .email_optional = true;
    })
    .await;
    for _ in 0..2 {
        let user = user_of(&app, &app.enter_with(&github, &nobody).await).await;
        assert_eq!(user["email"], "");
    }
    assert_eq!(app.rows("users").await, 1);
}

#[tokio::test]
async fn the_provider_overwrites_metadata_only_where_that_is_configured() {
    for (is_on, expected) in [(false, "Countess"), (true, "Ada Lovelace")] {
        let (app, github) = start(|config| config.metadata.from_providers = is_on).await;
        let mut ada = person(42, &[(ADA, true)]);
        let landing = app.enter_with(&github, &ada).await;
        let body = json!({ "data": { "full_name": "Countess" } });
        app.put_as(&landing.access_token(), "/user", body)
            .await
            .ok();
        ada["login"] = json!("countess");
        let user = user_of(&app, &app.enter_with(&github, &ada).await).await;
        assert_eq!(user["user_metadata"]["full_name"], expected);
        assert_eq!(
            user["identities"][0]["identity_data"]["full_name"],
            "Ada Lovelace"
        );
        assert_eq!(
            user["identities"][0]["identity_data"]["user_name"],
            "countess"
        );
    }
}

#[tokio::test]
async fn data_that_is_too_large_stays_in_the_identity() {
    let (app, github) = start(|config| config.metadata.max_user_size = 256).await;
    let mut ada = person(42, &[(ADA, true)]);
    ada["name"] = json!("A".repeat(1000));
    let user = user_of(&app, &app.enter_with(&github, &ada).await).await;
    assert_eq!(user["user_metadata"], json!({}));
    assert_eq!(
        user["identities"][0]["identity_data"]["full_name"],
        ada["name"]
    );
}

#[tokio::test]
async fn two_accounts_with_addresses_of_one_identity_are_not_merged() {
    let (app, github) = start(|_| {}).await;
    app.confirmed(ADA).await;
    app.confirmed("other@example.com").await;
    let both = person(42, &[(ADA, true), ("other@example.com", true)]);
    app.enter_with(&github, &both)
        .await
        .refused("invalid_request", "conflict");
    assert_eq!(app.rows("identities").await, 2);
}

#[tokio::test]
async fn identities_are_linked_and_unlinked_by_their_user() {
    let (app, github) = start(with_linking).await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let access_token = token(&session);
    let work = person(42, &[("work@example.com", true)]);
    let landing = link(&app, &github, &access_token, &work).await;
    let user = user_of(&app, &landing).await;
    assert_eq!(user["id"], session["user"]["id"]);
    assert_eq!(user["email"], ADA);
    assert_eq!(
        user["app_metadata"]["providers"],
        json!(["email", "github"])
    );
    app.mailbox.next_to(ADA).await;
    let entered = app.enter_with(&github, &work).await;
    assert_eq!(claims_of(&entered.access_token())["sub"], user["id"]);

    let again = link(&app, &github, &access_token, &work).await;
    again.refused("invalid_request", "identity_already_exists");
    let bob = app.signed_up("bob@example.com", PASSWORD).await;
    let stolen = link(&app, &github, &token(&bob), &work).await;
    stolen.refused("invalid_request", "identity_already_exists");
    assert_eq!(app.rows("identities").await, 3);

    let of_github = &user["identities"][1];
    unlink(&app, &token(&bob), of_github)
        .await
        .refused(422, "single_identity_not_deletable");
    let unknown = json!({ "identity_id": uuid::Uuid::new_v4() });
    unlink(&app, &access_token, &unknown)
        .await
        .refused(422, "identity_not_found");
    let path = "/user/identities/abc";
    app.delete_as(&access_token, path, None)
        .await
        .refused(404, "validation_failed");
    let answer = unlink(&app, &access_token, of_github).await;
    assert_eq!(answer.ok(), json!({}));
    app.mailbox.next_to(ADA).await;
    let user = app.get_as(&access_token, "/user").await.ok();
    assert_eq!(user["app_metadata"]["providers"], json!(["email"]));
    unlink(&app, &access_token, &user["identities"][0])
        .await
        .refused(422, "single_identity_not_deletable");
}

#[tokio::test]
async fn a_password_adds_the_identity_of_the_address_so_that_the_provider_can_go() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let (app, github) = start(|config| {
            with_linking(config);
            config.profile = profile;
        })
        .await;
        let landing = app.enter_with(&github, &person(42, &[(ADA, true)])).await;
        let access_token = landing.access_token();
        for _ in 0..2 {
            let body = json!({ "password": "battery staple 9", "data": { "name": "Ada" } });
            // The second time the password is the same.
            let changed = app.put_as(&access_token, "/user", body).await;
            assert!([200, 422].contains(&changed.status), "{}", changed.text);
            let user = app.get_as(&access_token, "/user").await.ok();
            assert_eq!(
                user["app_metadata"]["providers"],
                json!(["github", "email"])
            );
            assert_eq!(user["identities"].as_array().unwrap().len(), 2);
            assert_eq!(user["identities"][1]["identity_data"]["email"], ADA);
        }
        let user = app.get_as(&access_token, "/user").await.ok();
        unlink(&app, &access_token, &user["identities"][0])
            .await
            .ok();
        let session = app.sign_in(ADA, "battery staple 9").await.ok();
        assert_eq!(session["user"]["id"], user["id"]);
        assert_eq!(session["user"]["email"], ADA);
    }
}

#[tokio::test]
async fn nobody_is_told_of_identities_unless_that_is_switched_on() {
    let (app, github) = start(|config| config.security.manual_linking_enabled = true).await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let access_token = token(&session);
    let work = person(42, &[("work@example.com", true)]);
    let landing = link(&app, &github, &access_token, &work).await;
    let user = user_of(&app, &landing).await;
    unlink(&app, &access_token, &user["identities"][1])
        .await
        .ok();
    app.assert_no_mail(ADA).await;
}

#[tokio::test]
async fn unlinking_takes_the_address_along() {
    let (app, github) = start(with_linking).await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let access_token = token(&session);
    let landing = link(
        &app,
        &github,
        &access_token,
        &person(42, &[("work@example.com", true)]),
    )
    .await;
    let user = user_of(&app, &landing).await;
    unlink(&app, &access_token, &user["identities"][0])
        .await
        .ok();
    let user = app.get_as(&access_token, "/user").await.ok();
    assert_eq!(user["email"], "work@example.com");
    assert_eq!(user["identities"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn unlinking_takes_the_phone_number_along() {
    let (app, _github) = start(with_linking).await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let access_token = token(&session);
    let target = format!("/admin/users/{}", session["user"]["id"].as_str().unwrap());
    let body = json!({ "phone": "4915112345678", "phone_confirm": true });
    let user = app.put_as(&app.service_key(), &target, body).await.ok();
    let identities = user["identities"].as_array().unwrap();
    let by_phone = identities.iter().find(|it| it["provider"] == "phone");
    unlink(&app, &access_token, by_phone.unwrap()).await.ok();
    let user = app.get_as(&access_token, "/user").await.ok();
    assert_eq!((&user["phone"], &user["email"]), (&json!(""), &json!(ADA)));
    assert!(user.get("phone_confirmed_at").is_none(), "{user}");
}

#[tokio::test]
async fn linking_is_off_unless_it_is_switched_on_and_needs_a_user() {
    let (app, _github) = start(|_| {}).await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let target = "/user/identities/authorize?provider=github";
    let body = app
        .get_as(&token(&session), target)
        .await
        .refused(404, "manual_linking_disabled");
    assert_eq!(body["msg"], "Manual linking is disabled");
    unlink(&app, &token(&session), &session["user"]["identities"][0])
        .await
        .refused(404, "manual_linking_disabled");
    app.get(target).await.refused(401, "no_authorization");
    let (app, _github) = start(with_linking).await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let answer = app.get_as(&token(&session), target).await;
    assert_eq!(answer.status, 302);
    let target = "/user/identities/authorize?provider=nobody";
    app.get_as(&token(&session), target)
        .await
        .refused(400, "validation_failed");
}

#[tokio::test]
async fn an_anonymous_user_becomes_permanent_by_a_verified_identity() {
    let (app, github) = start(|config| {
        with_linking(config);
        config.external.anonymous_users_enabled = true;
        config.rate_limit.anonymous_users = 1e9;
    })
    .await;
    let session = app.post("/signup", json!({})).await.ok();
    let landing = link(&app, &github, &token(&session), &person(42, &[(ADA, true)])).await;
    let user = user_of(&app, &landing).await;
    assert_eq!(user["id"], session["user"]["id"]);
    assert_eq!(user["is_anonymous"], json!(false));
    assert_eq!(user["email"], ADA);
    assert_eq!(
        user["app_metadata"],
        json!({ "provider": "github", "providers": ["github"] })
    );

    // The address of somebody else is not taken.
    let session = app.post("/signup", json!({})).await.ok();
    let landing = link(&app, &github, &token(&session), &person(7, &[(ADA, true)])).await;
    landing.refused("invalid_request", "email_exists");
    let user = app.get_as(&token(&session), "/user").await.ok();
    assert_eq!(
        (&user["is_anonymous"], &user["identities"]),
        (&json!(true), &json!([]))
    );

    // An address that nobody has verified must be confirmed first.
    let landing = link(
        &app,
        &github,
        &token(&session),
        &person(8, &[("new@example.com", false)]),
    )
    .await;
    landing.refused("invalid_request", "email_not_confirmed");
    let user = app.get_as(&token(&session), "/user").await.ok();
    assert_eq!(user["is_anonymous"], json!(true));
    let code = app.mailbox.next_to("new@example.com").await.code();
    app.verify_code("signup", "new@example.com", &code)
        .await
        .ok();
    let user = app.get_as(&token(&session), "/user").await.ok();
    assert_eq!(user["is_anonymous"], json!(false));
    assert_eq!(app.mailbox.count_to("new@example.com"), 0);
}

#[tokio::test]
async fn id_tokens_of_providers_that_are_off_are_refused() {
    let (app, _github) = start(|_| {}).await;
    let target = "/token?grant_type=id_token";
    let body = json!({ "id_token": "abc", "provider": "google" });
    let refused = app
        .post(target, body)
        .await
        .refused(400, "provider_disabled");
    assert!(refused["msg"].as_str().unwrap().contains("not enabled"));
    for body in [
        json!({}),
        json!({ "id_token": "abc" }),
        json!({ "provider": "google" }),
    ] {
        let refused = app.post(target, body).await.failed(400);
        assert_eq!(refused["error"], "invalid request");
        assert!(refused["error_description"].is_string());
    }
    let body = json!({ "id_token": "abc", "provider": "google", "link_identity": true });
    app.post(target, body)
        .await
        .refused(401, "no_authorization");
}

#[tokio::test]
async fn of_two_identities_that_are_unlinked_at_the_same_moment_one_stays() {
    let (app, github) = start(with_linking).await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let access_token = token(&session);
    link(&app, &github, &access_token, &person(42, &[(ADA, true)])).await;
    let user = app.get_as(&access_token, "/user").await.ok();
    let identities = user["identities"].as_array().unwrap();
    assert_eq!(identities.len(), 2);
    let held = app.hold("select 1 from users for update").await;
    let (one, two, ()) = tokio::join!(
        unlink(&app, &access_token, &identities[0]),
        unlink(&app, &access_token, &identities[1]),
        held.release_to(2)
    );
    let (done, refused) = if one.status == 200 {
        (one, two)
    } else {
        (two, one)
    };
    done.ok();
    refused.refused(422, "single_identity_not_deletable");
    let user = app.get_as(&access_token, "/user").await.ok();
    assert_eq!(user["identities"].as_array().unwrap().len(), 1);
}
