//! The portal of `innkeeper up`: its port, its socket, its routes.

use anyhow::{Context, anyhow};
use innkeeper_rest::{App, Server};
use innkeeper_service::settings::{Faults, Kind, Reader, Section, Setting};
use url::Url;

use super::banner::Running;
use super::mailbox::Mailbox;
use super::settings::LOOPBACK;
use crate::listen;
use crate::portal::{self, Links};

/// Where the portal listens by itself.
pub(super) const PORT: u16 = 8082;

const TABLE: &[Section] = &[Section {
    title: "Portal",
    settings: &[Setting::new(
        "PORT",
        Kind::Port,
        "Where the start page and the mailbox are.",
    )
    .default(&["8082"])],
}];

/// A reader for the one setting of the portal, `PORTAL_PORT`.
pub(super) fn reader() -> Reader {
    Reader::new(TABLE, &["PORTAL_"])
}

/// The port of the settings.
pub(super) fn port(reader: &mut Reader) -> Result<u16, Faults> {
    let port = reader.get("PORT");
    reader.finish()?;
    Ok(port)
}

/// Takes the port, which is known to be free then. Only this machine reaches it.
pub(super) fn listen(port: u16) -> anyhow::Result<Server> {
    let listener = listen::on(LOOPBACK, port)
        .map_err(|error| anyhow!("the portal: {error}; --portal-port chooses another"))?;
    Server::from_listener(listener).context("cannot listen")
}

/// What the portal answers.
pub(super) fn routes(running: &Running, mailbox: Option<&Mailbox>) -> anyhow::Result<App> {
    let url = |text: &str| Url::parse(text).with_context(|| format!("{text} is no address"));
    let links = Links {
        auth: url(&running.auth_url)?,
        hosting: url(&running.hosting_url)?,
    };
    Ok(portal::routes(&links, mailbox.map(Mailbox::sink)))
}
