//! The portal of `innkeeper up`: its socket, its routes and its rights on both servers.

use anyhow::Context;
use innkeeper_hosting::Hosting;
use innkeeper_rest::{App, Server};
use url::Url;

use super::address::{LOOPBACK, external_url};
use super::banner::ConnectionInfo;
use super::demo_provider::PROVIDER;
use super::mailbox::Mailbox;
use super::settings::Configs;
use crate::portal::{self, Links, MachineAccess};

/// Returns the portal's URL.
pub(super) fn url(server: &Server) -> String {
    external_url(LOOPBACK, server.address().port())
}

/// Allows the portal's pages to call both servers and to be redirected to, besides the origins of the
/// settings. Users may reach this machine by name, so both spellings are allowed.
pub(super) fn allow(configs: &mut Configs, server: &Server) {
    for host in [LOOPBACK, "localhost"] {
        let origin = external_url(host, server.address().port());
        configs.auth.uri_allow_list.push(format!("{origin}/"));
        configs.hosting.http.cors_origins.push(origin);
    }
}

/// Returns the portal's routes.
pub(super) fn routes(
    info: &ConnectionInfo,
    mailbox: Option<&Mailbox>,
    hosting: &Hosting,
) -> anyhow::Result<App> {
    let url = |text: &str| Url::parse(text).with_context(|| format!("{text} is not a URL"));
    let links = Links {
        auth: url(&info.auth_url)?,
        hosting: url(&info.hosting_url)?,
        has_cluster: info.has_cluster,
        demo_provider: info.provider.as_ref().map(|_| PROVIDER),
        has_pages: info.has_pages,
    };
    let access = info.demo.as_ref().map(|demo| MachineAccess {
        hosting: hosting.clone(),
        api_key: demo.api_key.clone(),
        problems: info.machine_problems(),
    });
    let routes = portal::routes(&links, mailbox.map(Mailbox::sink), access)?;
    match &info.provider {
        Some(provider) => Ok(provider.start()?.mount(routes)),
        None => Ok(routes),
    }
}
