//! Writes the content of mails.

use innkeeper_gotemplate::{Output, Template, Value};

use super::data::template_data;
use super::rendered::{RenderedTemplate, render_template};
use super::words::{FilledWords, Words};
use super::{english, german, layout, locale};
use crate::config::{Config, MessageKind, PerMessage, TEMPLATE_OPTIONS, default_subjects};
use crate::outside::mail::error::MailSettingError;
use crate::outside::mail::message::Message;
use crate::outside::mail::template_cache::TemplateCache;

/// Longer subjects are cut off, in characters.
const MAX_SUBJECT: usize = 300;

/// The content of a mail.
#[derive(Debug)]
pub(in crate::outside::mail) struct Content {
    pub(in crate::outside::mail) subject: String,
    pub(in crate::outside::mail) text: String,
    pub(in crate::outside::mail) html: String,
}

/// Writes mails, with the operator's templates or the built-in text.
#[derive(Debug)]
pub(in crate::outside::mail) struct Writer {
    site: String,
    locales: Vec<String>,
    /// The subjects of the settings, as text and as template if it is one.
    subjects: PerMessage<(String, Option<Template>)>,
    templates: TemplateCache,
}

impl Writer {
    pub(in crate::outside::mail) fn new(config: &Config) -> Result<Self, MailSettingError> {
        let subject = |kind: MessageKind| {
            let text = config.mailer.subjects.get(kind).clone();
            let template = Template::parse_with(&text, TEMPLATE_OPTIONS);
            if let Err(error) = &template {
                let name = kind.setting();
                tracing::error!(
                    %error,
                    "MAILER_SUBJECTS_{name} is not a valid template; the built-in subject is used"
                );
            }
            (text, template.ok())
        };
        Ok(Self {
            site: config.site_url_as_written.clone(),
            locales: config.mailer.templates.locales.clone(),
            subjects: PerMessage::from_fn(subject),
            templates: TemplateCache::new(config)?,
        })
    }

    pub(in crate::outside::mail) async fn reload_templates(&self) {
        self.templates.reload().await;
    }

    /// Writes a mail. If a template fails, the built-in text is used.
    pub(in crate::outside::mail) fn write(&self, message: &Message) -> Content {
        let locale = locale::choose(&message.data, &self.locales);
        let data = template_data(message, &self.site, locale);
        let template = self.templates.get(message.kind, locale);
        let rendered = template.and_then(|template| {
            render_template(&template, &data)
                .inspect_err(|error| {
                    tracing::error!(
                        %error,
                        mail.id = %message.id,
                        mail.kind = message.kind.setting(),
                        "a mail template failed; the built-in mail is used instead"
                    );
                })
                .ok()
        });
        let language = locale::language(locale);
        let is_to_new = message.is_to_new_address();
        let words = match language {
            "de" => german::words(message.kind, is_to_new),
            _ => english::words(message.kind, is_to_new),
        };
        let RenderedTemplate {
            subject,
            html,
            text,
        } = rendered.unwrap_or_else(|| {
            let filled = FilledWords {
                about: fill_in(words.about, &data),
                expiry: expiry(message, &words).map(|text| fill_in(text, &data)),
                farewell: fill_in(words.farewell, &data),
            };
            RenderedTemplate {
                subject: None,
                html: layout::html(message, &words, &filled, language),
                text: layout::text(message, &words, &filled),
            }
        });
        let subject = subject.unwrap_or_else(|| self.subject(message.kind, &words, &data));
        Content {
            subject: one_line(&subject).unwrap_or_else(|| words.title.to_owned()),
            text,
            html,
        }
    }

    /// Returns the subject of the settings, or that of the language if the settings have none or the default.
    fn subject(&self, kind: MessageKind, words: &Words, data: &Value) -> String {
        let (text, template) = self.subjects.get(kind);
        let is_default = text.is_empty() || default_subjects(kind).contains(&text.as_str());
        match (words.subject, template) {
            (Some(subject), _) if is_default => fill_in(subject, data),
            (_, Some(template)) => template
                .render(data, Output::Text)
                .unwrap_or_else(|_| words.title.to_owned()),
            (_, None) => words.title.to_owned(),
        }
    }
}

/// Returns the sentence about when a mail's link and code expire, if it has any.
fn expiry(message: &Message, words: &Words) -> Option<&'static str> {
    message.expires_at?;
    match (&message.link, &message.code) {
        (Some(_), _) => Some(words.expiry),
        (None, Some(_)) => Some(words.code_expiry),
        (None, None) => None,
    }
}

/// Renders a built-in text.
fn fill_in(text: &str, data: &Value) -> String {
    Template::parse_with(text, TEMPLATE_OPTIONS)
        .and_then(|template| template.render(data, Output::Text))
        .unwrap_or_default()
}

/// Returns a subject that fits into a header; `None` if nothing of it is left. A line break would begin
/// another header.
fn one_line(subject: &str) -> Option<String> {
    let spaced = subject.replace(char::is_control, " ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(MAX_SUBJECT).collect();
    (!line.is_empty()).then_some(line)
}
