//! How users are shown to people.

use jiff::Timestamp;
use serde_json::Value;

use crate::output::{self, short_time};

/// Formats users as a table.
pub(super) fn table(users: &[Value], now: Timestamp) -> String {
    let rows: Vec<Vec<String>> = users
        .iter()
        .map(|user| {
            vec![
                text(user, "id").to_owned(),
                state(user, now).to_owned(),
                short_time(text(user, "created_at")),
                short_time(text(user, "last_sign_in_at")),
                contact(user),
            ]
        })
        .collect();
    let head = ["ID", "STATE", "CREATED", "LAST SIGN-IN", "EMAIL OR PHONE"];
    output::table(&head, &rows)
}

/// Returns the names and values of a user. Those that are empty are left out.
pub(super) fn rows(user: &Value, now: Timestamp) -> Vec<(&'static str, String)> {
    let phone = match text(user, "phone") {
        "" => String::new(),
        phone => format!("+{phone}"),
    };
    let time = |name: &str| match text(user, name) {
        "" => String::new(),
        time => short_time(time),
    };
    let json = |name: &str| match user.get(name) {
        Some(Value::Object(members)) if !members.is_empty() => {
            user.get(name).map(Value::to_string).unwrap_or_default()
        }
        _ => String::new(),
    };
    let rows = [
        ("id", text(user, "id").to_owned()),
        ("email", text(user, "email").to_owned()),
        ("phone", phone),
        ("state", state(user, now).to_owned()),
        ("role", text(user, "role").to_owned()),
        ("audience", text(user, "aud").to_owned()),
        ("created", time("created_at")),
        ("last sign-in", time("last_sign_in_at")),
        ("email confirmed", time("email_confirmed_at")),
        ("phone confirmed", time("phone_confirmed_at")),
        ("invited", time("invited_at")),
        ("banned until", time("banned_until")),
        ("identities", identities(user)),
        ("user metadata", json("user_metadata")),
        ("app metadata", json("app_metadata")),
    ];
    let set = rows.into_iter().filter(|(_, value)| !value.is_empty());
    set.collect()
}

fn text<'a>(user: &'a Value, name: &str) -> &'a str {
    user.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn contact(user: &Value) -> String {
    match (text(user, "email"), text(user, "phone")) {
        ("", "") => "-".to_owned(),
        ("", phone) => format!("+{phone}"),
        (email, _) => email.to_owned(),
    }
}

/// Returns the providers of the identities.
fn identities(user: &Value) -> String {
    let identities = user.get("identities").and_then(Value::as_array);
    let identities = identities.into_iter().flatten();
    let providers: Vec<&str> = identities
        .map(|identity| text(identity, "provider"))
        .collect();
    providers.join(", ")
}

/// Returns the state of a user in one word.
fn state(user: &Value, now: Timestamp) -> &'static str {
    let is_set = |name: &str| !text(user, name).is_empty();
    let banned_until: Option<Timestamp> = text(user, "banned_until").parse().ok();
    let is_anonymous = user.get("is_anonymous").and_then(Value::as_bool);
    if is_set("deleted_at") {
        "deleted"
    } else if banned_until.is_some_and(|until| until > now) {
        "banned"
    } else if is_anonymous == Some(true) {
        "anonymous"
    } else if is_set("email_confirmed_at") || is_set("phone_confirmed_at") {
        "confirmed"
    } else if is_set("invited_at") {
        "invited"
    } else {
        "unconfirmed"
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::{contact, state};

    #[test]
    fn the_state_is_the_one_that_matters_most() {
        let now: Timestamp = "2026-01-02T00:00:00Z".parse().unwrap();
        let (before, after) = ("2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z");
        for (user, expected) in [
            (json!({}), "unconfirmed"),
            (json!({ "invited_at": before }), "invited"),
            (
                json!({ "phone_confirmed_at": before, "invited_at": before }),
                "confirmed",
            ),
            (json!({ "is_anonymous": true }), "anonymous"),
            (
                json!({ "email_confirmed_at": before, "banned_until": after }),
                "banned",
            ),
            (
                json!({ "email_confirmed_at": before, "banned_until": before }),
                "confirmed",
            ),
            (
                json!({ "deleted_at": before, "banned_until": after }),
                "deleted",
            ),
        ] {
            assert_eq!(state(&user, now), expected, "{user}");
        }
    }

    #[test]
    fn a_user_is_known_by_email_address_then_by_phone_number() {
        assert_eq!(
            contact(&json!({ "email": "a@b.c", "phone": "49" })),
            "a@b.c"
        );
        assert_eq!(contact(&json!({ "email": "", "phone": "49" })), "+49");
        assert_eq!(contact(&json!({})), "-");
    }
}
