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
        assert_eq!(browser.violations().await, json!([]), "{name}");
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
    browser.wait_for_text("to grace@example.com?").await;
    browser.click("main form button").await;
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

/// Answers in the place of an auth server that accepts phone numbers, and keeps what it is sent. A code opens an
/// anonymous session.
const PHONE_DOUBLE: &str = "
    window.sent = [];
    const real = window.fetch;
    window.fetch = async (url, options) => {
        const { origin, pathname } = new URL(url, location);
        if (pathname === '/settings') {
            const settings = await (await real(url, options)).json();
            settings.external.phone = true;
            return Response.json(settings);
        }
        if (pathname !== '/otp' && pathname !== '/verify') return real(url, options);
        sent.push([pathname, JSON.parse(options.body)]);
        if (pathname === '/otp') return Response.json({});
        return real(`${origin}/signup`, { ...options, body: '{}' });
    };";

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_number_signs_in_with_a_code_on_its_tab() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let mut browser = Browser::start().await;
    browser.run_first(PHONE_DOUBLE).await;
    browser.visit(&up.portal_url).await;
    browser
        .wait_until("document.getElementById('tabs')?.hidden === false")
        .await;
    browser
        .evaluate("document.getElementById('email-tab').focus()")
        .await;
    browser.press("ArrowRight").await;
    browser
        .wait_until("document.activeElement.id === 'phone-tab'")
        .await;
    for (selector, shown) in [("#account", false), ("#phone", true), ("#code", false)] {
        let script = format!("Boolean(document.querySelector('{selector}').offsetParent)");
        assert_eq!(browser.evaluate(&script).await, shown, "{selector}");
    }
    check_narrow(&mut browser, "phone").await;

    browser.click("#phone-form button").await;
    browser.wait_for_text("We sent a code to your phone").await;
    assert_eq!(browser.evaluate("document.activeElement.id").await, "code");
    browser
        .evaluate("document.getElementById('code').value = '123456'")
        .await;
    browser.click("#code-form button").await;
    wait_for_session(&mut browser).await;
    let sent = browser.evaluate("sent").await;
    assert_eq!(sent[0][0], "/otp", "{sent}");
    assert_eq!(sent[0][1]["phone"], "+12025550143", "{sent}");
    assert_eq!(sent[1][0], "/verify", "{sent}");
    for (name, value) in [
        ("phone", "+12025550143"),
        ("token", "123456"),
        ("type", "sms"),
    ] {
        assert_eq!(sent[1][1][name], value, "{sent}");
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}
