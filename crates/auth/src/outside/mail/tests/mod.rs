//! Mail over real connections to a test SMTP server.

mod content;
mod delivery;

mod link;
mod look;
mod stored;
mod template_cache;
mod templates;
mod tls;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use innkeeper_service::smtp_sink::{Mail, SinkOptions, SmtpSink};

use super::compose::Composer;
use super::smtp::{SendError, SmtpServer, SmtpTimeouts};
use super::{MailError, Message};
use crate::config::{Config, MessageKind};

/// Longer than any delivery takes, however slow the machine is, so that a failing test ends.
const SOON: Duration = Duration::from_mins(2);

async fn sink(options: SinkOptions) -> SmtpSink {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    SmtpSink::bind(address, options).await.unwrap()
}

fn config(sink: &SmtpSink) -> Config {
    let mut config = Config::for_tests();
    config.smtp.host = "127.0.0.1".to_owned();
    config.smtp.port = sink.address().port();
    config
}

/// Returns short time limits, for servers that do not respond.
fn short_timeouts() -> SmtpTimeouts {
    SmtpTimeouts {
        step: Duration::from_millis(200),
        content: Duration::from_millis(200),
    }
}

/// A mailer without an outbox, which sends at once.
struct DirectMailer {
    composer: Composer,
    server: SmtpServer,
    clock: Clock,
}

impl DirectMailer {
    fn new(config: &Config) -> Self {
        Self {
            composer: Composer::new(config).unwrap(),
            server: SmtpServer::new(&config.smtp, &config.api.external_url),
            clock: Clock::system(),
        }
    }

    /// Sends a mail that the server must accept.
    async fn deliver(&self, message: Message) -> Result<(), MailError> {
        let mail = self.composer.compose(&message, self.clock.now())?;
        self.server.send(&mail).await.unwrap();
        Ok(())
    }

    /// Tries to send a mail; composing it must succeed.
    async fn attempt(&self, message: &Message) -> Result<(), SendError> {
        let mail = self.composer.compose(message, self.clock.now());
        self.server.send(&mail.unwrap()).await
    }
}

fn mailer(config: &Config) -> DirectMailer {
    DirectMailer::new(config)
}

/// Returns a mail with a link and a code.
fn message(kind: MessageKind) -> Message {
    Message {
        link: Some(
            "http://localhost:8081/verify?token=b2c49d1e7f&type=signup&redirect_to=http://localhost:3000"
                .to_owned(),
        ),
        code: Some("012345".to_owned()),
        ..Message::new(kind, "ada@example.com")
    }
}

/// Sends a mail and waits for its arrival.
async fn sent(config: &Config, sink: &SmtpSink, message: Message) -> Arc<Mail> {
    mailer(config).deliver(message).await.unwrap();
    arrival(sink).await
}

async fn arrival(sink: &SmtpSink) -> Arc<Mail> {
    tokio::time::timeout(SOON, sink.take(|_| true))
        .await
        .unwrap()
}
