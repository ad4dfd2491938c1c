//! `GET /v1/console`: the page with which a customer uses the console of a game server in a browser.
//!
//! It is opened with a one-time ticket in the fragment of its address, which browsers do not send. Its script
//! opens the websocket with the ticket.

use http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, X_FRAME_OPTIONS,
};
use innkeeper_rest::{PreparedResponse, Rejection, Request, Unnegotiated, resource};

use crate::prepared::prepare;

/// Whether the page has a terminal. Without it, it shows plain text.
const HAS_TERMINAL: bool = cfg!(feature = "console-page");
const PAGE: &str = include_str!("../../console-page/console.html");
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLES: &str = "text/css; charset=utf-8";

/// The page and its script belong together, so a browser asks whether its copies are current.
const CACHE_CONTROL: &str = "no-cache";
/// Only this page allows inline styles: the terminal positions and colours its text with them.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
                      img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

pub(crate) struct ConsolePage {
    page: PreparedResponse,
    files: Vec<(&'static str, PreparedResponse)>,
}

impl ConsolePage {
    pub(crate) fn new() -> Self {
        let terminal = if HAS_TERMINAL { "xterm" } else { "plain" };
        let page = PAGE.replace("@TERMINAL@", terminal);
        let file = |name, content_type, text: &'static str| {
            (name, prepare(content_type, CACHE_CONTROL, text))
        };
        Self {
            page: protected(prepare("text/html; charset=utf-8", CACHE_CONTROL, page)),
            files: vec![
                file(
                    "console.js",
                    SCRIPT,
                    include_str!("../../console-page/console.js"),
                ),
                file(
                    "view.js",
                    SCRIPT,
                    include_str!("../../console-page/view.js"),
                ),
                file(
                    "console.css",
                    STYLES,
                    include_str!("../../console-page/console.css"),
                ),
                #[cfg(feature = "console-page")]
                file(
                    "xterm.js",
                    SCRIPT,
                    include_str!(concat!(env!("INNKEEPER_CONSOLE_PAGE"), "/xterm.js")),
                ),
                #[cfg(feature = "console-page")]
                file(
                    "xterm.css",
                    STYLES,
                    include_str!(concat!(env!("INNKEEPER_CONSOLE_PAGE"), "/xterm.css")),
                ),
            ],
        }
    }
}

/// Adds the headers that keep other sites away from the page.
fn protected(page: PreparedResponse) -> PreparedResponse {
    page.common_header(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY))
        .header(REFERRER_POLICY, HeaderValue::from_static("no-referrer"))
        .header(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"))
        .header(
            HeaderName::from_static("cross-origin-opener-policy"),
            HeaderValue::from_static("same-origin"),
        )
}

#[resource("/console")]
impl ConsolePage {
    /// Returns the page that shows the console of a game server. Open it as
    /// `console#server=<server_id>&ticket=<ticket>`.
    #[get]
    #[responds(200, "the page")]
    fn page(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(self.page.respond(request.head()))
    }

    /// Returns a script or a style sheet of that page.
    #[get("/{file}")]
    #[responds(200, "the file")]
    #[responds(404, "the file does not exist")]
    fn file(
        &self,
        /// Such as `console.js`.
        file: &str,
        #[request] request: &Request,
    ) -> Result<Unnegotiated, Rejection> {
        let mut files = self.files.iter();
        match files.find(|(name, _)| *name == file) {
            Some((_, file)) => Ok(Unnegotiated(file.respond(request.head()))),
            None => Err(Rejection::not_found()),
        }
    }
}
