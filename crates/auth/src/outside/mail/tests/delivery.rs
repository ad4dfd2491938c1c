//! Attempts to send a mail, to servers that behave in different ways.

use innkeeper_service::secret::Secret;
use innkeeper_service::smtp_sink::{SinkBehaviour, SinkFault, SinkOptions, SmtpSink, SmtpStep};
use innkeeper_service::testing::{HeldPort, eventually};

use super::{arrival, config, mailer, message, sent, short_timeouts, sink};
use crate::config::{Config, MessageKind};
use crate::outside::mail::redact::redact;
use crate::outside::mail::smtp::SmtpServer;

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

fn failing(at: SmtpStep, fault: SinkFault) -> SinkBehaviour {
    SinkBehaviour::Fail {
        at,
        fault,
        times: 1,
    }
}

fn replying(at: SmtpStep, reply: &str) -> SinkBehaviour {
    failing(at, SinkFault::Reply(reply.to_owned()))
}

#[tokio::test]
async fn mails_share_a_connection() {
    let sink = sink(SinkOptions::default()).await;
    let mailer = mailer(&config(&sink));
    for _ in 0..5 {
        mailer.deliver(message(MessageKind::Invite)).await.unwrap();
    }
    assert_eq!((sink.connections(), sink.received()), (1, 5));
}

#[tokio::test]
async fn a_connection_on_which_a_mail_was_refused_is_good_for_the_next() {
    let sink = sink(SinkOptions::default()).await;
    let mailer = mailer(&config(&sink));
    for at in [SmtpStep::Rcpt, SmtpStep::Data, SmtpStep::Content] {
        sink.set_behaviour(replying(at, "550 no"));
        let refused = mailer.attempt(&message(MessageKind::Invite)).await;
        assert!(!refused.unwrap_err().is_temporary, "{at:?}");
        mailer.deliver(message(MessageKind::Invite)).await.unwrap();
    }
    assert_eq!((sink.connections(), sink.received()), (1, 3));
}

#[tokio::test]
async fn a_connection_that_the_server_has_closed_is_replaced_at_once() {
    let sink = sink(SinkOptions::default()).await;
    let mailer = mailer(&config(&sink));
    for fault in [
        SinkFault::Disconnect,
        SinkFault::Reply("421 too long idle, goodbye".to_owned()),
    ] {
        mailer.deliver(message(MessageKind::Invite)).await.unwrap();
        sink.set_behaviour(failing(SmtpStep::Mail, fault));
        mailer.deliver(message(MessageKind::Invite)).await.unwrap();
    }
    assert_eq!((sink.connections(), sink.received()), (3, 4));
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
async fn a_wrong_password_is_a_temporary_error() {
    let sink = sink(with_login()).await;
    let mut config = config(&sink);
    for password in ["lock", ""] {
        credentials(&mut config, password);
        let error = mailer(&config)
            .attempt(&message(MessageKind::Invite))
            .await
            .unwrap_err();
        assert!(error.is_temporary && error.status.as_deref() == Some("535"));
        assert!(error.cause.starts_with("AUTH: "), "{}", error.cause);
    }
    config.smtp.user = None;
    let error = mailer(&config).attempt(&message(MessageKind::Invite)).await;
    assert!(error.unwrap_err().is_temporary);
    assert!(sink.mails().is_empty());
}

#[tokio::test]
async fn the_password_is_not_sent_in_the_clear_to_another_machine() {
    let sink = sink(with_login()).await;
    let mut config = config(&sink);
    credentials(&mut config, "key");
    let mut mailer = mailer(&config);
    mailer.server = SmtpServer::new(&config.smtp, &config.api.external_url).elsewhere();
    let error = mailer.attempt(&message(MessageKind::Invite)).await;
    // With the password the sink would have accepted the mail.
    assert_eq!(error.unwrap_err().status.as_deref(), Some("530"));
    assert!(sink.mails().is_empty());
}

#[tokio::test]
async fn permanent_and_temporary_refusals_are_told_apart_at_every_step() {
    let sink = sink(with_login()).await;
    let mut config = config(&sink);
    credentials(&mut config, "key");
    for (at, is_about_the_mail) in [
        (SmtpStep::Connect, false),
        (SmtpStep::Hello, false),
        (SmtpStep::StartTls, false),
        (SmtpStep::Auth, false),
        (SmtpStep::Mail, true),
        (SmtpStep::Rcpt, true),
        (SmtpStep::Data, true),
        (SmtpStep::Content, true),
    ] {
        for (reply, is_for_good) in [
            ("451 try later", false),
            ("421 busy", false),
            ("550 no", is_about_the_mail),
        ] {
            sink.set_behaviour(replying(at, reply));
            let mailer = mailer(&config);
            let error = mailer.attempt(&message(MessageKind::Recovery)).await;
            let error = error.unwrap_err();
            assert_eq!(error.is_temporary, !is_for_good, "{at:?} {reply}");
            let code = reply.split_once(' ').map(|(code, _)| code);
            assert_eq!(error.status.as_deref(), code, "{at:?}");
            // The fault happens once, so the next attempt succeeds.
            mailer
                .deliver(message(MessageKind::Recovery))
                .await
                .unwrap();
        }
    }
}

#[tokio::test]
async fn a_server_that_stalls_or_hangs_up_at_any_step_costs_an_attempt() {
    let sink = sink(with_login()).await;
    let mut config = config(&sink);
    credentials(&mut config, "key");
    for at in [
        SmtpStep::Connect,
        SmtpStep::Hello,
        SmtpStep::StartTls,
        SmtpStep::Auth,
        SmtpStep::Mail,
        SmtpStep::Rcpt,
        SmtpStep::Data,
        SmtpStep::Content,
    ] {
        for fault in [SinkFault::Silence, SinkFault::Disconnect] {
            sink.set_behaviour(failing(at, fault.clone()));
            let patient = mailer(&config);
            let mut mailer = mailer(&config);
            if fault == SinkFault::Silence {
                mailer.server = mailer.server.with_timeouts(short_timeouts());
            }
            let error = mailer.attempt(&message(MessageKind::Recovery)).await;
            let error = error.unwrap_err();
            assert!(error.is_temporary && error.status.is_none(), "{at:?}");
            let is_stalled = error.cause.ends_with("no answer within 0.2 s");
            assert_eq!(
                is_stalled,
                fault == SinkFault::Silence,
                "{at:?}: {}",
                error.cause
            );
            sink.set_behaviour(SinkBehaviour::Accept);
            patient
                .deliver(message(MessageKind::Recovery))
                .await
                .unwrap();
        }
    }
}

#[tokio::test]
async fn a_restarted_server_gets_the_next_mail() {
    // Held so that no other process binds the port between the two sinks.
    let port = HeldPort::take().unwrap();
    let bind = async || SmtpSink::bind(port.address(), SinkOptions::default()).await;
    let first = bind().await.unwrap();
    let mailer = mailer(&config(&first));
    mailer.deliver(message(MessageKind::Invite)).await.unwrap();
    arrival(&first).await;
    drop(first);
    // The port is free once the tasks of the first sink have ended.
    let second = eventually("the port is free", bind).await;
    mailer.deliver(message(MessageKind::Invite)).await.unwrap();
    arrival(&second).await;
}

#[tokio::test]
async fn a_server_that_is_away_costs_an_attempt() {
    let nobody = HeldPort::take().unwrap();
    let mut config = Config::for_tests();
    config.smtp.host = "127.0.0.1".to_owned();
    config.smtp.port = nobody.number();
    let error = mailer(&config).attempt(&message(MessageKind::Invite)).await;
    assert!(error.unwrap_err().is_temporary);
}

#[tokio::test]
async fn the_cause_holds_no_secret_and_no_address() {
    let sink = sink(SinkOptions::default()).await;
    for (reply, expected) in [
        (
            "550 5.1.1 <Ada@Example.com>: no such mailbox",
            "RCPT: permanent error (550): 5.1.1 <…>: no such mailbox",
        ),
        ("550 spam: code 012345 found", "refused with 550"),
        (
            "550 spam: http://localhost:8081/verify?token=b2c49d1e7f found",
            "refused with 550",
        ),
    ] {
        sink.set_behaviour(replying(SmtpStep::Rcpt, reply));
        let mailer = mailer(&config(&sink));
        let message = message(MessageKind::Recovery);
        let mail = mailer.composer.compose(&message, mailer.clock.now());
        let mail = mail.unwrap();
        let error = mailer.server.send(&mail).await.unwrap_err();
        assert_eq!(
            redact(&error.cause, error.status.as_deref(), &message),
            expected
        );
    }
}
