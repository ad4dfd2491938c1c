//! `GET /v1/status` and its badge: the status of the service.

use std::sync::Arc;

use innkeeper_rest::{Request, resource};

use super::send::{Sent, send};
use crate::app::App;
use crate::status::Page;

pub(crate) struct Status {
    pub(crate) app: Arc<App>,
}

#[resource("/status")]
impl Status {
    /// Components with their uptimes, incidents and maintenances, and how the whole is.
    #[get]
    #[responds(200, Page, "the status")]
    fn show(&self, #[request] request: &Request) -> Sent {
        send(&self.app.board.view().status, request.head())
    }

    /// How the whole is, as a small picture.
    #[get("/badge.svg")]
    #[responds(200, "a picture")]
    fn badge(&self, #[request] request: &Request) -> Sent {
        let Sent(response) = send(&self.app.board.view().badge, request.head());
        // It stands in pages of others.
        Sent(response.header("cross-origin-resource-policy", "cross-origin"))
    }
}
