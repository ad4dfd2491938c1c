//! Listing, renaming and deleting passkeys, by their owners and by operators.

use http::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{EMAIL, PASSWORD, add_passkey, both_profiles, owner, sign_in, std_app};
use crate::support::authenticator::Authenticator;
use crate::support::tokens::text;
use crate::support::{Answer, TestApp};

async fn rename(app: &TestApp, token: &str, id: &str, body: Value) -> Answer {
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let target = format!("/passkeys/{id}");
    app.send(Method::PATCH, &target, &headers, Some(&body))
        .await
}

#[tokio::test]
async fn owners_list_rename_and_delete_their_passkeys() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        app.advance(1);
        let mut second = Authenticator::new();
        let added = add_passkey(&app, &ada.token, &mut second).await.ok();
        let list = app.get_as(&ada.token, "/passkeys").await.ok();
        assert_eq!(list.as_array().unwrap().len(), 2);
        assert_eq!(list[0]["id"], ada.passkey);
        assert_eq!(list[0]["friendly_name"], "Passkey");
        assert!(list[0].get("last_used_at").is_none());
        assert_eq!(list[1]["id"], added["id"]);
        let named = rename(
            &app,
            &ada.token,
            &ada.passkey,
            json!({ "friendly_name": "Key ring" }),
        );
        let named = named.await.ok();
        assert_eq!(named["friendly_name"], "Key ring");
        assert_eq!(named["created_at"], list[0]["created_at"]);
        let target = format!("/passkeys/{}", ada.passkey);
        let gone = app.delete_as(&ada.token, &target, None).await;
        assert_eq!((gone.status, gone.text.as_str()), (204, ""));
        app.delete_as(&ada.token, &target, None)
            .await
            .refused(404, "validation_failed");
        sign_in(&app, &mut ada.authenticator)
            .await
            .refused(400, "webauthn_verification_failed");
        sign_in(&app, &mut second).await.ok();
    }
}

#[tokio::test]
async fn names_are_checked_and_passkeys_of_others_are_not_found() {
    for app in both_profiles().await {
        let ada = owner(&app, EMAIL).await;
        let eve = owner(&app, "eve@example.com").await;
        for name in [json!(null), json!(""), json!("x".repeat(121))] {
            let body = json!({ "friendly_name": name });
            rename(&app, &ada.token, &ada.passkey, body)
                .await
                .refused(400, "validation_failed");
        }
        let body = json!({ "friendly_name": "é".repeat(120) });
        rename(&app, &ada.token, &ada.passkey, body).await.ok();
        let unknown = Uuid::new_v4().to_string();
        for id in [ada.passkey.as_str(), &unknown, "seven"] {
            let body = json!({ "friendly_name": "mine" });
            rename(&app, &eve.token, id, body)
                .await
                .refused(404, "validation_failed");
            app.delete_as(&eve.token, &format!("/passkeys/{id}"), None)
                .await
                .refused(404, "validation_failed");
        }
        for (method, target) in [
            (Method::GET, "/passkeys".to_owned()),
            (Method::PATCH, format!("/passkeys/{}", ada.passkey)),
            (Method::DELETE, format!("/passkeys/{}", ada.passkey)),
        ] {
            app.send(method, &target, &[], Some(&json!({})))
                .await
                .refused(401, "no_authorization");
        }
        let list = app.get_as(&ada.token, "/passkeys").await.ok();
        assert_eq!(list.as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn operators_list_and_delete_the_passkeys_of_users() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        let eve = owner(&app, "eve@example.com").await;
        let admin = app.service_key();
        let target = format!("/admin/users/{}/passkeys", ada.user_id);
        let list = app.get_as(&admin, &target).await.ok();
        assert_eq!(list.as_array().unwrap().len(), 1);
        assert_eq!(list[0]["id"], ada.passkey);
        app.get_as(&ada.token, &target)
            .await
            .refused(403, "not_admin");
        let of_eve = format!("{target}/{}", eve.passkey);
        app.delete_as(&admin, &of_eve, None)
            .await
            .refused(404, "validation_failed");
        let unknown = format!("/admin/users/{}/passkeys", Uuid::new_v4());
        app.get_as(&admin, &unknown)
            .await
            .refused(404, "user_not_found");
        let target = format!("{target}/{}", ada.passkey);
        assert_eq!(app.delete_as(&admin, &target, None).await.status, 204);
        sign_in(&app, &mut ada.authenticator)
            .await
            .refused(400, "webauthn_verification_failed");
        let sql = app.sql().await;
        let query = "
            select payload->'traits'
              from audit_log_entries
             where payload->>'action' = 'passkey_deleted'";
        let traits: Value = sql.query_one(query, &[]).await.unwrap().get(0);
        assert_eq!(traits["user_id"], ada.user_id);
        assert_eq!(traits["passkey_id"], ada.passkey);
    }
}

/// Whoever has a second factor needs it to add and delete passkeys.
#[tokio::test]
async fn accounts_with_a_second_factor_manage_passkeys_at_the_second_level() {
    for app in both_profiles().await {
        let ada = owner(&app, EMAIL).await;
        let mut key = Authenticator::new();
        let raised = crate::factors::security_key(&app, &ada.token, "key", &mut key).await;
        let low = app.sign_in(EMAIL, PASSWORD).await.ok();
        let low = text(&low, "access_token");
        let target = "/passkeys/registration/options";
        app.post_as(&low, target, json!({}))
            .await
            .refused(403, "insufficient_aal");
        let own = format!("/passkeys/{}", ada.passkey);
        app.delete_as(&low, &own, None)
            .await
            .refused(403, "insufficient_aal");
        let high = text(&raised, "access_token");
        add_passkey(&app, &high, &mut Authenticator::new())
            .await
            .ok();
        assert_eq!(app.delete_as(&high, &own, None).await.status, 204);
    }
}

#[tokio::test]
async fn the_settings_say_whether_passkeys_are_on() {
    let app = std_app(|_| {}).await;
    assert_eq!(app.get("/settings").await.ok()["passkeys_enabled"], true);
    let app = std_app(|config| config.webauthn.passkeys_enabled = false).await;
    assert_eq!(app.get("/settings").await.ok()["passkeys_enabled"], false);
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    for target in [
        "/passkeys/registration/options",
        "/passkeys/authentication/verify",
    ] {
        app.post_as(&token, target, json!({}))
            .await
            .refused(404, "passkey_disabled");
    }
    app.get_as(&token, "/passkeys")
        .await
        .refused(404, "passkey_disabled");
}

#[tokio::test]
async fn operators_are_told_that_there_is_no_such_user() {
    let app = super::std_app(|_| {}).await;
    let ada = owner(&app, EMAIL).await;
    let admin = app.service_key();
    let all = format!("/admin/users/{}/passkeys", uuid::Uuid::new_v4());
    app.get_as(&admin, &all)
        .await
        .refused(404, "user_not_found");
    app.delete_as(&admin, &format!("{all}/{}", ada.passkey), None)
        .await
        .refused(404, "user_not_found");
}
