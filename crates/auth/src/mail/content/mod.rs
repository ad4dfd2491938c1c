//! What a mail says: its subject, its text and its HTML.
//!
//! With a template of the operator's own the mail says that, and what it leaves out is made up for:
//! a subject from the settings, a text from the HTML. Without one, or with one that fails, it says the
//! built-in words.

mod english;
mod german;
mod layout;
mod locale;
mod plain;

use super::library::Library;
use super::template::{Output, Template, TemplateError, Value};
use super::{MailSettingError, Message};
use crate::config::{Config, MessageKind, PerMessage};

/// What templates can name.
pub(super) const NAMES: &[&str] = &[
    "SiteURL",
    "ConfirmationURL",
    "Email",
    "NewEmail",
    "SendingTo",
    "Token",
    "TokenHash",
    "Data",
    "RedirectTo",
    "OldEmail",
    "Phone",
    "OldPhone",
    "Provider",
    "FactorType",
    "Locale",
];

/// Longer subjects are cut off, in letters.
const SUBJECT: usize = 300;

/// What a mail says.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) subject: String,
    pub(super) text: String,
    pub(super) html: String,
}

/// The built-in words of one kind of mail, in one language. Some are templates.
struct Words {
    /// Nothing where the settings have one in this language.
    subject: Option<&'static str>,
    title: &'static str,
    /// What it is about, a template.
    about: &'static str,
    /// What to do with the link.
    follow: &'static str,
    /// What the link does, in two or three words.
    button: &'static str,
    /// What to do with the code, after the link and without one.
    enter: [&'static str; 2],
    /// What to do about a mail that nobody has asked for.
    farewell: &'static str,
}

/// Says what is wrong with the template of a subject.
pub(crate) fn check_subject(template: &str) -> Result<(), String> {
    match Template::parse(template, NAMES) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("is no template: {error}")),
    }
}

/// Writes mails.
#[derive(Debug)]
pub(super) struct Writer {
    site: String,
    locales: Vec<String>,
    /// As the settings have them, and what was read of that.
    subjects: PerMessage<(String, Option<Template>)>,
    library: Library,
}

impl Writer {
    pub(super) fn new(config: &Config) -> Result<Self, MailSettingError> {
        let subject = |kind: MessageKind| {
            let text = config.mailer.subjects.get(kind).clone();
            let template = Template::parse(&text, NAMES);
            if let Err(error) = &template {
                let name = kind.setting();
                tracing::error!(%error, "MAILER_SUBJECTS_{name} is no template; the built-in subject is used");
            }
            (text, template.ok())
        };
        Ok(Self {
            site: config.site_url_as_written.clone(),
            locales: config.mailer.templates.locales.clone(),
            subjects: PerMessage::from_fn(subject),
            library: Library::new(config)?,
        })
    }

    pub(super) async fn reload_templates(&self) {
        self.library.reload().await;
    }

    /// Writes a mail. Whatever goes wrong on the way, a mail comes of it.
    pub(super) fn write(&self, message: &Message) -> Content {
        let locale = locale::choose(&message.data, &self.locales);
        let values = values(message, &self.site, locale);
        let own = self.library.get(message.kind, locale);
        let written = own.and_then(|template| {
            own_content(&template, &values)
                .inspect_err(|error| {
                    tracing::error!(
                        %error,
                        mail.id = %message.id,
                        mail.kind = message.kind.setting(),
                        "a mail template failed; the built-in one is used instead"
                    );
                })
                .ok()
        });
        let language = locale::language(locale);
        let words = match language {
            "de" => german::words(message.kind),
            _ => english::words(message.kind),
        };
        let Own {
            subject,
            html,
            text,
        } = written.unwrap_or_else(|| {
            let about = plainly(words.about, &values);
            Own {
                subject: None,
                html: layout::html(message, &words, &about, language),
                text: layout::text(message, &words, &about),
            }
        });
        let subject = subject.unwrap_or_else(|| self.subject(message.kind, &words, &values));
        Content {
            subject: one_line(&subject).unwrap_or_else(|| words.title.to_owned()),
            text,
            html,
        }
    }

    /// The subject of the settings, or the one of the language if nobody has chosen another.
    fn subject(&self, kind: MessageKind, words: &Words, values: &Value) -> String {
        let (text, template) = self.subjects.get(kind);
        let is_chosen = !kind.default_subjects().contains(&text.as_str());
        match (words.subject, template) {
            (Some(subject), _) if !is_chosen => plainly(subject, values),
            (_, Some(template)) => template
                .render(values, Output::Text)
                .unwrap_or_else(|_| words.title.to_owned()),
            (_, None) => words.title.to_owned(),
        }
    }
}

/// What templates know about a mail.
fn values(message: &Message, site: &str, locale: &str) -> Value {
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
    ])
}

/// A mail with everything in it, to try a template with.
pub(super) fn sample(kind: MessageKind) -> Value {
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
        ..Message::new(kind, "ada@example.com")
    };
    values(&message, "https://example.com", "en")
}

/// What a template says; it may leave out the subject.
pub(super) struct Own {
    subject: Option<String>,
    html: String,
    text: String,
}

/// Writes out an operator's template.
pub(super) fn own_content(template: &Template, values: &Value) -> Result<Own, TemplateError> {
    let html = template.render(values, Output::Html)?;
    let part = |name| {
        template
            .render_named(name, values, Output::Text)
            .transpose()
    };
    let text = match part("text")? {
        Some(text) => text,
        None => plain::from_html(&html),
    };
    Ok(Own {
        subject: part("subject")?,
        html,
        text,
    })
}

/// Built-in words with their values filled in.
fn plainly(words: &str, values: &Value) -> String {
    Template::parse(words, NAMES)
        .and_then(|template| template.render(values, Output::Text))
        .unwrap_or_default()
}

/// A subject as a header can hold it; nothing if nothing of it is left. A line break would begin
/// another header.
fn one_line(subject: &str) -> Option<String> {
    let spaced = subject.replace(char::is_control, " ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(SUBJECT).collect();
    (!line.is_empty()).then_some(line)
}
