//! The metadata of users, which applications and this server store.

use serde_json::{Value, json};

use super::{Object, User};
use crate::contact::Contact;

/// Merges members at the top level; `null` deletes a member.
pub(crate) fn merge(known: &mut Object, changes: Object) {
    for (name, value) in changes {
        if value.is_null() {
            known.remove(&name);
        } else {
            known.insert(name, value);
        }
    }
}

/// Sets the providers, which this server stores in the metadata of the application.
pub(crate) fn set_providers(app_metadata: &mut Object, providers: &[&str]) {
    if let Some(first) = providers.first() {
        app_metadata.insert("provider".to_owned(), json!(first));
        app_metadata.insert("providers".to_owned(), json!(providers));
    }
}

/// Returns the providers of the user's identities, each once.
pub(crate) fn providers(user: &User) -> Vec<&str> {
    let mut providers: Vec<&str> = Vec::new();
    for identity in user.identities.iter().flatten() {
        if !providers.contains(&identity.provider.as_str()) {
            providers.push(&identity.provider);
        }
    }
    providers
}

/// Updates the providers from the user's identities.
pub(crate) fn refresh_providers(user: &mut User) {
    let mut named = Object::new();
    set_providers(&mut named, &providers(user));
    user.app_metadata.extend(named);
}

/// Returns the data of an email identity.
pub(crate) fn email_identity(data: &Object, id: uuid::Uuid, email: &str, verified: bool) -> Object {
    let mut identity = data.clone();
    identity.insert("sub".to_owned(), json!(id));
    identity.insert("email".to_owned(), json!(email));
    identity.insert("email_verified".to_owned(), json!(verified));
    identity.insert("phone_verified".to_owned(), json!(false));
    identity
}

/// Returns the data of an identity with a phone number.
pub(crate) fn phone_identity(data: &Object, id: uuid::Uuid, phone: &str, verified: bool) -> Object {
    let mut identity = data.clone();
    identity.insert("sub".to_owned(), json!(id));
    identity.insert("phone".to_owned(), json!(phone));
    identity.insert("email_verified".to_owned(), json!(false));
    identity.insert("phone_verified".to_owned(), json!(verified));
    identity
}

/// Returns the data of the identity of an email address or a phone number.
pub(crate) fn contact_identity(
    data: &Object,
    id: uuid::Uuid,
    contact: &Contact,
    verified: bool,
) -> Object {
    match contact {
        Contact::Email(email) => email_identity(data, id, email.as_str(), verified),
        Contact::Phone(phone) => phone_identity(data, id, phone.as_str(), verified),
    }
}

/// Returns an object with one member.
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
