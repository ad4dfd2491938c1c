//! Phone numbers as second factors on the pages.

use innkeeper_auth::config::{Config, FactorSwitches};

use super::protected::{
    ADA, PASSWORD, begin_app, confirm_app, factors, half_signed_in, levels, protect, prove,
    secret_in,
};
use crate::factors::code_in;
use crate::support::pages::{Shown, Visitor, serve_pages};
use crate::support::served::Served;
use crate::support::sms::{Protocol, SmsProvider};

const PHONE: &str = "/account/phone";
const NUMBER: &str = "+49 30 1234567";

async fn start(change: impl FnOnce(&mut Config)) -> (Served, SmsProvider) {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let served = serve_pages(|config| {
        provider.configure(config);
        config.mfa.phone = FactorSwitches {
            enroll: true,
            verify: true,
        };
        change(config);
    })
    .await;
    (served, provider)
}

async fn add_number(visitor: &mut Visitor, number: &str) -> Shown {
    let page = visitor.open(PHONE).await;
    let fields = [("phone", number), ("name", "Mobile")];
    visitor.send(&page, PHONE, &fields).await
}

async fn confirm(visitor: &mut Visitor, page: &Shown, code: &str) -> Shown {
    let fields = [("code", code)];
    visitor.send(page, "/account/phone/confirm", &fields).await
}

/// Adds a number to the account of Ada.
async fn with_number(served: &Served, provider: &SmsProvider) -> Visitor {
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(served);
    visitor.sign_in(ADA, PASSWORD).await;
    let page = add_number(&mut visitor, NUMBER).await;
    let code = provider.next().await.code();
    confirm(&mut visitor, &page, &code)
        .await
        .shows("/account/recovery-codes", "The second factor was added");
    served.app.advance(61);
    visitor
}

/// Returns a code that is another one.
fn other_than(code: &str) -> &'static str {
    if code == "111111" { "222222" } else { "111111" }
}

#[tokio::test]
async fn a_number_is_added_with_its_first_code() {
    let (served, provider) = start(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.sign_in(ADA, PASSWORD).await;
    assert!(page.html.contains("href=\"/account/phone\""));
    for number in ["", "nonsense", "030 1234567"] {
        let refused = add_number(&mut visitor, number).await;
        refused.refuses(400, "Enter a phone number with its country code");
        assert_eq!(refused.field("name").unwrap(), "Mobile");
    }
    // Nothing happens without the token of the form.
    for target in [PHONE, "/account/phone/code", "/account/phone/confirm"] {
        let fields = [("phone".to_owned(), NUMBER.to_owned())];
        let refused = visitor.post(target, &fields).await;
        refused.refuses(400, "This form was out of date");
    }
    assert_eq!(provider.count(), 0);
    assert_eq!(factors(&served).await.len(), 0);
    let page = add_number(&mut visitor, NUMBER).await;
    page.shows(PHONE, "A text message is on its way");
    assert!(page.text().contains("that ends in 567"), "{}", page.text());
    assert!(page.html.contains("autocomplete=\"one-time-code\""));
    let code = provider.next().await.code();
    let refused = confirm(&mut visitor, &page, other_than(&code)).await;
    refused.refuses(422, "The code is wrong. Check the newest text message");
    // Another one too soon.
    let soon = visitor.send(&refused, "/account/phone/code", &[]).await;
    soon.shows(PHONE, "Another one is possible in");
    assert_eq!(levels(&served).await, ["aal1"]);
    confirm(&mut visitor, &soon, &code)
        .await
        .shows("/account/recovery-codes", "The second factor was added");
    // Back, and once more.
    confirm(&mut visitor, &soon, &code)
        .await
        .shows("/account/recovery-codes", "The second factor was added");
    assert_eq!(levels(&served).await, ["aal2"]);
    let stored = factors(&served).await;
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0]["phone"], "49301234567");
    assert_eq!(stored[0]["friendly_name"], "Mobile");
    visitor
        .open("/account")
        .await
        .shows("/account", "+49301234567");
    let refused = add_number(&mut visitor, NUMBER).await;
    refused.refuses(
        422,
        "This phone number is a second factor of your account already",
    );
    served.stop().await;
}

#[tokio::test]
async fn a_sign_in_gets_its_code_by_text_message() {
    let (served, provider) = start(|_| {}).await;
    with_number(&served, &provider).await;
    let before = provider.count();
    let (mut visitor, page) = half_signed_in(&served).await;
    assert!(page.text().contains("that ends in 567"), "{}", page.text());
    assert!(!page.html.contains("49301234567"), "only the last digits");
    assert_eq!(provider.count(), before, "nothing is sent unasked");
    let send = "/account/second-factor/code";
    let page = visitor.send(&page, send, &[]).await;
    assert!(page.text().contains("A text message is on its way"));
    let code = provider.next().await.code();
    let refused = prove(&mut visitor, &page, other_than(&code)).await;
    refused.refuses(422, "The code is wrong. Check the newest text message");
    let soon = visitor.send(&refused, send, &[]).await;
    assert!(soon.text().contains("Another one is possible in"));
    // It has expired.
    served.app.advance(301);
    let late = prove(&mut visitor, &soon, &code).await;
    late.refuses(422, "This code has expired or was used before");
    let page = visitor.send(&late, send, &[]).await;
    let code = provider.next().await.code();
    prove(&mut visitor, &page, &code)
        .await
        .shows("/account", "Mobile");
    assert!(levels(&served).await.contains(&"aal2".to_owned()));
    served.stop().await;
}

#[tokio::test]
async fn whoever_has_several_factors_chooses_one() {
    let (served, provider) = start(|_| {}).await;
    let mut ada = protect(&served, ADA).await;
    let page = add_number(&mut ada.visitor, NUMBER).await;
    let code = provider.next().await.code();
    confirm(&mut ada.visitor, &page, &code)
        .await
        .shows("/account/recovery-codes", "The second factor was added");
    served.app.advance(61);
    let (mut visitor, page) = half_signed_in(&served).await;
    assert!(page.text().contains("authenticator app shows"));
    assert!(page.text().contains("Use Mobile"), "{}", page.text());
    assert!(
        !page.text().contains("Use a recovery code"),
        "there are none"
    );
    let stored = factors(&served).await;
    let phone = stored.iter().find(|it| it["factor_type"] == "phone");
    let phone = phone.unwrap()["id"].as_str().unwrap();
    let address = format!("/account/second-factor?factor={phone}");
    assert!(page.html.contains(&format!("href=\"{address}\"")));
    let page = visitor.open(&address).await;
    assert!(page.text().contains("Use Telephone"), "{}", page.text());
    let page = visitor
        .send(&page, "/account/second-factor/code", &[])
        .await;
    page.shows(&address, "A text message is on its way");
    let code = provider.next().await.code();
    prove(&mut visitor, &page, &code)
        .await
        .shows("/account", "Telephone");
    served.stop().await;
}

#[tokio::test]
async fn a_message_goes_only_to_the_own_number_and_from_the_own_page() {
    let (served, provider) = start(|_| {}).await;
    with_number(&served, &provider).await;
    let of_ada = factors(&served).await[0]["id"].as_str().unwrap().to_owned();
    let eve = "eve@example.com";
    let eves = protect(&served, eve).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.sign_in(eve, PASSWORD).await;
    let before = provider.count();
    let token = page.field("form_token").unwrap();
    let fields = [("form_token", token.as_str()), ("factor", of_ada.as_str())];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    for target in ["/account/second-factor/code", "/account/phone/code"] {
        let refused = visitor.post(target, &fields).await;
        assert!(
            refused.address.starts_with("/account/second-factor"),
            "{}",
            refused.address
        );
    }
    let (mut ada, page) = half_signed_in(&served).await;
    let without_token = &fields[1..];
    ada.post("/account/second-factor/code", without_token)
        .await
        .refuses(400, "This form was out of date");
    assert!(page.text().contains("that ends in 567"));
    assert_eq!(provider.count(), before);
    drop(eves);
    served.stop().await;
}

#[tokio::test]
async fn a_number_that_was_begun_before_does_not_take_the_place_of_the_factor() {
    let (served, provider) = start(|_| {}).await;
    served.app.confirmed(ADA).await;
    // Somebody knows the password, and waits with a number.
    let mut eve = Visitor::of(&served);
    eve.sign_in(ADA, PASSWORD).await;
    let begun = add_number(&mut eve, NUMBER).await;
    let code = provider.next().await.code();
    // Ada protects her account.
    let mut ada = Visitor::of(&served);
    ada.sign_in(ADA, PASSWORD).await;
    let page = begin_app(&mut ada, "Telephone").await;
    let first = code_in(&served.app, &secret_in(&page), 0);
    confirm_app(&mut ada, &page, &first)
        .await
        .shows("/account/recovery-codes", "The second factor was added");
    confirm(&mut eve, &begun, &code)
        .await
        .shows("/account/sign-in", "Your session has ended");
    eve.sign_in(ADA, PASSWORD).await;
    for address in ["/account/phone/confirm", "/account/phone/code"] {
        let page = eve.send(&begun, address, &[("code", &code)]).await;
        page.shows(
            "/account/second-factor?to=phone",
            "Enter your second factor",
        );
    }
    let mut found = levels(&served).await;
    found.sort();
    assert_eq!(found, ["aal1", "aal2"]);
    served.stop().await;
}
