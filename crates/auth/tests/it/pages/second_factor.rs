//! The page that asks for the second factor: after a sign-in, and before a change that needs it.

use super::protected::{
    ADA, PASSWORD, factors, half_signed_in, levels, make_codes, protect, prove,
};
use crate::factors::wrong_code;
use crate::support::pages::{Visitor, serve_pages};

const SECOND_FACTOR: &str = "/account/second-factor";

#[tokio::test]
async fn after_the_password_the_page_asks_for_the_code_of_the_app() {
    let served = serve_pages(|_| {}).await;
    let ada = protect(&served, ADA).await;
    let (mut visitor, page) = half_signed_in(&served).await;
    assert!(page.text().contains("(Telephone)"), "{}", page.text());
    assert!(page.html.contains("autocomplete=\"one-time-code\""));
    assert!(page.html.contains("inputmode=\"numeric\""));
    assert_eq!(page.headers["cache-control"], "no-store");
    // The account is not shown before.
    for address in ["/account", "/account/sign-in", "/account/authenticator"] {
        let page = visitor.open(address).await;
        assert!(page.address.starts_with(SECOND_FACTOR), "{}", page.address);
    }
    let wrong = wrong_code(&served.app, &ada.secret);
    let refused = prove(&mut visitor, &page, &wrong).await;
    refused.refuses(422, "The code is wrong, has expired or was used before");
    prove(&mut visitor, &refused, "")
        .await
        .refuses(400, "Enter the code");
    let mut found = levels(&served).await;
    found.sort();
    assert_eq!(found, ["aal1", "aal2"]);
    // The form that was refused takes the right code, as people type it.
    let code = ada.code(&served);
    let typed = format!(" {} {} ", &code[..3], &code[3..]);
    prove(&mut visitor, &refused, &typed)
        .await
        .shows("/account", "You are signed in as ada@example.com");
    assert_eq!(levels(&served).await, ["aal2", "aal2"]);
    served.stop().await;
}

#[tokio::test]
async fn a_used_code_is_refused_and_the_next_one_works() {
    let served = serve_pages(|_| {}).await;
    let ada = protect(&served, ADA).await;
    let (mut visitor, page) = half_signed_in(&served).await;
    let code = ada.code(&served);
    prove(&mut visitor, &page, &code)
        .await
        .shows("/account", "Telephone");
    let (mut other, page) = half_signed_in(&served).await;
    let refused = prove(&mut other, &page, &code).await;
    refused.refuses(
        422,
        "was used before. Enter the code that the app shows now",
    );
    served.app.advance(30);
    prove(&mut other, &refused, &ada.code(&served))
        .await
        .shows("/account", "Telephone");
    served.stop().await;
}

#[tokio::test]
async fn the_form_can_be_sent_twice_and_the_back_button_does_no_harm() {
    let served = serve_pages(|_| {}).await;
    let ada = protect(&served, ADA).await;
    let (mut visitor, page) = half_signed_in(&served).await;
    let code = ada.code(&served);
    let before = visitor.cookies.clone();
    prove(&mut visitor, &page, &code)
        .await
        .shows("/account", "Telephone");
    // Back, and once more.
    prove(&mut visitor, &page, &code)
        .await
        .shows("/account", "Telephone");
    visitor
        .open(SECOND_FACTOR)
        .await
        .shows("/account", "Telephone");
    // A double click: the second request has the cookies of the first.
    let mut twin = Visitor::of(&served);
    twin.cookies = before;
    prove(&mut twin, &page, &code)
        .await
        .shows("/account", "Telephone");
    served.stop().await;
}

#[tokio::test]
async fn a_code_sent_twice_at_the_same_moment_signs_in() {
    let served = serve_pages(|_| {}).await;
    let ada = protect(&served, ADA).await;
    let (mut visitor, page) = half_signed_in(&served).await;
    let mut twin = Visitor::of(&served);
    twin.cookies = visitor.cookies.clone();
    let code = ada.code(&served);
    let (one, other) = tokio::join!(
        prove(&mut visitor, &page, &code),
        prove(&mut twin, &page, &code)
    );
    one.shows("/account", "Telephone");
    other.shows("/account", "Telephone");
    // Browsers drop the first answer with its cookies, whichever it was: both have the newest token.
    served.app.advance(3601);
    for visitor in [&mut visitor, &mut twin] {
        visitor
            .open("/account")
            .await
            .shows("/account", "Telephone");
    }
    served.stop().await;
}

#[tokio::test]
async fn every_way_to_sign_in_leads_to_the_second_factor() {
    let served = serve_pages(|_| {}).await;
    let ada = protect(&served, ADA).await;
    // A link.
    let mail = served.app.mail_of("/magiclink", ADA).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open(mail.link().as_str()).await;
    let page = visitor.press(&page).await;
    page.shows(SECOND_FACTOR, "Enter your second factor");
    // A forgotten password: the new one is chosen after the second factor.
    let mail = served.app.mail_of("/recover", ADA).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open(mail.link().as_str()).await;
    let page = visitor.press(&page).await;
    page.shows(
        "/account/second-factor?to=new-password",
        "Enter your second factor",
    );
    let page = prove(&mut visitor, &page, &ada.code(&served)).await;
    page.shows("/account/new-password", ADA);
    let fields = [
        ("new_password", "a better battery staple"),
        ("new_password_again", "a better battery staple"),
    ];
    visitor
        .send(&page, "/account/new-password", &fields)
        .await
        .shows("/account", "Your password was changed");
    served.stop().await;
}

#[tokio::test]
async fn who_cannot_prove_the_factor_can_sign_out() {
    let served = serve_pages(|_| {}).await;
    protect(&served, ADA).await;
    let (mut visitor, page) = half_signed_in(&served).await;
    visitor
        .send(&page, "/account/sign-out", &[])
        .await
        .shows("/account/sign-in", "You are signed out");
    assert_eq!(levels(&served).await, ["aal2"]);
    prove(&mut visitor, &page, "000000")
        .await
        .shows("/account/sign-in", "Your session has ended");
    served.stop().await;
}

#[tokio::test]
async fn many_wrong_codes_must_wait_and_a_recovery_code_works_meanwhile() {
    let served = serve_pages(|_| {}).await;
    let mut ada = protect(&served, ADA).await;
    let codes = make_codes(&mut ada.visitor).await;
    let (mut visitor, page) = half_signed_in(&served).await;
    let wrong = wrong_code(&served.app, &ada.secret);
    for _ in 0..5 {
        prove(&mut visitor, &page, &wrong)
            .await
            .refuses(422, "The code is wrong");
    }
    let refused = prove(&mut visitor, &page, &ada.code(&served)).await;
    refused.refuses(429, "Too many attempts. Please try again in 30 seconds");
    assert!(refused.text().contains("Use a recovery code"));
    let page = visitor
        .open("/account/second-factor?factor=recovery-code")
        .await;
    let fields = [("recovery_code", codes[0].as_str())];
    visitor
        .send(&page, SECOND_FACTOR, &fields)
        .await
        .shows("/account", "You have used a recovery code; 9 are left");
    served.stop().await;
}

#[tokio::test]
async fn a_recovery_code_works_once() {
    let served = serve_pages(|_| {}).await;
    let mut ada = protect(&served, ADA).await;
    let codes = make_codes(&mut ada.visitor).await;
    let (mut visitor, _) = half_signed_in(&served).await;
    let recovery = "/account/second-factor?factor=recovery-code";
    let page = visitor.open(recovery).await;
    page.shows(recovery, "Enter one of your recovery codes");
    assert!(!page.html.contains("inputmode=\"numeric\""));
    let send = async |visitor: &mut Visitor, code: &str| {
        let fields = [("recovery_code", code)];
        visitor.send(&page, SECOND_FACTOR, &fields).await
    };
    send(&mut visitor, "nonsense")
        .await
        .refuses(422, "The recovery code is wrong or was used before");
    send(&mut visitor, "").await.refuses(400, "Enter the code");
    let typed = codes[4].to_uppercase().replace(' ', "-");
    send(&mut visitor, &typed)
        .await
        .shows("/account", "9 of 10 recovery codes are left");

    let (mut other, _) = half_signed_in(&served).await;
    let page = other.open(recovery).await;
    let fields = [("recovery_code", codes[4].as_str())];
    other
        .send(&page, SECOND_FACTOR, &fields)
        .await
        .refuses(422, "was used before");
    served.stop().await;
}

#[tokio::test]
async fn foreign_and_unfinished_factors_prove_nothing() {
    let served = serve_pages(|_| {}).await;
    let eve = protect(&served, "eve@example.com").await;
    let eves = served.app.only_user().await;
    let target = format!("/admin/users/{}/factors", eves["id"].as_str().unwrap());
    let key = served.app.service_key();
    let of_eve = served.app.get_as(&key, &target).await.ok()[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    protect(&served, ADA).await;
    let (mut visitor, page) = half_signed_in(&served).await;
    let sql = served.app.sql().await;
    let unfinished = uuid::Uuid::new_v4();
    let query = "
        insert into mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
        select $1, u.id, 'unfinished', 'totp', 'unverified', now(), now(), 'ABCDEFGHIJKLMNOP'
          from users u
         where u.email = $2";
    sql.execute(query, &[&unfinished, &ADA]).await.unwrap();
    let token = page.field("form_token").unwrap();
    let own_code = crate::factors::code_in(&served.app, "ABCDEFGHIJKLMNOP", 0);
    let codes = [
        (of_eve, eve.code(&served)),
        (unfinished.to_string(), own_code),
        ("nonsense".to_owned(), "123456".to_owned()),
    ];
    for (factor, code) in codes {
        let fields = [
            ("form_token", token.as_str()),
            ("factor", factor.as_str()),
            ("code", code.as_str()),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        visitor
            .post(SECOND_FACTOR, &fields)
            .await
            .refuses(404, "Your account does not have this second factor");
    }
    served.stop().await;
}

#[tokio::test]
async fn a_form_from_elsewhere_proves_nothing() {
    let served = serve_pages(|_| {}).await;
    let ada = protect(&served, ADA).await;
    let (mut visitor, page) = half_signed_in(&served).await;
    let factor = page.field("factor").unwrap();
    let code = ada.code(&served);
    let fields = [("factor", factor.as_str()), ("code", code.as_str())];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let refused = visitor.post(SECOND_FACTOR, &fields).await;
    refused.refuses(400, "This form was out of date");
    visitor
        .open("/account")
        .await
        .shows(SECOND_FACTOR, "Enter your second factor");
    // Nothing was used up.
    prove(&mut visitor, &refused, &code)
        .await
        .shows("/account", "Telephone");
    // No address of others comes after it.
    let (mut visitor, _) = half_signed_in(&served).await;
    let page = visitor
        .open("/account/second-factor?to=https://eve.example/")
        .await;
    assert!(!page.html.contains("eve.example"), "{}", page.html);
    served.stop().await;
}

#[tokio::test]
async fn a_change_that_needs_the_factor_leads_to_it_and_back() {
    let served = serve_pages(|_| {}).await;
    let ada = protect(&served, ADA).await;
    let (mut visitor, page) = half_signed_in(&served).await;
    let account = prove(&mut visitor, &page, &ada.code(&served)).await;
    account.shows("/account", "Telephone");
    // The session has lost its level, as when the factor that raised it was removed elsewhere.
    let sql = served.app.sql().await;
    sql.execute("update sessions set aal = 'aal1', factor_id = null", &[])
        .await
        .unwrap();
    let fields = [("email", "countess@example.com")];
    let page = visitor.send(&account, "/account/email", &fields).await;
    page.shows(SECOND_FACTOR, "This change needs your second factor");
    assert_eq!(
        served.app.only_user().await["new_email"],
        serde_json::Value::Null
    );
    let id = factors(&served).await[0]["id"].as_str().unwrap().to_owned();
    assert!(page.html.contains(&id));
    let page = visitor.send(&account, "/account/factors", &[]).await;
    page.shows(SECOND_FACTOR, "This change needs your second factor");
    assert_eq!(factors(&served).await.len(), 1);
    served.app.advance(30);
    let page = prove(&mut visitor, &page, &ada.code(&served)).await;
    page.shows("/account", "Telephone");
    visitor
        .send(&page, "/account/email", &fields)
        .await
        .shows("/account", "We sent mails about the change");
    served.stop().await;
}

#[tokio::test]
async fn a_factor_that_is_not_accepted_here_does_not_lock_the_account() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let sql = served.app.sql().await;
    let query = "
        insert into mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
        select gen_random_uuid(), u.id, 'Key of another server', 'webauthn', 'verified', now(), now()
          from users u";
    sql.execute(query, &[]).await.unwrap();
    let mut visitor = Visitor::of(&served);
    let page = visitor.sign_in(ADA, PASSWORD).await;
    page.shows("/account", "Key of another server");
    let fields = [
        ("new_password", "a better battery staple"),
        ("new_password_again", "a better battery staple"),
    ];
    visitor
        .send(&page, "/account/password", &fields)
        .await
        .refuses(401, "which is not accepted here at the moment");
    served.app.assert_password(ADA, PASSWORD, true).await;
    served.stop().await;
}

#[tokio::test]
async fn the_page_speaks_german() {
    let served = serve_pages(|_| {}).await;
    let ada = protect(&served, ADA).await;
    let mut visitor = Visitor::of(&served);
    visitor.language = "de";
    let page = visitor.sign_in(ADA, PASSWORD).await;
    page.shows(SECOND_FACTOR, "Zweiten Faktor eingeben");
    let wrong = wrong_code(&served.app, &ada.secret);
    prove(&mut visitor, &page, &wrong).await.refuses(
        422,
        "Der Code ist falsch, abgelaufen oder wurde schon verwendet",
    );
    served.stop().await;
}
