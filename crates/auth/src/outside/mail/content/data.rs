//! The data of a mail template.

use innkeeper_gotemplate::Value;
use jiff::Timestamp;

use crate::base::time_text::to_the_minute;
use crate::config::MessageKind;
use crate::outside::mail::message::Message;

/// Returns the fields of a template for a mail.
pub(super) fn template_data(message: &Message, site: &str, locale: &str) -> Value {
    let text = |text: &Option<String>| Value::text(text.as_deref().unwrap_or_default());
    Value::map([
        ("SiteURL", Value::text(site)),
        ("ConfirmationURL", text(&message.link)),
        ("Email", Value::text(message.email.as_str())),
        ("NewEmail", text(&message.new_email)),
        ("SendingTo", Value::text(message.to.as_str())),
        ("Token", text(&message.code)),
        ("TokenHash", text(&message.token_hash)),
        ("Data", Value::from_object(&message.data)),
        ("RedirectTo", text(&message.redirect_to)),
        ("OldEmail", text(&message.old_email)),
        ("Phone", text(&message.phone)),
        ("OldPhone", text(&message.old_phone)),
        ("Provider", text(&message.provider)),
        ("FactorType", text(&message.factor_type)),
        ("Locale", Value::text(locale)),
        ("ExpiresAt", Value::text(expiry(message))),
    ])
}

/// Returns when the link and the code expire, as people of every language read it; empty if there is neither.
fn expiry(message: &Message) -> String {
    message.expires_at.map(to_the_minute).unwrap_or_default()
}

/// Returns data in which every field is set, to test a template with.
pub(in crate::outside::mail) fn sample_data(kind: MessageKind) -> Value {
    let some = |text: &str| Some(text.to_owned());
    let message = Message {
        new_email: some("new@example.com"),
        link: some(
            "https://example.com/verify?token=secret&type=signup&redirect_to=https://example.com",
        ),
        code: some("123456"),
        token_hash: some("secret"),
        redirect_to: some("https://example.com"),
        old_email: some("old@example.com"),
        phone: some("15550100"),
        old_phone: some("15550101"),
        provider: some("email"),
        factor_type: some("totp"),
        expires_at: Timestamp::from_second(1_800_000_000).ok(),
        ..Message::new(kind, "ada@example.com")
    };
    template_data(&message, "https://example.com", "en")
}

#[cfg(test)]
mod tests {
    use innkeeper_gotemplate::Value;

    use super::sample_data;
    use crate::config::{MessageKind, TEMPLATE_OPTIONS};

    #[test]
    fn templates_may_name_each_field_and_no_other() {
        let Value::Map(data) = sample_data(MessageKind::Invite) else {
            panic!("a map");
        };
        let mut fields = TEMPLATE_OPTIONS.fields.unwrap().to_vec();
        fields.sort_unstable();
        assert_eq!(data.keys().collect::<Vec<_>>(), fields);
    }
}
