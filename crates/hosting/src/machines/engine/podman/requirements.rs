//! What the host must have to run game servers.

use std::path::Path;
use std::time::Duration;

use tokio::time::timeout;

use super::connect::EngineSocket;
use super::host_facts::HostFacts;
use super::{PodmanOptions, service};

/// How long an engine may take to answer.
const PING_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns what is missing, one sentence each. Nothing is started or changed.
pub(super) async fn missing(options: &PodmanOptions) -> Vec<String> {
    if let Some(socket) = &options.socket {
        return silence(socket).await.into_iter().collect();
    }
    let mut missing = HostFacts::read().missing();
    missing.extend(service::path_problem(&options.store));
    missing
}

/// Returns why an engine does not answer; `None` if it does.
async fn silence(socket: &Path) -> Option<String> {
    let engine = EngineSocket::new(socket);
    match timeout(PING_TIMEOUT, engine.ping()).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(format!("{}: {error}", socket.display())),
        Err(_) => Some(format!("{} does not answer", socket.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(socket: Option<&str>, store: String) -> PodmanOptions {
        PodmanOptions {
            socket: socket.map(Into::into),
            store: store.into(),
            publish_address: std::net::Ipv4Addr::LOCALHOST.into(),
            blocked: Vec::new(),
        }
    }

    #[tokio::test]
    async fn an_engine_that_does_not_answer_and_a_long_path_are_named() {
        let away = missing(&options(Some("/nowhere/podman.sock"), String::new())).await;
        assert_eq!(away.len(), 1, "{away:?}");
        assert!(away[0].starts_with("/nowhere/podman.sock: "), "{away:?}");
        let long = format!("/{}", "a".repeat(60));
        let long = missing(&options(None, long)).await;
        let last = long.last().unwrap();
        assert!(last.contains("HOSTING_CONTAINER_STORE"), "{long:?}");
    }
}
