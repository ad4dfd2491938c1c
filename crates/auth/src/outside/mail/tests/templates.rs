//! The operator's templates, from files.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use url::Url;

use super::look::full;
use crate::config::{Config, MessageKind, TemplateSource};
use crate::outside::mail::Message;
use crate::outside::mail::content::{Content, Writer};

/// Returns a configuration with this template for every kind of mail.
pub(super) fn config_with(url: &str) -> Config {
    let mut config = Config::for_tests();
    let source = TemplateSource::parse(url, &config.site_url).unwrap();
    let sources = &mut config.mailer.templates.sources;
    *sources = crate::config::PerMessage::from_fn(|_| Some(source.clone()));
    config
}

fn address(path: &Path) -> String {
    Url::from_file_path(path).unwrap().to_string()
}

/// Writes a mail with a template.
async fn written(template: &[u8], message: &Message) -> Content {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a template.html");
    fs::write(&path, template).unwrap();
    let writer = Writer::new(&config_with(&address(&path))).unwrap();
    writer.reload_templates().await;
    writer.write(message)
}

/// A template with every field.
const ALL: &str = "{{ .SiteURL }}|{{ .ConfirmationURL }}|{{ .Email }}|{{ .NewEmail }}|{{ .SendingTo }}|\
    {{ .Token }}|{{ .TokenHash }}|{{ .Data.name }}|{{ .RedirectTo }}|{{ .OldEmail }}|{{ .Phone }}|\
    {{ .OldPhone }}|{{ .Provider }}|{{ .FactorType }}|{{ .Locale }}";

#[tokio::test]
async fn every_kind_of_mail_knows_its_variables() {
    let some = |text: &str| Some(text.to_owned());
    for kind in MessageKind::ALL {
        let message = Message {
            email: "ada@example.com".to_owned(),
            new_email: some("new@example.com"),
            link: some("https://a.example/verify?token=b2c4"),
            code: some("012345"),
            token_hash: some("b2c4"),
            redirect_to: some("https://a.example/welcome"),
            data: [("name".to_owned(), "Ada".into())].into_iter().collect(),
            old_email: some("old@example.com"),
            phone: some("15550100"),
            old_phone: some("15550199"),
            provider: some("github"),
            factor_type: some("totp"),
            ..Message::new(kind, "to@example.com")
        };
        assert_eq!(
            written(ALL.as_bytes(), &message).await.html,
            "http://localhost:3000|https://a.example/verify?token=b2c4|ada@example.com|\
             new@example.com|to@example.com|012345|b2c4|Ada|https://a.example/welcome|\
             old@example.com|15550100|15550199|github|totp|en",
            "{kind:?}"
        );
        let bare = written(ALL.as_bytes(), &Message::new(kind, "to@example.com")).await;
        let expected = "http://localhost:3000||to@example.com||to@example.com||||||||||en";
        assert_eq!(bare.html, expected);
    }
}

#[tokio::test]
async fn subject_and_text_may_be_part_of_the_template() {
    let template = "{{ define \"subject\" }}Welcome, {{ .Data.name }}!\n{{ end -}}\
                    {{ define \"text\" }}Open {{ .ConfirmationURL }} & enjoy.{{ end -}}\
                    <p>Open <a href=\"{{ .ConfirmationURL }}\">this</a>.</p>";
    let message = Message {
        data: [("name".to_owned(), "Ada & <Co>".into())]
            .into_iter()
            .collect(),
        link: Some("https://a.example/?a=1&b=2".to_owned()),
        ..full(MessageKind::Invite)
    };
    let content = written(template.as_bytes(), &message).await;
    assert_eq!(content.subject, "Welcome, Ada & <Co>!");
    assert_eq!(content.text, "Open https://a.example/?a=1&b=2 & enjoy.");
    assert_eq!(
        content.html,
        "<p>Open <a href=\"https://a.example/?a=1&amp;b=2\">this</a>.</p>"
    );
    // Without them the subject comes from the settings, and the text from the HTML.
    let content = written(
        b"<h2>Hi</h2><a href=\"{{ .ConfirmationURL }}\">Join</a>",
        &message,
    )
    .await;
    assert_eq!(content.subject, "You have been invited");
    assert_eq!(content.text, "Hi\n\nJoin: https://a.example/?a=1&b=2\n");
}

#[tokio::test]
async fn invalid_templates_are_replaced_by_the_built_in_mail() {
    let long = "x".repeat(10_000_000);
    let endless = "{{ define \"x\" }}{{ template \"x\" }}{{ end }}{{ template \"x\" }}";
    let cases: [&[u8]; 8] = [
        b"{{ .ConfirmationURL",
        b"{{ .Nope }}",
        b"{{ range 999999999 }}{{ end }}",
        b"{{ range 99999 }}{{ range 99999 }}x{{ end }}{{ end }}",
        endless.as_bytes(),
        long.as_bytes(),
        b"\xff\xfe",
        b"{{ if true }}",
    ];
    let message = full(MessageKind::Confirmation);
    for template in cases {
        let content = written(template, &message).await;
        assert!(content.html.contains("Confirm your address"), "{content:?}");
        assert!(content.text.contains(message.link.as_deref().unwrap()));
        assert_eq!(content.subject, "Confirm Your Signup");
    }
}

/// The template becomes too long only with some values.
#[tokio::test]
async fn a_template_that_fails_for_one_user_is_replaced_for_that_user() {
    let template =
        b"{{ range .Data.list }}{{ range $.Data.list }}{{ $.Data.long }}{{ end }}{{ end }}ok";
    let mut message = full(MessageKind::Confirmation);
    assert_eq!(written(template, &message).await.html, "ok");
    message.data = [
        ("list".to_owned(), vec![1; 1000].into()),
        ("long".to_owned(), "x".repeat(1000).into()),
    ]
    .into_iter()
    .collect();
    let content = written(template, &message).await;
    assert!(
        content.html.contains("Confirm your address"),
        "{}",
        content.html
    );
}

#[tokio::test]
async fn a_cached_template_stays_in_use_until_a_valid_one_is_fetched() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("mail.html");
    let writer = Writer::new(&config_with(&address(&path))).unwrap();
    let message = full(MessageKind::Invite);
    let say = async |text: Option<&str>| {
        match text {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        writer.reload_templates().await;
        writer.write(&message).html
    };
    writer.reload_templates().await;
    assert!(
        writer
            .write(&message)
            .html
            .contains("You have been invited")
    );
    assert_eq!(say(Some("one")).await, "one");
    assert_eq!(say(Some("{{ two")).await, "one");
    assert_eq!(say(None).await, "one");
    assert_eq!(say(Some("three")).await, "three");
}

#[tokio::test]
async fn each_language_has_its_template_and_the_first_stands_in() {
    let folder = TempDir::new().unwrap();
    for (locale, text) in [("en", "Hello"), ("de", "Hallo {{ .Locale }}")] {
        fs::create_dir(folder.path().join(locale)).unwrap();
        fs::write(folder.path().join(locale).join("mail.html"), text).unwrap();
    }
    fs::write(folder.path().join("mail.html"), "secret").unwrap();
    let place = format!("{}/{{locale}}/mail.html", address(folder.path()));
    let mut config = config_with(&place);
    config.mailer.templates.locales = ["en", "de", "fr"].map(str::to_owned).to_vec();
    let writer = Writer::new(&config).unwrap();
    writer.reload_templates().await;
    for (locale, html) in [
        ("en-GB", "Hello"),
        ("de", "Hallo de"),
        ("de_CH", "Hallo de"),
        // The language is configured, but its file is missing.
        ("fr", "Hello"),
        ("..", "Hello"),
        ("../", "Hello"),
        ("%2e%2e", "Hello"),
        ("es", "Hello"),
    ] {
        let message = Message {
            data: [("locale".to_owned(), locale.into())].into_iter().collect(),
            ..full(MessageKind::Invite)
        };
        assert_eq!(writer.write(&message).html, html, "{locale}");
    }
}

#[tokio::test]
async fn only_regular_files_are_read() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for path in [pipe.as_path(), folder.path(), Path::new("/dev/zero")] {
        let writer = Writer::new(&config_with(&address(path))).unwrap();
        // Reading the pipe would block forever.
        writer.reload_templates().await;
        let content = writer.write(&full(MessageKind::Invite));
        assert!(content.html.contains("You have been invited"));
    }
}
