//! The documentation page: plain HTML without scripts, made once.

use std::fmt::Write as _;

use innkeeper_service::html::Escaped;
use serde_json::{Map, Value};

pub(super) const STYLES: &str = include_str!("docs.css");

/// Returns the page of a document.
pub(super) fn html(document: &Value) -> String {
    let text = |pointer: &str| escaped(document.pointer(pointer).and_then(Value::as_str));
    let mut page =
        String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        page,
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title><link rel=\"stylesheet\" href=\"/v1/docs/docs.css\"></head><body><main>\n\
         <h1>{title} <small>{version}</small></h1>",
        title = text("/info/title"),
        version = text("/info/version"),
    );
    for paragraph in text("/info/description").split("\n\n") {
        let _ = writeln!(page, "<p>{}</p>", coded(paragraph));
    }
    page.push_str("<p><a href=\"/v1/openapi.json\">OpenAPI document</a></p>\n");
    let tags = document.get("tags").and_then(Value::as_array);
    for tag in tags.into_iter().flatten() {
        let (name, about) = (string(tag, "name"), string(tag, "description"));
        let _ = writeln!(page, "<h2>{name}</h2><p>{about}</p>");
        let paths = document.get("paths").and_then(Value::as_object);
        for (path, methods) in paths.into_iter().flatten() {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                if operation.pointer("/tags/0") == tag.get("name") {
                    push_operation(&mut page, method, path, operation);
                }
            }
        }
    }
    page.push_str("</main></body></html>\n");
    page
}

fn push_operation(page: &mut String, method: &str, path: &str, operation: &Value) {
    let id = string(operation, "operationId");
    let _ = writeln!(
        page,
        "<section id=\"{id}\"><h3><a href=\"#{id}\"><b>{}</b> <code>{}</code></a></h3><p>{}</p>",
        method.to_uppercase(),
        escaped(Some(path)),
        coded(&string(operation, "summary")),
    );
    let parameters = operation.get("parameters").and_then(Value::as_array);
    let parameters = parameters.into_iter().flatten();
    let rows: Vec<[String; 2]> = parameters
        .map(|parameter| {
            let name = format!("<code>{}</code>", string(parameter, "name"));
            [name, coded(&string(parameter, "description"))]
        })
        .collect();
    push_table(page, "Parameter", &rows);
    let responses = operation.get("responses").and_then(Value::as_object);
    let responses = responses.into_iter().flatten();
    let rows: Vec<[String; 2]> = responses
        .map(|(status, response)| {
            let types = response.get("content").and_then(Value::as_object);
            let types = types.into_iter().flat_map(Map::keys).map(String::as_str);
            let types = types.collect::<Vec<_>>().join(", ");
            let text = coded(&sentence(&string(response, "description")));
            [
                escaped(Some(status)),
                format!("{text} <small>{types}</small>"),
            ]
        })
        .collect();
    push_table(page, "Response", &rows);
    let sample = operation.pointer("/x-codeSamples/0/source");
    if let Some(sample) = sample.and_then(Value::as_str) {
        let _ = writeln!(page, "<pre><code>{}</code></pre>", escaped(Some(sample)));
    }
    page.push_str("</section>\n");
}

fn push_table(page: &mut String, head: &str, rows: &[[String; 2]]) {
    if rows.is_empty() {
        return;
    }
    let _ = write!(page, "<table><tr><th>{head}</th><th></th></tr>");
    for [name, text] in rows {
        let _ = write!(page, "<tr><td>{name}</td><td>{text}</td></tr>");
    }
    page.push_str("</table>\n");
}

/// Returns a text of an object, escaped for HTML.
fn string(object: &Value, name: &str) -> String {
    escaped(object.get(name).and_then(Value::as_str))
}

fn escaped(text: Option<&str>) -> String {
    Escaped(text.unwrap_or_default()).to_string()
}

/// Capitalises a text.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Turns words between backticks into code.
fn coded(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(number, part)| match number % 2 {
        0 => part.to_owned(),
        _ => format!("<code>{part}</code>"),
    });
    parts.collect()
}
