//! One operation: a route as the document tells of it.

use serde_json::{Value, json};

use super::builder::Builder;
use super::{Object, body, parameter, response};
use crate::api::Settings;
use crate::app::Limits;
use crate::route::{MetaValue, Route, Security};

/// What an operation is written from.
pub(super) struct Work<'c, 'd> {
    pub(super) builder: &'c mut Builder<'d>,
    pub(super) settings: &'c Settings,
    pub(super) limits: Limits,
    pub(super) route: &'static Route,
}

pub(super) fn write(work: &mut Work<'_, '_>) -> Object {
    let route = work.route;
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
        .filter_map(|argument| parameter::write(work, argument))
        .collect();
    if !parameters.is_empty() {
        operation.insert("parameters".to_owned(), parameters.into());
    }
    let body = body::find(work);
    if let Some(body) = &body {
        operation.insert("requestBody".to_owned(), body.to_value());
    }
    let responses = response::write(work, body.as_ref());
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

/// The first paragraph in one line, and the rest.
fn texts(docs: &str) -> (String, &str) {
    let docs = docs.trim();
    let (first, rest) = docs.split_once("\n\n").unwrap_or((docs, ""));
    let words: Vec<&str> = first.split_whitespace().collect();
    (words.join(" "), rest.trim())
}

/// All schemes are asked for together; a scheme that is named twice is asked for all its scopes.
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
