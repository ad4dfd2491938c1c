//! The documentation pages, in a browser.

mod any_document;
mod both_servers;
mod broken_document;
mod hostile_texts;

use std::path::{Path, PathBuf};

use crate::browser::Browser;

/// The folder of the screenshots, for people to look at.
fn screenshots() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs-page")
}

/// Opens the page of an API and waits until its document is shown.
async fn open(browser: &mut Browser, url: &str, title: &str) {
    browser.visit(url).await;
    let shown = format!("document.querySelector('main h1')?.textContent.startsWith({title:?})");
    browser.wait_until(&shown).await;
}

/// Follows the link of the menu to an operation, and waits until it is shown.
async fn choose(browser: &mut Browser, method: &str, path: &str) {
    let link = format!(
        "[...document.querySelectorAll('#entries a')].find((link) => \
         link.textContent === '{method} {path}')"
    );
    browser.evaluate(&format!("{link}.click()")).await;
    let shown = format!(
        "document.querySelector('main .target')?.textContent.startsWith('{method} {path}Try it')"
    );
    browser.wait_until(&shown).await;
}

/// Sends the request of the form and returns the status line and the body of the response.
async fn send(browser: &mut Browser) -> (String, String) {
    browser.click("form.try button[type=submit]").await;
    browser
        .wait_until("/ in \\d+ ms$/.test(document.querySelector('.state').textContent)")
        .await;
    let text = async |browser: &mut Browser, selector: &str| {
        let script = format!("document.querySelector({selector:?})?.textContent ?? ''");
        browser.evaluate(&script).await.as_str().unwrap().to_owned()
    };
    let state = text(browser, ".state").await;
    let status = state.split(" in ").next().unwrap().to_owned();
    (status, text(browser, ".answer").await)
}

/// Opens everything that is folded, as deep as it goes.
async fn unfold(browser: &mut Browser) {
    let unfold = "(() => { const closed = document.querySelectorAll('main details:not([open])'); \
                  closed.forEach((details) => details.open = true); return closed.length === 0; })()";
    browser.wait_until(unfold).await;
    browser.wait_for_paint().await;
    browser.wait_until(unfold).await;
}
