//! Templates, languages and notifications.

use super::{gotrue_faults, gotrue_with, std_faults, std_with};
use crate::config::{Config, MessageKind, NOTIFICATIONS};

fn source(config: &Config, kind: MessageKind, locale: &str) -> Option<String> {
    let source = config.mailer.templates.sources.get(kind).as_ref()?;
    Some(source.at(locale).unwrap().to_string())
}

#[test]
fn a_template_is_a_url_a_file_or_a_path_of_the_site() {
    for (value, address) in [
        (
            "https://cdn.example/a.html?x=1",
            "https://cdn.example/a.html?x=1",
        ),
        (
            "http://127.0.0.1:9/{locale}/a.html",
            "http://127.0.0.1:9/de/a.html",
        ),
        (
            "file:///srv/mails/{locale}/invite.html",
            "file:///srv/mails/de/invite.html",
        ),
        (
            "/mails/invite.html",
            "https://site.example.com/mails/invite.html",
        ),
        (
            "mails/{locale}.html",
            "https://site.example.com/mails/de.html",
        ),
        // Only `file:` URLs name files, so the meaning of a path never depends on the disk.
        ("/etc/hosts", "https://site.example.com/etc/hosts"),
        ("../../etc/hosts", "https://site.example.com/etc/hosts"),
        ("//eve.example/x", "https://site.example.com/eve.example/x"),
    ] {
        let config = std_with(&[
            ("AUTH_SITE_URL", "https://site.example.com/?a#b"),
            ("AUTH_MAILER_TEMPLATES_INVITE", value),
        ]);
        let found = source(&config, MessageKind::Invite, "de");
        assert_eq!(found.as_deref(), Some(address), "{value}");
        assert_eq!(source(&config, MessageKind::Recovery, "de"), None);
    }
    for value in ["https://[", "file:///", "file:///srv/", "https://"] {
        let faults = std_faults(&[("AUTH_MAILER_TEMPLATES_INVITE", value)]);
        assert_eq!(faults.len(), 1, "{value}: {faults:?}");
        let config = gotrue_with(&[("GOTRUE_MAILER_TEMPLATES_INVITE", value)]);
        assert_eq!(config.warnings.len(), 1, "{:?}", config.warnings);
        assert_eq!(source(&config, MessageKind::Invite, "de"), None);
    }
}

#[test]
fn templates_of_notifications_have_two_names() {
    for name in ["PASSWORD_CHANGED_NOTIFICATION", "PASSWORD_CHANGED"] {
        let config = std_with(&[(
            &format!("AUTH_MAILER_TEMPLATES_{name}"),
            "http://a.example/b",
        )]);
        let found = source(&config, MessageKind::PasswordChanged, "");
        assert_eq!(found.as_deref(), Some("http://a.example/b"), "{name}");
    }
}

#[test]
fn languages_are_a_list_of_names() {
    assert_eq!(std_with(&[]).mailer.templates.locales, ["en"]);
    let config = std_with(&[("AUTH_MAILER_LOCALES", "de, pt-BR,en")]);
    assert_eq!(config.mailer.templates.locales, ["de", "pt-BR", "en"]);
    for wrong in ["de,../x", "de/at", "d e", "日本"] {
        for faults in [
            std_faults(&[("AUTH_MAILER_LOCALES", wrong)]),
            gotrue_faults(&[("AUTH_MAILER_LOCALES", wrong), ("AUTH_PROFILE", "gotrue")]),
        ] {
            let problem = "AUTH_MAILER_LOCALES: must be languages such as en or pt-BR, with commas";
            assert_eq!(faults, [problem], "{wrong}");
        }
    }
}

#[test]
fn a_notification_is_sent_only_when_it_is_switched_on() {
    assert!(std_with(&[]).mailer.notifications.is_empty());
    assert!(gotrue_with(&[]).mailer.notifications.is_empty());
    for word in NOTIFICATIONS {
        let name = format!("AUTH_MAILER_NOTIFICATIONS_{word}_ENABLED");
        let config = std_with(&[(&name, "true")]);
        let on: Vec<String> = config
            .mailer
            .notifications
            .iter()
            .map(|kind| kind.setting().to_owned())
            .collect();
        assert_eq!(on, [format!("{word}_NOTIFICATION")]);
        assert_eq!(config.warnings, [""; 0]);
        assert!(
            std_with(&[(&name, "false")])
                .mailer
                .notifications
                .is_empty()
        );
    }
}

/// Returns the name of a kind without the suffix that notifications have in settings.
fn short(kind: MessageKind) -> &'static str {
    kind.setting().trim_end_matches("_NOTIFICATION")
}

#[test]
fn each_kind_has_a_subject_of_its_own() {
    let unset = std_with(&[]);
    for kind in MessageKind::ALL {
        for name in [kind.setting(), short(kind)] {
            let config = std_with(&[(&format!("AUTH_MAILER_SUBJECTS_{name}"), "News")]);
            for other in MessageKind::ALL {
                let expected = if other == kind {
                    "News"
                } else {
                    unset.mailer.subjects.get(other).as_str()
                };
                assert_eq!(
                    config.mailer.subjects.get(other),
                    expected,
                    "{name}: {other:?}"
                );
            }
        }
    }
}

#[test]
fn each_kind_has_a_template_of_its_own() {
    for kind in MessageKind::ALL {
        let name = format!("AUTH_MAILER_TEMPLATES_{}", kind.setting());
        let config = std_with(&[(&name, "https://cdn.example/mail.html")]);
        for other in MessageKind::ALL {
            let found = source(&config, other, "en");
            let expected = (other == kind).then_some("https://cdn.example/mail.html");
            assert_eq!(found.as_deref(), expected, "{name}: {other:?}");
        }
    }
}

#[test]
fn four_mails_have_a_path_of_their_own_and_the_others_no_such_setting() {
    let with_path = [
        MessageKind::Invite,
        MessageKind::Confirmation,
        MessageKind::Recovery,
        MessageKind::EmailChange,
    ];
    let unset = std_with(&[]);
    for kind in MessageKind::ALL {
        let name = format!("AUTH_MAILER_URLPATHS_{}", short(kind));
        let config = std_with(&[(&name, "/own")]);
        if with_path.contains(&kind) {
            assert_eq!(config.warnings, [""; 0]);
            assert_eq!(unset.mailer.urlpaths.get(kind), "/verify");
            assert_eq!(config.mailer.urlpaths.get(kind), "/own");
        } else {
            assert_eq!(config.warnings.len(), 1, "{:?}", config.warnings);
            let unknown = format!("{name} is not a setting");
            assert!(
                config.warnings[0].starts_with(&unknown),
                "{:?}",
                config.warnings
            );
            assert_eq!(config.mailer.urlpaths, unset.mailer.urlpaths);
        }
    }
}

#[test]
fn a_subject_that_is_no_template_is_reported_with_its_place() {
    assert_eq!(
        std_faults(&[("AUTH_MAILER_SUBJECTS_INVITE", "Hello {{ .Nmae }}")]).len(),
        1
    );
    assert_eq!(
        std_faults(&[("AUTH_MAILER_SUBJECTS_INVITE", "Hello {{ if }}")]),
        [
            "AUTH_MAILER_SUBJECTS_INVITE: is not a valid template: line 1, column 13: a value is expected here"
        ]
    );
    let config = gotrue_with(&[("GOTRUE_MAILER_SUBJECTS_INVITE", "Hello {{")]);
    assert_eq!(config.warnings.len(), 1);
    assert_eq!(config.mailer.subjects.invite, "You've been invited");
    let subject = "{{ if eq .Data.lang \"de\" }}Hallo{{ else }}Hello{{ end }}";
    let config = std_with(&[("AUTH_MAILER_SUBJECTS_INVITE", subject)]);
    assert_eq!(config.mailer.subjects.invite, subject);
}
