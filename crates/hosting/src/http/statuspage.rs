//! `GET /v1/statuspage/api/v2/…`: the status in the format of Statuspage, which many tools read.

use std::sync::Arc;

use innkeeper_rest::{Request, Unnegotiated, resource};

use super::openapi::shapes::{
    ComponentsOnly, IncidentsOnly, MaintenancesOnly, StatusOnly, Summary,
};
use crate::app::App;

pub(crate) struct Statuspage {
    pub(crate) app: Arc<App>,
}

#[resource("/statuspage/api/v2")]
impl Statuspage {
    /// Returns the overall status, components, open incidents, and maintenances that are not completed.
    #[get("/summary.json")]
    #[responds(200, Summary)]
    fn summary(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(self.app.monitor.responses().summary.respond(request.head()))
    }

    /// Returns the overall status.
    #[get("/status.json")]
    #[responds(200, StatusOnly)]
    fn status(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(self.app.monitor.responses().overall.respond(request.head()))
    }

    /// Returns the components.
    #[get("/components.json")]
    #[responds(200, ComponentsOnly)]
    fn components(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(
            self.app
                .monitor
                .responses()
                .components
                .respond(request.head()),
        )
    }

    /// Returns open incidents and those of the last days.
    #[get("/incidents.json")]
    #[responds(200, IncidentsOnly)]
    fn incidents(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(
            self.app
                .monitor
                .responses()
                .incidents
                .respond(request.head()),
        )
    }

    /// Returns scheduled maintenances and those of the last days.
    #[get("/scheduled-maintenances.json")]
    #[responds(200, MaintenancesOnly)]
    fn maintenances(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(
            self.app
                .monitor
                .responses()
                .maintenances
                .respond(request.head()),
        )
    }
}
