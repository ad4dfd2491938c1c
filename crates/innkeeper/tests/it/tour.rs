//! The tour that the start page offers, in a browser.

use std::path::{Path, PathBuf};

use innkeeper_service::testing::TestDatabase;
use serde_json::json;

use crate::browser::Browser;
use crate::support::{Up, folder};

/// Where the pictures are left for people to look at.
fn pictures() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("tour")
}

/// Nothing is wider than the page: nobody scrolls sideways.
const FITS: &str = "document.documentElement.scrollWidth <= innerWidth";
/// Whatever can be acted on has a name, and pictures say that they are mere decoration.
const NAMED: &str =
    "[...document.querySelectorAll('a:not([aria-hidden]), button, input, img, iframe')]
    .filter((it) => !({
        img: () => it.hasAttribute('alt'),
        iframe: () => it.title,
        input: () => it.disabled || it.labels.length,
    }[it.localName] ?? (() => (it.getAttribute('aria-label') ?? it.textContent).trim()))())
    .map((it) => it.outerHTML)";
/// What the widget says, once it says something.
const WIDGET: &str =
    "document.querySelector('heo-status')?.shadowRoot.querySelector('.box strong')";
const TOKEN: &str = "JSON.parse(localStorage.innkeeper).access_token";

/// Pictures of a page as it looks on a desk and on a phone, by day and by night.
async fn take_pictures(browser: &mut Browser, page: &str) {
    for (width, device) in [(390, "phone"), (1280, "desk")] {
        for scheme in ["dark", "light"] {
            browser.dress(width, scheme).await;
            let name = format!("{page}-{device}-{scheme}.png");
            browser.picture(&pictures().join(&name)).await;
            assert_eq!(browser.ask(FITS).await, true, "{name}");
            assert_eq!(browser.ask(NAMED).await, json!([]), "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_signs_up_reads_the_mail_follows_the_link_refreshes_and_leaves() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let mut browser = Browser::start().await;

    // The page says what runs, and shows what the hosting server has.
    browser.dress(1280, "light").await;
    browser.visit(&up.portal_url).await;
    browser.sees("Everything is up").await;
    browser.sees("You are not signed in").await;
    browser.sees("0 mails").await;
    browser
        .until("document.querySelectorAll('#articles img').length === 4")
        .await;
    browser.until(&format!("Boolean({WIDGET})")).await;
    let status = browser.ask(&format!("{WIDGET}.innerText")).await;
    assert_eq!(status, "All systems operational");
    take_pictures(&mut browser, "start").await;

    browser.click("#account button[value=up]").await;
    browser.sees("follow the link in the mail").await;
    // The count changes by itself.
    browser.sees("1 mail").await;
    browser.click("#said a").await;

    // The mail is read in a frame without rights; its link opens beside it, by keyboard too.
    browser.sees("Confirm Your Signup").await;
    browser
        .until("document.querySelector('#mail:not([aria-busy]) iframe:not([hidden])') !== null")
        .await;
    take_pictures(&mut browser, "mailbox").await;
    browser.ask("document.getElementById('html').focus()").await;
    browser.drawn().await;
    browser.press("Tab").await;
    browser.drawn().await;
    browser.press("Enter").await;
    browser
        .look_at_new_tab(&format!("{}/", up.portal_url))
        .await;

    // The link signs in.
    browser.dress(1280, "light").await;
    browser
        .until("!document.getElementById('somebody').hidden")
        .await;
    browser.sees("\"email\": \"ada@example.com\"").await;
    assert_eq!(
        browser.ask("location.hash").await,
        "",
        "the tokens do not stay in the address"
    );
    let first = browser.ask(TOKEN).await;
    browser.click("#refresh").await;
    browser.sees("The session was refreshed.").await;
    assert_ne!(browser.ask(TOKEN).await, first);
    take_pictures(&mut browser, "signed-in").await;

    browser.click("#leave").await;
    browser.sees("You are not signed in").await;
    browser.click("#account button[value=in]").await;
    browser.sees("Signed in.").await;

    // The list leads to an article.
    browser.click("#articles a").await;
    browser.sees("Mirja Lindqvist").await;
    browser
        .until("document.querySelectorAll('#body h2').length > 1")
        .await;
    take_pictures(&mut browser, "article").await;
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
    browser.sees("Invalid login credentials").await;

    browser.click("#account button[value=link]").await;
    browser.sees("We sent you a link and a code.").await;
    let link = up.next_mail().await["link"].as_str().unwrap().to_owned();
    browser.visit(&link).await;
    browser.sees("Sign out").await;
    browser.click("#leave").await;
    browser.sees("You are not signed in").await;
    // A link works once.
    browser.visit(&link).await;
    browser.sees("invalid or has expired").await;
    assert_eq!(browser.ask("location.hash").await, "");

    browser
        .visit(&format!("{}/blog/nowhere", up.portal_url))
        .await;
    browser.sees("The article does not exist").await;
    browser.visit(&format!("{}/mailbox", up.portal_url)).await;
    browser.click("#as-text").await;
    browser
        .until("document.querySelector('#text a[href*=\"/verify?token=\"]') !== null")
        .await;
    browser.click("#empty").await;
    browser.sees("No mail yet").await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}
