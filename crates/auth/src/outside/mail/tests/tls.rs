//! TLS: from the start, after `STARTTLS`, and without a fallback to plain text.

use std::sync::Arc;

use innkeeper_service::secret::Secret;
use innkeeper_service::smtp_sink::{SinkOptions, SmtpSink};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::{DirectMailer, arrival, message, sink};
use crate::config::{Config, MessageKind, SmtpTls};
use crate::outside::mail::smtp::SmtpServer;

const AUTHORITY: &str = include_str!("../../../../tests/fixtures/tls/ca.pem");
const CERTIFICATE: &str = include_str!("../../../../tests/fixtures/tls/localhost.pem");
const KEY: &str = include_str!("../../../../tests/fixtures/tls/localhost.key");

fn acceptor() -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Starts a sink that requires a login, which the client sends only over TLS here.
async fn demanding_sink() -> Arc<SmtpSink> {
    Arc::new(
        sink(SinkOptions {
            login: Some(("inn".to_owned(), Secret::new("key".to_owned()))),
            ..SinkOptions::default()
        })
        .await,
    )
}

/// Starts a TLS proxy in front of the sink and returns its port.
async fn door(sink: &Arc<SmtpSink>, starts_with_tls: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let sink = Arc::clone(sink);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let sink = Arc::clone(&sink);
            tokio::spawn(async move {
                let stream = if starts_with_tls {
                    stream
                } else {
                    talk_before_tls(stream, "220 go ahead").await
                };
                // The client may reject the certificate.
                if let Ok(stream) = acceptor().accept(stream).await {
                    sink.serve(stream, starts_with_tls).await.ok();
                }
            });
        }
    });
    port
}

/// Serves the plain-text part of an SMTP session, up to the reply to `STARTTLS`.
async fn talk_before_tls(stream: TcpStream, answer: &str) -> TcpStream {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 door\r\n").await.unwrap();
    let mut line = String::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await.unwrap();
        match line.split_whitespace().next() {
            Some("EHLO") => {
                let offer = b"250-door\r\n250-AUTH PLAIN LOGIN\r\n250 STARTTLS\r\n";
                stream.write_all(offer).await.unwrap();
            }
            Some("STARTTLS") => {
                stream
                    .write_all(format!("{answer}\r\n").as_bytes())
                    .await
                    .unwrap();
                return stream.into_inner();
            }
            other => panic!("{other:?} came before TLS"),
        }
    }
}

fn mailer(port: u16, starts_with_tls: Option<bool>) -> DirectMailer {
    let mut config = Config::for_tests();
    config.smtp.host = "localhost".to_owned();
    config.smtp.port = port;
    config.smtp.user = Some("inn".to_owned());
    config.smtp.pass = Some(Secret::new("key".to_owned()));
    let mut mailer = DirectMailer::new(&config);
    let mut server = SmtpServer::new(&config.smtp, &config.api.external_url).elsewhere();
    if let Some(starts_with_tls) = starts_with_tls {
        server = server.trusting(AUTHORITY, starts_with_tls);
    }
    mailer.server = server;
    mailer
}

#[tokio::test]
async fn tls_may_start_with_the_connection() {
    let sink = demanding_sink().await;
    let mailer = mailer(door(&sink, true).await, Some(true));
    mailer.deliver(message(MessageKind::Invite)).await.unwrap();
    assert!(arrival(&sink).await.is_authenticated);
}

#[tokio::test]
async fn tls_is_started_where_it_is_offered() {
    let sink = demanding_sink().await;
    let mailer = mailer(door(&sink, false).await, Some(false));
    mailer.deliver(message(MessageKind::Invite)).await.unwrap();
    assert!(arrival(&sink).await.is_authenticated);
}

#[tokio::test]
async fn a_server_with_an_untrusted_certificate_gets_no_mail() {
    let sink = demanding_sink().await;
    for starts_with_tls in [true, false] {
        let mut mailer = mailer(door(&sink, starts_with_tls).await, None);
        mailer.server = mailer.server.starting_with_tls(starts_with_tls);
        let error = mailer.attempt(&message(MessageKind::Invite)).await;
        // An operator can fix the certificate, so the mail is kept.
        assert!(error.unwrap_err().is_temporary);
        assert!(sink.mails().is_empty());
    }
}

#[tokio::test]
async fn a_server_that_offers_tls_and_refuses_it_gets_no_mail() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mailer = mailer(listener.local_addr().unwrap().port(), None);
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(talk_before_tls(stream, "454 not now").await);
        let mut rest = String::new();
        while stream
            .read_line(&mut rest)
            .await
            .is_ok_and(|length| length > 0)
        {
            stream.write_all(b"221 goodbye\r\n").await.unwrap();
        }
        rest
    });
    let error = mailer.attempt(&message(MessageKind::Invite)).await;
    assert!(error.unwrap_err().is_temporary);
    assert_eq!(server.await.unwrap(), "QUIT\r\n");
}

#[tokio::test]
async fn a_server_without_tls_gets_no_mail_where_tls_is_required() {
    let sink = sink(SinkOptions::default()).await;
    let port = sink.address().port();
    for mode in [SmtpTls::Required, SmtpTls::Implicit] {
        let mut mailer = mailer(port, None);
        mailer.server = mailer.server.with_mode(mode);
        let error = mailer.attempt(&message(MessageKind::Invite)).await;
        let error = error.unwrap_err();
        assert!(error.is_temporary, "{mode:?}");
        assert!(sink.mails().is_empty(), "{mode:?}");
    }
    for mode in [SmtpTls::Opportunistic, SmtpTls::Off] {
        let mut mailer = mailer(port, None);
        mailer.server = mailer.server.with_mode(mode);
        mailer.deliver(message(MessageKind::Invite)).await.unwrap();
        arrival(&sink).await;
    }
}

#[tokio::test]
async fn tls_that_is_required_is_started_with_a_trusted_certificate_only() {
    let sink = demanding_sink().await;
    let mut required = mailer(door(&sink, false).await, Some(false));
    required.server = required.server.with_mode(SmtpTls::Required);
    required
        .deliver(message(MessageKind::Invite))
        .await
        .unwrap();
    assert!(arrival(&sink).await.is_authenticated);
    // The certificate of the server is not trusted here.
    let mut untrusted = mailer(door(&sink, false).await, None);
    untrusted.server = untrusted.server.with_mode(SmtpTls::Required);
    let error = untrusted.attempt(&message(MessageKind::Invite)).await;
    assert!(error.unwrap_err().is_temporary);
    assert!(sink.mails().is_empty());
}
