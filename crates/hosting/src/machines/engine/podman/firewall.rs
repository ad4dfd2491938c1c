//! Firewall rules that keep containers away from the host, from each other and from private networks.
//!
//! A container reaches the host at the address of its bridge, at every other address of the host, and by
//! IPv6 at the bridge's link-local address. It reaches another machine at a published port. All bridges have
//! names with the same prefix, so a few rules hold for all of them. They are in the table `mangle`, which
//! the kernel asks before `filter`: there they do not depend on the rules of the engine and of other
//! programs.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use innkeeper_rest::filter::IpNetwork;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::names::BRIDGE_PREFIX;
use super::tools;
use crate::machines::engine::EngineError;

/// The chain for packets to the host.
const TO_HOST: &str = "INNKEEPER-HOST";
/// The chain for packets to somewhere else.
const FORWARDED: &str = "INNKEEPER-FORWARD";

/// Networks that no game server needs: private ones, of providers, link-local ones with the metadata service
/// of clouds, and loopback.
pub(super) const PRIVATE_NETWORKS: &[&str] = &[
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
];

/// The rules for all containers of this program.
#[derive(Debug, Clone)]
pub(super) struct Firewall {
    /// What comes before the name of a program, to run it where the bridges are.
    prefix: Vec<PathBuf>,
    blocked: Vec<IpNetwork>,
}

impl Firewall {
    /// Returns rules that also block these networks.
    pub(super) fn new(prefix: Vec<PathBuf>, blocked: Vec<IpNetwork>) -> Self {
        Self { prefix, blocked }
    }

    /// Installs the rules if they are missing. Doing so again changes nothing.
    pub(super) async fn ensure(&self) -> Result<(), EngineError> {
        self.ensure_family("iptables", &self.rules()).await?;
        // Without IPv6 in the kernel there is nothing to block.
        if Path::new("/proc/net/if_inet6").exists() {
            self.ensure_family("ip6tables", DROP_ALL).await?;
        }
        Ok(())
    }

    async fn ensure_family(&self, program: &str, rules: &str) -> Result<(), EngineError> {
        let table = format!("*mangle\n:{TO_HOST} - [0:0]\n:{FORWARDED} - [0:0]\n{rules}COMMIT\n");
        // The chains are replaced in one step, and none of a packet passes between.
        self.run(
            &format!("{program}-restore"),
            &["--wait", "--noflush"],
            &table,
        )
        .await?;
        for (chain, target) in [("INPUT", TO_HOST), ("FORWARD", FORWARDED)] {
            let bridges = format!("{BRIDGE_PREFIX}+");
            let rule = ["-i", &bridges, "-j", target];
            let check = [&["--wait", "-t", "mangle", "-C", chain][..], &rule].concat();
            if self.run(program, &check, "").await.is_err() {
                let insert = [&["--wait", "-t", "mangle", "-I", chain, "1"][..], &rule].concat();
                self.run(program, &insert, "").await?;
            }
        }
        Ok(())
    }

    fn rules(&self) -> String {
        let mut rules = String::new();
        for chain in [TO_HOST, FORWARDED] {
            // Answers to who connected from outside.
            let state = "-m conntrack --ctstate RELATED,ESTABLISHED";
            let _ = writeln!(rules, "-A {chain} {state} -j RETURN");
        }
        let _ = writeln!(rules, "-A {TO_HOST} -j DROP");
        let _ = writeln!(rules, "-A {FORWARDED} -o {BRIDGE_PREFIX}+ -j DROP");
        for protocol in ["udp", "tcp"] {
            // Resolvers are often in a private network.
            let _ = writeln!(rules, "-A {FORWARDED} -p {protocol} --dport 53 -j RETURN");
        }
        let networks = self.blocked.iter().map(ToString::to_string);
        // Nothing passes by IPv6.
        for network in networks.filter(|network| !network.contains(':')) {
            let _ = writeln!(rules, "-A {FORWARDED} -d {network} -j DROP");
        }
        if self.is_rootless() {
            // What a container of a normal user sends to the host is forwarded by a process on the host.
            let table = fs::read_to_string("/proc/net/fib_trie").unwrap_or_default();
            for address in local_addresses(&table) {
                let _ = writeln!(rules, "-A {FORWARDED} -d {address} -j DROP");
            }
        }
        rules
    }

    /// Tells whether bridges are in a namespace that ends with the last container.
    pub(super) fn is_rootless(&self) -> bool {
        !self.prefix.is_empty()
    }

    async fn run(&self, program: &str, arguments: &[&str], input: &str) -> Result<(), EngineError> {
        let failure = |reason: String| {
            EngineError::Internal(format!("cannot set the firewall rules: {reason}"))
        };
        let path = tools::find(program).ok_or_else(|| failure(format!("{program} is missing")))?;
        let mut words = self.prefix.iter().chain([&path]);
        let mut command = Command::new(words.next().unwrap_or(&path));
        let mut child = command
            .args(words)
            .args(arguments)
            .env("PATH", tools::search_path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failure(format!("{program}: {error}")))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read it says why on its other output.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
        let output = child.wait_with_output().await;
        let output = output.map_err(|error| failure(format!("{program}: {error}")))?;
        if output.status.success() {
            return Ok(());
        }
        Err(failure(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        ))
    }
}

/// The networks of machines have no IPv6, so nothing that is sent by it is wanted.
const DROP_ALL: &str = "-A INNKEEPER-HOST -j DROP\n-A INNKEEPER-FORWARD -j DROP\n";

/// Returns the private networks.
pub(super) fn private_networks() -> Vec<IpNetwork> {
    PRIVATE_NETWORKS
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect()
}

/// Returns the addresses of the host in the kernel's table of routes: a line with an address, followed by a
/// line that says that it is local.
fn local_addresses(table: &str) -> BTreeSet<Ipv4Addr> {
    let lines = table.lines().map(str::trim);
    let pairs = lines.clone().zip(lines.skip(1));
    let local = pairs.filter(|(_, next)| *next == "/32 host LOCAL");
    local
        .filter_map(|(line, _)| line.strip_prefix("|-- ")?.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Firewall, PRIVATE_NETWORKS, local_addresses, private_networks};

    #[test]
    fn addresses_of_the_host_are_found() {
        let table = std::fs::read_to_string("/proc/net/fib_trie").unwrap();
        assert!(local_addresses(&table).contains(&std::net::Ipv4Addr::LOCALHOST));
        let text = "Local:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 192.0.2.2\n        /32 host LOCAL\n     |-- 192.0.2.255\n        /32 link BROADCAST\n";
        let found: Vec<String> = local_addresses(text)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found, ["192.0.2.2"]);
    }

    #[test]
    fn all_private_networks_are_blocked() {
        let networks = private_networks();
        assert_eq!(networks.len(), PRIVATE_NETWORKS.len());
        let rules = Firewall::new(Vec::new(), networks).rules();
        assert!(rules.contains("-A INNKEEPER-FORWARD -d 192.168.0.0/16 -j DROP\n"));
        assert!(rules.contains("-A INNKEEPER-FORWARD -o ink+ -j DROP\n"));
        assert!(rules.contains("-A INNKEEPER-HOST -j DROP\n"));
    }
}
