//! The tour that the start page offers, in a browser.

use std::path::{Path, PathBuf};

use innkeeper_service::testing::TestDatabase;

use crate::browser::Browser;
use crate::support::{Up, folder};

/// Where the pictures are left for people to look at.
fn pictures() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("tour")
}

/// Nothing is wider than the page: nobody scrolls sideways.
const FITS: &str = "document.documentElement.scrollWidth <= innerWidth";

#[cfg(feature = "portal-client")]
#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_signs_up_reads_the_mail_follows_the_link_refreshes_and_leaves() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let mut browser = Browser::start().await;

    browser.dress(1200, "light").await;
    browser.visit(&up.portal_url).await;
    browser.sees("Nobody is signed in").await;
    browser.click("#account button[value=up]").await;
    browser.sees("follow the link in the mail").await;
    browser
        .until("document.querySelectorAll('#articles li a').length > 2")
        .await;
    browser
        .until("Boolean(document.querySelector('heo-status')?.shadowRoot.querySelector('.box'))")
        .await;
    browser.picture(&pictures().join("start.png")).await;

    browser.visit(&format!("{}/mailbox", up.portal_url)).await;
    browser.sees("ada@example.com").await;
    browser
        .until("document.getElementById('html').src !== ''")
        .await;
    browser.picture(&pictures().join("mailbox.png")).await;
    browser.click("#actions a").await;

    browser.sees("Sign out").await;
    browser.sees("Confirmed").await;
    assert_eq!(
        browser.ask("location.hash").await,
        "",
        "the tokens do not stay in the address"
    );
    browser
        .ask("document.querySelector('details').open = true")
        .await;
    browser.sees("\"email\": \"ada@example.com\"").await;
    let token = "JSON.parse(localStorage.innkeeper).access_token";
    let first = browser.ask(token).await;
    browser.click("#refresh").await;
    browser.sees("A new access token.").await;
    assert_ne!(browser.ask(token).await, first);
    for (name, width, scheme) in [
        ("signed-in-dark.png", 1200, "dark"),
        ("signed-in-phone.png", 390, "light"),
        ("signed-in-phone-dark.png", 390, "dark"),
    ] {
        browser.dress(width, scheme).await;
        browser.picture(&pictures().join(name)).await;
        assert_eq!(browser.ask(FITS).await, true, "{name}");
    }

    browser.click("#leave").await;
    browser.sees("Nobody is signed in").await;
    browser.click("#account button[value=in]").await;
    browser.sees("Signed in.").await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mails_are_shown_without_rights_and_to_this_machine_alone() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let get = async |path: &str, host: &str| {
        let request = reqwest::Client::new().get(format!("{}{path}", up.portal_url));
        request.header("host", host).send().await.unwrap()
    };

    let refused = get("/portal/mails", "evil.example").await;
    assert_eq!(refused.status(), 421, "a name of a stranger");
    let page = get("/mailbox", "localhost").await;
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self' http://"));
    assert!(!policy.contains("unsafe"), "{policy}");

    let body = serde_json::json!({"email": "ada@example.com", "password": "correct-horse-9"});
    let (status, _) = up.post("/signup", body).await;
    assert_eq!(status, 200);
    let events = get("/portal/mails/events", "localhost");
    let mail = async {
        loop {
            let mails: serde_json::Value = get("/portal/mails", "localhost")
                .await
                .json()
                .await
                .unwrap();
            if let Some(mail) = mails.get(0) {
                return mail["number"].as_u64().unwrap();
            }
            tokio::task::yield_now().await;
        }
    };
    let (events, number) = tokio::join!(events, mail);
    assert_eq!(events.headers()["content-type"], "text/event-stream");
    let html = get(&format!("/portal/mails/{number}/html"), "localhost").await;
    let policy = html.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("sandbox allow-popups"), "{policy}");
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert!(!policy.contains("script-src"), "{policy}");
    let unknown = get("/portal/mails/999", "localhost").await;
    assert_eq!(unknown.status(), 404);
    let odd = get("/portal/mails/../config", "localhost").await;
    assert_eq!(odd.status(), 404);
    up.process.stop().await;
}
