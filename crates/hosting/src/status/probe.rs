//! Asks a component whether it works.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use innkeeper_service::database::{Database, DatabaseError, DatabaseOptions};
use reqwest::Client;
use reqwest::redirect::Policy;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use super::damping::Seen;
use super::definition::{HttpTarget, Place, Probe, Target};

/// So much of a body is looked at.
const LOOKED_AT: usize = 256 * 1024;

/// What one probe saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) seen: Seen,
    /// How long the answer took, when there was one.
    pub(super) latency: Option<Duration>,
}

/// What probes ask with.
#[derive(Debug, Clone)]
pub(super) struct Asker {
    http: Client,
    /// The database of this server, if it has one.
    database: Option<Database>,
    /// Where this server can be reached, once it listens.
    here: Arc<OnceLock<SocketAddr>>,
}

impl Asker {
    pub(super) fn new(
        database: Option<Database>,
        here: Arc<OnceLock<SocketAddr>>,
    ) -> Result<Self, reqwest::Error> {
        let http = Client::builder()
            .redirect(Policy::none())
            .user_agent(concat!("innkeeper-status/", env!("CARGO_PKG_VERSION")))
            // A connection that is kept would hide that new ones fail.
            .pool_max_idle_per_host(0)
            .build()?;
        Ok(Self {
            http,
            database,
            here,
        })
    }

    pub(super) fn has_database(&self) -> bool {
        self.database.is_some()
    }

    /// Asks once. However it fails, that is an answer.
    pub(super) async fn ask(&self, probe: &Probe) -> Outcome {
        let start = Instant::now();
        let answered = timeout(probe.timeout, self.answers(&probe.target)).await;
        let latency = start.elapsed();
        let seen = match (answered, probe.slow) {
            (Err(_) | Ok(false), _) => Seen::Down,
            (Ok(true), Some(slow)) if latency > slow => Seen::Slow,
            (Ok(true), _) => Seen::Up,
        };
        Outcome {
            seen,
            latency: (seen != Seen::Down).then_some(latency),
        }
    }

    async fn answers(&self, target: &Target) -> bool {
        match target {
            Target::Http(target) => self.http_answers(target).await.unwrap_or(false),
            Target::Tcp { host, port } => TcpStream::connect((host.as_str(), *port)).await.is_ok(),
            Target::Postgres(None) => match &self.database {
                Some(database) => database.ping().await.is_ok(),
                None => false,
            },
            Target::Postgres(Some(url)) => postgres_answers(url.reveal()).await.is_ok(),
        }
    }

    async fn http_answers(&self, target: &HttpTarget) -> Result<bool, reqwest::Error> {
        let url = match (&target.place, self.here.get()) {
            (Place::At(url), _) => url.to_string(),
            (Place::Here(path), Some(address)) => format!("http://{}{path}", reachable(*address)),
            (Place::Here(_), None) => return Ok(false),
        };
        let request = if target.head {
            self.http.head(url)
        } else {
            self.http.get(url)
        };
        let mut answer = request.send().await?;
        let status = answer.status().as_u16();
        let is_good = |(from, to): &(u16, u16)| (*from..=*to).contains(&status);
        if !target.statuses.iter().any(is_good) {
            return Ok(false);
        }
        let Some(wanted) = &target.contains else {
            return Ok(true);
        };
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            body.extend_from_slice(&chunk);
            if body.len() > LOOKED_AT {
                break;
            }
        }
        Ok(String::from_utf8_lossy(&body).contains(wanted.as_str()))
    }
}

/// The address at which this machine reaches a server that listens there.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

async fn postgres_answers(url: &str) -> Result<(), DatabaseError> {
    let options = DatabaseOptions {
        application_name: "innkeeper-status".to_owned(),
        ..DatabaseOptions::new(url, "public")
    };
    let client = Database::new(options)?.connect_once().await?;
    client.simple_query("select 1").await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::super::definition::{HttpTarget, Place, Probe, Target};
    use super::{Arc, Asker, Seen};

    /// A server that answers every request with these words; without any it never answers.
    async fn server(words: Option<&'static str>) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let mut kept = Vec::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 1024];
                let _ = stream.read(&mut request).await;
                match words {
                    Some(words) => drop(stream.write_all(words.as_bytes()).await),
                    None => kept.push(stream),
                }
            }
        });
        port
    }

    fn http(port: u16, contains: Option<&str>) -> Target {
        Target::Http(HttpTarget {
            place: Place::At(format!("http://127.0.0.1:{port}/health").parse().unwrap()),
            head: false,
            statuses: vec![(200, 399)],
            contains: contains.map(str::to_owned),
        })
    }

    async fn seen(target: Target, slow: Option<Duration>) -> Seen {
        let asker = Asker::new(None, Arc::default()).unwrap();
        let timeout = Duration::from_millis(400);
        asker
            .ask(&Probe {
                target,
                timeout,
                slow,
            })
            .await
            .seen
    }

    #[tokio::test]
    async fn answers_are_judged() {
        let good = server(Some("HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nall ok\n")).await;
        let moved = server(Some(
            "HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n",
        ))
        .await;
        let bad = server(Some("HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n")).await;
        let nonsense = server(Some("SSH-2.0-nothing\r\n")).await;
        let silent = server(None).await;
        let closed = TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        for (target, expected) in [
            (http(good, None), Seen::Up),
            (http(good, Some("all ok")), Seen::Up),
            (http(good, Some("all well")), Seen::Down),
            (http(moved, None), Seen::Up),
            (http(bad, None), Seen::Down),
            (http(nonsense, None), Seen::Down),
            (http(silent, None), Seen::Down),
            (http(closed, None), Seen::Down),
            (
                Target::Tcp {
                    host: "127.0.0.1".to_owned(),
                    port: silent,
                },
                Seen::Up,
            ),
            (
                Target::Tcp {
                    host: "127.0.0.1".to_owned(),
                    port: closed,
                },
                Seen::Down,
            ),
            (Target::Postgres(None), Seen::Down),
        ] {
            let name = format!("{target:?}");
            assert_eq!(seen(target, None).await, expected, "{name}");
        }
        assert_eq!(
            seen(http(good, None), Some(Duration::ZERO)).await,
            Seen::Slow
        );
    }
}
