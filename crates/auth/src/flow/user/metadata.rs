//! The metadata of users, which applications and this server store.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{Object, User};
use crate::base::contact::Contact;
use crate::config::Profile;

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
pub(crate) fn email_identity(data: &Object, id: Uuid, email: &str, verified: bool) -> Object {
    let mut identity = identity(data, id, verified, false);
    identity.insert("email".to_owned(), json!(email));
    identity
}

/// Returns the data of an identity with a phone number.
pub(crate) fn phone_identity(data: &Object, id: Uuid, phone: &str, verified: bool) -> Object {
    let mut identity = identity(data, id, false, verified);
    identity.insert("phone".to_owned(), json!(phone));
    identity
}

fn identity(data: &Object, id: Uuid, email_verified: bool, phone_verified: bool) -> Object {
    let mut identity = data.clone();
    identity.insert("sub".to_owned(), json!(id));
    identity.insert("email_verified".to_owned(), json!(email_verified));
    identity.insert("phone_verified".to_owned(), json!(phone_verified));
    identity
}

/// Returns the data of the identity that a sign-up creates. GoTrue leaves a phone number out, and marks nothing as
/// verified where addresses and numbers count as confirmed at once.
pub(crate) fn signup_identity(
    profile: Profile,
    data: &Object,
    id: Uuid,
    contact: &Contact,
    is_confirmed: bool,
) -> Object {
    let is_marked = is_confirmed && profile == Profile::Std;
    match (contact, profile) {
        (Contact::Email(email), _) => email_identity(data, id, email.as_str(), is_marked),
        (Contact::Phone(phone), Profile::Std) => {
            phone_identity(data, id, phone.as_str(), is_marked)
        }
        (Contact::Phone(_), Profile::Gotrue) => identity(data, id, false, false),
    }
}

/// Returns the metadata of a user who has signed up: the data of the identity, and that the address is confirmed.
pub(crate) fn signup_metadata(identity: &Object, contact: &Contact, is_confirmed: bool) -> Object {
    let mut metadata = identity.clone();
    if is_confirmed && contact.email().is_some() {
        metadata.insert("email_verified".to_owned(), json!(true));
    }
    metadata
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
    use crate::flow::user::Object;

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
