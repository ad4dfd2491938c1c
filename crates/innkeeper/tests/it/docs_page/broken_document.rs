//! The page says in words what it cannot show, and when the server is away.

use innkeeper_rest::Stop;
use innkeeper_service::testing::eventually;
use serde_json::json;

use super::any_document::serve;
use super::{choose, open};
use crate::browser::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_cannot_be_shown_is_told_in_words() {
    let stop = Stop::new();
    let mut browser = Browser::start().await;
    for (text, words) in [
        ("nowhere", "is not valid JSON"),
        ("null", "it is not a JSON object"),
        ("[]", "it is not a JSON object"),
        (r#"{"paths": {"/": {"parameters": 1, "get": {}}}}"#, ""),
    ] {
        let address = serve(text.to_owned(), &stop);
        browser.visit(&format!("{address}/docs")).await;
        browser
            .wait_for_text("The OpenAPI document cannot be shown: ")
            .await;
        browser.wait_for_text(words).await;
    }
    // What is missing is left out.
    let gaps = json!({ "openapi": "3.1.0", "paths": { "/a": null, "/b": { "get": null }, "/c": { "get": {} } } });
    let address = serve(gaps.to_string(), &stop);
    open(&mut browser, &format!("{address}/docs"), "API").await;
    choose(&mut browser, "GET", "/c").await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    stop.now();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_away_is_told_and_nothing_typed_is_lost() {
    let stop = Stop::new();
    let document = json!({
        "openapi": "3.1.0",
        "info": { "title": "Pets" },
        "paths": { "/pets/{id}": { "post": {
            "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
            "requestBody": { "content": { "text/plain": { "schema": { "type": "string" } } } },
            "responses": { "200": { "description": "what was sent" } },
        } } },
    });
    let address = serve(document.to_string(), &stop);
    let mut browser = Browser::start().await;
    open(&mut browser, &format!("{address}/docs"), "Pets").await;
    choose(&mut browser, "POST", "/pets/{id}").await;
    browser.fill("form.try input", "rex").await;
    stop.now();
    // Connections that are open may be served for a moment.
    let state = "document.querySelector('.state').textContent";
    eventually("the server is away", async || {
        browser.click("form.try button[type=submit]").await;
        browser.wait_until(&format!("!{state}.endsWith('…')")).await;
        browser.evaluate(state).await == "The request failed: Failed to fetch"
    })
    .await;
    let typed = browser
        .evaluate("document.querySelector('form.try input').value")
        .await;
    assert_eq!(typed, "rex");
    let sends_again = "!document.querySelector('form.try button[type=submit]').disabled";
    browser.wait_until(sends_again).await;
    assert_eq!(browser.complaints, Vec::<String>::new());
}
