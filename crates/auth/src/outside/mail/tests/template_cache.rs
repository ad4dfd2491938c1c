//! The operator's templates, from a web server.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use innkeeper_service::testing::eventually;
use jiff::SignedDuration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::look::full;
use super::templates::config_with;
use crate::config::{Config, MessageKind};
use crate::outside::mail::content::Writer;

/// A web server that sends the same response to every request, and records the requests.
struct TemplateSite {
    address: SocketAddr,
    answer: Arc<Mutex<Vec<u8>>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl TemplateSite {
    async fn start(answer: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let site = Self {
            address: listener.local_addr().unwrap(),
            answer: Arc::new(Mutex::new(answer)),
            requests: Arc::default(),
        };
        let (answer, requests) = (Arc::clone(&site.answer), Arc::clone(&site.requests));
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (answer, requests) = (Arc::clone(&answer), Arc::clone(&requests));
                tokio::spawn(async move {
                    let mut head = [0; 4096];
                    let length = stream.read(&mut head).await.unwrap_or_default();
                    let head = String::from_utf8_lossy(&head[..length]).into_owned();
                    requests.lock().unwrap().push(head);
                    let answer = answer.lock().unwrap().clone();
                    if answer.is_empty() {
                        // Sends nothing until the client gives up.
                        let _ = stream.read(&mut [0; 1]).await;
                    }
                    let _ = stream.write_all(&answer).await;
                });
            }
        });
        site
    }

    fn answer(&self, answer: Vec<u8>) {
        *self.answer.lock().unwrap() = answer;
    }

    fn config(&self) -> Config {
        let mut config = Config::for_tests();
        let every = config_with(&format!(
            "http://user:pass@{}/mail.html?key=k",
            self.address
        ));
        config.mailer.templates.sources.invite = every.mailer.templates.sources.invite;
        config
    }

    fn request_count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

fn ok(body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}").into()
}

fn html(writer: &Writer) -> String {
    writer.write(&full(MessageKind::Invite)).html
}

/// Waits until the invitation contains `text`.
async fn wait_for(writer: &Writer, text: &str) {
    eventually(format!("the invitation contains {text:?}"), async || {
        let html = html(writer);
        if html.contains(text) {
            Ok(())
        } else {
            Err(html)
        }
    })
    .await;
}

#[tokio::test]
async fn a_template_is_fetched_in_the_background_and_cached() {
    let site = TemplateSite::start(ok("<p>Come, {{ .Email }}</p>")).await;
    let writer = Writer::new(&site.config()).unwrap();
    // Writing a mail does not wait for the fetch.
    assert!(html(&writer).contains("You have been invited"));
    wait_for(&writer, "<p>Come, ada@example.com</p>").await;
    let requests = site.request_count();
    for _ in 0..100 {
        html(&writer);
    }
    tokio::task::yield_now().await;
    assert_eq!(site.request_count(), requests);
    assert!(site.requests.lock().unwrap()[0].starts_with("GET /mail.html?key=k HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_changed_template_is_used_without_a_restart() {
    let site = TemplateSite::start(ok("one")).await;
    let mut config = site.config();
    config.mailer.templates.max_age = SignedDuration::from_millis(20);
    let writer = Writer::new(&config).unwrap();
    wait_for(&writer, "one").await;
    site.answer(ok("two"));
    wait_for(&writer, "two").await;
}

#[tokio::test]
async fn a_failed_fetch_is_repeated_soon() {
    let site = TemplateSite::start(
        b"HTTP/1.1 503 Busy\r\nconnection: close\r\ncontent-length: 3\r\n\r\nbad".to_vec(),
    )
    .await;
    let mut config = site.config();
    config.mailer.templates.retry_interval = SignedDuration::from_millis(20);
    let writer = Writer::new(&config).unwrap();
    eventually("it is fetched again", async || site.request_count() >= 3).await;
    assert!(html(&writer).contains("You have been invited"));
    site.answer(ok("back"));
    wait_for(&writer, "back").await;
}

#[tokio::test]
async fn invalid_answers_change_nothing() {
    let site = TemplateSite::start(ok("good")).await;
    let writer = Writer::new(&site.config()).unwrap();
    writer.reload_templates().await;
    let elsewhere = TemplateSite::start(ok("elsewhere")).await;
    let redirect = format!(
        "HTTP/1.1 302 Found\r\nconnection: close\r\nlocation: http://{}/\r\ncontent-length: 0\r\n\r\n",
        elsewhere.address
    );
    let mut long = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
    long.resize(2_000_000, b'x');
    for answer in [
        redirect.into_bytes(),
        long,
        ok("{{ broken"),
        b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\nconnection: close\r\n\r\ncut".to_vec(),
        b"HTTP/1.1 404 No\r\nconnection: close\r\ncontent-length: 5\r\n\r\nfound".to_vec(),
        b"no HTTP at all".to_vec(),
    ] {
        site.answer(answer);
        writer.reload_templates().await;
        assert_eq!(html(&writer), "good");
    }
    assert_eq!(elsewhere.request_count(), 0);
}

#[tokio::test]
async fn a_silent_site_keeps_no_mail_waiting() {
    let site = TemplateSite::start(Vec::new()).await;
    let writer = Writer::new(&site.config()).unwrap();
    eventually("the site is asked", async || site.request_count() > 0).await;
    assert!(html(&writer).contains("You have been invited"));
}
