//! `/v1/console`: the page with which a customer uses the console of a game server in a browser.
//!
//! It is opened with a one-time ticket in the fragment of its address, which browsers do not send. Its script
//! opens the websocket with the ticket. Without scripts the page has forms, which are posted to the same path.

mod forms;

use std::sync::Arc;

use http::header::{CONTENT_SECURITY_POLICY, HeaderValue};
use innkeeper_rest::{PreparedResponse, Rejection, Request, Response, Unnegotiated, resource};

use crate::base::prepared::prepare;
use crate::http::control::console_form::{self, ConsoleForm};
use crate::http::control::context::Control;
pub(super) use forms::ConsolePageErrors;

/// The path of the page.
pub(super) const PATH: &str = "/v1/console";

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
    control: Arc<Control>,
    page: PreparedResponse,
    files: Vec<(&'static str, PreparedResponse)>,
}

impl ConsolePage {
    pub(crate) fn new(control: Arc<Control>) -> Self {
        let terminal = if HAS_TERMINAL { "xterm" } else { "plain" };
        let page = PAGE
            .replace("@TERMINAL@", terminal)
            .replace("@FORM@", forms::entry_form());
        let file = |name, content_type, text: &'static str| {
            (name, prepare(content_type, CACHE_CONTROL, text))
        };
        Self {
            control,
            page: protected(prepare(forms::CONTENT_TYPE, CACHE_CONTROL, page)),
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
    let page = page.common_header(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    forms::PROTECTION
        .into_iter()
        .fold(page, |page, (name, value)| {
            page.header(name, HeaderValue::from_static(value))
        })
}

#[resource("/")]
impl ConsolePage {
    /// Returns the page that shows the console of a game server. Open it as
    /// `console#server=<server_id>&ticket=<ticket>`.
    #[get]
    #[responds(200, "the page")]
    fn page(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(self.page.respond(request.head()))
    }

    /// Shows the console of a game server without scripts, after the form was carried out.
    ///
    /// The form has the fields `server` and `credential`, which is a one-time ticket or an API key with the scope
    /// `game:console:read`; `action` is `show`, `command`, `start`, `stop`, `restart` or `kill`, and `line` is the
    /// command. The page has forms with the next ticket. Errors are pages, too.
    #[post]
    #[responds(200, "the page, with the latest lines of the log")]
    #[responds(401, "the ticket or the key is not valid")]
    #[responds(
        403,
        "the key does not have the scope, or the page is of another origin"
    )]
    #[responds(404, "the server does not exist")]
    #[responds(409, "the state of the server does not allow it")]
    #[responds(503, "the console is not available at the moment")]
    #[consumes("application/x-www-form-urlencoded")]
    async fn submit(
        &self,
        #[entity] form: ConsoleForm,
        #[request] request: &Request,
    ) -> Result<Unnegotiated, Rejection> {
        let view = console_form::submit(&self.control, form, request).await?;
        let page = forms::shown(&view);
        Ok(Unnegotiated(forms::protected(Response::ok(), page)))
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
