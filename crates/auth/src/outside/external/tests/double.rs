//! A server in the place of all providers, which records what it is sent.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use url::form_urlencoded;

/// An answer of the double.
#[derive(Debug, Clone)]
pub(super) enum DoubleReply {
    Json(Value),
    /// A status, a content type and a body.
    Raw(u16, &'static str, String),
    /// A body without an end.
    Endless,
    /// No answer at all.
    Silence,
}

/// A request that the double got.
#[derive(Debug, Clone)]
pub(super) struct Received {
    /// The method, the provider's host and the path.
    pub(super) target: String,
    pub(super) query: HashMap<String, String>,
    pub(super) headers: HashMap<String, String>,
    pub(super) form: HashMap<String, String>,
}

#[derive(Default)]
struct DoubleState {
    replies: Mutex<HashMap<String, DoubleReply>>,
    received: Mutex<Vec<Received>>,
}

/// A web server on a port of its own.
pub(super) struct Double {
    pub(super) address: SocketAddr,
    state: Arc<DoubleState>,
}

impl Double {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(DoubleState::default());
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let state = Arc::clone(&shared);
                tokio::spawn(async move { serve(stream, &state).await });
            }
        });
        Self { address, state }
    }

    /// Sets the answer to a method, host and path, such as `GET api.github.com/user`.
    pub(super) fn on(&self, target: &str, reply: DoubleReply) {
        let mut replies = self.state.replies.lock().unwrap();
        replies.insert(target.to_owned(), reply);
    }

    pub(super) fn json(&self, target: &str, body: Value) {
        self.on(target, DoubleReply::Json(body));
    }

    /// Takes the requests so far.
    pub(super) fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.state.received.lock().unwrap())
    }

    /// Takes the only request to a target so far.
    pub(super) fn take_one(&self, target: &str) -> Received {
        let mut received = self.take();
        received.retain(|request| request.target == target);
        assert_eq!(received.len(), 1, "{target}");
        received.remove(0)
    }
}

async fn serve(stream: TcpStream, state: &DoubleState) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let received = read(&mut stream).await?;
    let reply = state.replies.lock().unwrap().get(&received.target).cloned();
    state.received.lock().unwrap().push(received);
    let (status, kind, body) = match reply {
        Some(DoubleReply::Json(body)) => (200, "application/json", body.to_string()),
        Some(DoubleReply::Raw(status, kind, body)) => (status, kind, body),
        Some(DoubleReply::Silence) => std::future::pending().await,
        Some(DoubleReply::Endless) => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
            stream.write_all(head.as_bytes()).await.ok()?;
            loop {
                stream.write_all(&[b' '; 8192]).await.ok()?;
            }
        }
        None => (404, "text/plain", "no such page".to_owned()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} As Asked\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.ok()?;
    stream.write_all(body.as_bytes()).await.ok()?;
    stream.shutdown().await.ok()
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut first = String::new();
    stream.read_line(&mut first).await.ok()?;
    let mut parts = first.split(' ');
    let (method, address) = (parts.next()?, parts.next()?);
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim().split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or("0", String::as_str);
    let mut body = vec![0; length.parse().ok()?];
    stream.read_exact(&mut body).await.ok()?;
    Some(Received {
        target: format!("{method} {}", path.trim_start_matches('/')),
        query: pairs(query.as_bytes()),
        form: pairs(&body),
        headers,
    })
}

pub(super) fn pairs(text: &[u8]) -> HashMap<String, String> {
    form_urlencoded::parse(text).into_owned().collect()
}
