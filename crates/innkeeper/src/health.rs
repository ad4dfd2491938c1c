//! `innkeeper auth health` and `innkeeper hosting health`: ask the server of the settings whether it is up.

use std::time::Duration;

use anyhow::{Context, bail};
use reqwest::Client;

use crate::{output, task};

/// How long the server may take to respond.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Asks the server that listens on this host and port of this machine.
pub(crate) fn check(host: &str, port: u16) -> anyhow::Result<()> {
    let url = url(host, port);
    task::block_on("Asking the server", async {
        let client = Client::builder().timeout(TIMEOUT).no_proxy().build();
        let response = client.context("cannot start")?.get(&url).send().await;
        match response {
            Ok(response) if response.status().is_success() => Ok(()),
            Ok(response) => bail!("{url} answers {}", response.status()),
            Err(error) if error.is_timeout() => bail!("{url} does not respond in time"),
            Err(_) => bail!("no server listens at {url}"),
        }
    })?;
    output::print("ok\n")
}

fn url(host: &str, port: u16) -> String {
    let host = match host {
        "" | "0.0.0.0" => "127.0.0.1".to_owned(),
        "::" | "[::]" => "[::1]".to_owned(),
        host if host.contains(':') && !host.starts_with('[') => format!("[{host}]"),
        host => host.to_owned(),
    };
    format!("http://{host}:{port}/health")
}

#[cfg(test)]
mod tests {
    use super::url;

    #[test]
    fn a_server_on_all_addresses_is_asked_on_this_machine() {
        for (host, expected) in [
            ("", "http://127.0.0.1:8081/health"),
            ("0.0.0.0", "http://127.0.0.1:8081/health"),
            ("::", "http://[::1]:8081/health"),
            ("::1", "http://[::1]:8081/health"),
            ("10.0.0.5", "http://10.0.0.5:8081/health"),
        ] {
            assert_eq!(url(host, 8081), expected);
        }
    }
}
