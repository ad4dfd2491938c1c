//! The account as the response to a sign-up shows it.

use aws_lc_rs::hmac;
use uuid::{Builder, Uuid};

use super::metadata::{self, signup_identity};
use super::signup_request::Signup;
use super::{Identity, Object, User};
use crate::app::App;
use crate::base::contact::{Email, Phone};
use crate::config::Profile;

/// Returns the account that the response to a sign-up shows before it is confirmed. In the std profile its ids are those
/// of a decoy: if they were the account's own, they would change once the owner has confirmed, and tell it.
pub(super) fn waiting(app: &App, signup: &Signup, user: &User) -> User {
    if app.config.profile == Profile::Std {
        return decoy(app, signup);
    }
    let mut identities = user.identities.iter().flatten();
    let identity_id = identities
        .find(|identity| identity.provider == signup.contact.provider())
        .map_or(user.id, |identity| identity.identity_id);
    unconfirmed_user(app, signup, user.id, identity_id)
}

/// Returns the account that a sign-up would have created if the email address or phone number were free. Its ids
/// are always the same for it, so that repeated sign-ups look alike.
pub(super) fn decoy(app: &App, signup: &Signup) -> User {
    let derive = |what| derived_id(app, what, &signup.aud, signup.contact.as_str());
    let user = unconfirmed_user(app, signup, derive("user"), derive("identity"));
    if app.config.profile == Profile::Std {
        return user;
    }
    // Clients of GoTrue recognize a duplicate by its missing identities.
    User {
        id: Uuid::new_v4(),
        role: String::new(),
        user_metadata: signup.data.clone(),
        identities: Some(Vec::new()),
        ..user
    }
}

/// Returns an account that waits for its first confirmation. It is made from the request alone, for new,
/// repeated and decoy sign-ups alike.
pub(super) fn unconfirmed_user(app: &App, signup: &Signup, id: Uuid, identity_id: Uuid) -> User {
    let now = app.clock.now();
    let contact = &signup.contact;
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let email = text(contact.email().map(Email::as_str));
    let data = signup_identity(app.config.profile, &signup.data, id, contact, false);
    let mut app_metadata = Object::new();
    metadata::set_providers(&mut app_metadata, &[contact.provider()]);
    let identity = Identity {
        identity_id,
        id: id.to_string(),
        user_id: id,
        identity_data: data.clone(),
        provider: contact.provider().to_owned(),
        last_sign_in_at: Some(now),
        created_at: Some(now),
        updated_at: Some(now),
        email: Some(email.clone()).filter(|email| !email.is_empty()),
    };
    User {
        id,
        aud: signup.aud.clone(),
        role: app.config.jwt.default_group_name.clone(),
        email,
        phone: text(contact.phone().map(Phone::as_str)),
        confirmation_sent_at: Some(now),
        app_metadata,
        user_metadata: data,
        identities: Some(vec![identity]),
        created_at: now,
        updated_at: now,
        ..User::default()
    }
}

/// Derives an id that is always the same for an email address or phone number and reveals nothing.
fn derived_id(app: &App, what: &str, aud: &str, contact: &str) -> Uuid {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &app.mac_keys.decoy);
    let text = format!("{what}\0{aud}\0{contact}");
    let tag = hmac::sign(&key, text.as_bytes());
    let mut bytes = [0; 16];
    for (byte, random) in bytes.iter_mut().zip(tag.as_ref()) {
        *byte = *random;
    }
    Builder::from_random_bytes(bytes).into_uuid()
}
