//! The built-in words of each mail, as text and as HTML.

use std::fmt::Write;

use super::Message;
use crate::config::MessageKind;

/// What a mail says.
pub(super) struct Content {
    pub(super) text: String,
    pub(super) html: String,
}

/// The words of one kind of mail.
struct Words {
    title: &'static str,
    /// What it is about.
    about: String,
    /// What to do with the link.
    follow: &'static str,
    /// What to do with the code, after the link and without one.
    enter: [&'static str; 2],
}

/// Writes a mail.
pub(super) fn write(message: &Message, site: &str) -> Content {
    let words = words(message, site);
    Content {
        text: text(message, &words),
        html: html(message, &words),
    }
}

fn words(message: &Message, site: &str) -> Words {
    let email = &message.email;
    let (title, about, follow) = match message.kind {
        MessageKind::Invite => (
            "You have been invited",
            format!("You have been invited to create an account on {site} for {email}."),
            "Follow this link to accept the invitation:",
        ),
        MessageKind::Confirmation => (
            "Confirm your address",
            format!("An account on {site} was created with the address {email}."),
            "Follow this link to confirm that the address is yours:",
        ),
        MessageKind::Recovery => (
            "Reset your password",
            format!("A new password was asked for on {site}, for the account {email}."),
            "Follow this link to choose a new password:",
        ),
        MessageKind::MagicLink => (
            "Sign in",
            format!("A link to sign in on {site} as {email} was asked for."),
            "Follow this link to sign in:",
        ),
        MessageKind::EmailChange => (
            "Confirm the change of your address",
            match &message.new_email {
                Some(new) => {
                    format!(
                        "The address of your account on {site} is to change from {email} to {new}."
                    )
                }
                None => format!("The address of your account on {site} is to change from {email}."),
            },
            "Follow this link to confirm the change:",
        ),
        MessageKind::Reauthentication => (
            "Confirm that it is you",
            format!("A change to the account {email} on {site} has to be confirmed."),
            "Follow this link to confirm it:",
        ),
    };
    Words {
        title,
        about,
        follow,
        enter: ["Or enter this code:", "Enter this code:"],
    }
}

const FAREWELL: &str = "If you did not ask for this, you can ignore this mail.";

fn text(message: &Message, words: &Words) -> String {
    let mut parts = vec![words.title, &words.about];
    if let Some(link) = &message.link {
        parts.extend([words.follow, link]);
    }
    if let Some(code) = &message.code {
        parts.extend([enter(message, words), code]);
    }
    parts.push(FAREWELL);
    parts.join("\n\n") + "\n"
}

fn html(message: &Message, words: &Words) -> String {
    let title = escape(words.title);
    let mut parts = vec![format!("<h2>{title}</h2>"), paragraph(&words.about)];
    if let Some(link) = &message.link {
        let address = escape(link);
        parts.push(paragraph(words.follow));
        parts.push(format!("<p><a href=\"{address}\">{address}</a></p>"));
    }
    if let Some(code) = &message.code {
        parts.push(paragraph(enter(message, words)));
        parts.push(format!("<p><strong>{}</strong></p>", escape(code)));
    }
    parts.push(paragraph(FAREWELL));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n\
         <head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
         <body>\n{}\n</body>\n</html>\n",
        parts.join("\n")
    )
}

fn paragraph(text: &str) -> String {
    format!("<p>{}</p>", escape(text))
}

fn enter(message: &Message, words: &Words) -> &'static str {
    let [after_a_link, alone] = words.enter;
    if message.link.is_some() {
        after_a_link
    } else {
        alone
    }
}

/// The subject with its `{{ .Token }}` and the like filled in.
pub(super) fn subject(template: &str, message: &Message, site: &str) -> String {
    let mut subject = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else {
            break;
        };
        let value = match name.trim() {
            ".Token" => message.code.as_deref(),
            ".Email" => Some(message.email.as_str()),
            ".NewEmail" => message.new_email.as_deref(),
            ".SiteURL" => Some(site),
            _ => None,
        };
        subject.push_str(before);
        subject.push_str(value.unwrap_or_default());
        rest = after;
    }
    subject + rest
}

/// Text that HTML shows as it is.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' | '<' | '>' | '"' | '\'' => {
                // Writing to a string cannot fail.
                write!(escaped, "&#{};", u32::from(character)).ok();
            }
            other => escaped.push(other),
        }
    }
    escaped
}
