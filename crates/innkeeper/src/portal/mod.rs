//! The start page and the mailbox of `innkeeper up`, on a listener of their own.
//!
//! The pages are static. Their scripts call both servers, as the pages of any other allowed origin
//! would. The portal is reachable only from this machine, and only under a host name of this machine.

mod host;
mod machines;
mod mails;
mod pages;

use std::sync::Arc;

use anyhow::Context;
use innkeeper_rest::filter::SecurityHeaders;
use innkeeper_rest::{App, RestApi};
use innkeeper_service::smtp_sink::SmtpSink;
use serde_json::json;
use url::Url;

pub(crate) use machines::MachineAccess;

/// The addresses that the start page links to.
#[derive(Debug, Clone)]
pub(crate) struct Links {
    /// The auth server.
    pub(crate) auth: Url,
    /// The hosting server, with `/v1`.
    pub(crate) hosting: Url,
    /// Whether the database is the private PostgreSQL.
    pub(crate) has_cluster: bool,
    /// The name of the demo provider at the auth server, if it is on.
    pub(crate) demo_provider: Option<&'static str>,
    /// Whether the auth server has pages for people.
    pub(crate) has_pages: bool,
}

/// Returns the portal's routes. Without a mailbox, its page says that mail goes to another server; without
/// machines, the start page shows none.
pub(crate) fn routes(
    links: &Links,
    mailbox: Option<Arc<SmtpSink>>,
    access: Option<MachineAccess>,
) -> anyhow::Result<App> {
    let config = config(links, mailbox.as_deref()).to_string();
    let machines = machines::Machines {
        access,
        hosting_url: links.hosting.clone(),
    };
    let security = SecurityHeaders::builder()
        .content_security_policy(content_security_policy(links))
        .build()
        .context("the portal's security headers")?;
    Ok(App::new()
        .filter(host::LocalHosts)
        .filter(security)
        .files("/", pages::pages())
        .files("/blog", pages::articles())
        .files("/kb", pages::articles())
        .files("/portal", pages::assets(config))
        .mount("/portal/mails", RestApi::new(mails::Mails { mailbox }))
        .mount("/portal/machines", RestApi::new(machines)))
}

/// Allows the pages to load from and connect to this program only.
fn content_security_policy(links: &Links) -> String {
    let auth = links.auth.origin().ascii_serialization();
    let origin = links.hosting.origin().ascii_serialization();
    let hosting = address(&links.hosting);
    format!(
        "default-src 'none'; script-src 'self' {hosting}/heo-status.js; style-src 'self'; \
         img-src 'self' {hosting}/assets/; connect-src 'self' {auth} {origin}; frame-src 'self'; \
         base-uri 'none'; form-action 'none'"
    )
}

/// Returns the configuration of the pages' scripts.
fn config(links: &Links, mailbox: Option<&SmtpSink>) -> serde_json::Value {
    let mail = mailbox.map(|sink| format!("smtp://{}", sink.address()));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "auth_url": address(&links.auth),
        "hosting_url": address(&links.hosting),
        "has_cluster": links.has_cluster,
        "demo_provider": links.demo_provider,
        "has_pages": links.has_pages,
        "mail": mail,
        "client": pages::HAS_CLIENT,
    })
}

fn address(url: &Url) -> &str {
    url.as_str().trim_end_matches('/')
}
