//! `GET /health`: whether the server answers.

use std::sync::Arc;

use innkeeper_rest::{Response, resource};
use serde::Serialize;

use super::send::Sent;
use crate::app::App;

pub(crate) struct Health {
    pub(crate) app: Arc<App>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    status: &'static str,
    version: &'static str,
    uptime_seconds: i64,
}

#[resource("/")]
impl Health {
    /// Says that the server is up.
    #[get]
    fn show(&self) -> Sent {
        let up = self.app.clock.now().duration_since(self.app.started_at);
        let report = Report {
            status: "ok",
            version: crate::VERSION,
            uptime_seconds: up.as_secs().max(0),
        };
        Sent(
            Response::ok()
                .header("cache-control", "no-store")
                .entity(report),
        )
    }
}
