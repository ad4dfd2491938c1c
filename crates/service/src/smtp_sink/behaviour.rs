//! How the sink behaves towards its clients.

use std::path::PathBuf;

use crate::secret::Secret;

/// The options of an [`SmtpSink`](super::SmtpSink).
#[derive(Debug, Clone, Default)]
pub struct SinkOptions {
    /// User and password. With them the sink offers AUTH and accepts mail only after it.
    pub login: Option<(String, Secret<String>)>,
    /// What the sink does with mail.
    pub behaviour: SinkBehaviour,
    /// The folder that holds the mails. Without one they are in memory only.
    pub folder: Option<PathBuf>,
}

/// What the sink does with mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SinkBehaviour {
    /// Accepts it.
    #[default]
    Accept,
    /// Accepts connections but never replies, as an overloaded server does.
    Silent,
    /// Rejects a number of senders, then accepts mail.
    Refuse {
        /// The reply, such as `451 try later`.
        reply: String,
        /// How many senders are rejected.
        times: usize,
    },
    /// Fails a number of times at one step of the session, then accepts mail.
    Fail {
        /// The step.
        at: SmtpStep,
        /// How it fails.
        fault: SinkFault,
        /// How many times it fails.
        times: usize,
    },
}

/// A step of an SMTP session, named by what the client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpStep {
    /// Connects.
    Connect,
    /// Sends `EHLO` or `HELO`.
    Hello,
    /// Sends `STARTTLS`. The sink has no TLS, and offers it only in order to fail.
    StartTls,
    /// Sends `AUTH`.
    Auth,
    /// Sends `MAIL FROM`.
    Mail,
    /// Sends `RCPT TO`.
    Rcpt,
    /// Sends `DATA`.
    Data,
    /// Has sent the whole mail.
    Content,
}

/// How the sink fails at a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SinkFault {
    /// Never replies again.
    Silence,
    /// Closes the connection. A mail that was sent by then is stored, but the client does not learn that.
    Disconnect,
    /// Gives this reply, such as `450 greylisted`.
    Reply(String),
}
