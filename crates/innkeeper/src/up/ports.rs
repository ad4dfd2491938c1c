//! The sockets of `innkeeper up`, all opened before anything else is started.

use std::net::TcpListener;

use anyhow::{Context, bail};
use innkeeper_rest::Server;

use super::address::LOOPBACK;
use super::settings::Configs;
use crate::listen;

/// The listening sockets of all parts.
#[derive(Debug)]
pub(super) struct Sockets {
    pub(super) auth: Server,
    pub(super) hosting: Server,
    pub(super) portal: Server,
    /// `None` if mail goes to another server, and once the mailbox has it.
    pub(super) mailbox: Option<TcpListener>,
}

/// Opens sockets one after the other, and collects what is wrong with them.
#[derive(Default)]
struct SocketOpener {
    opened: Vec<(u16, &'static str)>,
    problems: Vec<String>,
}

impl Sockets {
    /// Opens the sockets of the settings. The error names all ports that cannot be used.
    pub(super) fn open(configs: &Configs, has_mailbox: bool) -> anyhow::Result<Self> {
        let (auth, hosting) = (&configs.auth.api, &configs.hosting.http);
        let mut opener = SocketOpener::default();
        let sockets = (
            opener.open("the auth server", "--auth-port", &auth.host, auth.port),
            opener.open(
                "the hosting server",
                "--hosting-port",
                &hosting.host,
                hosting.port,
            ),
            opener.open("the portal", "--portal-port", LOOPBACK, configs.portal_port),
        );
        let mailbox = has_mailbox.then(|| {
            let port = configs.auth.smtp.port;
            opener.open("the mailbox", "--mail-port", LOOPBACK, port)
        });
        match (sockets, opener.problems.as_slice()) {
            ((Some(auth), Some(hosting), Some(portal)), []) => Ok(Self {
                auth: server(auth)?,
                hosting: server(hosting)?,
                portal: server(portal)?,
                mailbox: mailbox.flatten(),
            }),
            (_, [problem]) => bail!("{problem}"),
            (_, problems) => bail!(
                "{} ports cannot be used:\n  {}",
                problems.len(),
                problems.join("\n  ")
            ),
        }
    }
}

impl SocketOpener {
    fn open(
        &mut self,
        part: &'static str,
        option: &str,
        host: &str,
        number: u16,
    ) -> Option<TcpListener> {
        match listen::on(host, number) {
            Ok(listener) => {
                let address = listener.local_addr();
                let bound = address.map_or(number, |address| address.port());
                self.opened.push((bound, part));
                Some(listener)
            }
            Err(error) => {
                let mut opened = self.opened.iter();
                let known = opened.find(|(known, _)| error.is_in_use() && *known == number);
                let problem = match known {
                    Some((_, other)) => format!("port {number} is also that of {other}"),
                    None => error.to_string(),
                };
                self.problems.push(format!(
                    "{part}: {problem}; to change the port, pass {option}"
                ));
                None
            }
        }
    }
}

fn server(listener: TcpListener) -> anyhow::Result<Server> {
    Server::from_listener(listener).context("cannot listen")
}
