//! The start page and the mailbox of `innkeeper up`, on a listener of their own.
//!
//! The pages are static; what they show they ask both servers for, as any other page of an approved
//! origin would. Only programs on this machine reach them, and only under a name of this machine.

mod host;
mod mails;
mod pages;

use std::sync::Arc;

use innkeeper_rest::{App, RestApi};
use innkeeper_service::smtp_sink::SmtpSink;
use serde_json::json;
use url::Url;

/// What the start page links to.
#[derive(Debug, Clone)]
pub(crate) struct Links {
    /// The auth server.
    pub(crate) auth: Url,
    /// The hosting server, with `/v1`.
    pub(crate) hosting: Url,
    /// Whether the database is the private one.
    pub(crate) has_cluster: bool,
}

/// The routes of the portal. Without a mailbox its page says that mail goes elsewhere.
pub(crate) fn routes(links: &Links, mailbox: Option<Arc<SmtpSink>>) -> App {
    let pages = pages::Pages {
        policy: policy(links),
        config: config(links, mailbox.as_deref()).to_string(),
    };
    let api = RestApi::new(pages).with(mails::Mails { mailbox });
    App::new().filter(host::OfThisMachine).mount("/", api)
}

/// What the pages may load and whom they may ask: nothing and nobody but this program.
fn policy(links: &Links) -> String {
    let auth = links.auth.origin().ascii_serialization();
    let origin = links.hosting.origin().ascii_serialization();
    let hosting = address(&links.hosting);
    format!(
        "default-src 'none'; script-src 'self' {hosting}/heo-status.js; style-src 'self'; \
         img-src 'self' {hosting}/assets/; connect-src 'self' {auth} {origin}; frame-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// What the scripts of the pages need to know.
fn config(links: &Links, mailbox: Option<&SmtpSink>) -> serde_json::Value {
    let mail = mailbox.map(|sink| format!("smtp://{}", sink.address()));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "auth_url": address(&links.auth),
        "hosting_url": address(&links.hosting),
        "has_cluster": links.has_cluster,
        "mail": mail,
        "client": pages::HAS_CLIENT,
    })
}

fn address(url: &Url) -> &str {
    url.as_str().trim_end_matches('/')
}
