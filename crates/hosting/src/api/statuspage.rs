//! `GET /v1/statuspage/api/v2/…`: the status in the shape that tools for Statuspage read.

use std::sync::Arc;

use innkeeper_rest::{Request, resource};

use super::send::{Sent, send};
use crate::app::App;

pub(crate) struct Statuspage {
    pub(crate) app: Arc<App>,
}

#[resource("/statuspage/api/v2")]
impl Statuspage {
    /// Everything that is not over.
    #[get("/summary.json")]
    fn summary(&self, #[request] request: &Request) -> Sent {
        send(&self.app.board.view().summary, request.head())
    }

    /// How the whole is.
    #[get("/status.json")]
    fn status(&self, #[request] request: &Request) -> Sent {
        send(&self.app.board.view().overall, request.head())
    }

    /// How each component is.
    #[get("/components.json")]
    fn components(&self, #[request] request: &Request) -> Sent {
        send(&self.app.board.view().components, request.head())
    }

    /// Incidents of the last days.
    #[get("/incidents.json")]
    fn incidents(&self, #[request] request: &Request) -> Sent {
        send(&self.app.board.view().incidents, request.head())
    }

    /// Maintenances, those of the last days among them.
    #[get("/scheduled-maintenances.json")]
    fn maintenances(&self, #[request] request: &Request) -> Sent {
        send(&self.app.board.view().maintenances, request.head())
    }
}
