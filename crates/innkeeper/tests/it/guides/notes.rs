use serde_json::{Value, json};

use super::read_on;
use crate::browser::Browser;

pub(super) const GUIDE: &str = "docs/auth/row-level-security.md";

const NOTES: &str = "[...document.querySelectorAll('#notes li')].map((it) => it.textContent)";

/// Fills in fields of the page, and sends their form.
async fn submit(browser: &mut Browser, form: &str, fields: &[(&str, &str)]) {
    for (name, value) in fields {
        let fill = format!("document.forms['{form}'].elements['{name}'].value = '{value}'");
        browser.evaluate(&fill).await;
    }
    browser.click(&format!("#{form} button")).await;
}

#[tokio::test]
async fn the_guide_to_row_level_security_works() {
    let reader = read_on(GUIDE).await;
    let page = reader.variable("PAGE").await;
    let mut browser = Browser::start().await;
    browser.visit(&page).await;
    browser
        .wait_until("Boolean(document.forms.add?.onsubmit)")
        .await;
    let wrong = [("email", "emmy@example.com"), ("password", "wrong")];
    submit(&mut browser, "sign-in", &wrong).await;
    browser.wait_for_text("Invalid login credentials").await;
    let right = [wrong[0], ("password", "correct-horse-9")];
    submit(&mut browser, "sign-in", &right).await;
    browser.wait_for_text("call Noether").await;
    submit(&mut browser, "add", &[("body", "prove it")]).await;
    browser.wait_for_text("prove it").await;
    let expected = json!(["buy chalk", "call Noether", "prove it"]);
    assert_eq!(browser.evaluate(NOTES).await, expected);

    let (url, token) = (
        page.split("/notes").next().unwrap(),
        reader.variable("EMMY"),
    );
    let request = reqwest::Client::new().get(format!("{url}/rest/v1/notes?select=body&order=id"));
    let response = request.bearer_auth(token.await).send().await.unwrap();
    let stored: Value = response.json().await.unwrap();
    let stored = stored.as_array().unwrap().iter();
    let stored: Vec<Value> = stored.map(|note| note["body"].clone()).collect();
    assert_eq!(json!(stored), expected);
    reader.stop().await;
}
