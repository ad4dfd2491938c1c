//! The mail server of the tests, which captures the mails of the server under test.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_auth::config::Config;
use innkeeper_service::smtp_sink::{Mail, SinkOptions, SmtpSink};
use url::Url;

/// How long to wait for a mail, which is sent in the background after the response.
const PATIENCE: Duration = Duration::from_mins(1);

/// An SMTP server on a port of its own.
pub(crate) struct Mailbox {
    sink: SmtpSink,
}

impl Mailbox {
    /// Starts a server that accepts every mail.
    pub(crate) async fn start() -> Self {
        Self::start_with(SinkOptions::default()).await
    }

    /// Starts a server with these options.
    pub(crate) async fn start_with(options: SinkOptions) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let sink = SmtpSink::bind(address, options).await.unwrap();
        Self { sink }
    }

    /// Configures a server to send its mail here.
    pub(crate) fn configure(&self, config: &mut Config) {
        config.smtp.host = self.sink.address().ip().to_string();
        config.smtp.port = self.sink.address().port();
    }

    /// Returns the sink, to change its behaviour or to count connections.
    pub(crate) fn sink(&self) -> &SmtpSink {
        &self.sink
    }

    /// Waits for a mail to this address, and returns the oldest unread one.
    pub(crate) async fn next_to(&self, address: &str) -> ReceivedMail {
        let taken = self.sink.take(|mail| mail.is_to(address));
        let mail = tokio::time::timeout(PATIENCE, taken).await;
        assert!(
            mail.is_ok(),
            "no mail to {address}; unread: {:?}",
            self.unread()
        );
        ReceivedMail(mail.unwrap())
    }

    /// Counts the unread mails to this address.
    pub(crate) fn count_to(&self, address: &str) -> usize {
        let mails = self.sink.mails();
        mails.iter().filter(|mail| mail.is_to(address)).count()
    }

    /// Returns the recipients and subjects of unread mails.
    fn unread(&self) -> Vec<String> {
        let mails = self.sink.mails();
        mails
            .iter()
            .map(|mail| format!("{}: {}", mail.recipients.join(", "), mail.subject()))
            .collect()
    }
}

/// A captured mail.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedMail(Arc<Mail>);

impl ReceivedMail {
    /// Returns the code in the mail.
    pub(crate) fn code(&self) -> String {
        self.0.code().expect("the mail shows a code").to_owned()
    }

    /// Returns the link in the mail.
    pub(crate) fn link(&self) -> Url {
        self.0.link().expect("the mail shows a link")
    }

    /// Returns the secret in the link.
    pub(crate) fn token(&self) -> String {
        let link = self.link();
        let mut pairs = link.query_pairs();
        let token = pairs.find(|(name, _)| name == "token");
        token.expect("the link has a token").1.into_owned()
    }
}

impl Deref for ReceivedMail {
    type Target = Mail;

    fn deref(&self) -> &Mail {
        &self.0
    }
}
