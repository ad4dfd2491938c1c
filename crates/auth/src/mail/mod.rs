//! Mail: its text, the outbox that it waits in, and the connection to the mail server.
//!
//! Other modules call `Mailer::enqueue`. It writes a message to the outbox, in the transaction of the
//! change that the mail is about, and a background task sends it after the commit: a slow or dead mail server
//! holds up no request and loses no mail.

mod compose;
mod connection_check;
mod content;
mod counts;
mod delivery;
mod dispatch;
mod error;
mod link;
mod listing;
mod mailer;
mod message;
mod outbox;
mod redact;
mod smtp;
mod template_cache;
mod transport;

pub use connection_check::test_connection;
pub use counts::MailCounts;
pub use error::{MailError, MailSettingError};
pub use link::confirmation_url;
pub(crate) use listing::{MailState, MailSummary};
pub use mailer::Mailer;
pub use message::Message;

#[cfg(test)]
mod tests;
