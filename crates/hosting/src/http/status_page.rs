//! `GET /v1/status.html`, its style sheet, and its feed: the status of the service for people.

use std::sync::Arc;

use innkeeper_rest::{Request, Unnegotiated, resource};

use crate::app::App;

pub(crate) struct StatusHtml {
    pub(crate) app: Arc<App>,
}

#[resource("/")]
impl StatusHtml {
    /// Returns the status as a page: components with their last 90 days, incidents and maintenances.
    #[get("/status.html")]
    #[responds(200, "the page")]
    fn page(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(self.app.monitor.responses().html.respond(request.head()))
    }

    /// Returns the style sheet of that page, with the theme of the operator.
    #[get("/status.css")]
    #[responds(200, "the style sheet")]
    fn styles(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(self.app.monitor.styles().respond(request.head()))
    }

    /// Returns incidents and maintenances as an Atom feed.
    #[get("/status.atom")]
    #[responds(200, "the feed")]
    fn feed(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(self.app.monitor.responses().atom.respond(request.head()))
    }
}
