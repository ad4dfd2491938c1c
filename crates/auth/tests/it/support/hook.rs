//! A receiver of HTTP hooks, which checks the signatures and replies as configured by a test.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use innkeeper_auth::config::{Config, HookKind, HookTarget};
use serde_json::Value;
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::raw_http::{RawRequest, respond};

/// The secret that signs calls.
pub(crate) const SECRET: &str = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// The reply to a call.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// 200 with this body.
    Json(Value),
    /// This status with these headers and this body.
    Raw(u16, String, String),
    /// As [`Reply::Json`], once [`Receiver::release`] was called.
    Held(Value),
    /// The connection closes without a response.
    Cut,
    /// No response, and the connection stays open.
    Silence,
}

impl Reply {
    /// Returns a reply with a status and no body.
    pub(crate) fn status(status: u16) -> Self {
        Self::Raw(status, String::new(), String::new())
    }

    /// Returns a reply whose body is declared as JSON.
    pub(crate) fn text(body: &str) -> Self {
        let header = "content-type: application/json\r\n".to_owned();
        Self::Raw(200, header, body.to_owned())
    }
}

/// A call that was received.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) id: String,
    pub(crate) timestamp: i64,
    pub(crate) signature: String,
    pub(crate) path: String,
    pub(crate) body: Value,
    is_signed: bool,
}

type Answer = Box<dyn Fn(&Value) -> Reply + Send + Sync>;

struct Inner {
    answer: Mutex<Answer>,
    /// All calls so far.
    seen: watch::Sender<Vec<Seen>>,
    is_released: watch::Sender<bool>,
}

/// A web server on a port of its own.
pub(crate) struct Receiver {
    address: SocketAddr,
    inner: Arc<Inner>,
    read: Mutex<usize>,
}

impl Receiver {
    /// Starts a receiver that replies to each call with this function.
    pub(crate) async fn start(answer: impl Fn(&Value) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Arc::new(Inner {
            answer: Mutex::new(Box::new(answer)),
            seen: watch::Sender::default(),
            is_released: watch::Sender::default(),
        });
        let shared = Arc::clone(&inner);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self {
            address,
            inner,
            read: Mutex::default(),
        }
    }

    /// Starts a receiver that replies to every call with an empty object.
    pub(crate) async fn content() -> Self {
        Self::start(|_| Reply::Json(Value::Object(serde_json::Map::new()))).await
    }

    /// Changes the replies to later calls.
    pub(crate) fn answer(&self, answer: impl Fn(&Value) -> Reply + Send + Sync + 'static) {
        *self.inner.answer.lock().unwrap() = Box::new(answer);
    }

    /// Configures a server to call this receiver, with a long timeout and short retries.
    pub(crate) fn configure(&self, config: &mut Config, kind: HookKind) {
        let uri = format!("http://{}/hooks/{}", self.address, kind.name());
        let secrets = format!("v1,whsec_{SECRET}");
        let target = HookTarget::parse(&uri, Some(&secrets)).unwrap();
        config.hooks.targets.insert(kind, target);
        patient(config);
    }

    /// Returns the next unread call, which must be signed.
    pub(crate) async fn next(&self) -> Seen {
        let index = {
            let mut read = self.read.lock().unwrap();
            *read += 1;
            *read - 1
        };
        self.wait_for(index + 1).await;
        let seen = self.inner.seen.borrow()[index].clone();
        assert!(seen.is_signed, "{seen:?}");
        seen
    }

    /// Waits until this many calls have arrived.
    pub(crate) async fn wait_for(&self, count: usize) {
        let mut seen = self.inner.seen.subscribe();
        let come = seen.wait_for(|seen| seen.len() >= count);
        let come = tokio::time::timeout(Duration::from_mins(1), come).await;
        assert!(come.is_ok(), "{} of {count} calls came", self.count());
    }

    /// Returns how many calls have arrived.
    pub(crate) fn count(&self) -> usize {
        self.inner.seen.borrow().len()
    }

    /// Releases all held replies, and holds no later ones.
    pub(crate) fn release(&self) {
        self.inner.is_released.send_replace(true);
    }
}

/// Sets a long timeout and short retries, so that a test does not depend on the machine's speed.
pub(crate) fn patient(config: &mut Config) {
    config.hooks.timeout = Duration::from_mins(1);
    config.hooks.pause = Duration::from_millis(1);
}

/// Configures a server to call a function of the database as a hook.
pub(crate) fn use_function(config: &mut Config, kind: HookKind, name: &str) {
    let uri = format!("pg-functions://postgres/public/{name}");
    let target = HookTarget::parse(&uri, None).unwrap();
    config.hooks.targets.insert(kind, target);
    patient(config);
}

async fn serve(stream: TcpStream, inner: Arc<Inner>) {
    let mut stream = BufReader::new(stream);
    let Some(seen) = read(&mut stream).await else {
        return;
    };
    let reply = (inner.answer.lock().unwrap())(&seen.body);
    inner.seen.send_modify(|all| all.push(seen));
    let (status, headers, body) = match reply {
        Reply::Json(body) => json(&body),
        Reply::Held(body) => {
            let mut released = inner.is_released.subscribe();
            released.wait_for(|released| *released).await.unwrap();
            json(&body)
        }
        Reply::Raw(status, headers, body) => (status, headers, body),
        Reply::Cut => return,
        Reply::Silence => std::future::pending().await,
    };
    respond(&mut stream, status, &headers, &body).await;
}

fn json(body: &Value) -> (u16, String, String) {
    let header = "content-type: application/json; charset=utf-8\r\n";
    (200, header.to_owned(), body.to_string())
}

/// Reads a call.
async fn read(stream: &mut BufReader<TcpStream>) -> Option<Seen> {
    let request = RawRequest::read(stream).await?;
    let header = |name: &str| request.header(name).to_owned();
    assert_eq!(request.method, "POST");
    assert_eq!(header("content-type"), "application/json");
    let (id, timestamp) = (header("webhook-id"), header("webhook-timestamp"));
    let signature = header("webhook-signature");
    let message = [format!("{id}.{timestamp}.").as_bytes(), &request.body].concat();
    Some(Seen {
        is_signed: signature
            .split(' ')
            .any(|one| one == format!("v1,{}", sign(&message))),
        path: request.path.clone(),
        timestamp: timestamp.parse().unwrap(),
        body: serde_json::from_slice(&request.body).unwrap(),
        signature,
        id,
    })
}

/// Returns the signature that a message must have.
fn sign(message: &[u8]) -> String {
    let key = STANDARD.decode(SECRET).unwrap();
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, &key);
    STANDARD.encode(aws_lc_rs::hmac::sign(&key, message))
}
