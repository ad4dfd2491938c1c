use innkeeper_service::clock::Clock;
use innkeeper_service::smtp_sink::SinkOptions;

use super::{config, mailer, message, sent, sink};
use crate::config::{Config, MessageKind};
use crate::outside::mail::compose::Composer;
use crate::outside::mail::{MailError, Message};

#[tokio::test]
async fn every_kind_shows_link_and_code_in_text_and_html() {
    let sink = sink(SinkOptions::default()).await;
    let config = config(&sink);
    for (kind, subject) in [
        (MessageKind::Invite, "You have been invited"),
        (MessageKind::Confirmation, "Confirm Your Signup"),
        (MessageKind::Recovery, "Reset Your Password"),
        (MessageKind::MagicLink, "Your Magic Link"),
        (MessageKind::EmailChange, "Confirm Email Change"),
    ] {
        let mail = sent(&config, &sink, message(kind)).await;
        let link = message(kind).link.unwrap();
        assert_eq!(mail.subject(), subject);
        assert_eq!(mail.recipients, ["ada@example.com"]);
        assert_eq!(mail.code(), Some("012345"));
        assert_eq!(mail.link().unwrap().as_str(), link);
        assert!(
            mail.text.contains("http://localhost:3000") && mail.text.contains("ada@example.com")
        );
        let shown = link.replace('&', "&#38;");
        assert_eq!(mail.html.matches(&format!("href=\"{shown}\"")).count(), 2);
        assert!(mail.html.contains(&format!(">{shown}</a>")));
        assert!(mail.html.contains("<strong>012345</strong>"));
    }
}

#[tokio::test]
async fn reauthentication_has_a_code_only() {
    let sink = sink(SinkOptions::default()).await;
    let mut config = config(&sink);
    config.mailer.subjects.reauthentication = "{{ .Token }} is your verification code".to_owned();
    let message = Message {
        link: None,
        ..message(MessageKind::Reauthentication)
    };
    let mail = sent(&config, &sink, message).await;
    assert_eq!(mail.subject(), "012345 is your verification code");
    assert_eq!(mail.code(), Some("012345"));
    assert!(mail.text.contains("\nEnter this code:\n\n012345\n"));
    assert_eq!(mail.link(), None);
}

#[tokio::test]
async fn subjects_are_filled_in() {
    let sink = sink(SinkOptions::default()).await;
    let mut config = config(&sink);
    config.mailer.subjects.email_change =
        "{{.Email}} → {{ .NewEmail }} at {{ .SiteURL }}{{ with .Data.name }} for {{ . }}{{ end }}"
            .to_owned();
    let message = Message {
        new_email: Some("lovelace@example.com".to_owned()),
        data: [("name".to_owned(), "Ada & \"Co\"".into())]
            .into_iter()
            .collect(),
        ..message(MessageKind::EmailChange)
    };
    let mail = sent(&config, &sink, message).await;
    assert_eq!(
        mail.subject(),
        "ada@example.com → lovelace@example.com at http://localhost:3000 for Ada & \"Co\""
    );
    assert!(
        mail.text
            .contains("from ada@example.com to lovelace@example.com")
    );
}

#[tokio::test]
async fn headers_name_the_sender_the_mail_and_the_server() {
    let sink = sink(SinkOptions::default()).await;
    let mut config = config(&sink);
    config.smtp.sender_name = "The \"Inn\", Grüße".to_owned();
    config.api.external_url = "https://auth.inn.example/v1".parse().unwrap();
    let clock = Clock::manual();
    let mut mailer = mailer(&config);
    mailer.clock = clock.clone();
    let message = message(MessageKind::Recovery);
    mailer.deliver(message.clone()).await.unwrap();
    let mail = super::arrival(&sink).await;
    assert_eq!(mail.hello, "auth.inn.example");
    assert_eq!(mail.sender, "admin@example.com");
    let from = mail.header("From").unwrap();
    assert!(from.contains("Inn") && from.contains("Grüße"), "{from}");
    assert!(from.ends_with("<admin@example.com>"), "{from}");
    assert_eq!(mail.header("To"), Some("ada@example.com"));
    let id = format!("<{}@example.com>", message.id);
    assert_eq!(mail.header("Message-ID"), Some(id.as_str()));
    let year = jiff::tz::TimeZone::UTC.to_datetime(clock.now()).year();
    assert!(mail.header("Date").unwrap().contains(&year.to_string()));
    assert!(
        mail.header("Content-Type")
            .unwrap()
            .starts_with("multipart/alternative")
    );
}

#[tokio::test]
async fn the_sender_is_named_as_the_setting_says_or_else_by_its_address() {
    let sink = sink(SinkOptions::default()).await;
    let mut config = config(&sink);
    config.smtp.sender_name = String::new();
    let mail = sent(&config, &sink, message(MessageKind::Invite)).await;
    assert_eq!(mail.header("From"), Some("admin@example.com"));
    config.smtp.sender_name = "Inn".to_owned();
    let mail = sent(&config, &sink, message(MessageKind::Invite)).await;
    assert_eq!(mail.header("From"), Some("Inn <admin@example.com>"));
}

#[tokio::test]
async fn configured_headers_are_added_with_the_kind_filled_in() {
    let sink = sink(SinkOptions::default()).await;
    let mut config = config(&sink);
    config.smtp.headers = [
        (
            "X-Tag".to_owned(),
            vec!["kind=$messageType".to_owned(), "two".to_owned()],
        ),
        ("Reply-To".to_owned(), vec!["help@example.com".to_owned()]),
    ]
    .into();
    for (kind, name) in [
        (MessageKind::MagicLink, "kind=magic_link"),
        (MessageKind::Confirmation, "kind=confirmation"),
        (MessageKind::Reauthentication, "kind=reauthenticate"),
    ] {
        let mail = sent(&config, &sink, message(kind)).await;
        let tags: Vec<&str> = mail
            .headers
            .iter()
            .filter(|(name, _)| name == "X-Tag")
            .map(|(_, value)| value.as_str())
            .collect();
        assert_eq!(tags, [name, "two"]);
        assert_eq!(mail.header("Reply-To"), Some("help@example.com"));
        assert_eq!(mail.code(), Some("012345"));
    }
}

#[tokio::test]
async fn markup_in_values_is_escaped() {
    let sink = sink(SinkOptions::default()).await;
    let mut config = config(&sink);
    config.site_url_as_written = "https://inn.example/?a='b'&c=%3Cd%3E".to_owned();
    let message = Message {
        email: "<script>alert('x')</script>@example.com".to_owned(),
        new_email: Some("\"><img src=x>".to_owned()),
        link: Some("https://x.example/\"onclick='y'&<z>".to_owned()),
        code: Some("<b>1</b>".to_owned()),
        ..Message::new(MessageKind::EmailChange, "ada@example.com")
    };
    let mail = sent(&config, &sink, message).await;
    for forbidden in ["<script", "<img", "<b>", "<z>", "\"onclick", "'y'"] {
        assert!(
            !mail.html.contains(forbidden),
            "{forbidden} in {}",
            mail.html
        );
    }
    assert!(mail.html.contains("&#60;script&#62;"));
    assert!(mail.text.contains("<script>"));
}

#[tokio::test]
async fn long_links_and_other_scripts_arrive_whole() {
    let sink = sink(SinkOptions::default()).await;
    let mut config = config(&sink);
    config.mailer.subjects.recovery = "Пароль ".repeat(30).trim().to_owned();
    let link = format!(
        "https://inn.example/verify?token={}",
        "0123456789".repeat(300)
    );
    let message = Message {
        link: Some(link.clone()),
        ..message(MessageKind::Recovery)
    };
    let mail = sent(&config, &sink, message).await;
    assert_eq!(mail.subject(), config.mailer.subjects.recovery);
    assert_eq!(mail.link().unwrap().as_str(), link);
    assert!(mail.html.contains(&link));
}

#[tokio::test]
async fn line_breaks_never_reach_a_header() {
    let sink = sink(SinkOptions::default()).await;
    let mut config = config(&sink);
    config.mailer.subjects.magic_link = "Hello {{ .Email }}".to_owned();
    let mailer = mailer(&config);
    for to in [
        "ada@example.com\r\nBcc: eve@example.com",
        "ada@example.com\n",
        "ada@example.com> SIZE=1",
        "ada@example.com,eve@example.com",
        "",
    ] {
        let message = Message::new(MessageKind::MagicLink, to);
        assert_eq!(
            mailer.deliver(message).await,
            Err(MailError::Recipient),
            "{to:?}"
        );
    }
    assert!(sink.mails().is_empty());
}

#[tokio::test]
async fn line_breaks_in_a_value_become_spaces_of_the_subject() {
    let sink = sink(SinkOptions::default()).await;
    let mut config = config(&sink);
    config.mailer.subjects.magic_link = "Hello {{ .Data.name }}".to_owned();
    for (name, subject) in [
        ("x\r\nBcc: eve@example.com", "Hello x Bcc: eve@example.com"),
        ("x\0\u{85}\ny\t", "Hello x y"),
        ("", "Hello"),
    ] {
        let message = Message {
            data: [("name".to_owned(), name.into())].into_iter().collect(),
            ..message(MessageKind::MagicLink)
        };
        let mail = sent(&config, &sink, message).await;
        assert_eq!(mail.subject(), subject);
        assert_eq!(mail.header("Bcc"), None);
        assert_eq!(mail.recipients, ["ada@example.com"]);
    }
}

#[tokio::test]
async fn addresses_that_browsers_take_get_their_mail() {
    let sink = sink(SinkOptions::default()).await;
    let config = config(&sink);
    for to in [
        "ada..l.@example.com",
        "a!#$%&'*+/=?^_`{|}~-@example.com",
        "ada@localhost",
    ] {
        let mail = sent(&config, &sink, Message::new(MessageKind::Invite, to)).await;
        assert_eq!(mail.recipients, [to]);
    }
}

#[tokio::test]
async fn invalid_mail_settings_are_reported() {
    type Change = fn(&mut Config);
    let headers = |name: &str, value: &str| [(name.to_owned(), vec![value.to_owned()])].into();
    let cases: [(Change, &str); 4] = [
        (
            |config| config.smtp.admin_email = "nobody".to_owned(),
            "SMTP_ADMIN_EMAIL: `nobody` is not a mail address",
        ),
        (
            |config| config.smtp.admin_email = "a@b.example\r\nX: y".to_owned(),
            "SMTP_ADMIN_EMAIL: `a@b.example\r\nX: y` is not a mail address",
        ),
        (
            |config| config.smtp.sender_name = "Inn\r\nX: y".to_owned(),
            "SMTP_SENDER_NAME: contains a control character",
        ),
        (
            |config| config.mailer.subjects.invite = "Hello\nX: y".to_owned(),
            "MAILER_SUBJECTS_INVITE: contains a control character",
        ),
    ];
    for (change, expected) in cases {
        let mut config = Config::for_tests();
        change(&mut config);
        let error = Composer::new(&config).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    for (name, value, expected) in [
        (
            "X-Tag",
            "a\r\nBcc: eve@example.com",
            "SMTP_HEADERS: `X-Tag`: its value contains a control character",
        ),
        (
            "X-Tag\r\nBcc",
            "a",
            "SMTP_HEADERS: `X-Tag\\r\\nBcc`: is not a header name",
        ),
        ("X Tag", "a", "SMTP_HEADERS: `X Tag`: is not a header name"),
        ("", "a", "SMTP_HEADERS: ``: is not a header name"),
        (
            "content-TYPE",
            "text/plain",
            "SMTP_HEADERS: `content-TYPE`: is set by the server",
        ),
    ] {
        let mut config = Config::for_tests();
        config.smtp.headers = headers(name, value);
        let error = Composer::new(&config).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_message_shows_neither_link_nor_code() {
    let shown = format!("{:?}", message(MessageKind::Recovery));
    assert!(
        !shown.contains("012345") && !shown.contains("token"),
        "{shown}"
    );
}
