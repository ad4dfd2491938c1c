//! The start page and the mailbox, in a browser.

use std::path::{Path, PathBuf};

use innkeeper_service::testing::TestDatabase;
use serde_json::json;

use crate::browser::Browser;
use crate::support::{Up, folder};

/// The folder of the screenshots, for people to look at.
pub(crate) fn screenshots() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("tour")
}

/// Nothing is wider than the page, so there is no horizontal scrolling.
pub(crate) const FITS: &str = "document.documentElement.scrollWidth <= innerWidth";
/// Interactive elements without an accessible name, and images without an `alt` attribute.
pub(crate) const NAMED: &str =
    "[...document.querySelectorAll('a:not([aria-hidden]), button, input:not([type=hidden]), img, iframe')]
    .filter((it) => !({
        img: () => it.hasAttribute('alt'),
        iframe: () => it.title,
        input: () => it.disabled || it.labels.length,
    }[it.localName] ?? (() => (it.getAttribute('aria-label') ?? it.textContent).trim()))())
    .map((it) => it.outerHTML)";
/// The text of the status widget.
const WIDGET: &str =
    "document.querySelector('heo-status')?.shadowRoot.querySelector('.box strong')";
const TOKEN: &str = "JSON.parse(localStorage.innkeeper).access_token";

/// Takes screenshots of a page on a desktop and a phone, in both colour schemes.
async fn take_screenshots(browser: &mut Browser, page: &str) {
    for (width, device) in [(360, "phone"), (1280, "desk")] {
        for scheme in ["dark", "light"] {
            browser.emulate(width, scheme).await;
            let name = format!("{page}-{device}-{scheme}.png");
            browser.screenshot(&screenshots().join(&name)).await;
            assert_eq!(browser.evaluate(FITS).await, true, "{name}");
            assert_eq!(browser.evaluate(NAMED).await, json!([]), "{name}");
            assert_eq!(browser.violations().await, json!([]), "{name}");
        }
    }
}

/// Opens the start page, and checks that it shows the services and the content of the hosting server.
async fn visit_start_page(browser: &mut Browser, url: &str) {
    browser.emulate(1280, "light").await;
    browser.visit(url).await;
    browser.wait_for_text("Everything is up").await;
    browser.wait_for_text("You are not signed in").await;
    browser.wait_for_text("0 mails").await;
    browser
        .wait_until("document.querySelectorAll('#articles img').length === 4")
        .await;
    browser.wait_until(&format!("Boolean({WIDGET})")).await;
    let status = browser.evaluate(&format!("{WIDGET}.innerText")).await;
    assert_eq!(status, "All systems operational");
    take_screenshots(browser, "start").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_signs_up_reads_the_mail_follows_the_link_refreshes_and_leaves() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let mut up = Up::on(&database, &folder.path().join("inn")).await;
    let mut browser = Browser::start().await;
    visit_start_page(&mut browser, &up.portal_url).await;

    browser.click("#account button[value=up]").await;
    browser.wait_for_text("follow the link in the mail").await;
    // The count changes by itself.
    browser.wait_for_text("1 mail").await;
    browser.click("#said a").await;

    // The mail is in a sandboxed frame; its link opens in a new tab, also by keyboard.
    browser.wait_for_text("Confirm Your Signup").await;
    browser
        .wait_until(
            "document.querySelector('#mail:not([aria-busy]) iframe:not([hidden])') !== null",
        )
        .await;
    take_screenshots(&mut browser, "mailbox").await;
    browser
        .evaluate("document.getElementById('html').focus()")
        .await;
    browser.wait_for_paint().await;
    browser.press("Tab").await;
    browser.wait_for_paint().await;
    browser.press("Enter").await;
    let link = up.next_mail().await["link"].as_str().unwrap().to_owned();
    browser.switch_to_new_tab(&link).await;

    // The link asks first, and then signs in.
    browser.emulate(1280, "light").await;
    browser
        .wait_for_text("Confirm that ada@example.com is your email address")
        .await;
    browser.click("main form button").await;
    browser
        .wait_until("document.getElementById('somebody') !== null")
        .await;
    browser
        .wait_until("!document.getElementById('somebody').hidden")
        .await;
    browser
        .wait_for_text("\"email\": \"ada@example.com\"")
        .await;
    assert_eq!(
        browser.evaluate("location.hash").await,
        "",
        "the tokens do not stay in the address"
    );
    let first = browser.evaluate(TOKEN).await;
    browser.click("#refresh").await;
    browser.wait_for_text("The session was refreshed.").await;
    assert_ne!(browser.evaluate(TOKEN).await, first);
    take_screenshots(&mut browser, "signed-in").await;

    browser.click("#leave").await;
    browser.wait_for_text("You are not signed in").await;
    browser.click("#account button[value=in]").await;
    browser.wait_for_text("Signed in.").await;

    // The list leads to an article.
    browser.click("#articles a").await;
    browser.wait_for_text("Mirja Lindqvist").await;
    browser
        .wait_until("document.querySelectorAll('#body h2').length > 1")
        .await;
    take_screenshots(&mut browser, "article").await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_explained_where_they_are_made() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let mut up = Up::on(&database, &folder.path().join("inn")).await;
    let mut browser = Browser::start().await;
    browser.visit(&up.portal_url).await;
    browser.click("#account button[value=in]").await;
    browser.wait_for_text("Invalid login credentials").await;

    browser.click("#account button[value=link]").await;
    browser
        .wait_for_text("We sent you a link and a code.")
        .await;
    let link = up.next_mail().await["link"].as_str().unwrap().to_owned();
    browser.visit(&link).await;
    browser.click("main form button").await;
    browser.wait_for_text("Sign out").await;
    browser.click("#leave").await;
    browser.wait_for_text("You are not signed in").await;
    // A link works once.
    browser.visit(&link).await;
    browser.wait_for_text("This link does not work").await;
    browser
        .click(&format!("main a[href^='{}']", up.portal_url))
        .await;
    browser.wait_for_text("invalid or has expired").await;
    assert_eq!(browser.evaluate("location.hash").await, "");

    browser
        .visit(&format!("{}/blog/nowhere", up.portal_url))
        .await;
    browser.wait_for_text("The article does not exist").await;
    browser.visit(&format!("{}/mailbox", up.portal_url)).await;
    browser.click("#as-text").await;
    browser
        .wait_until("document.querySelector('#text a[href*=\"/verify?token=\"]') !== null")
        .await;
    browser.click("#empty").await;
    browser.wait_for_text("Delete 1 mail?").await;
    browser.click("#asked button[value=delete]").await;
    browser.wait_for_text("No mail yet").await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}
