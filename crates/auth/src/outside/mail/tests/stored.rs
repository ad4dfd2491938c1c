//! Mails as they are stored in the outbox, perhaps by another version of the server.

use serde_json::json;

use super::message;
use crate::config::MessageKind;
use crate::outside::mail::Message;
use crate::outside::mail::redact::redact;

#[test]
fn a_mail_is_read_as_it_was_written() {
    let message = Message {
        hook: Some("{}".to_owned()),
        old_email: Some("old@example.com".to_owned()),
        data: [("locale".to_owned(), "de".into())].into_iter().collect(),
        ..message(MessageKind::EmailChange)
    };
    let stored = serde_json::to_string(&message).unwrap();
    assert_eq!(serde_json::from_str::<Message>(&stored).unwrap(), message);
}

#[test]
fn a_mail_of_an_older_version_is_read_too() {
    let stored = json!({
        "id": "7f2c1f5e-5c4e-4d3e-9b55-0d6b8f0f6f11",
        "kind": "magic_link",
        "to": "ada@example.com",
        "email": "ada@example.com",
    });
    let message: Message = serde_json::from_value(stored).unwrap();
    let expected = Message {
        id: message.id,
        ..Message::new(MessageKind::MagicLink, "ada@example.com")
    };
    assert_eq!(message, expected);
}

#[test]
fn secrets_in_a_hook_payload_are_redacted() {
    let data = json!({ "token": "", "token_new": "654321", "token_hash_new": "0f1e2d3c4b5a" });
    let message = Message {
        hook: Some(json!({ "email_data": data }).to_string()),
        ..message(MessageKind::EmailChange)
    };
    for (cause, expected) in [
        ("code 654321 is bad", "refused"),
        ("0f1e2d3c4b5a is bad", "refused"),
        ("code 012345 is bad", "refused"),
        ("<ADA@example.com> is bad", "<…> is bad"),
        ("out of stamps", "out of stamps"),
    ] {
        assert_eq!(redact(cause, None, &message), expected);
    }
    let told = redact("654321", Some("550"), &message);
    assert_eq!(told, "refused with 550");
}
