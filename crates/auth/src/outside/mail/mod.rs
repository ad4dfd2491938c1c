//! Mail: its text, and the connection to the mail server. It waits in the outbox.
//!
//! Other modules call `Mailer::enqueue`. It writes a message to the outbox, in the transaction of the
//! change that the mail is about, and a background task sends it after the commit: a slow or dead mail server
//! holds up no request and loses no mail.

mod compose;
mod connection_check;
mod content;
mod error;
mod link;
mod listing;
mod mailer;
mod message;
mod plain;
mod redact;
mod smtp;
mod template_cache;
mod transport;

pub use connection_check::test_connection;
pub use error::{MailError, MailSettingError};
pub use link::confirmation_url;
pub(crate) use listing::{MailState, MailSummary};
pub use mailer::Mailer;
pub use message::Message;
pub(crate) use plain::{PlainMail, PlainMailer};

pub use crate::outside::outbox::MessageCounts;

#[cfg(test)]
mod tests;
