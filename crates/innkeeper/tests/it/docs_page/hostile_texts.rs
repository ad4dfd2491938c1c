//! The page shows any text of a document as text.

use innkeeper_rest::Stop;
use serde_json::{Value, json};

use super::any_document::serve;
use super::unfold;
use crate::browser::Browser;

/// Texts that would run a script in a page that takes them for markup.
const ATTACKS: [&str; 20] = [
    "<script>attacked=1</script>",
    "</script><script>attacked=1</script>",
    "<img src=x onerror=attacked=1>",
    "<svg onload=attacked=1>",
    "\"><img src=x onerror=attacked=1>",
    "'><svg/onload=attacked=1>",
    "<iframe srcdoc=\"<script>top.attacked=1</script>\"></iframe>",
    "<a href=\"javascript:attacked=1\" autofocus onfocus=attacked=1>a</a>",
    "[link](javascript:attacked=1)",
    "[link](data:text/html,<script>attacked=1</script>)",
    "[link](vbscript:attacked=1)",
    "`<b onmouseover=attacked=1>`",
    "**<i onclick=attacked=1>**",
    "<style>*{display:none}</style>",
    "<details open ontoggle=attacked=1>",
    "<input autofocus onfocus=attacked=1>",
    "<math><mi//xlink:href=\"data:x,<script>attacked=1</script>\">",
    "<!--<img src=\"--><img src=x onerror=attacked=1//\">",
    "{{constructor.constructor('attacked=1')()}}",
    "&lt;img src=x onerror=attacked=1&gt;\u{202e}\u{0}",
];

/// Elements that no document may make.
const FOREIGN: &str = "document.querySelectorAll('img, iframe, svg, math, style, object, embed, \
                       body script, [onerror], [onload], [onfocus], [onclick], [style]').length \
                       + [...document.querySelectorAll('a')].filter((link) => !['http:', 'https:'].includes(link.protocol)).length";

/// Returns a document with an attack wherever a text can be.
fn hostile(attack: &str) -> Value {
    let schema = json!({
        "type": "object", "title": attack, "description": attack, "default": attack, "examples": [attack],
        "pattern": attack, "format": attack, attack: attack, "required": [attack],
        "properties": { attack: { "enum": [attack, null], "description": attack, "const": attack } },
    });
    let content = json!({ attack: { "schema": schema, "examples": { attack: { "summary": attack, "value": attack } } } });
    let parameter = |place: &str| {
        json!({
            "name": attack, "in": place, "required": true, "description": attack, "schema": schema, "example": attack,
        })
    };
    let operation = json!({
        "operationId": attack, "summary": attack, "description": attack, "tags": [attack],
        "security": [{ attack: [attack] }],
        "parameters": [parameter("query"), parameter("header"), parameter("path")],
        "requestBody": { "description": attack, "content": content },
        "responses": { attack: { "description": attack, "content": content, "headers": { attack: parameter("header") } } },
    });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": attack, "version": attack, "summary": attack, "description": attack,
            "license": { "name": attack }, "contact": { "name": attack, "email": attack, "url": attack },
        },
        "tags": [{ "name": attack, "description": attack }],
        "paths": { (format!("/{attack}")): { "post": operation, "x-additional-operations": { attack: operation } } },
        "components": {
            "schemas": { attack: schema },
            "securitySchemes": { attack: { "type": "apiKey", "in": "header", "name": attack, "description": attack } },
        },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_a_document_never_become_markup() {
    let stop = Stop::new();
    let mut browser = Browser::start().await;
    for attack in ATTACKS {
        let address = serve(hostile(attack).to_string(), &stop);
        browser.visit(&format!("{address}/docs")).await;
        browser
            .wait_until("document.querySelector('main h1') !== null")
            .await;
        for number in 0..3 {
            let shows_attack = "document.querySelector('main').textContent.length > 0";
            assert_eq!(browser.evaluate(shows_attack).await, true, "{attack}");
            assert_eq!(browser.evaluate(FOREIGN).await, 0, "{attack}");
            let link = format!("document.querySelectorAll('#entries a')[{number}]");
            browser.evaluate(&format!("{link}.click()")).await;
            browser
                .wait_until(&format!("location.hash === {link}.hash"))
                .await;
            unfold(&mut browser).await;
        }
        let title = browser.evaluate("document.title").await;
        let plain = |text: &str| text.replace(['\u{0}', '\u{fffd}'], "");
        assert!(
            plain(title.as_str().unwrap()).contains(plain(attack).trim()),
            "{attack}: {title}"
        );
        assert_eq!(
            browser.evaluate("typeof attacked").await,
            "undefined",
            "{attack}"
        );
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
    stop.now();
}
