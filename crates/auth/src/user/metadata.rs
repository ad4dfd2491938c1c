//! Metadata: what applications keep about a user.

use serde_json::{Value, json};

use super::{Object, User};

/// Merges members at the top level; null deletes one.
pub(crate) fn merge(known: &mut Object, given: Object) {
    for (name, value) in given {
        if value.is_null() {
            known.remove(&name);
        } else {
            known.insert(name, value);
        }
    }
}

/// What the server itself keeps in the application's metadata: the ways to sign in.
pub(crate) fn set_providers(app_metadata: &mut Object, providers: &[&str]) {
    if let Some(first) = providers.first() {
        app_metadata.insert("provider".to_owned(), json!(first));
        app_metadata.insert("providers".to_owned(), json!(providers));
    }
}

/// The providers of the user's identities, each once.
pub(crate) fn providers(user: &User) -> Vec<&str> {
    let mut providers: Vec<&str> = Vec::new();
    for identity in user.identities.iter().flatten() {
        if !providers.contains(&identity.provider.as_str()) {
            providers.push(&identity.provider);
        }
    }
    providers
}

/// Notes the providers of the user's identities.
pub(crate) fn refresh_providers(user: &mut User) {
    let mut named = Object::new();
    set_providers(&mut named, &providers(user));
    user.app_metadata.extend(named);
}

/// What an identity of an address says.
pub(crate) fn email_identity(data: &Object, id: uuid::Uuid, email: &str, verified: bool) -> Object {
    let mut identity = data.clone();
    identity.insert("sub".to_owned(), json!(id));
    identity.insert("email".to_owned(), json!(email));
    identity.insert("email_verified".to_owned(), json!(verified));
    identity.insert("phone_verified".to_owned(), json!(false));
    identity
}

/// One member as an object.
pub(crate) fn member(name: &str, value: impl Into<Value>) -> Object {
    let mut object = Object::new();
    object.insert(name.to_owned(), value.into());
    object
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::merge;
    use crate::user::Object;

    #[test]
    fn members_are_merged_at_the_top_level_and_null_deletes() {
        let object =
            |value: serde_json::Value| -> Object { serde_json::from_value(value).unwrap() };
        let mut known = object(json!({ "a": 1, "b": { "c": 2 }, "d": 3 }));
        merge(
            &mut known,
            object(json!({ "b": { "e": 4 }, "d": null, "f": null, "g": 5 })),
        );
        assert_eq!(json!(known), json!({ "a": 1, "b": { "e": 4 }, "g": 5 }));
    }
}
