use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use innkeeper_service::clock::Clock;
use innkeeper_service::secret::Secret;
use innkeeper_service::smtp_sink::{Manner, SinkOptions, SmtpSink};

use super::{SOON, arrival, config, impatient, mailer, message, sent, sink};
use crate::config::{Config, MessageKind, Profile};
use crate::mail::compose::Composer;
use crate::mail::queue::Queue;
use crate::mail::smtp::Server;
use crate::mail::{MailError, Mailer, Message};

fn refusing(reply: &str, times: usize) -> SinkOptions {
    SinkOptions {
        manner: Manner::Refuse {
            reply: reply.to_owned(),
            times,
        },
        ..SinkOptions::default()
    }
}

fn with_login() -> SinkOptions {
    SinkOptions {
        login: Some(("inn".to_owned(), Secret::new("key".to_owned()))),
        ..SinkOptions::default()
    }
}

fn credentials(config: &mut Config, password: &str) {
    config.smtp.user = Some("inn".to_owned());
    config.smtp.pass = Some(Secret::new(password.to_owned()));
}

#[tokio::test]
async fn mails_share_a_connection() {
    let sink = sink(SinkOptions::default()).await;
    let mailer = mailer(&config(&sink));
    for _ in 0..5 {
        mailer.deliver(message(MessageKind::Invite)).await.unwrap();
        arrival(&sink).await;
        mailer.settle().await;
    }
    assert_eq!(sink.connections(), 1);
}

#[tokio::test]
async fn the_sink_of_the_client_suite_gets_mail_although_it_offers_no_sign_in() {
    let sink = sink(SinkOptions::default()).await;
    let mut config = config(&sink);
    credentials(&mut config, "key");
    let mail = sent(&config, &sink, message(MessageKind::Invite)).await;
    assert!(!mail.is_authenticated);
}

#[tokio::test]
async fn the_mailer_signs_in_where_it_is_offered() {
    let sink = sink(with_login()).await;
    let mut config = config(&sink);
    credentials(&mut config, "key");
    let mail = sent(&config, &sink, message(MessageKind::Invite)).await;
    assert!(mail.is_authenticated);
}

#[tokio::test]
async fn a_wrong_password_is_not_tried_again() {
    let sink = sink(with_login()).await;
    let mut config = config(&sink);
    credentials(&mut config, "lock");
    let mailer = mailer(&config);
    mailer.deliver(message(MessageKind::Invite)).await.unwrap();
    assert_eq!(mailer.drain(SOON).await, 0);
    assert_eq!((sink.mails().len(), sink.connections()), (0, 1));
}

#[tokio::test]
async fn the_password_is_not_sent_in_the_clear_to_another_machine() {
    let sink = sink(with_login()).await;
    let mut config = config(&sink);
    credentials(&mut config, "key");
    let server = Server::new(&config.smtp, &config.api.external_url).elsewhere();
    let queue = Queue::start(server, impatient(), &std::sync::Arc::default());
    let composer = Composer::new(&config).unwrap();
    let mail = composer.compose(&message(MessageKind::Invite), Clock::system().now());
    queue.push(mail.unwrap()).unwrap();
    assert_eq!(queue.drain(SOON).await, 0);
    // With the password it would have been taken.
    assert!(sink.mails().is_empty());
    assert_eq!(sink.connections(), 1);
}

#[tokio::test]
async fn a_server_that_fails_for_a_while_gets_the_mail_later() {
    let sink = sink(refusing("451 try later", 3)).await;
    let message = message(MessageKind::Recovery);
    let id = format!("<{}@example.com>", message.id);
    let mail = sent(&config(&sink), &sink, message).await;
    assert_eq!(mail.header("Message-ID"), Some(id.as_str()));
    assert!(sink.mails().is_empty());
}

#[tokio::test]
async fn a_mail_is_given_up_after_the_last_try() {
    let sink = sink(refusing("451 try later", 4)).await;
    let mailer = mailer(&config(&sink));
    mailer
        .deliver(message(MessageKind::Recovery))
        .await
        .unwrap();
    assert_eq!(mailer.drain(SOON).await, 0);
    assert_eq!((sink.mails().len(), sink.connections()), (0, 4));
}

#[tokio::test]
async fn a_refused_mail_is_given_up_at_once() {
    let sink = sink(refusing("550 no", 2)).await;
    let mailer = mailer(&config(&sink));
    mailer
        .deliver(message(MessageKind::Recovery))
        .await
        .unwrap();
    assert_eq!(mailer.drain(SOON).await, 0);
    assert_eq!((sink.mails().len(), sink.connections()), (0, 1));
}

#[tokio::test]
async fn a_restarted_server_gets_the_next_mail() {
    let first = sink(SinkOptions::default()).await;
    let mailer = mailer(&config(&first));
    mailer.deliver(message(MessageKind::Invite)).await.unwrap();
    arrival(&first).await;
    let address = first.address();
    drop(first);
    let second = loop {
        // The port is free once the first one's tasks have ended.
        match SmtpSink::bind(address, SinkOptions::default()).await {
            Ok(sink) => break sink,
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                tokio::task::yield_now().await;
            }
            Err(error) => panic!("{error}"),
        }
    };
    mailer.deliver(message(MessageKind::Invite)).await.unwrap();
    arrival(&second).await;
}

#[tokio::test]
async fn a_silent_server_holds_up_nobody_and_the_queue_has_an_end() {
    let sink = sink(SinkOptions {
        manner: Manner::Silent,
        ..SinkOptions::default()
    })
    .await;
    let mailer = mailer(&config(&sink));
    let delivering = async {
        for _ in 0..1000 {
            mailer.deliver(message(MessageKind::Invite)).await.unwrap();
        }
    };
    tokio::time::timeout(SOON, delivering).await.unwrap();
    assert_eq!(
        mailer.deliver(message(MessageKind::Invite)).await,
        Err(MailError::QueueFull)
    );
    assert_eq!(mailer.drain(Duration::from_millis(10)).await, 1000);
    assert_eq!(
        mailer.deliver(message(MessageKind::Invite)).await,
        Err(MailError::Closed)
    );
}

#[tokio::test]
async fn draining_waits_for_every_mail() {
    let sink = sink(refusing("421 busy", 20)).await;
    let mailer = mailer(&config(&sink));
    for _ in 0..50 {
        mailer.deliver(message(MessageKind::Invite)).await.unwrap();
    }
    assert_eq!(mailer.drain(SOON).await, 0);
    assert_eq!(sink.mails().len(), 50);
}

#[tokio::test]
async fn without_a_server_mail_is_refused_at_once() {
    let mut config = Config::for_tests();
    config.smtp.host = String::new();
    let mailer = Mailer::new(&config, Clock::system()).unwrap();
    assert_eq!(
        mailer.deliver(message(MessageKind::Invite)).await,
        Err(MailError::NotConfigured)
    );
    assert_eq!(mailer.drain(SOON).await, 0);
}

#[tokio::test]
async fn in_gotrue_settings_that_make_no_mail_do_not_keep_the_server_from_starting() {
    let mut config = Config::for_tests();
    config.profile = Profile::Gotrue;
    config.smtp.admin_email = "nobody".to_owned();
    let mailer = Mailer::new(&config, Clock::system()).unwrap();
    assert_eq!(
        mailer.deliver(message(MessageKind::Invite)).await,
        Err(MailError::NotConfigured)
    );
}

#[tokio::test]
async fn a_server_that_is_away_is_tried_again() {
    let gone = sink(SinkOptions::default()).await;
    let config = config(&gone);
    drop(gone);
    tokio::task::yield_now().await;
    let mailer = mailer(&config);
    mailer.deliver(message(MessageKind::Invite)).await.unwrap();
    assert_eq!(mailer.drain(SOON).await, 0);
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_log_tells_the_cause_and_no_secret() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    for (reply, expected) in [
        ("550 5.1.1 no such mailbox", "no such mailbox"),
        ("550 spam: code 012345 found", "refused with 550"),
        (
            "550 spam: http://localhost:8081/verify?token=b2c4 found",
            "refused with 550",
        ),
    ] {
        let sink = sink(refusing(reply, 1)).await;
        let message: Message = message(MessageKind::Recovery);
        let id = message.id.to_string();
        let mailer = mailer(&config(&sink));
        mailer.deliver(message).await.unwrap();
        assert_eq!(mailer.drain(SOON).await, 0);
        let text = String::from_utf8(std::mem::take(&mut *log.0.lock().unwrap())).unwrap();
        assert!(text.contains(expected) && text.contains(&id), "{text}");
        for secret in ["012345", "b2c4", "token=", "Follow this link"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
}
