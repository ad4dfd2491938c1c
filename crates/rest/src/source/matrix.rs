//! Matrix parameters: `status=DONE;orgs=A,B`.

use std::collections::HashMap;

use serde_json::Value;

use crate::syntax::decode;

/// Splits a segment at `;`, `=` and `,`, then decodes the names and values, so that an escaped
/// separator is part of a value. A name without `=` is null, and a value with commas is a list. Names keep
/// their order; a repeated one has the values of all occurrences, in the place of the first.
pub(super) fn split(segment: &str) -> Result<Vec<(String, Value)>, String> {
    let mut entries: Vec<(String, Value)> = Vec::new();
    // A segment may have thousands of names.
    let mut places: HashMap<String, usize> = HashMap::new();
    for entry in segment.split(';').filter(|entry| !entry.is_empty()) {
        let (name, value) = match entry.split_once('=') {
            Some((name, value)) => (text(name)?, list(value)?),
            None => (text(entry)?, Value::Null),
        };
        if name.is_empty() {
            return Err("expected a name before `=`".to_owned());
        }
        let known = places.get(&name).and_then(|place| entries.get_mut(*place));
        if let Some((_, earlier)) = known {
            *earlier = joined(earlier.take(), value);
        } else {
            places.insert(name.clone(), entries.len());
            entries.push((name, value));
        }
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
            let entries = split(segment).map(|entries| entries.into_iter().collect());
            assert_eq!(entries.map(Value::Object), Ok(expected), "{segment}");
        }
        let entries = split("c=1;a;b=2;c=3;a=4").unwrap();
        let expected = [
            ("c", json!(["1", "3"])),
            ("a", json!(["4"])),
            ("b", json!("2")),
        ];
        assert_eq!(
            entries,
            expected.map(|(name, value)| (name.to_owned(), value))
        );
        assert!(split("=1").is_err());
        assert!(split("a=%zz").is_err());
        assert!(split("a=%FF").is_err());
    }
}
