//! `GET /v1/statuspage/api/v2/…`: the status in the shape that tools for Statuspage read.

use std::sync::Arc;

use innkeeper_rest::{Request, resource};

use super::openapi::shapes::{
    ComponentsOnly, IncidentsOnly, MaintenancesOnly, StatusOnly, Summary,
};
use super::send::{Sent, send};
use crate::app::App;

pub(crate) struct Statuspage {
    pub(crate) app: Arc<App>,
}

#[resource("/statuspage/api/v2")]
impl Statuspage {
    /// Everything that is not over.
    #[get("/summary.json")]
    #[responds(200, Summary)]
    fn summary(&self, #[request] request: &Request) -> Sent {
        send(&self.app.board.view().summary, request.head())
    }

    /// How the whole is.
    #[get("/status.json")]
    #[responds(200, StatusOnly)]
    fn status(&self, #[request] request: &Request) -> Sent {
        send(&self.app.board.view().overall, request.head())
    }

    /// How each component is.
    #[get("/components.json")]
    #[responds(200, ComponentsOnly)]
    fn components(&self, #[request] request: &Request) -> Sent {
        send(&self.app.board.view().components, request.head())
    }

    /// Incidents of the last days.
    #[get("/incidents.json")]
    #[responds(200, IncidentsOnly)]
    fn incidents(&self, #[request] request: &Request) -> Sent {
        send(&self.app.board.view().incidents, request.head())
    }

    /// Maintenances, those of the last days among them.
    #[get("/scheduled-maintenances.json")]
    #[responds(200, MaintenancesOnly)]
    fn maintenances(&self, #[request] request: &Request) -> Sent {
        send(&self.app.board.view().maintenances, request.head())
    }
}
