//! Authenticator apps and recovery codes on the account page.

use super::protected::{
    ADA, PASSWORD, begin_app, codes_in, confirm_app, factors, half_signed_in, levels, make_codes,
    protect, prove, secret_in,
};
use crate::factors::{code_in, wrong_code};
use crate::support::pages::{Shown, Visitor, serve_pages};
use crate::support::served::Served;

const APP: &str = "/account/authenticator";
const CODES: &str = "/account/recovery-codes";

async fn signed_in(served: &Served) -> Visitor {
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(served);
    visitor
        .sign_in(ADA, PASSWORD)
        .await
        .shows("/account", "nobody signs in with your password alone");
    visitor
}

/// Sends the form that removes a factor.
async fn remove(visitor: &mut Visitor, page: &Shown, factor: &str) -> Shown {
    let token = page.field("form_token").unwrap();
    let fields = [("form_token", token.as_str()), ("factor", factor)];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    visitor.post("/account/factors", &fields).await
}

#[tokio::test]
async fn an_app_is_added_with_its_first_code() {
    let served = serve_pages(|config| config.pages.site_name = Some("The Inn".to_owned())).await;
    let mut visitor = signed_in(&served).await;
    let elsewhere = served.app.sign_in(ADA, PASSWORD).await.ok();
    let page = visitor.open("/account").await;
    assert!(page.html.contains("href=\"/account/authenticator\""));
    assert!(!page.html.contains("href=\"/account/phone\""));
    let page = visitor.open(APP).await;
    assert_eq!(page.field("name").unwrap(), "Authenticator app");
    let page = begin_app(&mut visitor, "Telephone").await;
    page.shows(APP, "Scan this image with the app");
    let image = "<img class=\"qr\" src=\"data:image/svg+xml;base64,";
    assert!(page.html.contains(image), "{}", page.html);
    assert!(page.html.contains("alt=\"QR code with the secret"));
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("img-src 'self' data:"), "{policy}");
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    assert_eq!(page.headers["cache-control"], "no-store");
    let secret = secret_in(&page);
    assert!(page.html.contains("href=\"otpauth://totp/The%20Inn:ada"));
    assert_eq!(factors(&served).await[0]["status"], "unverified");

    let code = code_in(&served.app, &secret, 0);
    let page = confirm_app(&mut visitor, &page, &code).await;
    page.shows(CODES, "The second factor was added");
    let stored = factors(&served).await;
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0]["status"], "verified");
    assert_eq!(stored[0]["friendly_name"], "Telephone");
    assert_eq!(levels(&served).await, ["aal2"]);
    let token = elsewhere["access_token"].as_str().unwrap();
    served
        .app
        .get_as(token, "/user")
        .await
        .refused(403, "session_not_found");
    let page = visitor.open("/account").await;
    page.shows("/account", "Telephone");
    assert!(page.text().contains("You have no recovery codes"));
    assert!(!page.html.contains(&secret), "it is shown once");
    // The session goes on after its next refresh.
    served.app.advance(3700);
    visitor
        .open("/account")
        .await
        .shows("/account", "Telephone");
    assert_eq!(levels(&served).await, ["aal2"]);
    served.stop().await;
}

#[tokio::test]
async fn a_wrong_first_code_loses_nothing() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = signed_in(&served).await;
    let page = begin_app(&mut visitor, "Telephone").await;
    let secret = secret_in(&page);
    let wrong = wrong_code(&served.app, &secret);
    let refused = confirm_app(&mut visitor, &page, &wrong).await;
    refused.refuses(422, "The code is wrong, has expired or was used before");
    assert_eq!(secret_in(&refused), secret);
    assert!(refused.html.contains("<img class=\"qr\""));
    let empty = confirm_app(&mut visitor, &refused, "").await;
    empty.refuses(400, "Enter the code");
    assert_eq!(levels(&served).await, ["aal1"]);
    let code = code_in(&served.app, &secret, 0);
    confirm_app(&mut visitor, &empty, &code)
        .await
        .shows(CODES, "The second factor was added");
    // Back, and once more.
    confirm_app(&mut visitor, &empty, &code)
        .await
        .shows(CODES, "The second factor was added");
    assert_eq!(factors(&served).await.len(), 1);
    served.stop().await;
}

#[tokio::test]
async fn whoever_begins_twice_has_one_app() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = signed_in(&served).await;
    let first = begin_app(&mut visitor, "Telephone").await;
    let second = begin_app(&mut visitor, "Telephone").await;
    assert_ne!(secret_in(&first), secret_in(&second));
    assert_eq!(factors(&served).await.len(), 1);
    // The form of the first one is of no use any more.
    let code = code_in(&served.app, &secret_in(&first), 0);
    confirm_app(&mut visitor, &first, &code)
        .await
        .refuses(404, "Your account does not have this second factor");
    let code = code_in(&served.app, &secret_in(&second), 0);
    confirm_app(&mut visitor, &second, &code)
        .await
        .shows(CODES, "The second factor was added");
    assert_eq!(factors(&served).await.len(), 1);
    served.stop().await;
}

#[tokio::test]
async fn mistakes_in_a_name_are_told() {
    let served = serve_pages(|config| config.mfa.max_enrolled = 2).await;
    let mut ada = protect(&served, ADA).await;
    let visitor = &mut ada.visitor;
    let refused = begin_app(visitor, "Telephone").await;
    refused.refuses(422, "Another second factor of yours has this name");
    assert_eq!(refused.field("name").unwrap(), "Telephone");
    begin_app(visitor, &"x".repeat(256))
        .await
        .refuses(400, "This name is too long");
    let page = begin_app(visitor, "Computer").await;
    page.shows(APP, "Scan this image");
    begin_app(visitor, "Tablet")
        .await
        .refuses(422, "as many second factors as it may have");
    let code = code_in(&served.app, &secret_in(&page), 0);
    // There are no recovery codes yet, so that they are offered again.
    confirm_app(visitor, &page, &code)
        .await
        .shows(CODES, "The second factor was added");
    assert_eq!(factors(&served).await.len(), 2);
    served.stop().await;
}

#[tokio::test]
async fn a_form_that_was_altered_or_sent_from_elsewhere_adds_nothing() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = signed_in(&served).await;
    let named = [("name".to_owned(), "Telephone".to_owned())];
    let refused = visitor.post(APP, &named).await;
    refused.refuses(400, "This form was out of date");
    assert_eq!(refused.field("name").unwrap(), "Telephone");
    assert_eq!(factors(&served).await.len(), 0);
    let page = begin_app(&mut visitor, "Telephone").await;
    let setup = page.field("setup").unwrap();
    let code = code_in(&served.app, &secret_in(&page), 0);
    let confirm = "/account/authenticator/confirm";
    let fields = [("setup", setup.as_str()), ("code", code.as_str())];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let refused = visitor.post(confirm, &fields).await;
    refused.refuses(400, "This form was out of date");
    assert_eq!(secret_in(&refused), secret_in(&page));
    let token = page.field("form_token").unwrap();
    for setup in ["", "nonsense", &setup[1..]] {
        let fields = [
            ("form_token", token.as_str()),
            ("setup", setup),
            ("code", code.as_str()),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let refused = visitor.post(confirm, &fields).await;
        refused.refuses(400, "This form was out of date");
    }
    assert_eq!(levels(&served).await, ["aal1"]);
    served.stop().await;
}

#[tokio::test]
async fn an_app_is_removed_and_the_recovery_codes_with_it() {
    let served = serve_pages(|_| {}).await;
    let mut ada = protect(&served, ADA).await;
    make_codes(&mut ada.visitor).await;
    let page = ada.visitor.open("/account").await;
    page.shows("/account", "10 of 10 recovery codes are left");
    let id = factors(&served).await[0]["id"].as_str().unwrap().to_owned();
    // Not without the token of the form.
    let fields = [("factor".to_owned(), id.clone())];
    let refused = ada.visitor.post("/account/factors", &fields).await;
    refused.refuses(400, "This form was out of date");
    assert_eq!(factors(&served).await.len(), 1);
    let removed = remove(&mut ada.visitor, &page, &id).await;
    removed.shows("/account", "The second factor was removed");
    assert!(!removed.text().contains("Telephone"));
    assert!(!removed.text().contains("recovery codes are left"));
    assert_eq!(factors(&served).await.len(), 0);
    // Sent twice: it is gone.
    remove(&mut ada.visitor, &page, &id)
        .await
        .refuses(404, "Your account does not have this second factor");
    // The password is enough again.
    let mut visitor = Visitor::of(&served);
    visitor
        .sign_in(ADA, PASSWORD)
        .await
        .shows("/account", "You are signed in");
    served.stop().await;
}

#[tokio::test]
async fn nobody_removes_the_factor_of_another_user() {
    let served = serve_pages(|_| {}).await;
    let ada = protect(&served, ADA).await;
    let id = factors(&served).await[0]["id"].as_str().unwrap().to_owned();
    let mut eve = protect(&served, "eve@example.com").await;
    let page = eve.visitor.open("/account").await;
    for factor in [id.as_str(), "nonsense", ""] {
        remove(&mut eve.visitor, &page, factor)
            .await
            .refuses(404, "Your account does not have this second factor");
    }
    let (mut visitor, page) = half_signed_in(&served).await;
    prove(&mut visitor, &page, &ada.code(&served))
        .await
        .shows("/account", "Telephone");
    served.stop().await;
}

#[tokio::test]
async fn recovery_codes_are_shown_once_and_new_ones_end_the_former() {
    let served = serve_pages(|_| {}).await;
    let mut ada = protect(&served, ADA).await;
    let offer = ada.visitor.open(CODES).await;
    let page = ada.visitor.send(&offer, CODES, &[]).await;
    page.shows(CODES, "They are not shown again");
    assert_eq!(page.headers["cache-control"], "no-store");
    let first = codes_in(&page);
    assert_eq!(first.len(), 10);
    let again = ada.visitor.open(CODES).await;
    assert!(codes_in(&again).is_empty());
    again.shows(CODES, "10 of 10 recovery codes are left");
    // The form was sent twice, or in another tab: codes that somebody has noted do not end unasked.
    let refused = ada.visitor.send(&offer, CODES, &[]).await;
    refused.refuses(422, "You have recovery codes already, and they still work");
    let page = ada.visitor.send(&refused, CODES, &[]).await;
    let second = codes_in(&page);
    assert_eq!(second.len(), 10);

    let (mut visitor, _) = half_signed_in(&served).await;
    let page = visitor
        .open("/account/second-factor?factor=recovery-code")
        .await;
    let target = "/account/second-factor";
    let former = [("recovery_code", first[0].as_str())];
    let refused = visitor.send(&page, target, &former).await;
    refused.refuses(422, "The recovery code is wrong");
    let current = [("recovery_code", second[0].as_str())];
    let used = visitor.send(&page, target, &current).await;
    used.shows("/account", "9 are left");
    served.stop().await;
}

#[tokio::test]
async fn recovery_codes_need_the_second_factor() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = signed_in(&served).await;
    visitor
        .open(CODES)
        .await
        .shows("/account", "You are signed in");
    let ada = {
        let page = begin_app(&mut visitor, "Telephone").await;
        let secret = secret_in(&page);
        let code = code_in(&served.app, &secret, 0);
        let offer = confirm_app(&mut visitor, &page, &code).await;
        served.app.advance(60);
        (secret, offer)
    };
    let sql = served.app.sql().await;
    sql.execute("update sessions set aal = 'aal1', factor_id = null", &[])
        .await
        .unwrap();
    let (secret, offer) = ada;
    let page = visitor.send(&offer, CODES, &[]).await;
    page.shows(
        "/account/second-factor?to=recovery-codes",
        "This change needs your second factor",
    );
    let code = code_in(&served.app, &secret, 0);
    prove(&mut visitor, &page, &code)
        .await
        .shows(CODES, "You get ten codes");
    // Without the token of the form nothing is made.
    let fields = [("set".to_owned(), "first".to_owned())];
    let refused = visitor.post(CODES, &fields).await;
    refused.refuses(400, "This form was out of date");
    assert!(codes_in(&refused).is_empty());
    served.stop().await;
}

#[tokio::test]
async fn what_is_switched_off_is_not_offered() {
    let served = serve_pages(|config| {
        config.mfa.totp.enroll = false;
        config.mfa.recovery_codes.enroll = false;
    })
    .await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.sign_in(ADA, PASSWORD).await;
    page.shows("/account", "You are signed in");
    assert!(!page.text().contains("Second factors"), "{}", page.text());
    for address in [CODES, "/account/phone"] {
        visitor
            .open(address)
            .await
            .shows("/account", "You are signed in");
    }
    begin_app(&mut visitor, "Telephone")
        .await
        .refuses(422, "TOTP");
    served.stop().await;
}

#[tokio::test]
async fn without_a_session_the_pages_ask_to_sign_in() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    for address in [APP, CODES, "/account/phone", "/account/second-factor"] {
        visitor
            .open(address)
            .await
            .shows("/account/sign-in", "Please sign in");
        visitor
            .post(address, &[])
            .await
            .shows("/account/sign-in", "Please sign in");
    }
    for target in [
        "/account/authenticator/confirm",
        "/account/phone/code",
        "/account/phone/confirm",
        "/account/second-factor/code",
        "/account/factors",
    ] {
        visitor
            .post(target, &[])
            .await
            .shows("/account/sign-in", "Please sign in");
    }
    served.stop().await;
}
