//! `GET /health`: whether the server is up, and with `deep=1` whether its parts are.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::StatusCode;
use http::header::RETRY_AFTER;
use innkeeper_rest::filter::ClientAddress;
use innkeeper_rest::{Rejection, Response, Unnegotiated, resource};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;

pub(crate) struct Health {
    pub(crate) app: Arc<App>,
}

/// The health of the server.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Report")]
struct HealthReport {
    status: HealthStatus,
    version: &'static str,
    uptime_seconds: i64,
    /// Only with `deep=1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<HealthParts>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "State")]
enum HealthStatus {
    /// The server is up.
    Ok,
    /// The server is about to stop; send requests to another replica.
    Draining,
    /// The database is away.
    Failing,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "Parts")]
struct HealthParts {
    content: ContentHealth,
    database: DatabaseHealth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ContentState")]
enum ContentHealth {
    /// All files are valid.
    Ok,
    /// Some files are invalid or cannot be read; the log and `innkeeper hosting content check` name them.
    Faulty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "DatabaseState")]
enum DatabaseHealth {
    /// The database answers and its schema is up to date.
    Ok,
    /// The database does not answer, or its schema is not up to date yet.
    Away,
    /// `DATABASE_URL` is not set.
    None,
}

#[resource("/")]
impl Health {
    /// Reports whether the server is up, with 503 if it is about to stop.
    #[get]
    #[responds(200, HealthReport, "the server is up")]
    #[responds(
        403,
        "`deep=1` is reserved for clients on this machine or in a private network"
    )]
    #[responds(
        503,
        HealthReport,
        "the server is about to stop, or its database is away"
    )]
    async fn show(
        &self,
        /// `1` checks the content and the database as well.
        deep: Option<String>,
        #[value] client: Option<ClientAddress>,
    ) -> Result<Unnegotiated, Rejection> {
        let parts = match deep.as_deref() {
            None | Some("0") => None,
            Some("1") if client.is_some_and(|client| is_internal(client.0)) => {
                Some(self.parts().await)
            }
            Some("1") => return Err(forbidden()),
            Some(_) => return Err(invalid_depth()),
        };
        let uptime = self.app.clock.now().duration_since(self.app.started_at);
        let status = match &parts {
            _ if self.app.is_draining.load(Ordering::Acquire) => HealthStatus::Draining,
            Some(parts) if parts.database == DatabaseHealth::Away => HealthStatus::Failing,
            _ => HealthStatus::Ok,
        };
        let response = match status {
            HealthStatus::Ok => Response::ok(),
            _ => Response::status(StatusCode::SERVICE_UNAVAILABLE).header(RETRY_AFTER, "5"),
        };
        let report = HealthReport {
            status,
            version: crate::base::VERSION,
            uptime_seconds: uptime.as_secs().max(0),
            parts,
        };
        let response = response.header("cache-control", "no-store");
        Ok(Unnegotiated(response.entity(report)))
    }

    async fn parts(&self) -> HealthParts {
        let index = self.app.content.index();
        HealthParts {
            content: if index.problems().is_empty() {
                ContentHealth::Ok
            } else {
                ContentHealth::Faulty
            },
            database: match &self.app.database {
                None => DatabaseHealth::None,
                Some(database) if database.is_healthy().await => DatabaseHealth::Ok,
                Some(_) => DatabaseHealth::Away,
            },
        }
    }
}

/// Tells whether an address belongs to this machine or to a private network.
fn is_internal(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            address.is_loopback() || address.is_private() || address.is_link_local()
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

fn forbidden() -> Rejection {
    let message = "deep=1 is reserved for clients on this machine or in a private network";
    Rejection::new(StatusCode::FORBIDDEN, "forbidden", message)
}

fn invalid_depth() -> Rejection {
    let message = "deep: expected 0 or 1";
    Rejection::new(StatusCode::BAD_REQUEST, "invalid_request", message)
}
