//! Addresses with parameters, taken apart.

use serde_json::{Map, Value, json};
use url::{Url, form_urlencoded};

/// The parts of an address. Parameters are an object if they are written as a form.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) address: String,
    pub(super) query: Option<Value>,
    pub(super) fragment: Option<Value>,
}

/// Takes an absolute address with a query or a fragment apart.
pub(super) fn parts(text: &str) -> Option<Parts> {
    if !text.contains("://") || text.contains(' ') || Url::parse(text).is_err() {
        return None;
    }
    let (rest, fragment) = cut(text, '#');
    let (address, query) = cut(rest, '?');
    if query.is_none() && fragment.is_none() {
        return None;
    }
    Some(Parts {
        address: address.to_owned(),
        query: query.map(parameters),
        fragment: fragment.map(parameters),
    })
}

fn cut(text: &str, mark: char) -> (&str, Option<&str>) {
    match text.split_once(mark) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn parameters(text: &str) -> Value {
    if !text.contains('=') {
        return json!(text);
    }
    let mut parameters = Map::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        let value = json!(value);
        match parameters.get_mut(name.as_ref()) {
            Some(Value::Array(values)) => values.push(value),
            Some(first) => *first = json!([first, value]),
            None => {
                parameters.insert(name.into_owned(), value);
            }
        }
    }
    Value::Object(parameters)
}
