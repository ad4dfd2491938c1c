//! Built-in mails, written as pages; `scripts/look-at-mails` takes screenshots of them.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::config::{Config, MessageKind, PerMessage};
use crate::outside::mail::Message;
use crate::outside::mail::content::{Content, Writer};

/// Returns a mail with all fields of its kind.
pub(super) fn full(kind: MessageKind) -> Message {
    let some = |text: &str| Some(text.to_owned());
    let message = Message::new(kind, "ada@example.com");
    let expires_at = Timestamp::from_second(1_800_000_000).ok();
    let link = "https://auth.inn.example/verify?token=u1Q9vGmYf0c8kQd3pXr7sT2wZb5nJ6hL4aEoViCyRxM\
                &type=signup&redirect_to=https://inn.example/welcome";
    match kind {
        MessageKind::Reauthentication => Message {
            code: some("483920"),
            expires_at,
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
            expires_at,
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
            for part in [text, html] {
                let expires = part.contains("2027-01-15 08:00 UTC");
                assert_eq!(expires, message.code.is_some(), "{kind:?} {locale}: {part}");
            }
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
fn a_mail_without_a_subject_in_the_settings_has_a_built_in_one() {
    for (kind, english, german) in [
        (
            MessageKind::PhoneChanged,
            "Your phone number was changed",
            "Ihre Telefonnummer wurde geändert",
        ),
        (
            MessageKind::IdentityLinked,
            "A new sign-in method was linked to your account",
            "Es gibt einen neuen Weg, sich anzumelden",
        ),
        (
            MessageKind::IdentityUnlinked,
            "A sign-in method was removed from your account",
            "Ein Weg, sich anzumelden, wurde entfernt",
        ),
    ] {
        let mut config = Config::for_tests();
        assert_eq!(config.mailer.subjects.get(kind), "");
        let message = full(kind);
        assert_eq!(written(&message, &["en"]).subject, english);
        assert_eq!(written(&message, &["de"]).subject, german);
        *config.mailer.subjects = PerMessage::from_fn(|_| "For {{ .Email }}".to_owned());
        let content = Writer::new(&config).unwrap().write(&message);
        assert_eq!(content.subject, "For ada@example.com");
    }
}

/// The rows of the specification for second factors.
#[test]
fn notifications_of_second_factors_have_their_subject_and_no_link() {
    for (kind, subject) in [
        (
            MessageKind::MfaFactorEnrolled,
            "A new MFA factor has been enrolled",
        ),
        (
            MessageKind::MfaFactorUnenrolled,
            "An MFA factor has been unenrolled",
        ),
    ] {
        let content = written(&full(kind), &["en"]);
        assert_eq!(content.subject, subject);
        assert!(!content.text.contains("/verify"), "{}", content.text);
        assert!(!content.html.contains("/verify"), "{}", content.html);
    }
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

#[test]
fn every_mail_advises_those_who_did_not_cause_it() {
    let to_new = Message {
        to: "new@example.com".to_owned(),
        ..full(MessageKind::EmailChange)
    };
    let cases = [
        (
            full(MessageKind::Invite),
            "You did not ask for this mail: somebody at http://localhost:3000 invited you.",
        ),
        (
            full(MessageKind::Confirmation),
            "If you did not sign up, ignore this mail.",
        ),
        (full(MessageKind::Recovery), "Your password stays as it is."),
        (
            full(MessageKind::MagicLink),
            "do not pass on the link or the code",
        ),
        (
            full(MessageKind::EmailChange),
            "do not ignore this mail: somebody else may be signed in",
        ),
        (
            to_new,
            "If you do not know this account, do not follow the link",
        ),
        (
            full(MessageKind::Reauthentication),
            "If you are not changing anything, do not ignore this mail",
        ),
        (
            full(MessageKind::EmailTaken),
            "Otherwise you need not do anything.",
        ),
        (
            full(MessageKind::PasswordChanged),
            "change your password now and contact the operators",
        ),
        (
            full(MessageKind::EmailChanged),
            "change your password now and contact the operators",
        ),
    ];
    for (message, advice) in cases {
        let Content { text, html, .. } = written(&message, &["en"]);
        assert!(
            text.contains(advice),
            "{:?}: {advice} in {text}",
            message.kind
        );
        assert!(
            html.contains(advice),
            "{:?}: {advice} in {html}",
            message.kind
        );
        // The other languages give advice of their own for each kind.
        let german = written(&message, &["de"]).text;
        assert!(!german.contains(advice), "{german}");
    }
}

#[test]
fn a_mail_of_an_earlier_release_says_nothing_about_its_expiry() {
    let message = Message {
        expires_at: None,
        ..full(MessageKind::Recovery)
    };
    let text = written(&message, &["en"]).text;
    assert!(!text.contains("valid until"), "{text}");
}

#[test]
fn the_first_address_of_an_account_is_no_change_from_nothing() {
    let message = Message {
        email: String::new(),
        ..full(MessageKind::EmailChange)
    };
    let text = written(&message, &["en"]).text;
    assert!(
        text.contains("the address of an account on http://localhost:3000 to new@example.com."),
        "{text}"
    );
}
