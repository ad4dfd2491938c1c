//! Sends one hostile request after the other, and checks the statuses.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use innkeeper_service::testing::eventually;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use super::mutate::{Random, mutate};
use super::seeds::ApiRequest;

/// How long a server that waits for the rest of a mutated request is waited for.
const SILENCE: Duration = Duration::from_millis(30);

/// How long a well-formed request may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// A client of one server.
pub(super) struct Sender {
    server: SocketAddr,
    seeds: Vec<ApiRequest>,
    raw: Vec<Vec<u8>>,
    connections: AtomicU32,
}

impl Sender {
    pub(super) fn new(server: SocketAddr, seeds: Vec<ApiRequest>) -> Self {
        Self {
            server,
            raw: seeds.iter().map(ApiRequest::to_bytes).collect(),
            seeds,
            connections: AtomicU32::new(0),
        }
    }

    /// Waits until the server accepts connections and is well.
    pub(super) async fn until_served(&self, patience: Duration) {
        let health = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        eventually("the server answers", async || {
            let answer = match TcpStream::connect(self.server).await {
                Ok(mut stream) => exchange(&mut stream, health, patience).await,
                Err(_) => Vec::new(),
            };
            statuses(&answer) == [200]
        })
        .await;
    }

    /// Sends a request and returns the number of responses.
    pub(super) async fn send_one(&self, random: &mut Random, client: usize) -> usize {
        let is_raw = random.below(2) == 0;
        let (request, silence) = if is_raw {
            let raw: Vec<&[u8]> = self.raw.iter().map(Vec::as_slice).collect();
            let seed = random.choose(&raw);
            (mutate(random, seed, &raw), SILENCE)
        } else {
            let seed = &self.seeds[random.below(self.seeds.len())];
            (seed.spoilt(random).to_bytes(), PATIENCE)
        };
        let mut stream = self.connect(client).await;
        let answer = exchange(&mut stream, &request, silence).await;
        let statuses = statuses(&answer);
        for status in &statuses {
            // The protocol has failures of its own for versions and codings that are not supported.
            let is_allowed =
                *status < 500 || *status == 503 || is_raw && matches!(status, 501 | 505);
            assert!(
                is_allowed,
                "{status} to {}: {}",
                request.escape_ascii(),
                String::from_utf8_lossy(&answer)
            );
        }
        assert!(
            is_raw || statuses.len() == 1,
            "{statuses:?} to {}",
            request.escape_ascii()
        );
        statuses.len()
    }

    /// Connects from one of many loopback addresses: the ports of one would be used up.
    async fn connect(&self, client: usize) -> TcpStream {
        let number = self.connections.fetch_add(1, Ordering::Relaxed);
        let low = u8::try_from(2 + number % 250).unwrap();
        let from = Ipv4Addr::new(127, 0, u8::try_from(client).unwrap(), low);
        let server = self.server;
        eventually("the server accepts", async move || {
            let socket = TcpSocket::new_v4().unwrap();
            socket.set_reuseaddr(true).unwrap();
            socket.bind(SocketAddr::from((from, 0))).unwrap();
            socket.connect(server).await
        })
        .await
    }
}

/// Sends bytes, and returns what the server answers until it closes or is silent.
async fn exchange(stream: &mut TcpStream, bytes: &[u8], silence: Duration) -> Vec<u8> {
    let (mut reader, mut writer) = stream.split();
    let send = timeout(silence, writer.write_all(bytes));
    let receive = async {
        let mut read = Vec::new();
        while let Ok(Ok(1..)) = timeout(silence, reader.read_buf(&mut read)).await {}
        read
    };
    // The server may close before it has read everything.
    let (_, read) = tokio::join!(send, receive);
    read
}

/// Returns the statuses of the responses among these bytes, without interim ones.
fn statuses(bytes: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(bytes);
    let starts = text.match_indices("HTTP/1.").filter(|(at, _)| {
        // A body may mention a version; a response starts with one.
        let head = text.get(*at..).unwrap_or_default();
        head.lines().next().is_some_and(|line| line.len() < 60)
            && head.as_bytes().get(8) == Some(&b' ')
    });
    starts
        .filter_map(|(at, _)| text.get(at + 9..at + 12)?.parse().ok())
        .filter(|status| *status >= 200)
        .collect()
}
