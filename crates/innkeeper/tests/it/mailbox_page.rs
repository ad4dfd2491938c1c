//! The mailbox in a browser, and where the keyboard is on the start page.

use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::support::{Up, folder};
use crate::tour::{FITS, NAMED};

/// Keeps what a page copies.
const CLIPBOARD: &str = "
    window.copied = [];
    Object.defineProperty(navigator, 'clipboard', {
        value: { writeText: async (text) => void copied.push(text) },
    });";

const LISTED: &str =
    "[...document.querySelectorAll('#mails button b')].map((it) => it.textContent)";

/// Lets the auth server send a link to an address.
async fn send_mail(up: &mut Up, email: &str) -> Value {
    let body = json!({ "email": email, "create_user": true });
    let client = reqwest::Client::new();
    let request = client.post(format!("{}/otp", up.url)).json(&body);
    // This version of the API creates accounts.
    let request = request.header("X-Supabase-Api-Version", "2024-01-01");
    assert_eq!(request.send().await.unwrap().status(), 200);
    up.next_mail().await
}

/// Presses a button with the keyboard.
async fn press(browser: &mut Browser, selector: &str) {
    let is_ready = format!(
        "Boolean(document.querySelector('{selector}')?.offsetParent) && !document.querySelector('{selector}').disabled"
    );
    browser.wait_until(&is_ready).await;
    let focus = format!("document.querySelector('{selector}').focus()");
    browser.evaluate(&focus).await;
    browser.press("Enter").await;
}

async fn focused(browser: &mut Browser) -> Value {
    browser.evaluate("document.activeElement.id").await
}

/// Deletes the second of three mails, and then all.
async fn delete_mails(browser: &mut Browser, up: &Up) {
    // The second mail of the list is the next one.
    browser.click("#mails li:nth-child(2) button").await;
    browser
        .wait_until("document.getElementById('facts').textContent.includes('bob@example.com')")
        .await;
    browser.click("#delete").await;
    browser.wait_for_text("The mail was deleted.").await;
    browser
        .wait_until("document.getElementById('facts').textContent.includes('ada@example.com')")
        .await;
    assert_eq!(focused(browser).await, "subject");
    assert_eq!(browser.evaluate(LISTED).await.as_array().unwrap().len(), 2);

    browser.click("#empty").await;
    browser.wait_for_text("Delete 2 mails?").await;
    browser.click("#asked button[value=keep]").await;
    assert_eq!(browser.evaluate(LISTED).await.as_array().unwrap().len(), 2);
    browser.click("#empty").await;
    browser.click("#asked button[value=delete]").await;
    browser.wait_for_text("No mail yet.").await;
    let left = reqwest::get(format!("{}/portal/mails", up.portal_url)).await;
    assert_eq!(left.unwrap().json::<Value>().await.unwrap(), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn mails_are_searched_copied_shown_as_they_came_and_deleted() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let mut up = Up::on(&database, &folder.path().join("inn")).await;
    for name in ["ada", "bob", "eve"] {
        send_mail(&mut up, &format!("{name}@example.com")).await;
    }
    let mut browser = Browser::start().await;
    browser.run_first(CLIPBOARD).await;
    browser.visit(&format!("{}/mailbox", up.portal_url)).await;
    browser
        .wait_until("document.querySelectorAll('#mails li').length === 3")
        .await;

    let search = |text: &str| {
        format!(
            "{{ const it = document.getElementById('search'); it.value = '{text}'; \
             it.dispatchEvent(new Event('input')) }}"
        )
    };
    browser.evaluate(&search(" BOB@ ")).await;
    browser.wait_for_text("1 mail found.").await;
    browser
        .wait_until("document.getElementById('facts').textContent.includes('bob@example.com')")
        .await;
    browser.evaluate(&search("nowhere")).await;
    browser.wait_for_text("No mail has this text.").await;
    browser.evaluate(&search("")).await;
    browser
        .wait_until("document.querySelectorAll('#mails li').length === 3")
        .await;

    let code = "document.querySelector('#actions .code').textContent";
    let code = browser.evaluate(code).await;
    browser.click("#copy").await;
    browser.wait_for_text("The code was copied.").await;
    assert_eq!(browser.evaluate("copied").await, json!([code]));
    browser.click("#as-raw").await;
    let source = browser.evaluate("document.getElementById('raw').innerText");
    let source = source.await;
    let source = source.as_str().unwrap();
    assert!(source.contains("MIME-Version: 1.0"), "{source}");
    assert!(!source.contains("X-Envelope"), "{source}");

    for width in [1280, 360] {
        browser.emulate(width, "light").await;
        assert_eq!(browser.evaluate(FITS).await, true, "{width}");
        assert_eq!(browser.evaluate(NAMED).await, json!([]), "{width}");
    }
    delete_mails(&mut browser, &up).await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keyboard_stays_where_a_person_expects_it() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let mut up = Up::on(&database, &folder.path().join("inn")).await;
    let mut browser = Browser::start().await;
    browser.visit(&up.portal_url).await;
    browser.wait_for_text("You are not signed in").await;
    press(&mut browser, "#account button[value=up]").await;
    browser.wait_for_text("follow the link in the mail").await;
    browser
        .wait_until("document.activeElement.value === 'up'")
        .await;

    // On a small screen the result of following the link is seen at once.
    let mail = up.next_mail().await;
    browser.emulate(360, "light").await;
    browser.visit(mail["link"].as_str().unwrap()).await;
    press(&mut browser, "main form button").await;
    browser
        .wait_until("document.getElementById('somebody')?.hidden === false")
        .await;
    browser
        .wait_until(
            "(({ top }) => top >= 0 && top < innerHeight / 2)\
             (document.getElementById('facts').getBoundingClientRect())",
        )
        .await;
    assert_eq!(focused(&mut browser).await, "session-title");

    press(&mut browser, "#refresh").await;
    browser.wait_for_text("The session was refreshed.").await;
    browser
        .wait_until("document.activeElement.id === 'refresh'")
        .await;
    press(&mut browser, "#leave").await;
    browser.wait_for_text("You are not signed in").await;
    browser
        .wait_until("document.activeElement.id === 'email'")
        .await;
    press(&mut browser, "#account button[value=in]").await;
    browser.wait_for_text("Signed in.").await;
    browser
        .wait_until("document.activeElement.id === 'session-title'")
        .await;

    // A link that is used again leads to a message, which is seen at once, too.
    browser.visit(mail["link"].as_str().unwrap()).await;
    browser.wait_for_text("This link does not work").await;
    let back = format!("main a[href^=\"{}\"]", up.portal_url);
    press(&mut browser, &back).await;
    browser
        .wait_until(
            "(({ top, height }) => height > 0 && top >= 0 && top < innerHeight)\
             (document.getElementById('said').getBoundingClientRect())",
        )
        .await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}
