//! Encodes mails, and keeps control characters out of headers, where they could start another one.

use std::time::SystemTime;

use jiff::Timestamp;
use lettre::Address;
use lettre::address::Envelope;
use lettre::message::header::{HeaderName, HeaderValue, Headers};
use lettre::message::{Mailbox, MultiPart};

use super::content::Writer;
use super::error::{MailError, MailSettingError};
use super::message::Message;
use crate::base::contact::Email;
use crate::config::{Config, MessageKind};

/// Headers that the server sets; `SMTP_HEADERS` cannot replace them.
const RESERVED_HEADERS: [&str; 11] = [
    "bcc",
    "cc",
    "content-transfer-encoding",
    "content-type",
    "date",
    "from",
    "message-id",
    "mime-version",
    "sender",
    "subject",
    "to",
];

/// An encoded mail with its envelope.
pub(super) struct EncodedMail {
    pub(super) envelope: Envelope,
    pub(super) bytes: Vec<u8>,
}

/// Writes and encodes mails for SMTP.
#[derive(Debug)]
pub(super) struct Composer {
    sender: Mailbox,
    writer: Writer,
    headers: Vec<(HeaderName, String)>,
}

impl Composer {
    pub(super) fn new(config: &Config) -> Result<Self, MailSettingError> {
        let smtp = &config.smtp;
        let sender = parse_address(&smtp.admin_email)
            .ok_or_else(|| MailSettingError::Sender(smtp.admin_email.clone()))?;
        if has_control(&smtp.sender_name) {
            return Err(MailSettingError::SenderName);
        }
        for kind in MessageKind::ALL {
            if has_control(config.mailer.subjects.get(kind)) {
                return Err(MailSettingError::Subject(kind.setting()));
            }
        }
        let name = Some(&smtp.sender_name).filter(|name| !name.is_empty());
        let headers = smtp
            .headers
            .iter()
            .flat_map(|(name, values)| values.iter().map(move |value| (name, value)))
            .map(|(name, value)| header(name, value))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            sender: Mailbox::new(name.cloned(), sender),
            writer: Writer::new(config)?,
            headers,
        })
    }

    pub(super) async fn reload_templates(&self) {
        self.writer.reload_templates().await;
    }

    pub(super) fn compose(
        &self,
        message: &Message,
        now: Timestamp,
    ) -> Result<EncodedMail, MailError> {
        let recipient = parse_address(&message.to).ok_or(MailError::Recipient)?;
        let envelope = Envelope::new(Some(self.sender.email.clone()), vec![recipient.clone()])
            .map_err(|_| MailError::Recipient)?;
        let content = self.writer.write(message);
        let domain = self.sender.email.domain();
        let mail = lettre::Message::builder()
            .message_id(Some(format!("<{}@{domain}>", message.id)))
            .date(SystemTime::from(now))
            .envelope(envelope.clone())
            .from(self.sender.clone())
            .to(Mailbox::new(None, recipient))
            .subject(content.subject)
            .multipart(MultiPart::alternative_plain_html(
                content.text,
                content.html,
            ))
            .map_err(|_| MailError::Recipient)?;
        let mut bytes = self.extra_headers(message.kind).into_bytes();
        bytes.extend(mail.formatted());
        Ok(EncodedMail { envelope, bytes })
    }

    /// Returns the lines of `SMTP_HEADERS`. lettre would keep only one of each name, so they are put before
    /// its output.
    fn extra_headers(&self, kind: MessageKind) -> String {
        self.headers
            .iter()
            .map(|(name, value)| {
                let value = value.replace("$messageType", &message_type(kind));
                let mut line = Headers::new();
                line.insert_raw(HeaderValue::new(name.clone(), value));
                line.to_string()
            })
            .collect()
    }
}

/// Returns the text that replaces `$messageType` in a header.
fn message_type(kind: MessageKind) -> String {
    match kind {
        MessageKind::Reauthentication => "reauthenticate".to_owned(),
        other => other.setting().to_ascii_lowercase(),
    }
}

/// Checks a header of `SMTP_HEADERS`.
fn header(name: &str, value: &str) -> Result<(HeaderName, String), MailSettingError> {
    let refused = |reason| MailSettingError::Header(name.escape_default().to_string(), reason);
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
    let parsed = HeaderName::new_from_ascii(name.to_owned());
    let (true, Ok(parsed)) = (is_name, parsed) else {
        return Err(refused("is not a header name"));
    };
    if RESERVED_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
        return Err(refused("is set by the server"));
    }
    if has_control(value) {
        return Err(refused("its value contains a control character"));
    }
    Ok((parsed, value.to_owned()))
}

/// Parses an address that lettre accepts, or that browsers accept and lettre does not, such as one with two
/// dots in a row.
pub(super) fn parse_address(text: &str) -> Option<Address> {
    if has_control(text) {
        return None;
    }
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    Email::parse(text).ok()?;
    let (user, domain) = text.split_once('@')?;
    Some(Address::new_dangerous(user, domain))
}

fn has_control(text: &str) -> bool {
    text.chars().any(char::is_control)
}
