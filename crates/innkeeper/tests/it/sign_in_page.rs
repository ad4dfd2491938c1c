//! The ways to sign in on the start page without a password, in a browser.

use innkeeper_service::testing::TestDatabase;
use serde_json::json;

use crate::browser::Browser;
use crate::support::{Up, folder};
use crate::tour::{FITS, NAMED, screenshots};

/// Checks a page on the narrowest screen, and saves what it looks like.
async fn check_narrow(browser: &mut Browser, page: &str) {
    for (width, scheme) in [(360, "light"), (360, "dark"), (1280, "light")] {
        browser.emulate(width, scheme).await;
        let name = format!("{page}-{width}-{scheme}.png");
        browser.screenshot(&screenshots().join(&name)).await;
        assert_eq!(browser.evaluate(FITS).await, true, "{name}");
        assert_eq!(browser.evaluate(NAMED).await, json!([]), "{name}");
    }
}

/// Waits for a session on the start page.
async fn wait_for_session(browser: &mut Browser) {
    browser
        .wait_until("document.getElementById('somebody')?.hidden === false")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_signs_in_with_the_demo_provider() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let mut browser = Browser::start().await;
    browser.visit(&up.portal_url).await;
    browser.wait_for_text("Try without an account").await;
    check_narrow(&mut browser, "ways-to-sign-in").await;

    browser.click("#with-provider").await;
    browser.wait_for_text("For trying out").await;
    check_narrow(&mut browser, "demo-provider").await;
    browser
        .evaluate("document.getElementById('name').value = 'Grace <b>Hopper</b>'")
        .await;
    browser.click("button[value=continue]").await;
    wait_for_session(&mut browser).await;
    browser.wait_for_text("Grace <b>Hopper</b>").await;
    browser
        .wait_for_text("\"email\": \"grace@example.com\"")
        .await;
    let address = browser.evaluate("location.href").await;
    assert_eq!(
        address,
        format!("{}/", up.portal_url),
        "the code does not stay"
    );
    let user = "JSON.parse(localStorage.innkeeper).user";
    let user = browser.evaluate(user).await;
    assert_eq!(user["app_metadata"]["provider"], "keycloak", "{user}");
    assert!(user["email_confirmed_at"].is_string(), "{user}");

    // The same person is the same user.
    browser.click("#leave").await;
    browser.wait_for_text("You are not signed in").await;
    browser.click("#with-provider").await;
    browser.wait_for_text("For trying out").await;
    browser.click("button[value=continue]").await;
    wait_for_session(&mut browser).await;
    let again = "JSON.parse(localStorage.innkeeper).user.id";
    assert_eq!(browser.evaluate(again).await, user["id"]);
    browser.click("#leave").await;
    browser.wait_for_text("You are not signed in").await;

    browser.click("#with-provider").await;
    browser.click("button[value=cancel]").await;
    browser.wait_for_text("the sign-in was cancelled").await;
    let address = browser.evaluate("location.href").await;
    assert_eq!(address, format!("{}/", up.portal_url));
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_without_an_account_gets_one_by_adding_an_address() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let mut up = Up::on(&database, &folder.path().join("inn")).await;
    let mut browser = Browser::start().await;
    browser.visit(&up.portal_url).await;
    browser.click("#without-account").await;
    wait_for_session(&mut browser).await;
    browser.wait_for_text("Anonymous").await;
    browser.wait_for_text("\"is_anonymous\": true").await;
    let id = "JSON.parse(localStorage.innkeeper).user.id";
    let user = browser.evaluate(id).await;
    check_narrow(&mut browser, "anonymous").await;

    browser.click("#keep button").await;
    browser
        .wait_for_text("Now follow the link in the mail")
        .await;
    let mail = up.next_mail().await;
    assert_eq!(mail["to"], json!(["grace@example.com"]));
    browser.visit(mail["link"].as_str().unwrap()).await;
    wait_for_session(&mut browser).await;
    browser.wait_for_text("\"is_anonymous\": false").await;
    browser
        .wait_for_text("\"email\": \"grace@example.com\"")
        .await;
    assert_eq!(browser.evaluate(id).await, user);
    let is_hidden = "document.getElementById('keep').hidden";
    assert_eq!(browser.evaluate(is_hidden).await, true);
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}
