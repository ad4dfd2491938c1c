//! Passkeys and security keys, with the authenticators that the browser simulates.

use serde_json::Value;

use super::factors::{assert_level, factors, sign_in_by_half};
use super::{ADA, MARK, PASSWORD, Story};

const SECTION: &str = "section[aria-labelledby=passkeys]";
const IS_HIDDEN: &str = "document.querySelector('form[data-webauthn]').offsetParent === null";

/// Begins with a browser that runs scripts and has an authenticator. The browser would answer by itself where it offers
/// passkeys in the address field, so it does not offer them.
async fn begin(is_key: bool) -> Story {
    let mut story = Story::with_user(&[]).await;
    story.browser.allow_scripts(true).await;
    let offers_none = "PublicKeyCredential.isConditionalMediationAvailable = async () => false";
    let offers_none = format!("if (window.PublicKeyCredential) {offers_none}");
    story.browser.run_first(&offers_none).await;
    story.browser.add_authenticator(is_key).await;
    story
}

/// Returns the passkeys of the only user, as the API shows them.
async fn passkeys(story: &Story) -> Vec<Value> {
    let id = story.user().await["id"].as_str().unwrap().to_owned();
    let path = format!("/admin/users/{id}/passkeys");
    let list = story.admin(reqwest::Method::GET, &path, None).await;
    list.as_array().unwrap().clone()
}

async fn sign_out(story: &mut Story) {
    story.send("/sign-out").await;
    story.see("You are signed out").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_adds_a_passkey_names_it_signs_in_with_it_and_removes_it() {
    let mut story = begin(false).await;
    // The start page leads to the pages, at the name that passkeys need.
    let start = story.up.portal_url.clone();
    story.browser.visit(&start).await;
    story.browser.click("a[href$='/account']").await;
    story.see("Sign in with a passkey").await;
    let host = story.browser.evaluate("location.hostname").await;
    assert_eq!(host, "localhost");
    story.fill("email", ADA).await;
    story.fill("password", PASSWORD).await;
    story.send("/sign-in").await;
    story.see("You are signed in as").await;
    story.send("/passkeys").await;
    story.see("The passkey was added").await;
    // The same device once more.
    story.send("/passkeys").await;
    story.see("is part of an account already").await;
    assert_eq!(passkeys(&story).await.len(), 1);

    for part in ["Rename: Passkey", "Remove: Passkey"] {
        let summary = format!("{SECTION} summary[aria-label='{part}']");
        story.browser.click(&summary).await;
    }
    story.check_page("passkeys").await;
    let name = format!("{SECTION} input[name=name]");
    story.browser.fill(&name, "My telephone").await;
    story.send("/passkeys/name").await;
    story.see("The name was changed").await;
    story.see("My telephone").await;
    assert_eq!(passkeys(&story).await[0]["friendly_name"], "My telephone");

    sign_out(&mut story).await;
    story.check_page("sign-in-with-passkey").await;
    story.send("/passkey").await;
    story.see("You are signed in as ada@example.com").await;
    assert!(passkeys(&story).await[0]["last_used_at"].is_string());
    let summary = format!("{SECTION} summary[aria-label='Remove: My telephone']");
    story.browser.click(&summary).await;
    story.send("/passkeys/remove").await;
    story.see("The passkey was removed").await;
    assert_eq!(passkeys(&story).await.len(), 0);

    sign_out(&mut story).await;
    story.send("/passkey").await;
    story.see("This passkey was not accepted").await;
    story.check_page("passkey-refused").await;
    assert_eq!(story.sessions().await.len(), 0);
    story.end().await;
}

/// The simulated authenticator answers at once where people would choose a passkey in the address field.
#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_has_used_a_passkey_offers_it_in_the_address_field() {
    let mut story = Story::with_user(&[]).await;
    story.browser.allow_scripts(true).await;
    story.browser.add_authenticator(false).await;
    story.sign_in(ADA, PASSWORD).await;
    story.send("/passkeys").await;
    story.see("The passkey was added").await;
    story.browser.evaluate(MARK).await;
    story.send("/sign-out").await;
    let is_back =
        "!window.isEarlierPage && document.body.innerText.includes('You are signed in as')";
    story.browser.wait_until(is_back).await;
    assert!(passkeys(&story).await[0]["last_used_at"].is_string());
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_adds_a_security_key_and_is_asked_for_it_after_the_password() {
    let mut story = begin(true).await;
    story.sign_in(ADA, PASSWORD).await;
    story.follow("/account/security-key").await;
    story.fill("name", "Blue key").await;
    story.check_page("security-key").await;
    story.send("/security-key").await;
    story.see("The second factor was added").await;
    let stored = factors(&story).await;
    assert_eq!(stored[0]["friendly_name"], "Blue key");
    assert_eq!(stored[0]["factor_type"], "webauthn");
    assert_level(&story, "aal2").await;
    story.follow("/account").await;
    story.see("Blue key").await;
    // A name that is taken is refused by the server, and the script says so.
    story.follow("/account/security-key").await;
    story.fill("name", "Blue key").await;
    story.send("/security-key").await;
    story
        .see("Another second factor of yours has this name")
        .await;
    story.follow("/account").await;

    sign_out(&mut story).await;
    sign_in_by_half(&mut story).await;
    story.see("Use your security key (Blue key)").await;
    story.check_page("second-factor-key").await;
    assert_level(&story, "aal1").await;
    story.send("/second-factor").await;
    story.see("You are signed in as ada@example.com").await;
    assert_level(&story, "aal2").await;
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_scripts_no_button_is_dead() {
    let mut story = Story::with_user(&[]).await;
    story.open("/sign-in").await;
    assert_eq!(story.browser.evaluate(IS_HIDDEN).await, true);
    story.sign_in(ADA, PASSWORD).await;
    assert_eq!(story.browser.evaluate(IS_HIDDEN).await, true);
    let needs = "Passkeys and security keys need a script of this page";
    story.see(needs).await;
    story.follow("/account/security-key").await;
    assert_eq!(story.browser.evaluate(IS_HIDDEN).await, true);
    story.see(needs).await;
    story.check_page("security-key-without-scripts").await;
    story.end().await;
}
