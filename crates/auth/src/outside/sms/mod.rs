//! Text messages: their providers, and how they are sent.
//!
//! In the std profile a message waits in the [outbox](crate::outside::outbox) and is tried as long as its code lives, so that a
//! silent provider holds up no request. In the gotrue profile, and with Twilio Verify, which makes the codes itself, it
//! is sent while the client waits, before anything is stored.

mod client;
mod error;
mod mailbox;
mod message;
mod messagebird;
mod provider;
mod sender;
mod textlocal;
mod transport;
mod twilio;
mod twilio_verify;
mod vonage;

pub(crate) use message::{SmsChannel, SmsKind, SmsMessage};
pub(crate) use sender::SmsSender;
