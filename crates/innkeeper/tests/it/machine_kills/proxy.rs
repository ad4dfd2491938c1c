//! A proxy before the Unix socket of an engine, which holds requests when it is told to.
//!
//! It knows no protocol: what a client writes at once is one request, and what the engine writes next is the
//! answer. That is true for the requests of the Docker Engine API, which have a connection each, for the lines
//! of QMP, and for lines that are typed on a console.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::PATIENCE;

/// When a request is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before it reaches the engine.
    Before,
    /// After the engine has answered, before the answer is returned.
    After,
}

type Matcher = Box<dyn Fn(&str) -> bool + Send>;

/// Which requests are held.
struct Rule {
    number: usize,
    matches: Matcher,
    moment: Moment,
    held: UnboundedSender<HeldRequest>,
}

#[derive(Default)]
struct RuleSet {
    rules: Vec<Rule>,
    last_number: usize,
}

type Rules = Arc<Mutex<RuleSet>>;

/// The proxy. It ends when it is dropped.
pub(super) struct StallingProxy {
    rules: Rules,
    _tasks: JoinSet<()>,
}

/// Holds requests until it is dropped.
pub(super) struct Hold {
    number: usize,
    rules: Rules,
    requests: UnboundedReceiver<HeldRequest>,
}

/// A request that is held. Without `release`, its connection is closed when this is dropped.
pub(super) struct HeldRequest {
    /// What the client wrote.
    pub(super) text: String,
    release: oneshot::Sender<()>,
}

impl StallingProxy {
    /// Listens on a socket and forwards everything to the engine.
    pub(super) fn listen(socket: &Path, engine: PathBuf) -> Self {
        let listener = UnixListener::bind(socket).unwrap();
        let rules = Rules::default();
        let mut tasks = JoinSet::new();
        tasks.spawn({
            let rules = Arc::clone(&rules);
            async move {
                let mut connections = JoinSet::new();
                while let Ok((client, _)) = listener.accept().await {
                    let (engine, rules) = (engine.clone(), Arc::clone(&rules));
                    // A connection that breaks is closed; the client reports that.
                    connections.spawn(async move { forward(client, &engine, rules).await.ok() });
                    while connections.try_join_next().is_some() {}
                }
            }
        });
        Self {
            rules,
            _tasks: tasks,
        }
    }

    /// Holds the requests that match from now on.
    pub(super) fn hold(
        &self,
        moment: Moment,
        matches: impl Fn(&str) -> bool + Send + 'static,
    ) -> Hold {
        let (held, requests) = unbounded_channel();
        let mut set = self.rules.lock().unwrap();
        set.last_number += 1;
        let number = set.last_number;
        set.rules.push(Rule {
            number,
            matches: Box::new(matches),
            moment,
            held,
        });
        Hold {
            number,
            rules: Arc::clone(&self.rules),
            requests,
        }
    }
}

impl Hold {
    /// Waits until a request is held.
    pub(super) async fn next(&mut self) -> HeldRequest {
        let next = timeout(PATIENCE, self.requests.recv()).await;
        next.unwrap_or_else(|_| panic!("no request came that is to be held"))
            .unwrap()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut set = self.rules.lock().unwrap();
        set.rules.retain(|rule| rule.number != self.number);
    }
}

impl HeldRequest {
    /// Lets it go on.
    pub(super) fn release(self) {
        // Its connection may have ended.
        self.release.send(()).ok();
    }
}

/// Where a request waits.
struct Stall {
    text: String,
    held: UnboundedSender<HeldRequest>,
}

impl Stall {
    /// Waits until the request is released. Fails if it is not to go on.
    async fn wait(self) -> io::Result<()> {
        let (release, released) = oneshot::channel();
        let text = self.text;
        self.held.send(HeldRequest { text, release }).ok();
        released.await.map_err(io::Error::other)
    }
}

/// A request whose answer is to be held.
type Answer = Arc<Mutex<Option<Stall>>>;

async fn forward(client: UnixStream, engine: &Path, rules: Rules) -> io::Result<()> {
    let engine = UnixStream::connect(engine).await?;
    let (from_client, to_client) = client.into_split();
    let (from_engine, to_engine) = engine.into_split();
    let answer = Answer::default();
    tokio::select! {
        ended = forward_requests(from_client, to_engine, &rules, &answer) => ended,
        ended = forward_answers(from_engine, to_client, &answer) => ended,
    }
}

async fn forward_requests(
    mut client: OwnedReadHalf,
    mut engine: OwnedWriteHalf,
    rules: &Rules,
    answer: &Answer,
) -> io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let length = client.read(&mut buffer).await?;
        let piece = &buffer[..length];
        if piece.is_empty() {
            return Ok(());
        }
        match find_rule(rules, &String::from_utf8_lossy(piece)) {
            Some((Moment::Before, stall)) => stall.wait().await?,
            Some((Moment::After, stall)) => *answer.lock().unwrap() = Some(stall),
            None => {}
        }
        engine.write_all(piece).await?;
    }
}

async fn forward_answers(
    mut engine: OwnedReadHalf,
    mut client: OwnedWriteHalf,
    answer: &Answer,
) -> io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let length = engine.read(&mut buffer).await?;
        let stall = answer.lock().unwrap().take();
        if let Some(stall) = stall {
            stall.wait().await?;
        }
        let piece = &buffer[..length];
        if piece.is_empty() {
            return Ok(());
        }
        client.write_all(piece).await?;
    }
}

fn find_rule(rules: &Rules, text: &str) -> Option<(Moment, Stall)> {
    let set = rules.lock().unwrap();
    let rule = set.rules.iter().find(|rule| (rule.matches)(text))?;
    let stall = Stall {
        text: text.to_owned(),
        held: rule.held.clone(),
    };
    Some((rule.moment, stall))
}
