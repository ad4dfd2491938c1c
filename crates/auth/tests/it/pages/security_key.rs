//! Security keys on the pages: added on a page of their own, and asked for after the password.

use serde_json::Value;

use super::protected::{
    ADA, PASSWORD, begin_app, confirm_app, factors, half_signed_in, levels, make_codes, secret_in,
};
use crate::factors::code_in;
use crate::support::authenticator::Authenticator;
use crate::support::key_pages::{ACCOUNT, SECOND_FACTOR, SECURITY_KEY, serve_keys};
use crate::support::pages::Visitor;
use crate::support::served::Served;

/// Begins with somebody who has a security key and is signed in.
async fn with_key(served: &Served) -> (Visitor, Authenticator) {
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(served);
    visitor
        .sign_in(ADA, PASSWORD)
        .await
        .shows(ACCOUNT, "Add a security key");
    let mut key = Authenticator::new();
    visitor
        .add_key("Blue key", &mut key)
        .await
        .shows("/account/recovery-codes", "The second factor was added");
    (visitor, key)
}

#[tokio::test]
async fn a_key_is_added_asked_for_after_the_password_and_removed() {
    let served = serve_keys(|_| {}).await;
    let (mut visitor, mut key) = with_key(&served).await;
    visitor
        .open(ACCOUNT)
        .await
        .shows(ACCOUNT, "Blue key")
        .shows(ACCOUNT, "Security key · added");
    assert_eq!(factors(&served).await[0]["factor_type"], "webauthn");
    assert_eq!(levels(&served).await, ["aal2"]);
    let (mut other, page) = half_signed_in(&served).await;
    page.shows(SECOND_FACTOR, "Use your security key (Blue key)");
    other
        .open(ACCOUNT)
        .await
        .shows(SECOND_FACTOR, "Use your security key");
    let refused = other.use_key(&page, &mut Authenticator::new()).await;
    refused.refuses(422, "The security key was not accepted");
    let mut elsewhere = Authenticator::new();
    std::mem::swap(&mut elsewhere, &mut key);
    elsewhere.origin = "https://eve.example".to_owned();
    let refused = other.use_key(&refused, &mut elsewhere).await;
    refused.refuses(422, "The security key was not accepted");
    elsewhere.origin = crate::support::authenticator::ORIGIN.to_owned();
    let mut key = elsewhere;
    // The form that was refused takes the right answer.
    let page = other.use_key(&refused, &mut key).await;
    page.shows(ACCOUNT, "You are signed in as ada@example.com");
    assert_eq!(levels(&served).await, ["aal2", "aal2"]);
    other
        .send(&page, "/account/factors", &[])
        .await
        .shows(ACCOUNT, "The second factor was removed");
    Visitor::of(&served)
        .sign_in(ADA, PASSWORD)
        .await
        .shows(ACCOUNT, "You are signed in");
    served.stop().await;
}

#[tokio::test]
async fn the_page_leads_back_and_other_ways_can_be_chosen() {
    let served = serve_keys(|_| {}).await;
    let (mut visitor, mut key) = with_key(&served).await;
    let codes = make_codes(&mut visitor).await;
    let page = begin_app(&mut visitor, "Telephone").await;
    let secret = secret_in(&page);
    confirm_app(&mut visitor, &page, &code_in(&served.app, &secret, 0))
        .await
        .shows(ACCOUNT, "The second factor was added");
    served.app.advance(60);
    let (mut half, page) = half_signed_in(&served).await;
    page.shows(SECOND_FACTOR, "Use your security key (Blue key)")
        .shows(SECOND_FACTOR, "Use Telephone")
        .shows(SECOND_FACTOR, "Use a recovery code");
    let page = half.open(SECURITY_KEY).await;
    assert_eq!(page.address, format!("{SECOND_FACTOR}?to=security-key"));
    let page = half.use_key(&page, &mut key).await;
    page.shows(SECURITY_KEY, "Add a security key");
    let (mut half, page) = half_signed_in(&served).await;
    let app = factors(&served).await;
    let app = app.iter().find(|it| it["factor_type"] == "totp").unwrap();
    let address = format!("{SECOND_FACTOR}?factor={}", app["id"].as_str().unwrap());
    assert!(page.html.contains(&format!("href=\"{address}\"")));
    let page = half.open(&address).await;
    assert!(!page.html.contains("<script"), "an app needs none");
    let code = code_in(&served.app, &secret, 0);
    half.send(&page, SECOND_FACTOR, &[("code", &code)])
        .await
        .shows(ACCOUNT, "You are signed in");
    let (mut half, _) = half_signed_in(&served).await;
    let page = half
        .open(&format!("{SECOND_FACTOR}?factor=recovery-code"))
        .await;
    half.send(&page, SECOND_FACTOR, &[("recovery_code", &codes[0])])
        .await
        .shows(ACCOUNT, "You have used a recovery code");
    served.stop().await;
}

#[tokio::test]
async fn an_answer_counts_once_in_time_and_for_its_challenge() {
    let served = serve_keys(|_| {}).await;
    let (_, mut key) = with_key(&served).await;
    let late = "That took too long, or was done before";
    let (mut half, page) = half_signed_in(&served).await;
    let first = half.challenge(&page, SECOND_FACTOR, &[]).await;
    let second = half.challenge(&page, SECOND_FACTOR, &[]).await;
    let credential = key.get(&first["publicKey"]);
    let refused = half.answer(&page, SECOND_FACTOR, &second, &credential);
    refused
        .await
        .refuses(422, "The security key was not accepted");
    let page = half.answer(&page, SECOND_FACTOR, &first, &credential).await;
    page.shows(ACCOUNT, "You are signed in");
    let (mut other, page) = half_signed_in(&served).await;
    let again = other
        .answer(&page, SECOND_FACTOR, &first, &credential)
        .await;
    again.refuses(422, late);
    let started = other.challenge(&page, SECOND_FACTOR, &[]).await;
    let credential = key.get(&started["publicKey"]);
    served.app.advance(301);
    let expired = other.answer(&page, SECOND_FACTOR, &started, &credential);
    expired.await.refuses(422, late);
    // A form that was sent without the script, or by somebody else.
    for credential in ["", "nonsense", "{}"] {
        let fields = [("credential", credential)];
        let refused = other.send(&page, SECOND_FACTOR, &fields).await;
        refused.refuses(400, "That did not work, and nothing was changed");
    }
    let mut found = levels(&served).await;
    found.sort();
    assert_eq!(found, ["aal1", "aal2", "aal2"]);
    served.stop().await;
}

#[tokio::test]
async fn what_is_wrong_with_a_new_key_is_told() {
    let served = serve_keys(|_| {}).await;
    let (mut visitor, mut key) = with_key(&served).await;
    let options = format!("{SECURITY_KEY}/options");
    let page = visitor.open(SECURITY_KEY).await;
    assert_eq!(page.field("name").as_deref(), Some("Security key"));
    for (name, status, problem) in [
        (
            "Blue key",
            422,
            "Another second factor of yours has this name",
        ),
        (&"x".repeat(256), 400, "This name is too long"),
    ] {
        let refused = visitor.send(&page, &options, &[("name", name)]).await;
        refused.refuses(status, problem);
        assert_eq!(
            refused.field("name").as_deref(),
            Some(name),
            "nothing is lost"
        );
    }
    let refused = visitor.add_key("Same", &mut key).await;
    refused.refuses(422, "The security key was not accepted");
    let mut second = Authenticator::new();
    visitor
        .add_key("Same", &mut second)
        .await
        .shows("/account/recovery-codes", "The second factor was added");
    let names: Vec<Value> = factors(&served).await;
    let names = names.iter().map(|it| it["friendly_name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["Blue key", "Same"]);
    served.stop().await;
}

#[tokio::test]
async fn the_form_of_a_new_key_can_be_sent_twice() {
    let served = serve_keys(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    visitor.sign_in(ADA, PASSWORD).await;
    let page = visitor.open(SECURITY_KEY).await;
    let started = visitor
        .challenge(&page, SECURITY_KEY, &[("name", "Key")])
        .await;
    let credential = Authenticator::new().create(&started["publicKey"]);
    let mut twin = Visitor::of(&served);
    twin.cookies = visitor.cookies.clone();
    for sender in [&mut visitor, &mut twin] {
        sender
            .answer(&page, SECURITY_KEY, &started, &credential)
            .await
            .shows("/account/recovery-codes", "The second factor was added");
    }
    assert_eq!(factors(&served).await.len(), 1);
    // Browsers drop the first answer with its cookies: the second one has the newest token, too.
    served.app.advance(3601);
    for sender in [&mut visitor, &mut twin] {
        sender.open("/account").await.shows("/account", "Key");
    }
    served.stop().await;
}

/// Whoever has only the password could have begun to add a key before the account was protected.
#[tokio::test]
async fn a_key_that_was_begun_before_does_not_take_the_place_of_the_factor() {
    let served = serve_keys(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut eve = Visitor::of(&served);
    eve.sign_in(ADA, PASSWORD).await;
    let page = eve.open(SECURITY_KEY).await;
    let started = eve
        .challenge(&page, SECURITY_KEY, &[("name", "Eve's")])
        .await;
    let credential = Authenticator::new().create(&started["publicKey"]);
    let mut ada = Visitor::of(&served);
    ada.sign_in(ADA, PASSWORD).await;
    let app = begin_app(&mut ada, "Telephone").await;
    confirm_app(&mut ada, &app, &code_in(&served.app, &secret_in(&app), 0)).await;
    // Her session has ended; another one is asked for the factor.
    let (mut eve, token) = {
        let (eve, page) = half_signed_in(&served).await;
        (eve, page.field("form_token").unwrap())
    };
    let fields = [
        ("form_token", token),
        ("factor", started["factor"].as_str().unwrap().to_owned()),
        (
            "challenge",
            started["challenge"].as_str().unwrap().to_owned(),
        ),
        ("credential", credential.to_string()),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value));
    let page = eve.post(SECURITY_KEY, &fields).await;
    assert!(page.address.starts_with(SECOND_FACTOR), "{}", page.address);
    let verified = factors(&served).await;
    let verified = verified.iter().filter(|it| it["status"] == "verified");
    assert_eq!(verified.count(), 1);
    served.stop().await;
}

#[tokio::test]
async fn keys_of_others_are_not_asked() {
    let served = serve_keys(|_| {}).await;
    let (_, mut key) = with_key(&served).await;
    let id = factors(&served).await[0]["id"].as_str().unwrap().to_owned();
    served.app.confirmed("eve@example.com").await;
    let mut eve = Visitor::of(&served);
    eve.sign_in("eve@example.com", PASSWORD).await;
    eve.add_key("Eve's", &mut Authenticator::new()).await;
    let mut eve = Visitor::of(&served);
    let page = eve.sign_in("eve@example.com", PASSWORD).await;
    page.shows(SECOND_FACTOR, "Use your security key (Eve's)");
    let options = format!("{SECOND_FACTOR}/options");
    let refused = eve.send(&page, &options, &[("factor", &id)]).await;
    refused.refuses(404, "Your account does not have this second factor");
    let started = eve.challenge(&page, SECOND_FACTOR, &[]).await;
    let credential = key.get(&started["publicKey"]);
    let refused = eve.answer(&page, SECOND_FACTOR, &started, &credential);
    refused
        .await
        .refuses(422, "The security key was not accepted");
    served.stop().await;
}

#[tokio::test]
async fn where_the_pages_cannot_ask_a_key_the_account_is_shown_and_changes_are_refused() {
    let served = serve_keys(|config| {
        config.api.external_url = "http://localhost:9999".parse().unwrap();
    })
    .await;
    served.app.confirmed(ADA).await;
    let sql = served.app.sql().await;
    let query = "
        insert into mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
        select gen_random_uuid(), u.id, 'Key of the application', 'webauthn', 'verified', now(), now()
          from users u";
    sql.execute(query, &[]).await.unwrap();
    let mut visitor = Visitor::of(&served);
    let page = visitor.sign_in(ADA, PASSWORD).await;
    page.shows(ACCOUNT, "Key of the application");
    assert!(!page.text().contains("Add a security key"));
    visitor
        .open(SECURITY_KEY)
        .await
        .shows(ACCOUNT, "You are signed in");
    visitor
        .send(&page, "/account/factors", &[])
        .await
        .refuses(422, "which is not accepted here at the moment");
    served.stop().await;
}

#[tokio::test]
async fn a_form_of_another_site_asks_no_key() {
    let served = serve_keys(|_| {}).await;
    let (_, mut key) = with_key(&served).await;
    let (mut half, page) = half_signed_in(&served).await;
    let started = half.challenge(&page, SECOND_FACTOR, &[]).await;
    let credential = key.get(&started["publicKey"]).to_string();
    let options = format!("{SECOND_FACTOR}/options");
    for token in ["", "nonsense"] {
        let fields = [("form_token", token)];
        let refused = half.send(&page, &options, &fields).await;
        refused.refuses(400, "This form was out of date, so nothing was done");
        let fields = [
            ("form_token", token),
            ("challenge", started["challenge"].as_str().unwrap()),
            ("credential", credential.as_str()),
        ];
        let refused = half.send(&page, SECOND_FACTOR, &fields).await;
        refused.refuses(400, "This form was out of date, so nothing was done");
    }
    let mut found = levels(&served).await;
    found.sort();
    assert_eq!(found, ["aal1", "aal2"]);
    served.stop().await;
}
