//! Probes of components over HTTP, TCP and PostgreSQL.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use innkeeper_service::database::{Database, DatabaseError, DatabaseOptions};
use reqwest::Client;
use reqwest::redirect::Policy;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use super::probe_result::ProbeResult;
use crate::content::status_definition::{HttpTarget, Probe, ProbeUrl, Target};

/// How much of a body is searched for the expected text, in bytes.
const MAX_SEARCHED: usize = 256 * 1024;

/// The outcome of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProbeOutcome {
    pub(super) result: ProbeResult,
    /// How long the answer took; `None` if the target is down.
    pub(super) latency: Option<Duration>,
}

/// The client that runs probes.
#[derive(Debug, Clone)]
pub(super) struct ProbeClient {
    http: Client,
    /// The database of this server, for probes without a URL.
    database: Option<Database>,
    /// The address that this server listens on, once it does.
    own_address: Arc<OnceLock<SocketAddr>>,
}

impl ProbeClient {
    pub(super) fn new(
        database: Option<Database>,
        own_address: Arc<OnceLock<SocketAddr>>,
    ) -> Result<Self, reqwest::Error> {
        let http = Client::builder()
            .redirect(Policy::none())
            .user_agent(concat!("innkeeper-status/", env!("CARGO_PKG_VERSION")))
            // A pooled connection would hide that new ones fail.
            .pool_max_idle_per_host(0)
            .build()?;
        Ok(Self {
            http,
            database,
            own_address,
        })
    }

    pub(super) fn has_database(&self) -> bool {
        self.database.is_some()
    }

    /// Runs a probe once. Any failure means that the target is down.
    pub(super) async fn probe(&self, probe: &Probe) -> ProbeOutcome {
        let start = Instant::now();
        let answered = timeout(probe.timeout, self.answers(&probe.target)).await;
        let latency = start.elapsed();
        let result = match (answered, probe.slow) {
            (Err(_) | Ok(false), _) => ProbeResult::Down,
            (Ok(true), Some(slow)) if latency > slow => ProbeResult::Slow,
            (Ok(true), _) => ProbeResult::Up,
        };
        ProbeOutcome {
            result,
            latency: (result != ProbeResult::Down).then_some(latency),
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
        let url = match (&target.url, self.own_address.get()) {
            (ProbeUrl::Absolute(url), _) => url.to_string(),
            (ProbeUrl::OwnPath(path), Some(address)) => {
                format!("http://{}{path}", reachable(*address))
            }
            (ProbeUrl::OwnPath(_), None) => return Ok(false),
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
        let Some(expected) = &target.contains else {
            return Ok(true);
        };
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_SEARCHED {
                break;
            }
        }
        Ok(String::from_utf8_lossy(&body).contains(expected.as_str()))
    }
}

/// Returns the address at which this machine can reach a server that listens on an address.
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

    use super::{Arc, ProbeClient, ProbeResult};
    use crate::content::status_definition::{HttpTarget, Probe, ProbeUrl, Target};

    /// Starts a server that answers every request with a text, or never if there is none.
    async fn server(response: Option<&'static str>) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let mut open = Vec::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 1024];
                let _ = stream.read(&mut request).await;
                match response {
                    Some(text) => drop(stream.write_all(text.as_bytes()).await),
                    None => open.push(stream),
                }
            }
        });
        port
    }

    fn http(port: u16, contains: Option<&str>) -> Target {
        Target::Http(HttpTarget {
            url: ProbeUrl::Absolute(format!("http://127.0.0.1:{port}/health").parse().unwrap()),
            head: false,
            statuses: vec![(200, 399)],
            contains: contains.map(str::to_owned),
        })
    }

    async fn result(target: Target, slow: Option<Duration>) -> ProbeResult {
        let client = ProbeClient::new(None, Arc::default()).unwrap();
        let timeout = Duration::from_millis(400);
        client
            .probe(&Probe {
                target,
                timeout,
                slow,
            })
            .await
            .result
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
            (http(good, None), ProbeResult::Up),
            (http(good, Some("all ok")), ProbeResult::Up),
            (http(good, Some("all well")), ProbeResult::Down),
            (http(moved, None), ProbeResult::Up),
            (http(bad, None), ProbeResult::Down),
            (http(nonsense, None), ProbeResult::Down),
            (http(silent, None), ProbeResult::Down),
            (http(closed, None), ProbeResult::Down),
            (
                Target::Tcp {
                    host: "127.0.0.1".to_owned(),
                    port: silent,
                },
                ProbeResult::Up,
            ),
            (
                Target::Tcp {
                    host: "127.0.0.1".to_owned(),
                    port: closed,
                },
                ProbeResult::Down,
            ),
            (Target::Postgres(None), ProbeResult::Down),
        ] {
            let name = format!("{target:?}");
            assert_eq!(result(target, None).await, expected, "{name}");
        }
        assert_eq!(
            result(http(good, None), Some(Duration::ZERO)).await,
            ProbeResult::Slow
        );
    }
}
