//! `GET /health`: whether the server answers, and with `deep=1` whether its parts do.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http::StatusCode;
use http::header::RETRY_AFTER;
use innkeeper_rest::filter::ClientAddress;
use innkeeper_rest::{Rejection, Response, resource};
use innkeeper_service::database::Database;
use schemars::JsonSchema;
use serde::Serialize;

use super::send::Sent;
use crate::app::App;

/// How long the database may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) struct Health {
    pub(crate) app: Arc<App>,
}

/// How the server is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    status: State,
    version: &'static str,
    uptime_seconds: i64,
    /// Only where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Parts>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    /// All is well.
    Ok,
    /// It is about to stop; send requests to another replica.
    Draining,
    /// A part does not answer.
    Failing,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
struct Parts {
    content: ContentState,
    database: DatabaseState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ContentState {
    Ok,
    /// Some files cannot be used; the log and `innkeeper hosting content check` name them.
    Faulty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum DatabaseState {
    Ok,
    Away,
    /// The settings name none.
    None,
}

#[resource("/")]
impl Health {
    /// Says that the server is up, and 503 when it is about to stop.
    #[get]
    #[responds(200, Report, "it is up")]
    #[responds(
        403,
        "parts are looked at for clients on this machine or in a private network"
    )]
    #[responds(503, Report, "it is about to stop, or its database is away")]
    async fn show(
        &self,
        /// `1` looks at the content and the database as well.
        deep: Option<String>,
        #[value] client: Option<ClientAddress>,
    ) -> Result<Sent, Rejection> {
        let parts = match deep.as_deref() {
            None | Some("0") => None,
            Some("1") if client.is_some_and(|client| is_inside(client.0)) => {
                Some(self.parts().await)
            }
            Some("1") => return Err(outside()),
            Some(_) => return Err(unknown_depth()),
        };
        let up = self.app.clock.now().duration_since(self.app.started_at);
        let status = match &parts {
            _ if self.app.is_draining.load(Ordering::Acquire) => State::Draining,
            Some(parts) if parts.database == DatabaseState::Away => State::Failing,
            _ => State::Ok,
        };
        let response = match status {
            State::Ok => Response::ok(),
            _ => Response::status(StatusCode::SERVICE_UNAVAILABLE).header(RETRY_AFTER, "5"),
        };
        let report = Report {
            status,
            version: crate::VERSION,
            uptime_seconds: up.as_secs().max(0),
            parts,
        };
        let response = response.header("cache-control", "no-store");
        Ok(Sent(response.entity(report)))
    }

    async fn parts(&self) -> Parts {
        let library = self.app.shelves.library();
        Parts {
            content: if library.problems().is_empty() {
                ContentState::Ok
            } else {
                ContentState::Faulty
            },
            database: match &self.app.database {
                None => DatabaseState::None,
                Some(database) if answers(database).await => DatabaseState::Ok,
                Some(_) => DatabaseState::Away,
            },
        }
    }
}

/// Whether the database answers.
async fn answers(database: &Database) -> bool {
    let answered = tokio::time::timeout(PATIENCE, database.ping()).await;
    matches!(answered, Ok(Ok(())))
}

/// Whether an address is of this machine or of a private network.
fn is_inside(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            address.is_loopback() || address.is_private() || address.is_link_local()
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

fn outside() -> Rejection {
    let message = "parts are looked at only for clients inside";
    Rejection::new(StatusCode::FORBIDDEN, "forbidden", message)
}

fn unknown_depth() -> Rejection {
    let message = "deep: expected 0 or 1";
    Rejection::new(StatusCode::BAD_REQUEST, "invalid_request", message)
}
