//! One operation: a route of the document.

use serde_json::{Value, json};

use super::context::OperationContext;
use super::json::Object;
use super::{body, parameter, response};
use crate::route::{MetaValue, Security};

pub(super) fn write(cx: &mut OperationContext<'_>) -> Object {
    let route = cx.route;
    let mut operation = Object::new();
    operation.insert("tags".to_owned(), json!([route.resource]));
    let (summary, description) = texts(route.docs);
    if !summary.is_empty() {
        operation.insert("summary".to_owned(), summary.into());
    }
    if !description.is_empty() {
        operation.insert("description".to_owned(), description.into());
    }
    if route.deprecated {
        operation.insert("deprecated".to_owned(), true.into());
    }
    let parameters: Vec<Value> = route
        .arguments
        .iter()
        .filter_map(|argument| parameter::write(cx, argument))
        .collect();
    if !parameters.is_empty() {
        operation.insert("parameters".to_owned(), parameters.into());
    }
    let body = body::write(cx);
    if let Some(body) = &body {
        operation.insert("requestBody".to_owned(), body.to_value());
    }
    let responses = response::write(cx, body.as_ref());
    operation.insert("responses".to_owned(), responses);
    if !route.security.is_empty() {
        operation.insert("security".to_owned(), security(route.security));
    }
    for meta in route.meta {
        let value = match meta.value {
            MetaValue::Text(text) => json!(text),
            MetaValue::Int(number) => json!(number),
            MetaValue::Float(number) => json!(number),
            MetaValue::Bool(flag) => json!(flag),
        };
        operation.insert(format!("x-{}", meta.name.replace('_', "-")), value);
    }
    operation
}

/// Splits a doc comment into its first paragraph, in one line, and the rest.
fn texts(docs: &str) -> (String, &str) {
    let docs = docs.trim();
    let (first, rest) = docs.split_once("\n\n").unwrap_or((docs, ""));
    let words: Vec<&str> = first.split_whitespace().collect();
    (words.join(" "), rest.trim())
}

/// Requires all schemes together. A scheme that is named twice requires the scopes of both.
fn security(all: &[Security]) -> Value {
    let mut together = Object::new();
    for security in all {
        let scopes = together.entry(security.scheme).or_insert_with(|| json!([]));
        if let Value::Array(scopes) = scopes {
            for scope in security.scopes {
                if !scopes.contains(&json!(scope)) {
                    scopes.push(json!(scope));
                }
            }
        }
    }
    json!([together])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paragraph_is_the_summary() {
        assert_eq!(
            texts("One user,\nby number.\n\nReads it.\n\nTwice."),
            ("One user, by number.".to_owned(), "Reads it.\n\nTwice.")
        );
        assert_eq!(texts(""), (String::new(), ""));
    }
}
