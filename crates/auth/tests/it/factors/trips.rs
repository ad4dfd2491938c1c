//! How many round trips to the database a challenge and its answer take, counted on the wire.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use innkeeper_auth::config::Config;
use innkeeper_service::secret::Secret;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use super::{EMAIL, challenge, code_in, protected, std_app, verify};

/// A relay in front of the database, which counts the messages that end an answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Relay(Arc<AtomicUsize>);

impl Relay {
    /// Lets the server connect through the relay. Must be called within a runtime.
    pub(crate) fn configure(&self, config: &mut Config) {
        let mut url: Url = config.database.url.reveal().parse().unwrap();
        let database = url.port().unwrap();
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        url.set_port(Some(listener.local_addr().unwrap().port()))
            .unwrap();
        // Messages can be told apart on a connection without TLS only.
        url.set_query(Some("sslmode=disable"));
        config.database.url = Secret::new(url.to_string());
        let listener = TcpListener::from_std(listener).unwrap();
        let count = Arc::clone(&self.0);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(relay(client, database, Arc::clone(&count)));
            }
        });
    }

    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Passes on all bytes until one side closes.
async fn relay(client: TcpStream, database: u16, count: Arc<AtomicUsize>) -> std::io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, database)).await?;
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut messages = Messages::default();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let length = from_server.read(&mut buffer).await?;
        if length == 0 {
            return Ok(());
        }
        count.fetch_add(messages.ends_in(&buffer[..length]), Ordering::SeqCst);
        to_client.write_all(&buffer[..length]).await?;
    }
}

/// Finds the boundaries of messages: a letter, a length of four bytes, the rest.
#[derive(Debug, Default)]
struct Messages {
    head: Vec<u8>,
    left: usize,
}

impl Messages {
    /// Returns how often the database says that it is ready for the next query.
    fn ends_in(&mut self, bytes: &[u8]) -> usize {
        let mut ends = 0;
        for byte in bytes {
            if self.left > 0 {
                self.left -= 1;
                continue;
            }
            self.head.push(*byte);
            if let &[kind, a, b, c, d] = self.head.as_slice() {
                let length = u32::from_be_bytes([a, b, c, d]);
                self.left = usize::try_from(length).unwrap() - 4;
                ends += usize::from(kind == b'Z');
                self.head.clear();
            }
        }
        ends
    }
}

/// The smallest of several counts: tasks in the background use the database as well, and the first request on a
/// connection prepares its statements.
#[tokio::test]
async fn a_challenge_takes_two_round_trips_and_its_answer_three() {
    let relay = Relay::default();
    let counter = relay.clone();
    let app = std_app(move |config| counter.configure(config)).await;
    let ada = protected(&app, EMAIL).await;
    let (mut challenges, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..20 {
        let before = relay.count();
        let opened = challenge(&app, &ada.token, &ada.factor).await;
        let between = relay.count();
        let code = code_in(&app, &ada.secret, 0);
        let raised = verify(&app, &ada.token, &ada.factor, &opened, &code).await;
        raised.ok();
        challenges.push(between - before);
        answers.push(relay.count() - between);
        app.advance(30);
    }
    assert_eq!(challenges.iter().min(), Some(&2), "{challenges:?}");
    assert_eq!(answers.iter().min(), Some(&3), "{answers:?}");
}
