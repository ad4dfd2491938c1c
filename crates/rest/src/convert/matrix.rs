//! Matrix parameters: `status=DONE;orgs=A,B`.

use serde_json::{Map, Value};

use crate::source::decode;

/// Splits a segment at `;`, `=` and `,`, then decodes the names and values, so that an escaped
/// separator is part of a value. A name without `=` is null, and a value with commas is a list. A
/// repeated name has the values of all occurrences.
pub(crate) fn matrix(segment: &str) -> Result<Map<String, Value>, String> {
    let mut entries = Map::new();
    for entry in segment.split(';').filter(|entry| !entry.is_empty()) {
        let (name, value) = match entry.split_once('=') {
            Some((name, value)) => (text(name)?, list(value)?),
            None => (text(entry)?, Value::Null),
        };
        if name.is_empty() {
            return Err("expected a name before `=`".to_owned());
        }
        let merged = match entries.remove(&name) {
            Some(earlier) => joined(earlier, value),
            None => value,
        };
        entries.insert(name, merged);
    }
    Ok(entries)
}

fn text(raw: &str) -> Result<String, String> {
    decode::path(raw)
        .map(Into::into)
        .map_err(|problem| problem.as_str().to_owned())
}

fn list(raw: &str) -> Result<Value, String> {
    if raw.contains(',') {
        raw.split(',')
            .map(|item| text(item).map(Value::String))
            .collect()
    } else {
        text(raw).map(Value::String)
    }
}

fn joined(earlier: Value, later: Value) -> Value {
    let mut items = match earlier {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        one => vec![one],
    };
    match later {
        Value::Array(more) => items.extend(more),
        Value::Null => {}
        one => items.push(one),
    }
    Value::Array(items)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn splits_then_decodes() {
        for (segment, expected) in [
            (
                "status=DONE;orgs=A,B",
                json!({"status": "DONE", "orgs": ["A", "B"]}),
            ),
            ("", json!({})),
            (";;a=1;", json!({"a": "1"})),
            ("open", json!({"open": null})),
            ("a=", json!({"a": ""})),
            ("a=1=2", json!({"a": "1=2"})),
            ("a=x%3By%2Cz%3D", json!({"a": "x;y,z="})),
            ("a=,", json!({"a": ["", ""]})),
            ("a=1;a=2,3", json!({"a": ["1", "2", "3"]})),
            ("a=1+1", json!({"a": "1+1"})),
        ] {
            assert_eq!(
                matrix(segment).map(Value::Object),
                Ok(expected),
                "{segment}"
            );
        }
        assert!(matrix("=1").is_err());
        assert!(matrix("a=%zz").is_err());
        assert!(matrix("a=%FF").is_err());
    }
}
