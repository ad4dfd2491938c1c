//! Passkeys on the pages, in the hands of others: forms of other sites, answers to other challenges, and limits.

use innkeeper_auth::config::CaptchaProvider;
use serde_json::Value;

use super::passkeys::{passkey_id, passkeys, post, signed_in, with_passkey};
use super::protected::{ADA, PASSWORD, factors};
use crate::support::authenticator::Authenticator;
use crate::support::captcha::CaptchaService;
use crate::support::key_pages::{
    ACCOUNT, PASSKEY, PASSKEYS, SECURITY_KEY, SIGN_IN, challenge_in, serve_keys,
};
use crate::support::pages::Visitor;

#[tokio::test]
async fn a_form_of_another_site_adds_uses_and_removes_nothing() {
    let served = serve_keys(|_| {}).await;
    let (mut visitor, mut authenticator) = with_passkey(&served).await;
    let id = passkey_id(&served).await;
    let page = visitor.open(ACCOUNT).await;
    let started = visitor.challenge(&page, PASSKEYS, &[]).await;
    let added = Authenticator::new().create(&started["publicKey"]);
    let added = [started["challenge"].as_str().unwrap(), &added.to_string()].map(str::to_owned);
    let mut other = Visitor::of(&served);
    let page = other.open(SIGN_IN).await;
    let started = other.challenge(&page, PASSKEY, &[]).await;
    let used = authenticator.get(&started["publicKey"]);
    let used = [started["challenge"].as_str().unwrap(), &used.to_string()].map(str::to_owned);
    let eve = Visitor::of(&served).open(SIGN_IN).await;
    let eve = eve.field("form_token").unwrap();
    let fields: [(&str, Vec<(&str, &str)>); 8] = [
        ("/account/passkeys/options", vec![]),
        (
            PASSKEYS,
            vec![("challenge", &added[0]), ("credential", &added[1])],
        ),
        (
            "/account/passkeys/name",
            vec![("passkey", &id), ("name", "Eve's")],
        ),
        ("/account/passkeys/remove", vec![("passkey", &id)]),
        ("/account/passkey/options", vec![]),
        (
            PASSKEY,
            vec![("challenge", &used[0]), ("credential", &used[1])],
        ),
        ("/account/security-key/options", vec![("name", "Eve's")]),
        (SECURITY_KEY, vec![("factor", &id), ("credential", "{}")]),
    ];
    for (target, fields) in fields {
        for token in ["", "nonsense", &eve] {
            let mut fields = fields.clone();
            fields.push(("form_token", token));
            let page = post(&mut visitor, target, &fields).await;
            page.refuses(400, "This form was out of date, so nothing was done");
        }
    }
    let known = passkeys(&served).await;
    assert_eq!(known.len(), 1);
    assert_eq!(known[0]["friendly_name"], "Passkey");
    assert!(known[0].get("last_used_at").is_none(), "{known:?}");
    assert_eq!(factors(&served).await, Vec::<Value>::new());
    let rows = "select 1 from mfa_factors";
    assert!(
        served
            .app
            .sql()
            .await
            .query(rows, &[])
            .await
            .unwrap()
            .is_empty()
    );
    served.stop().await;
}

#[tokio::test]
async fn a_challenge_is_answered_once_in_its_session_and_in_time() {
    let served = serve_keys(|_| {}).await;
    let (mut visitor, mut authenticator) = with_passkey(&served).await;
    let late = "That took too long, or was done before";
    let page = visitor.open(ACCOUNT).await;
    let started = visitor.challenge(&page, PASSKEYS, &[]).await;
    let credential = Authenticator::new().create(&started["publicKey"]);
    // Another session of the same user.
    let mut other = signed_in(&served).await;
    let other_page = other.open(ACCOUNT).await;
    let refused = other.answer(&other_page, PASSKEYS, &started, &credential);
    refused.await.refuses(400, late);
    let answered = visitor.answer(&page, PASSKEYS, &started, &credential).await;
    answered.shows(ACCOUNT, "The passkey was added");
    let again = visitor.answer(&page, PASSKEYS, &started, &credential).await;
    again.refuses(400, late);
    assert_eq!(passkeys(&served).await.len(), 2);
    let mut stranger = Visitor::of(&served);
    let page = stranger.open(SIGN_IN).await;
    let started = stranger.challenge(&page, PASSKEY, &[]).await;
    let credential = authenticator.get(&started["publicKey"]);
    served.app.advance(301);
    let refused = stranger.answer(&page, PASSKEY, &started, &credential).await;
    refused.refuses(400, late);
    served.stop().await;
}

#[tokio::test]
async fn answers_that_no_browser_gives_for_this_site_are_refused() {
    let served = serve_keys(|_| {}).await;
    let (mut visitor, mut authenticator) = with_passkey(&served).await;
    authenticator.origin = "https://eve.example".to_owned();
    let mut stranger = Visitor::of(&served);
    let refused = stranger.use_passkey(&mut authenticator).await;
    refused.refuses(400, "This passkey was not accepted");
    assert!(!refused.text().contains("WEBAUTHN_RP_ORIGINS"));
    let mut foreign = Authenticator::new();
    foreign.origin = "https://eve.example".to_owned();
    let refused = visitor.add_passkey(&mut foreign).await;
    refused.refuses(400, "That did not work, and nothing was changed");
    let page = visitor.open(ACCOUNT).await;
    let sign_in = stranger.open(SIGN_IN).await;
    for credential in ["", "nonsense", "{}", "null", "[1]"] {
        let started = visitor.challenge(&page, PASSKEYS, &[]).await;
        let challenge = started["challenge"].as_str().unwrap();
        for challenge in ["", "nonsense", challenge] {
            let fields = [("challenge", challenge), ("credential", credential)];
            let refused = visitor.send(&page, PASSKEYS, &fields).await;
            assert_eq!(refused.status, 400, "{credential}: {}", refused.text());
            let refused = stranger.send(&sign_in, PASSKEY, &fields).await;
            assert_eq!(refused.status, 400, "{credential}: {}", refused.text());
        }
    }
    assert_eq!(passkeys(&served).await.len(), 1);
    served.stop().await;
}

#[tokio::test]
async fn passkeys_have_a_maximum_and_belong_to_one_account() {
    let served = serve_keys(|config| config.webauthn.max_passkeys = 2).await;
    let (mut visitor, mut authenticator) = with_passkey(&served).await;
    let refused = visitor.add_passkey(&mut authenticator).await;
    refused.refuses(422, "This device or key is part of an account already");
    visitor
        .add_passkey(&mut Authenticator::new())
        .await
        .shows(ACCOUNT, "The passkey was added");
    let page = visitor.open(ACCOUNT).await;
    let refused = visitor.send(&page, "/account/passkeys/options", &[]).await;
    refused.refuses(422, "as many passkeys as it may have");
    // Those of others are not found.
    let id = passkey_id(&served).await;
    served.app.confirmed("eve@example.com").await;
    let mut eve = Visitor::of(&served);
    let page = eve.sign_in("eve@example.com", PASSWORD).await;
    let token = page.field("form_token").unwrap();
    for target in ["/account/passkeys/name", "/account/passkeys/remove"] {
        for id in [id.as_str(), "nonsense", ""] {
            let fields = [
                ("form_token", token.as_str()),
                ("passkey", id),
                ("name", "x"),
            ];
            let refused = post(&mut eve, target, &fields).await;
            refused.refuses(404, "Your account does not have this passkey");
        }
    }
    served.stop().await;
}

#[tokio::test]
async fn where_the_pages_cannot_use_passkeys_they_offer_none() {
    let without = serve_keys(|config| config.webauthn.passkeys_enabled = false).await;
    let elsewhere = serve_keys(|config| {
        config.api.external_url = "http://localhost:9999".parse().unwrap();
    })
    .await;
    for served in [without, elsewhere] {
        served.app.confirmed(ADA).await;
        let mut visitor = Visitor::of(&served);
        let page = visitor.open(SIGN_IN).await;
        assert!(!page.html.contains("<script") && !page.text().contains("passkey"));
        assert!(page.html.contains("autocomplete=\"username\""));
        let token = page.field("form_token").unwrap();
        let fields = [("form_token", token.as_str())];
        for target in [PASSKEY, "/account/passkey/options"] {
            post(&mut visitor, target, &fields)
                .await
                .refuses(404, "This site does not offer passkeys");
        }
        let page = visitor.sign_in(ADA, PASSWORD).await;
        page.shows(ACCOUNT, "You are signed in");
        assert!(!page.text().contains("Passkeys"), "{}", page.text());
        for target in [PASSKEYS, "/account/passkeys/options"] {
            post(&mut visitor, target, &fields)
                .await
                .refuses(404, "This site does not offer passkeys");
        }
        served.stop().await;
    }
}

#[tokio::test]
async fn a_captcha_and_a_limit_apply_to_passkeys() {
    let service = CaptchaService::start();
    let served = serve_keys(|config| service.configure(config, CaptchaProvider::Hcaptcha)).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open(SIGN_IN).await;
    assert!(!page.html.contains("<form "), "{}", page.html);
    let token = visitor.open("/account/code").await.field("form_token");
    let fields = [("form_token", token.as_deref().unwrap())];
    post(&mut visitor, "/account/passkey/options", &fields)
        .await
        .refuses(400, "This site asks for a captcha");
    served.stop().await;

    let served = serve_keys(|config| config.rate_limit.passkey = 2.0).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open(SIGN_IN).await;
    for _ in 0..2 {
        challenge_in(&visitor.send(&page, "/account/passkey/options", &[]).await);
    }
    let refused = visitor.send(&page, "/account/passkey/options", &[]).await;
    refused.refuses(429, "Too many attempts");
    served.stop().await;
}
