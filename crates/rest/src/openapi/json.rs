//! JSON objects of the document.

use serde_json::{Map, Value};

/// An object of the document.
pub(super) type Object = Map<String, Value>;

/// Sets an entry of a value that is an object.
pub(super) fn set(value: &mut Value, name: &str, entry: Value) {
    if let Value::Object(object) = value {
        object.insert(name.to_owned(), entry);
    }
}
