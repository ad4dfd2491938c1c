//! The page shows and sends every kind of schema and parameter.

use std::path::Path;

use innkeeper_rest::{App, HeaderName, Request, Response, RestApi, Server, Stop, resource};
use serde_json::{Value, json};

use super::{choose, open, screenshots, send, unfold};
use crate::browser::Browser;
use crate::support::{answer, program};

/// As much of the Python package as samples need, because machines that run tests may not have it.
const REQUESTS: &str = r#"
import json as j, sys, types, urllib.request as u
def request(method, url, headers, json):
    headers = {**headers, "Content-Type": "application/json"}
    response = u.urlopen(u.Request(url, j.dumps(json).encode(), headers, method=method))
    return types.SimpleNamespace(status_code=response.status, text=response.read().decode())
sys.modules["requests"] = types.SimpleNamespace(request=request)
"#;

struct Echo;

/// Tells what it was sent.
#[resource("/pets")]
impl Echo {
    #[post("/{id}")]
    fn echo(&self, id: String, #[request] request: &Request, #[body] body: String) -> Response {
        let head = request.head();
        let header = |name| head.header_text(HeaderName::from_static(name));
        Response::ok().entity(json!({
            "id": id,
            "query": head.query(),
            "tags": header("x-tags"),
            "key": header("x-key"),
            "cookie": header("cookie"),
            "type": header("content-type"),
            "body": body,
        }))
    }
}

/// Serves a document with its page, and the routes above; returns the address.
pub(super) fn serve(text: String, stop: &Stop) -> String {
    let app = App::new()
        .mount("/", RestApi::new(Echo))
        .handler("/openapi.json", move |_| {
            let response = Response::ok().content_type("application/json");
            std::future::ready(response.body(text.clone()))
        })
        .docs_page("/docs", "/openapi.json");
    let server = Server::bind("127.0.0.1:0").unwrap().stop_on(stop.clone());
    let address = format!("http://{}", server.address());
    tokio::spawn(async move { server.serve(app).await });
    address
}

/// Returns a document with every kind of schema.
fn every_schema() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Pets", "version": "1" },
        "paths": { "/pets/{id}": {
            "parameters": [
                { "name": "id", "in": "path", "required": true, "schema": { "type": "string" }, "example": "a b/c" },
            ],
            "post": {
                "summary": "Changes a pet.",
                "tags": ["Pets"],
                "security": [{ "key": [] }],
                "parameters": [
                    {
                        "name": "ids", "in": "query", "required": true, "style": "form", "explode": false,
                        "schema": { "type": "array", "items": { "type": "integer" } }, "example": [1, 2],
                    },
                    {
                        "name": "where", "in": "query", "required": true, "style": "deepObject",
                        "schema": { "type": "object" }, "example": { "colour": "b&w" },
                    },
                    { "name": "X-Tags", "in": "header", "required": true, "schema": { "enum": ["one", "two"] } },
                    { "name": "place", "in": "cookie", "schema": { "type": "string" } },
                ],
                "requestBody": { "required": true, "content": {
                    "application/json": { "schema": { "$ref": "#/components/schemas/Everything" } },
                } },
                "responses": {
                    "200": {
                        "description": "the pet",
                        "headers": { "X-Count": { "description": "How many.", "schema": { "type": "integer" } } },
                        "content": { "application/json": {
                            "schema": { "$ref": "#/components/schemas/Tree" },
                            "examples": { "small": { "summary": "A small one", "value": { "name": "seedling" } } },
                        } },
                    },
                    "default": { "description": "anything else" },
                },
            },
            "x-additional-operations": { "PURGE": { "summary": "Forgets a pet.", "tags": ["Pets"], "responses": {} } },
        } },
        "components": {
            "securitySchemes": { "key": { "type": "apiKey", "in": "header", "name": "X-Key" } },
            "schemas": schemas(),
        },
    })
}

fn schemas() -> Value {
    json!({
        "Tree": { "type": "object", "required": ["name"], "properties": {
            "name": { "type": "string" },
            "children": { "type": "array", "items": { "$ref": "#/components/schemas/Tree" } },
            "parent": { "anyOf": [{ "$ref": "#/components/schemas/Tree" }, { "type": "null" }] },
        } },
        "Cat": { "type": "object", "properties": { "kind": { "const": "cat" }, "lives": { "type": "integer", "maximum": 9 } } },
        "Dog": { "type": "object", "properties": { "kind": { "const": "dog" } } },
        "Loop": { "$ref": "#/components/schemas/Loop" },
        "Lists": { "type": "array", "items": { "$ref": "#/components/schemas/Lists" } },
        "Itself": { "allOf": [{ "$ref": "#/components/schemas/Itself" }] },
        "Everything": {
            "type": "object",
            "required": ["nothing", "email"],
            "additionalProperties": false,
            "properties": {
                "nothing": { "type": "null" },
                "email": { "type": ["string", "null"], "format": "email", "maxLength": 80, "pattern": "^.+@" },
                "size": { "type": "string", "enum": ["small", "large"], "default": "small" },
                "pet": {
                    "oneOf": [{ "$ref": "#/components/schemas/Cat" }, { "$ref": "#/components/schemas/Dog" }],
                    "discriminator": { "propertyName": "kind" },
                },
                "rows": { "type": "array", "items": { "type": "array", "items": { "type": "string", "minLength": 2 } } },
                "pair": { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }] },
                "counts": { "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 } },
                "both": { "allOf": [
                    { "$ref": "#/components/schemas/Cat" },
                    { "properties": { "extra": { "type": "boolean" } } },
                ] },
                "anything": true,
                "never": false,
                "tree": { "$ref": "#/components/schemas/Tree" },
                "loop": { "$ref": "#/components/schemas/Loop" },
                "lists": { "$ref": "#/components/schemas/Lists" },
                "itself": { "$ref": "#/components/schemas/Itself" },
                "elsewhere": { "$ref": "other.json#/x" },
                "odd": { "if": { "type": "string" }, "then": { "minLength": 3 } },
                "old": { "type": "string", "deprecated": true, "readOnly": true },
            },
        },
    })
}

/// Returns the visible text of the page, with single blanks.
async fn shown(browser: &mut Browser) -> String {
    let text = "document.querySelector('main').innerText.replaceAll(/\\s+/g, ' ')";
    browser.evaluate(text).await.as_str().unwrap().to_owned()
}

/// Checks that every kind of schema is told.
async fn read_types(browser: &mut Browser) {
    unfold(browser).await;
    let text = shown(browser).await;
    for expected in [
        "nothing null required",
        "email string (email) or null required at most 80 characters matches ^.+@",
        "size string default \"small\" one of \"small\", \"large\"",
        "pet Cat or Dog told apart by kind",
        "lives integer at most 9",
        "kind \"dog\"",
        "rows array of array of string",
        "at least 2 characters",
        "pair array",
        "Item 2 integer",
        "counts map to integer",
        "any other name integer at least 0",
        "All of Cat",
        "extra boolean",
        "anything any value",
        "never no value",
        "tree Tree",
        "children array of Tree",
        "The same schema again: Tree",
        "parent Tree or null",
        "loop Loop",
        "lists Lists",
        "itself Itself",
        "elsewhere other.json#/x",
        "if: {\"type\":\"string\"} then: {\"minLength\":3}",
        "old string deprecated only in responses",
        "No other properties.",
        "X-Count integer How many.",
        "A small one",
        "key: the key in the header X-Key",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

async fn sample_in(browser: &mut Browser, language: &str) -> String {
    browser.click(&format!("input[value={language}]")).await;
    let sample = "document.querySelector('.choices + div code').textContent";
    let sample = browser.evaluate(sample).await;
    sample.as_str().unwrap().to_owned()
}

/// Checks the code of the request in each language.
async fn read_samples(browser: &mut Browser) {
    for (language, expected) in [
        (
            "curl",
            "-H 'X-Key: <API_KEY>' \\\n  -H 'Content-Type: application/json'",
        ),
        ("JavaScript", "\"X-Tags\": \"one\","),
        ("Python", "\"nothing\": None,"),
        ("Rust", ".header(\"X-Tags\", \"one\")"),
    ] {
        let sample = sample_in(browser, language).await;
        assert!(sample.contains(expected), "{language}: {sample}");
        let target = "/pets/a%20b%2Fc?ids=1%2C2&where%5Bcolour%5D=b%26w";
        assert!(sample.contains(target), "{language}: {sample}");
    }
}

/// Runs samples, which must send what the form has sent.
async fn run_samples(browser: &mut Browser, sent: &Value) {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let node = target.join("clients/node");
    for (language, interpreter, option) in [
        ("curl", Path::new("sh"), "-c"),
        ("JavaScript", node.as_path(), "--eval"),
        ("Python", Path::new("python3"), "-c"),
    ] {
        let sample = sample_in(browser, language).await;
        let code = sample.replace("<API_KEY>", "secret");
        let code = match language {
            "JavaScript" => format!("(async () => {{ {code} }})()"),
            "Python" => format!("{REQUESTS}{code}"),
            _ => code,
        };
        let said = answer(&mut program(interpreter, &[option, &code])).await;
        let echo: Value = serde_json::from_str(said.trim_start_matches("200 ")).unwrap();
        let body = |echo: &Value| -> Value {
            serde_json::from_str(echo["body"].as_str().unwrap()).unwrap()
        };
        assert_eq!(body(&echo), body(sent), "{sample}");
        for name in ["id", "query", "tags", "key", "cookie", "type"] {
            assert_eq!(echo[name], sent[name], "{name}: {sample}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_schema_and_parameter_is_shown_and_sent() {
    let stop = Stop::new();
    let address = serve(every_schema().to_string(), &stop);
    let mut browser = Browser::start().await;
    browser.emulate(1280, "light").await;
    open(&mut browser, &format!("{address}/docs"), "Pets").await;

    // Search, Enter and the heading work by keyboard.
    browser
        .evaluate("document.getElementById('search').focus()")
        .await;
    browser.fill("#search", "purge pets").await;
    browser
        .wait_until("document.getElementById('found').textContent === '1 result'")
        .await;
    browser.press("Enter").await;
    browser
        .wait_until("document.activeElement.textContent === 'Forgets a pet.'")
        .await;
    browser.fill("#search", "").await;

    choose(&mut browser, "POST", "/pets/{id}").await;
    read_samples(&mut browser).await;
    browser.fill("input[type=password]", "secret").await;
    let (status, body) = send(&mut browser).await;
    assert_eq!(status, "200 OK", "{body}");
    let echo: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(echo["id"], "a b/c");
    assert_eq!(echo["query"], "ids=1%2C2&where%5Bcolour%5D=b%26w");
    assert_eq!(
        (&echo["tags"], &echo["key"]),
        (&json!("one"), &json!("secret"))
    );
    assert_eq!(
        (&echo["cookie"], &echo["type"]),
        (&Value::Null, &json!("application/json"))
    );
    let sent: Value = serde_json::from_str(echo["body"].as_str().unwrap()).unwrap();
    assert_eq!(sent["pet"], json!({ "kind": "cat", "lives": 1 }));
    run_samples(&mut browser, &echo).await;
    read_types(&mut browser).await;
    browser.check_page(&screenshots(), "every-schema").await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    stop.now();
}
