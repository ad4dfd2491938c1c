//! `GET /v1/status` and its badge: the status of the service.

use std::sync::Arc;

use innkeeper_rest::{Request, Unnegotiated, resource};

use crate::app::App;
use crate::status::StatusPage;

pub(crate) struct Status {
    pub(crate) app: Arc<App>,
}

#[resource("/status")]
impl Status {
    /// Returns the overall status, the components with their uptimes, incidents and maintenances.
    #[get]
    #[responds(200, StatusPage, "the status")]
    fn show(&self, #[request] request: &Request) -> Unnegotiated {
        let responses = self.app.monitor.responses();
        Unnegotiated(responses.status.respond(request.head()))
    }

    /// Returns the overall status as a badge.
    #[get("/badge.svg")]
    #[responds(200, "the badge")]
    fn badge(&self, #[request] request: &Request) -> Unnegotiated {
        let responses = self.app.monitor.responses();
        Unnegotiated(responses.badge.respond(request.head()))
    }
}
