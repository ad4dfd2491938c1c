//! A server, and a client that sends the same bytes down each of its paths.

use std::fmt;
use std::time::Duration;

use futures_util::stream;
use innkeeper_rest::{App, Request, Response, RestApi, resource};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::wire::Running;

/// The first request of a connection: hyper takes over at one that is unusual, and keeps the connection.
const WARM_UP: [(&str, &str); 2] = [
    ("fast path", "GET /echo/warm HTTP/1.1\r\nHost: test\r\n\r\n"),
    (
        "hyper",
        "GET /echo/warm HTTP/1.1\r\nHost: test\r\nTE: x\r\n\r\n",
    ),
];

/// The request that follows.
const NEXT: &str = "GET /echo/next HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";

/// How long a server that says nothing is waited for: first briefly, then, if the paths seem to differ, longer
/// than a busy machine delays an answer. Only what differs every time is reported.
const SILENCE: [Duration; 4] = [
    Duration::from_millis(60),
    Duration::from_secs(2),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// Heads that are larger may be refused for their size.
const LARGE: usize = 8 * 1024;

struct Echo;

#[resource("/echo")]
impl Echo {
    #[get]
    fn host(&self, #[request] request: &Request) -> String {
        request.head().host().unwrap_or("nobody").to_owned()
    }

    #[get("/stream")]
    fn stream(&self) -> Response {
        let parts = ["one ", "two"].map(Ok::<_, std::io::Error>);
        Response::ok().stream(stream::iter(parts))
    }

    #[get("/{word}")]
    fn word(&self, word: &str) -> String {
        format!("word {word}")
    }

    #[post]
    fn text(&self, #[body] text: String) -> String {
        format!("text {}", text.len())
    }

    #[delete]
    fn nothing(&self) {}
}

/// What a client sees of one response.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    status: u16,
    framing: Vec<String>,
    body: String,
}

/// What a client sees on a connection after the warm-up.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Exchange {
    answers: Vec<Seen>,
    /// The server closed the connection instead of waiting for more.
    is_closed: bool,
}

/// Bytes that the paths answer differently.
pub(super) struct Difference {
    request: Vec<u8>,
    exchanges: [Exchange; 2],
}

impl fmt::Debug for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let request = &self.request[..self.request.len().min(600)];
        writeln!(f, "b\"{}\"", request.escape_ascii())?;
        for ((name, _), exchange) in WARM_UP.iter().zip(&self.exchanges) {
            writeln!(f, "  {name}: {exchange:?}")?;
        }
        Ok(())
    }
}

/// The server with both paths.
pub(super) struct Paths {
    server: Running,
}

impl Paths {
    pub(super) fn start() -> Self {
        let server = Running::start(App::new().mount("/", RestApi::new(Echo)));
        Self { server }
    }

    /// Sends bytes down both paths, with a request behind them; `None` if both answer alike.
    pub(super) async fn compare(&self, request: &[u8]) -> Option<Difference> {
        let mut found = None;
        for silence in SILENCE {
            let exchanges = self.exchanges(request, silence).await;
            let statuses = exchanges.iter().flat_map(|exchange| &exchange.answers);
            let has_failed = statuses.into_iter().any(|answer| answer.status == 500);
            if exchanges[0] == exchanges[1] && !has_failed {
                return None;
            }
            found = Some(Difference {
                request: request.to_vec(),
                exchanges,
            });
        }
        found
    }

    async fn exchanges(&self, request: &[u8], silence: Duration) -> [Exchange; 2] {
        let [ours, hypers] = WARM_UP.map(|(_, warm_up)| self.exchange(warm_up, request, silence));
        let (ours, hypers) = tokio::join!(ours, hypers);
        [ours, hypers]
    }

    async fn exchange(&self, warm_up: &str, request: &[u8], silence: Duration) -> Exchange {
        let mut stream = TcpStream::connect(self.server.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let bytes = [warm_up.as_bytes(), request, NEXT.as_bytes()].concat();
        let (mut reader, mut writer) = stream.split();
        // The server may close before it has read everything.
        let send = tokio::time::timeout(silence * 4, writer.write_all(&bytes));
        let receive = async {
            let mut read = Vec::new();
            loop {
                match tokio::time::timeout(silence, reader.read_buf(&mut read)).await {
                    Ok(Ok(0) | Err(_)) => return (read, true),
                    Ok(Ok(_)) => {}
                    Err(_) => return (read, false),
                }
            }
        };
        let (_, (read, is_closed)) = tokio::join!(send, receive);
        let mut answers = parse_answers(&read);
        // Of a head that is both malformed and too large, the fault that is noticed first is reported.
        if request.len() > LARGE {
            for answer in &mut answers {
                if matches!(answer.status, 414 | 431) {
                    answer.status = 400;
                }
            }
        }
        // hyper calls another version malformed.
        for answer in answers.iter_mut().filter(|answer| answer.status == 505) {
            answer.status = 400;
        }
        // A server that closes before it has read everything resets the connection, and answers that the client
        // has not read yet are lost. That differs from time to time.
        let is_warm = answers
            .first()
            .is_some_and(|answer| answer.body == "word warm");
        if is_warm {
            answers.remove(0);
        }
        Exchange { answers, is_closed }
    }

    /// Asserts that no response is one to a request in the body.
    pub(super) async fn assert_not_smuggled(&self, request: &[u8]) {
        for exchange in self.exchanges(request, SILENCE[1]).await {
            let shown = request.escape_ascii();
            let is_smuggled = exchange
                .answers
                .iter()
                .any(|answer| answer.body == "word smuggled");
            assert!(!is_smuggled, "{shown}: {exchange:?}");
            let first = exchange.answers.first().map(|answer| answer.status);
            match first {
                // It was read as one request, so the next one is answered, unless the connection ends.
                Some(200) => assert!(
                    exchange.is_closed || exchange.answers.len() == 2,
                    "{shown}: {exchange:?}"
                ),
                Some(400 | 501) => assert_eq!(exchange.answers.len(), 1, "{shown}: {exchange:?}"),
                other => assert!(other.is_none(), "{other:?} after {shown}"),
            }
        }
    }
}

/// Splits the bytes of a connection into responses. Bytes that are none are a response with the status 0.
fn parse_answers(mut bytes: &[u8]) -> Vec<Seen> {
    let mut answers = Vec::new();
    while !bytes.is_empty() {
        let Some((answer, rest)) = parse_answer(bytes) else {
            let body = String::from_utf8_lossy(bytes).into_owned();
            answers.push(Seen {
                status: 0,
                framing: Vec::new(),
                body,
            });
            break;
        };
        // Whether the client is told to go on depends on how much of the body has arrived.
        if answer.status != 100 {
            answers.push(answer);
        }
        bytes = rest;
    }
    answers
}

fn parse_answer(bytes: &[u8]) -> Option<(Seen, &[u8])> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let (head, rest) = bytes.split_at(end);
    let head = std::str::from_utf8(head).ok()?.to_ascii_lowercase();
    let status = head
        .strip_prefix("http/1.1 ")
        .or_else(|| head.strip_prefix("http/1.0 "))?;
    let status = status.get(..3)?.parse().ok()?;
    let mut framing: Vec<String> = head
        .lines()
        .filter(|line| {
            let names = [
                "content-length:",
                "transfer-encoding:",
                "connection:",
                "allow:",
            ];
            names.iter().any(|name| line.starts_with(name))
        })
        .map(str::to_owned)
        .collect();
    framing.sort();
    let length = framing
        .iter()
        .find_map(|line| line.strip_prefix("content-length: "));
    let (body, rest) = if framing
        .iter()
        .any(|line| line.starts_with("transfer-encoding"))
    {
        let end = rest.windows(5).position(|five| five == b"0\r\n\r\n")? + 5;
        rest.split_at(end)
    } else {
        let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        // The body of a response to HEAD is missing: the next response follows at once, or nothing.
        if rest.starts_with(b"HTTP/1.") || rest.is_empty() {
            rest.split_at(0)
        } else {
            rest.split_at_checked(length)?
        }
    };
    let body = String::from_utf8_lossy(body).into_owned();
    Some((
        Seen {
            status,
            framing,
            body,
        },
        rest,
    ))
}
