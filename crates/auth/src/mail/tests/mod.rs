//! Mail over real connections to a sink.

mod content;
mod delivery;
mod library;
mod link;
mod look;
mod templates;
mod tls;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use innkeeper_service::smtp_sink::{Mail, SinkOptions, SmtpSink};

use super::queue::Patience;
use super::{Mailer, Message};
use crate::config::{Config, MessageKind};

/// Long enough for whatever is going to happen.
const SOON: Duration = Duration::from_secs(20);

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

/// Tries again after a millisecond, because nobody wants to wait.
fn impatient() -> Patience {
    Patience {
        pause: Duration::from_millis(1),
        ..Patience::default()
    }
}

fn mailer(config: &Config) -> Mailer {
    Mailer::with_patience(config, Clock::system(), impatient()).unwrap()
}

/// A mail with everything in it.
fn message(kind: MessageKind) -> Message {
    Message {
        link: Some(
            "http://localhost:8081/verify?token=b2c4&type=signup&redirect_to=http://localhost:3000"
                .to_owned(),
        ),
        code: Some("012345".to_owned()),
        ..Message::new(kind, "ada@example.com")
    }
}

/// Sends a mail and waits for it at the other end.
async fn sent(config: &Config, sink: &SmtpSink, message: Message) -> Arc<Mail> {
    let mailer = mailer(config);
    mailer.deliver(message).await.unwrap();
    arrival(sink).await
}

async fn arrival(sink: &SmtpSink) -> Arc<Mail> {
    tokio::time::timeout(SOON, sink.take(|_| true))
        .await
        .unwrap()
}
