//! Round trips to the database per request, counted on the wire.
//!
//! The server connects to PostgreSQL through a relay that counts the messages by which the database
//! says that it is ready for the next query.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;

use anyhow::{Context, Result};
use innkeeper_service::cluster::Cluster;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::spawn_local;

use crate::Plan;
use crate::accounts;
use crate::http::Connection;
use crate::load::Step as _;
use crate::measure::Requester;
use crate::scenario::Scenario;
use crate::server::{Kind, Subject, wait_for};

/// Requests before counting, so that every connection has prepared every statement.
const WARM_UP: usize = 12;
/// Requests that are counted; the median is reported.
const COUNTED: usize = 15;
/// The type of a `ReadyForQuery` message.
const READY: u8 = b'Z';

/// Round trips of one scenario on one server.
#[derive(Debug)]
pub(crate) struct Trips {
    pub(crate) scenario: Scenario,
    pub(crate) subject: Subject,
    pub(crate) count: usize,
}

/// Counts the round trips of every scenario on every server.
pub(crate) async fn count(plan: &Plan, cluster: &Cluster) -> Result<Vec<Trips>> {
    let mut counted = Vec::new();
    for kind in [Kind::INNKEEPER, Kind::LITE] {
        if plan.has(kind.subject) {
            let of_kind = count_for(plan, cluster, kind).await;
            counted.extend(of_kind.with_context(|| format!("counting for {}", kind.subject))?);
        }
    }
    Ok(counted)
}

async fn count_for(plan: &Plan, cluster: &Cluster, kind: Kind) -> Result<Vec<Trips>> {
    let name = format!("trips_{}", kind.label());
    cluster.ensure_database(&name).await?;
    let relay = Relay::start(cluster.port()).await?;
    let url = relay.url(&cluster.url(&name), cluster.port());
    let folder = plan.places.folder_of(&name)?;
    let (mut process, site) = kind.spawn(&plan.places, &folder, &url)?;
    wait_for(&mut process, &site, "/settings").await?;
    let accounts = accounts::create(&site).await?;
    let account = accounts.first().context("no account")?;

    let mut counted = Vec::new();
    for &scenario in &plan.scenarios {
        if scenario == Scenario::UserDuringSignIns {
            continue;
        }
        let connection = Connection::open(site.address).await?;
        let mut requester = Requester::new(connection, &site, scenario, account.clone());
        let mut counts = Vec::new();
        for number in 0..WARM_UP + COUNTED {
            let before = relay.count();
            requester.step().await?;
            if number >= WARM_UP {
                counts.push(relay.count() - before);
            }
        }
        counts.sort_unstable();
        counted.push(Trips {
            scenario,
            subject: kind.subject,
            count: counts.get(COUNTED / 2).copied().unwrap_or_default(),
        });
    }
    process.stop().await?;
    Ok(counted)
}

/// A relay in front of the database, which counts round trips.
#[derive(Debug)]
pub(crate) struct Relay {
    address: SocketAddr,
    count: Rc<Cell<usize>>,
}

impl Relay {
    pub(crate) async fn start(port: u16) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let count = Rc::new(Cell::new(0));
        let counter = Rc::clone(&count);
        spawn_local(async move {
            while let Ok((client, _)) = listener.accept().await {
                spawn_local(relay(client, port, Rc::clone(&counter)));
            }
        });
        Ok(Self { address, count })
    }

    /// Returns the URL of a database on this port, through the relay.
    pub(crate) fn url(&self, direct: &str, port: u16) -> String {
        let relayed = format!(":{}/", self.address.port());
        direct.replace(&format!(":{port}/"), &relayed) + "?sslmode=disable"
    }

    /// Returns the round trips so far.
    pub(crate) fn count(&self) -> usize {
        self.count.get()
    }
}

/// Forwards all bytes until one side closes.
async fn relay(client: TcpStream, port: u16, count: Rc<Cell<usize>>) -> Result<()> {
    let server = TcpStream::connect(("127.0.0.1", port)).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let questions = tokio::io::copy(&mut from_client, &mut to_server);
    let answers = async {
        let mut messages = Messages::default();
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let length = from_server.read(&mut buffer).await?;
            let bytes = buffer.get(..length).unwrap_or_default();
            if bytes.is_empty() {
                return Ok::<_, std::io::Error>(());
            }
            count.set(count.get() + messages.ready(bytes));
            to_client.write_all(bytes).await?;
        }
    };
    tokio::select! {
        copied = questions => drop(copied?),
        copied = answers => copied?,
    }
    Ok(())
}

/// Finds the boundaries of messages: a letter, a length of four bytes, the rest.
#[derive(Debug, Default)]
struct Messages {
    head: Vec<u8>,
    /// Bytes left of the current message.
    left: usize,
}

impl Messages {
    /// Returns the number of `ReadyForQuery` messages.
    fn ready(&mut self, mut bytes: &[u8]) -> usize {
        let mut ready = 0;
        while let Some((&first, rest)) = bytes.split_first() {
            if self.left > 0 {
                let skipped = self.left.min(bytes.len());
                self.left -= skipped;
                bytes = bytes.get(skipped..).unwrap_or_default();
                continue;
            }
            self.head.push(first);
            bytes = rest;
            if let &[kind, a, b, c, d] = self.head.as_slice() {
                let length = u32::from_be_bytes([a, b, c, d]).saturating_sub(4);
                self.left = usize::try_from(length).unwrap_or_default();
                ready += usize::from(kind == READY);
                self.head.clear();
            }
        }
        ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_counted_however_they_are_cut() {
        let stream = [
            &b"R\0\0\0\x08\0\0\0\0"[..],
            b"Z\0\0\0\x05I",
            b"DZZ",
            b"Z\0\0\0\x05T",
        ];
        let mut stream: Vec<u8> = stream.concat();
        // A row whose text looks like the counted message.
        stream.splice(15..18, *b"D\0\0\0\x06ZZ");
        for size in 1..=stream.len() {
            let mut messages = Messages::default();
            let counted: usize = stream.chunks(size).map(|part| messages.ready(part)).sum();
            assert_eq!(counted, 2, "in pieces of {size}");
        }
    }
}
