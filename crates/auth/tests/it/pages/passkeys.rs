//! Passkeys on the pages: the button of the sign-in page, and the section of the account page.

use serde_json::Value;

use super::protected::{ADA, PASSWORD, begin_app, confirm_app, secret_in};
use crate::factors::code_in;
use crate::support::authenticator::{Authenticator, ORIGIN, accept_authenticators};
use crate::support::key_pages::{
    ACCOUNT, PASSKEYS, SECOND_FACTOR, SECURITY_KEY, SIGN_IN, serve_keys,
};
use crate::support::pages::{Shown, Visitor, serve_pages};
use crate::support::served::Served;

/// Signs in with a password.
pub(super) async fn signed_in(served: &Served) -> Visitor {
    let mut visitor = Visitor::of(served);
    visitor
        .sign_in(ADA, PASSWORD)
        .await
        .shows(ACCOUNT, "You are signed in");
    visitor
}

/// Begins with somebody who has a passkey and is signed in.
pub(super) async fn with_passkey(served: &Served) -> (Visitor, Authenticator) {
    served.app.confirmed(ADA).await;
    let mut visitor = signed_in(served).await;
    let mut authenticator = Authenticator::new();
    visitor
        .add_passkey(&mut authenticator)
        .await
        .shows(ACCOUNT, "The passkey was added");
    (visitor, authenticator)
}

/// Returns the passkeys of the only user, as the API shows them.
pub(super) async fn passkeys(served: &Served) -> Vec<Value> {
    let user = served.app.only_user().await;
    let target = format!("/admin/users/{}/passkeys", user["id"].as_str().unwrap());
    let list = served.app.get_as(&served.app.service_key(), &target).await;
    list.ok().as_array().unwrap().clone()
}

pub(super) async fn passkey_id(served: &Served) -> String {
    passkeys(served).await[0]["id"].as_str().unwrap().to_owned()
}

/// Sends fields that no page has put together.
pub(super) async fn post(visitor: &mut Visitor, target: &str, fields: &[(&str, &str)]) -> Shown {
    let fields = fields.iter();
    let fields: Vec<_> = fields
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    visitor.post(target, &fields).await
}

#[tokio::test]
async fn a_passkey_is_added_named_used_and_removed() {
    let served = serve_keys(|_| {}).await;
    let (mut visitor, mut authenticator) = with_passkey(&served).await;
    assert_eq!(passkeys(&served).await[0]["friendly_name"], "Passkey");
    let page = visitor.open(ACCOUNT).await;
    let rename = format!("{PASSKEYS}/name");
    let hostile = "Ada's <b>telephone</b>";
    let page = visitor.send(&page, &rename, &[("name", hostile)]).await;
    page.shows(ACCOUNT, "The name was changed")
        .shows(ACCOUNT, hostile);
    assert_eq!(passkeys(&served).await[0]["friendly_name"], hostile);
    for (name, problem) in [(" ", "Enter a name"), (&"x".repeat(121), "too long")] {
        let page = visitor.send(&page, &rename, &[("name", name)]).await;
        page.refuses(400, problem);
    }
    visitor
        .send(&page, "/account/sign-out", &[])
        .await
        .shows(SIGN_IN, "Sign in with a passkey");
    served.app.advance(60);
    let page = visitor.use_passkey(&mut authenticator).await;
    page.shows(ACCOUNT, "You are signed in as ada@example.com");
    assert!(passkeys(&served).await[0]["last_used_at"].is_string());
    let sessions = served.app.sessions_of(&served.app.only_user().await).await;
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    let remove = format!("{PASSKEYS}/remove");
    visitor
        .send(&page, &remove, &[])
        .await
        .shows(ACCOUNT, "The passkey was removed");
    assert_eq!(passkeys(&served).await, Vec::<Value>::new());
    // Another tab still shows it.
    let gone = visitor.send(&page, &remove, &[]).await;
    gone.refuses(404, "Your account does not have this passkey");
    let refused = Visitor::of(&served).use_passkey(&mut authenticator).await;
    refused.refuses(400, "This passkey was not accepted");
    served.stop().await;
}

#[tokio::test]
async fn the_account_page_shows_when_a_passkey_was_used() {
    let served = serve_keys(|_| {}).await;
    let (mut visitor, mut authenticator) = with_passkey(&served).await;
    let section = |page: &Shown| {
        let text = page.text();
        let (_, section) = text.split_once("With a passkey you sign in").unwrap();
        section.split("Second factors").next().unwrap().to_owned()
    };
    let before = section(&visitor.open(ACCOUNT).await);
    assert!(before.contains("added 20") && !before.contains("last used"));
    let page = Visitor::of(&served).use_passkey(&mut authenticator).await;
    assert!(
        section(&page).contains("last used 20"),
        "{}",
        section(&page)
    );
    served.stop().await;
}

#[tokio::test]
async fn a_page_that_asks_an_authenticator_has_one_script_of_its_own() {
    let served = serve_keys(|_| {}).await;
    let (mut visitor, _) = with_passkey(&served).await;
    let pages = [
        Visitor::of(&served).open(SIGN_IN).await,
        visitor.open(ACCOUNT).await,
        visitor.open(SECURITY_KEY).await,
    ];
    for page in pages {
        assert_eq!(page.html.matches("<script").count(), 1, "{}", page.html);
        let (_, rest) = page.html.split_once("<script src=\"").unwrap();
        let (address, rest) = rest.split_once('"').unwrap();
        assert!(rest.starts_with(" defer></script>"), "{rest}");
        assert_eq!(
            page.headers["content-security-policy"].to_str().unwrap(),
            "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; \
             img-src 'self' data:; font-src data:; form-action 'self'; base-uri 'none'; \
             frame-ancestors 'none'"
        );
        // Nobody sees a button that does nothing without the script.
        let (_, form) = page.html.split_once(" data-webauthn=\"").unwrap();
        let (tag, _) = form.split_once('>').unwrap();
        assert!(format!("{tag} ").contains(" hidden "), "{tag}");
        assert!(form.contains(&format!("data-origins=\"{ORIGIN}\"")));
        let script = visitor.open(address).await;
        let header = |name: &str| script.headers[name].to_str().unwrap();
        assert_eq!(header("content-type"), "text/javascript; charset=utf-8");
        assert!(header("cache-control").contains("immutable"));
        assert!(script.html.contains("navigator.credentials"));
    }
    // No other page has it.
    let page = visitor.open("/account/authenticator").await;
    assert!(!page.html.contains("<script"));
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(!policy.contains("script-src"), "{policy}");
    served.stop().await;
}

#[tokio::test]
async fn who_may_not_sign_in_is_told_why() {
    let served = serve_keys(|_| {}).await;
    let (_, mut authenticator) = with_passkey(&served).await;
    let sql = served.app.sql().await;
    for (change, undo, problem) in [
        (
            "update users set email_confirmed_at = null",
            "update users set email_confirmed_at = now()",
            "Your email address is not confirmed yet",
        ),
        (
            "update users set phone = '49301234567'",
            "update users set phone = null",
            "Your phone number is not confirmed yet",
        ),
        (
            "update users set banned_until = 'infinity'",
            "update users set banned_until = null",
            "This account is blocked",
        ),
    ] {
        sql.execute(change, &[]).await.unwrap();
        let mut visitor = Visitor::of(&served);
        let refused = visitor.use_passkey(&mut authenticator).await;
        refused.refuses(403, problem);
        visitor.open(ACCOUNT).await.shows(SIGN_IN, "Sign in");
        sql.execute(undo, &[]).await.unwrap();
    }
    let page = Visitor::of(&served).use_passkey(&mut authenticator).await;
    page.shows(ACCOUNT, "You are signed in");
    served.stop().await;
}

/// Adds an authenticator app, and returns its secret.
async fn add_app(served: &Served, visitor: &mut Visitor) -> String {
    let page = begin_app(visitor, "Telephone").await;
    let secret = secret_in(&page);
    let code = code_in(&served.app, &secret, 0);
    confirm_app(visitor, &page, &code)
        .await
        .shows("/account/recovery-codes", "The second factor was added");
    served.app.advance(60);
    secret
}

#[tokio::test]
async fn with_a_second_factor_passkeys_are_used_before_it_and_managed_after_it() {
    let served = serve_keys(|_| {}).await;
    let (mut visitor, mut authenticator) = with_passkey(&served).await;
    let secret = add_app(&served, &mut visitor).await;
    let id = passkey_id(&served).await;
    let mut half = Visitor::of(&served);
    let page = half.use_passkey(&mut authenticator).await;
    page.shows(SECOND_FACTOR, "Enter your second factor");
    let token = page.field("form_token").unwrap();
    let token = ("form_token", token.as_str());
    for (target, fields) in [
        ("/account/passkeys/options", vec![token]),
        (PASSKEYS, vec![token, ("credential", "{}")]),
        (
            "/account/passkeys/name",
            vec![token, ("passkey", &id), ("name", "Eve's")],
        ),
        ("/account/passkeys/remove", vec![token, ("passkey", &id)]),
        (
            "/account/security-key/options",
            vec![token, ("name", "Eve's")],
        ),
    ] {
        let page = post(&mut half, target, &fields).await;
        assert!(
            page.address.starts_with(SECOND_FACTOR),
            "{target}: {}",
            page.address
        );
    }
    let known = passkeys(&served).await;
    assert_eq!(known.len(), 1);
    assert_eq!(known[0]["friendly_name"], "Passkey");
    let code = code_in(&served.app, &secret, 0);
    let page = half.open(SECOND_FACTOR).await;
    let page = half.send(&page, SECOND_FACTOR, &[("code", &code)]).await;
    page.shows(ACCOUNT, "You are signed in");
    half.add_passkey(&mut Authenticator::new())
        .await
        .shows(ACCOUNT, "The passkey was added");
    served.stop().await;
}

#[tokio::test]
async fn the_passkeys_speak_german() {
    let served = serve_keys(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    visitor.language = "de";
    let page = visitor.open(SIGN_IN).await;
    page.shows(SIGN_IN, "Mit einem Passkey anmelden");
    let page = visitor.sign_in(ADA, PASSWORD).await;
    page.shows(ACCOUNT, "Passkey hinzufügen")
        .shows(ACCOUNT, "Sicherheitsschlüssel hinzufügen");
    served.stop().await;
}

/// Browsers offer passkeys at `localhost`, and not at a loopback address. Cookies belong to one of the two.
#[tokio::test]
async fn pages_at_a_loopback_address_lead_to_the_name_of_the_machine() {
    let served = serve_pages(|config| {
        accept_authenticators(config);
        let origin = config.api.external_url.as_str();
        let origin = origin.replace("127.0.0.1", "localhost").parse().unwrap();
        config.webauthn.relying_party.as_mut().unwrap().origins = vec![origin];
        config.uri_allow_list = vec![ORIGIN.to_owned()];
    })
    .await;
    served.app.confirmed(ADA).await;
    let named = served.url.replace("127.0.0.1", "localhost");
    let mut visitor = Visitor::of(&served);
    for path in [
        "/account",
        "/account/sign-in?language=de",
        "/verify?type=signup&token=abc",
    ] {
        let page = visitor.open(path).await;
        assert_eq!(page.address, format!("{named}{path}"));
    }
    let host = named.strip_prefix("http://").unwrap();
    let page = served.get("/account/sign-in", &[("host", host)]).await;
    assert_eq!(page.status(), 200);
    let page = page.text().await.unwrap();
    assert!(page.contains("Sign in with a passkey"), "{page}");
    assert!(page.contains(&format!("data-origins=\"{named}\"")));
    // The API stays where it is, and so do forms, files, and links of applications.
    let link = format!("/verify?type=signup&token=abc&redirect_to={ORIGIN}");
    visitor.open(&link).await.refuses(403, "The link was used");
    assert_eq!(served.get("/settings", &[]).await.status(), 200);
    let style = visitor.open("/account/style.css").await;
    assert_eq!(style.address, "/account/style.css");
    let fields = [("email", ADA), ("password", PASSWORD)];
    let refused = post(&mut Visitor::of(&served), SIGN_IN, &fields).await;
    refused.refuses(400, "Allow cookies for this site");
    served.stop().await;
}
