//! Replaces values that differ between runs by placeholders, so that tests can compare whole bodies.

use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

/// Returns the body with `[uuid]`, `[time]`, `[token]` and `[seconds]` in place of values that change.
pub(crate) fn redacted(body: &Value) -> Value {
    match body {
        Value::String(text) if Uuid::parse_str(text).is_ok() => "[uuid]".into(),
        Value::String(text) if text.parse::<Timestamp>().is_ok() => "[time]".into(),
        Value::Array(elements) => elements.iter().map(redacted).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| {
                let value = match name.as_str() {
                    "access_token" | "refresh_token" if value.is_string() => "[token]".into(),
                    "expires_at" if value.is_u64() => "[seconds]".into(),
                    _ => redacted(value),
                };
                (name.clone(), value)
            })
            .collect(),
        other => other.clone(),
    }
}
