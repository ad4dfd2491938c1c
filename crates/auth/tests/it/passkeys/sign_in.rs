//! Signing in with a passkey.

use innkeeper_auth::config::Profile;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    EMAIL, PASSWORD, add_passkey, both_profiles, gotrue_app, owner, sign_in, sign_in_options,
    std_app, verify,
};
use crate::support::Sql;
use crate::support::authenticator::{Authenticator, RP_ID, encode};
use crate::support::operator::count;
use crate::support::tokens::{parts_of, text};

#[tokio::test]
async fn a_passkey_opens_a_session_without_a_name() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        let started = sign_in_options(&app).await;
        let options = &started["options"];
        assert_eq!(options["rpId"], RP_ID);
        assert!(options.get("allowCredentials").is_none(), "{options}");
        assert_eq!(options["userVerification"], "preferred");
        app.advance(10);
        let credential = ada.authenticator.get(options);
        let answer = verify(&app, &started, &credential).await;
        assert_eq!(answer.header("sb-auth-user-id"), Some(ada.user_id.as_str()));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let session = answer.ok();
        assert_eq!(session["user"]["id"], ada.user_id);
        assert_eq!(session["token_type"], "bearer");
        let claims = parts_of(&text(&session, "access_token")).1;
        assert_eq!(claims["aal"], "aal1");
        assert_eq!(claims["amr"][0]["method"], "passkey");
        assert_eq!(session["user"]["app_metadata"]["provider"], "email");
        // The session goes on like any other, and the passkey shows when it was used.
        app.refresh(&text(&session, "refresh_token")).await.ok();
        let list = app
            .get_as(&text(&session, "access_token"), "/passkeys")
            .await;
        let list = list.ok();
        assert!(list[0]["last_used_at"].is_string(), "{list}");
        assert_ne!(list[0]["last_used_at"], list[0]["created_at"]);
    }
}

#[tokio::test]
async fn the_options_need_no_body() {
    let app = std_app(|_| {}).await;
    let target = "/passkeys/authentication/options";
    let answer = app.send(http::Method::POST, target, &[], None).await;
    assert!(answer.ok()["challenge_id"].is_string());
    app.post(
        target,
        json!({ "gotrue_meta_security": { "captcha_token": null } }),
    )
    .await
    .ok();
    let texts = app
        .send(http::Method::POST, target, &[], Some(&json!([])))
        .await;
    texts.refused(400, "bad_json");
}

#[tokio::test]
async fn sign_ins_are_in_the_audit_log() {
    let app = std_app(|_| {}).await;
    let mut ada = owner(&app, EMAIL).await;
    sign_in(&app, &mut ada.authenticator).await.ok();
    ada.authenticator.counter = 0;
    sign_in(&app, &mut ada.authenticator)
        .await
        .refused(400, "webauthn_verification_failed");
    let sql = app.sql().await;
    let query = "
        select payload->>'action', payload->'traits'
          from audit_log_entries
         where payload->'traits'->>'passkey_id' = $1
         order by created_at, payload->>'action'";
    let rows = sql.query(query, &[&ada.passkey]).await.unwrap();
    let actions: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let mut sorted = actions.clone();
    sorted.sort();
    assert_eq!(sorted, ["login", "passkey_created", "sign_in_failed"]);
    let login = actions.iter().position(|it| it == "login").unwrap();
    assert_eq!(rows[login].get::<_, Value>(1)["provider"], "passkey");
}

/// A counter that does not grow means that there are two authenticators with the same key.
#[tokio::test]
async fn a_copy_of_an_authenticator_is_refused() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        sign_in(&app, &mut ada.authenticator).await.ok();
        let before = ada.authenticator.counter;
        sign_in(&app, &mut ada.authenticator).await.ok();
        // The copy was made one use ago.
        ada.authenticator.counter = before;
        let refused = sign_in(&app, &mut ada.authenticator).await;
        let refused = refused.refused(400, "webauthn_verification_failed");
        assert!(text(&refused, "msg").contains("counter"), "{refused}");
        // An authenticator that counted and does not any more.
        ada.authenticator.counts = false;
        ada.authenticator.counter = 0;
        sign_in(&app, &mut ada.authenticator)
            .await
            .refused(400, "webauthn_verification_failed");
        ada.authenticator.counts = true;
        ada.authenticator.counter = before + 5;
        sign_in(&app, &mut ada.authenticator).await.ok();
    }
}

#[tokio::test]
async fn authenticators_without_a_counter_are_accepted() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let mut phone = Authenticator::new();
        phone.counts = false;
        let token = text(&session, "access_token");
        add_passkey(&app, &token, &mut phone).await.ok();
        for _ in 0..2 {
            sign_in(&app, &mut phone).await.ok();
        }
    }
}

#[tokio::test]
async fn a_passkey_that_gotrue_has_stored_is_accepted() {
    let app = gotrue_app(|_| {}).await;
    let mut ada = owner(&app, EMAIL).await;
    // go-webauthn writes the members of a key in its own order.
    let sql = app.sql().await;
    let query = "select public_key from webauthn_credentials";
    let key: Vec<u8> = sql.query_one(query, &[]).await.unwrap().get(0);
    assert_eq!(key[..2], [0xa5, 0x01]);
    let mut reordered = vec![0xa5];
    reordered.extend(&key[5..]);
    reordered.extend(&key[1..5]);
    let change = "update webauthn_credentials set public_key = $1, transports = 'null'";
    sql.execute(change, &[&reordered]).await.unwrap();
    sign_in(&app, &mut ada.authenticator).await.ok();
}

/// Returns what the database says about the use of the only passkey.
async fn stored_use(sql: &Sql) -> Value {
    let query = "
        select to_jsonb(w) - 'public_key'
          from webauthn_credentials w";
    sql.query_one(query, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn people_who_may_not_sign_in_are_told_why() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        let sql = app.sql().await;
        for (change, undo, code) in [
            (
                "update users set email_confirmed_at = null",
                "update users set email_confirmed_at = created_at",
                "email_not_confirmed",
            ),
            (
                "update users set phone = '15551234567'",
                "update users set phone = null",
                "phone_not_confirmed",
            ),
            (
                "update users set banned_until = 'infinity'",
                "update users set banned_until = null",
                "user_banned",
            ),
        ] {
            sql.execute(change, &[]).await.unwrap();
            let before = stored_use(&sql).await;
            app.advance(60);
            sign_in(&app, &mut ada.authenticator)
                .await
                .refused(403, code);
            // Nobody was signed in, so the passkey was not used.
            assert_eq!(stored_use(&sql).await, before, "{code}");
            sql.execute(undo, &[]).await.unwrap();
            sign_in(&app, &mut ada.authenticator).await.ok();
        }
    }
}

type Change = fn(&mut Authenticator);

#[tokio::test]
async fn a_wrong_origin_domain_signature_or_touch_is_refused() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        let changes: [(Change, Change, &str); 4] = [
            (
                |it| it.origin = "https://evil.example".into(),
                |it| it.origin = crate::support::authenticator::ORIGIN.into(),
                "WEBAUTHN_RP_ORIGINS",
            ),
            (
                |it| it.rp_id = "evil.example".into(),
                |it| it.rp_id = RP_ID.into(),
                "WEBAUTHN_RP_ID",
            ),
            (
                |it| it.cross_origin = true,
                |it| it.cross_origin = false,
                "frame",
            ),
            (|it| it.flags = 4, |it| it.flags = 5, "touched"),
        ];
        for (change, undo, reason) in changes {
            change(&mut ada.authenticator);
            let refused = sign_in(&app, &mut ada.authenticator).await;
            let refused = refused.refused(400, "webauthn_verification_failed");
            let message = text(&refused, "msg");
            assert!(message.contains(reason), "{message}");
            undo(&mut ada.authenticator);
        }
        // Signed by another key.
        let mut eve = Authenticator::new();
        eve.id.clone_from(&ada.authenticator.id);
        eve.user_handle.clone_from(&ada.authenticator.user_handle);
        eve.counter = 100;
        let refused = sign_in(&app, &mut eve).await;
        let refused = refused.refused(400, "webauthn_verification_failed");
        assert!(text(&refused, "msg").contains("signature"), "{refused}");
        sign_in(&app, &mut ada.authenticator).await.ok();
    }
}

#[tokio::test]
async fn unknown_and_foreign_credentials_are_refused() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        let mut eve = owner(&app, "eve@example.com").await;
        let mut stranger = Authenticator::new();
        stranger
            .user_handle
            .clone_from(&ada.authenticator.user_handle);
        let refused = sign_in(&app, &mut stranger).await;
        refused.refused(400, "webauthn_verification_failed");
        // Eve's passkey says that it is Ada's, or says nothing.
        let own = eve.authenticator.user_handle.clone();
        let nobody = Some(encode(Uuid::new_v4().to_string().as_bytes()));
        let odd = Some(encode(&[0xff, 0xfe]));
        for handle in [ada.authenticator.user_handle.clone(), None, nobody, odd] {
            eve.authenticator.user_handle = handle;
            sign_in(&app, &mut eve.authenticator)
                .await
                .refused(400, "webauthn_verification_failed");
        }
        eve.authenticator.user_handle = own;
        let session = sign_in(&app, &mut eve.authenticator).await.ok();
        assert_eq!(session["user"]["id"], eve.user_id);
        let session = sign_in(&app, &mut ada.authenticator).await.ok();
        assert_eq!(session["user"]["id"], ada.user_id);
    }
}

/// Two answers with the same counter: one of them comes from a copy.
#[tokio::test]
async fn of_two_sign_ins_with_one_counter_at_the_same_moment_one_is_refused() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        let started = [sign_in_options(&app).await, sign_in_options(&app).await];
        let counter = ada.authenticator.counter;
        let one = ada.authenticator.get(&started[0]["options"]);
        ada.authenticator.counter = counter;
        let two = ada.authenticator.get(&started[1]["options"]);
        let held = app
            .hold("select 1 from webauthn_credentials for update")
            .await;
        let (one, two, ()) = tokio::join!(
            verify(&app, &started[0], &one),
            verify(&app, &started[1], &two),
            held.release_to(2)
        );
        let refused = if one.status == 200 { two } else { one };
        let refused = refused.refused(400, "webauthn_verification_failed");
        assert!(text(&refused, "msg").contains("meanwhile"), "{refused}");
        let sql = app.sql().await;
        // That of the sign-up, and one more.
        assert_eq!(count(&sql, "select count(*) from sessions").await, 2);
        let query =
            "select count(*) from audit_log_entries where payload->>'action' = 'sign_in_failed'";
        // GoTrue writes no refusals.
        let expected = i64::from(app.config.profile == Profile::Std);
        assert_eq!(count(&sql, query).await, expected);
    }
}

/// A passkey that is synchronised between devices says so, and whether it is backed up at the moment.
#[tokio::test]
async fn synchronised_passkeys_may_be_backed_up_later_but_not_change_their_kind() {
    let (eligible, backed_up) = (0b0000_1000, 0b0001_0000);
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let mut phone = Authenticator::new();
        phone.flags |= eligible;
        let token = text(&session, "access_token");
        add_passkey(&app, &token, &mut phone).await.ok();
        let sql = app.sql().await;
        let flags = async || {
            let stored = stored_use(&sql).await;
            (
                stored["backup_eligible"].clone(),
                stored["backed_up"].clone(),
            )
        };
        assert_eq!(flags().await, (json!(true), json!(false)));
        phone.flags |= backed_up;
        sign_in(&app, &mut phone).await.ok();
        assert_eq!(flags().await, (json!(true), json!(true)));
        phone.flags &= !backed_up;
        sign_in(&app, &mut phone).await.ok();
        assert_eq!(flags().await, (json!(true), json!(false)));
        phone.flags &= !eligible;
        let refused = sign_in(&app, &mut phone).await;
        let refused = refused.refused(400, "webauthn_verification_failed");
        assert!(text(&refused, "msg").contains("backed up"), "{refused}");
    }
}

#[tokio::test]
async fn unconfirmed_addresses_may_sign_in_where_the_settings_allow_it() {
    let app = std_app(|config| config.mailer.allow_unverified_email_sign_ins = true).await;
    let mut ada = owner(&app, EMAIL).await;
    let sql = app.sql().await;
    sql.execute("update users set email_confirmed_at = null", &[])
        .await
        .unwrap();
    sign_in(&app, &mut ada.authenticator).await.ok();
}
