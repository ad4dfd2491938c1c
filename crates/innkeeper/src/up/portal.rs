//! The portal of `innkeeper up`: its port, its socket, its routes.

use anyhow::{Context, anyhow};
use innkeeper_rest::{App, Server};
use innkeeper_service::settings::{Faults, Kind, Reader, Section, Setting};
use url::Url;

use super::banner::Running;
use super::mailbox::Mailbox;
use super::settings::{Configs, LOOPBACK, external_url};
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

/// How people on this machine reach it.
pub(super) fn url(server: &Server) -> String {
    external_url(LOOPBACK, server.address().port())
}

/// Lets the pages of the portal call both servers and be returned to, whatever else is approved. People
/// may know this machine by name.
pub(super) fn approve(configs: &mut Configs, server: &Server) {
    for host in [LOOPBACK, "localhost"] {
        let origin = external_url(host, server.address().port());
        configs.auth.uri_allow_list.push(format!("{origin}/"));
        configs.hosting.http.cors_origins.push(origin);
    }
}

/// What the portal answers.
pub(super) fn routes(running: &Running, mailbox: Option<&Mailbox>) -> anyhow::Result<App> {
    let url = |text: &str| Url::parse(text).with_context(|| format!("{text} is no address"));
    let links = Links {
        auth: url(&running.auth_url)?,
        hosting: url(&running.hosting_url)?,
        has_cluster: running.has_cluster,
    };
    Ok(portal::routes(&links, mailbox.map(Mailbox::sink)))
}
