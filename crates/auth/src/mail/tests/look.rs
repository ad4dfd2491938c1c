//! Built-in mails, written as pages; `scripts/look-at-mails` takes screenshots of them.

use std::path::PathBuf;

use crate::config::{Config, MessageKind};
use crate::mail::Message;
use crate::mail::content::{Content, Writer};

/// Returns a mail with all fields of its kind.
pub(super) fn full(kind: MessageKind) -> Message {
    let some = |text: &str| Some(text.to_owned());
    let message = Message::new(kind, "ada@example.com");
    let link = "https://auth.inn.example/verify?token=u1Q9vGmYf0c8kQd3pXr7sT2wZb5nJ6hL4aEoViCyRxM\
                &type=signup&redirect_to=https://inn.example/welcome";
    match kind {
        MessageKind::Reauthentication => Message {
            code: some("483920"),
            ..message
        },
        MessageKind::EmailChanged => Message {
            email: "lovelace@example.com".to_owned(),
            old_email: some("ada@example.com"),
            ..message
        },
        MessageKind::PhoneChanged => Message {
            phone: some("15550100"),
            old_phone: some("15550199"),
            ..message
        },
        MessageKind::IdentityLinked | MessageKind::IdentityUnlinked => Message {
            provider: some("github"),
            ..message
        },
        MessageKind::MfaFactorEnrolled | MessageKind::MfaFactorUnenrolled => Message {
            factor_type: some("totp"),
            ..message
        },
        MessageKind::PasswordChanged | MessageKind::EmailTaken => message,
        _ => Message {
            link: some(link),
            code: some("483920"),
            new_email: (kind == MessageKind::EmailChange).then(|| "new@example.com".to_owned()),
            ..message
        },
    }
}

/// Writes a mail with these languages configured.
pub(super) fn written(message: &Message, locales: &[&str]) -> Content {
    let mut config = Config::for_tests();
    config.mailer.templates.locales = locales.iter().map(|it| (*it).to_owned()).collect();
    Writer::new(&config).unwrap().write(message)
}

#[test]
fn every_built_in_mail_is_complete_in_every_language() {
    let folder = std::env::var_os("LOOK_AT_MAILS").map(PathBuf::from);
    for kind in MessageKind::ALL {
        for locale in ["en", "de"] {
            let message = full(kind);
            let content = written(&message, &[locale]);
            let Content {
                subject,
                text,
                html,
            } = &content;
            let known = [
                Some(&message.email),
                message.link.as_ref(),
                message.code.as_ref(),
                message.new_email.as_ref(),
                message.old_email.as_ref(),
                message.phone.as_ref(),
                message.old_phone.as_ref(),
                message.provider.as_ref(),
                message.factor_type.as_ref(),
            ];
            for value in known.into_iter().flatten() {
                assert!(text.contains(value), "{kind:?} {locale}: {value} in {text}");
                let shown = value.replace('&', "&#38;");
                assert!(
                    html.contains(&shown),
                    "{kind:?} {locale}: {value} in {html}"
                );
            }
            assert!(text.contains("http://localhost:3000"), "{text}");
            assert!(!subject.is_empty() && !text.contains("{{") && !html.contains("{{"));
            assert!(
                html.contains(&format!("<html lang=\"{locale}\">")),
                "{html}"
            );
            if let Some(folder) = &folder {
                let name = kind.setting().to_ascii_lowercase();
                let page = folder.join(format!("{name}.{locale}.html"));
                std::fs::write(page, html).unwrap();
            }
        }
    }
}

#[test]
fn subjects_are_in_the_users_language_unless_an_operator_chose_them() {
    let message = full(MessageKind::Recovery);
    assert_eq!(
        written(&message, &["de"]).subject,
        "Setzen Sie Ihr Passwort zurück"
    );
    assert_eq!(written(&message, &["en"]).subject, "Reset Your Password");
    let nonce = full(MessageKind::Reauthentication);
    assert_eq!(
        written(&nonce, &["de"]).subject,
        "483920 ist Ihr Bestätigungscode"
    );
    let mut config = Config::for_tests();
    config.mailer.templates.locales = vec!["de".to_owned()];
    config.mailer.subjects.recovery = "{{ .Locale }}: {{ .Email }}".to_owned();
    let content = Writer::new(&config).unwrap().write(&message);
    assert_eq!(content.subject, "de: ada@example.com");
}

#[test]
fn the_language_is_the_users_if_it_is_configured() {
    for (locale, greeting) in [
        ("de-AT", "Setzen Sie Ihr Passwort zurück"),
        ("fr", "Reset your password"),
        ("../../de", "Reset your password"),
    ] {
        let message = Message {
            data: [("locale".to_owned(), locale.into())].into_iter().collect(),
            ..full(MessageKind::Recovery)
        };
        let text = written(&message, &["en", "de"]).text;
        assert!(text.starts_with(greeting), "{locale}: {text}");
        // German is not used unless it is configured.
        let text = written(&message, &["en"]).text;
        assert!(text.starts_with("Reset your password"), "{locale}: {text}");
    }
}
