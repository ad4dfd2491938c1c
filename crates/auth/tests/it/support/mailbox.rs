//! The mail server of the tests: what the server under test sends is read here.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_auth::config::Config;
use innkeeper_service::smtp_sink::{Mail, SinkOptions, SmtpSink};
use url::Url;

/// Mail goes out in the background, after the answer; this long it may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// An SMTP server on a port of its own.
pub(crate) struct Mailbox {
    sink: SmtpSink,
}

impl Mailbox {
    /// Takes every mail.
    pub(crate) async fn start() -> Self {
        Self::start_with(SinkOptions::default()).await
    }

    /// Behaves as the options say.
    pub(crate) async fn start_with(options: SinkOptions) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let sink = SmtpSink::bind(address, options).await.unwrap();
        Self { sink }
    }

    /// Makes a server send its mail here.
    pub(crate) fn configure(&self, config: &mut Config) {
        config.smtp.host = self.sink.address().ip().to_string();
        config.smtp.port = self.sink.address().port();
    }

    /// The sink behind it, to change its behaviour or to count connections.
    pub(crate) fn sink(&self) -> &SmtpSink {
        &self.sink
    }

    /// The oldest unread mail to this address; waits for it.
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

    /// How many unread mails there are to this address by now.
    pub(crate) fn count_to(&self, address: &str) -> usize {
        let mails = self.sink.mails();
        mails.iter().filter(|mail| mail.is_to(address)).count()
    }

    /// Recipients and subjects of what nobody has read.
    fn unread(&self) -> Vec<String> {
        let mails = self.sink.mails();
        mails
            .iter()
            .map(|mail| format!("{}: {}", mail.recipients.join(", "), mail.subject()))
            .collect()
    }
}

/// A mail that has been read.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedMail(Arc<Mail>);

impl ReceivedMail {
    /// The code that it shows.
    pub(crate) fn code(&self) -> String {
        self.0.code().expect("the mail shows a code").to_owned()
    }

    /// The link that it shows.
    pub(crate) fn link(&self) -> Url {
        self.0.link().expect("the mail shows a link")
    }

    /// The secret in the link.
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
