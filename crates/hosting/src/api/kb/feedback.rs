//! `POST /v1/kb/feedback`: what a reader says about an article of the knowledge base.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use http::StatusCode;
use http::header::{HeaderValue, RETRY_AFTER};
use innkeeper_rest::filter::ClientAddress;
use innkeeper_rest::{Rejection, Response, resource};
use innkeeper_service::database::DatabaseError;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::api::send::Sent;
use crate::app::App;
use crate::content::{Kind, path};
use crate::feedback::{self, Fault};

pub(crate) struct Feedback {
    pub(crate) app: Arc<App>,
}

/// That feedback was stored.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Receipt {
    #[schemars(with = "String", extend("format" = "uuid"))]
    id: Uuid,
    #[schemars(extend("format" = "date-time"))]
    received_at: String,
}

#[resource("/kb/feedback")]
impl Feedback {
    /// Takes feedback: 202 when it is new, 200 when it changes what the same client said about the
    /// same article within a day.
    #[post]
    #[responds(200, Receipt, "it changes what was said")]
    #[responds(202, Receipt, "it is new")]
    #[responds(404, "article not found")]
    #[responds(503, "feedback cannot be stored at the moment")]
    #[consumes("application/json")]
    #[body_limit(8 * 1024)]
    async fn send(
        &self,
        #[value] client: Option<ClientAddress>,
        #[entity] feedback: feedback::Feedback,
    ) -> Result<Sent, Rejection> {
        let mut feedback = feedback.checked().map_err(|faults| refused(&faults))?;
        feedback.path = self.article(&feedback.path)?;
        let database = self
            .app
            .database
            .as_ref()
            .filter(|_| self.app.board.is_ready());
        let database = database.ok_or_else(|| unavailable("there is no database"))?;
        let address = client.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client| client.0);
        let (salts, now) = (&self.app.salts, self.app.clock.now());
        let kept = feedback::keep(database, salts, address, &feedback, now).await;
        let kept = kept.map_err(failed)?;
        let status = if kept.is_new {
            StatusCode::ACCEPTED
        } else {
            StatusCode::OK
        };
        let receipt = Receipt {
            id: kept.id,
            received_at: format!("{:.3}", kept.received_at),
        };
        let response = Response::status(status).header("cache-control", "no-store");
        Ok(Sent(response.entity(receipt)))
    }

    /// The path that the article has now.
    fn article(&self, given: &str) -> Result<String, Rejection> {
        let checked = path::check(given).map_err(|problem| {
            let message = format!("path: {problem}");
            Rejection::new(StatusCode::BAD_REQUEST, "invalid_request", message)
        })?;
        let now = self.app.clock.now();
        let library = self.app.shelves.library();
        let found = library
            .by_path(Kind::Kb, checked, now)
            .map(|(_, article)| article);
        let moved = || {
            library
                .by_alias(checked, now)
                .filter(|article| article.kind == Kind::Kb)
        };
        let article = found.or_else(moved).ok_or_else(|| {
            Rejection::new(StatusCode::NOT_FOUND, "not_found", "article not found")
        })?;
        Ok(article.metadata.path.clone())
    }
}

fn refused(faults: &[Fault]) -> Rejection {
    let lines: Vec<String> = faults
        .iter()
        .map(|fault| format!("{}: {}", fault.field, fault.problem))
        .collect();
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    let rejection = Rejection::new(status, "invalid_request", lines.join("; "));
    faults.iter().fold(rejection, |rejection, fault| {
        rejection.with_error(format!("/{}", fault.field), fault.problem.clone())
    })
}

fn failed(error: DatabaseError) -> Rejection {
    if error.is_unavailable() {
        unavailable(&error.to_string())
    } else {
        Rejection::internal(error)
    }
}

fn unavailable(cause: &str) -> Rejection {
    let message = "feedback cannot be stored at the moment; try again later";
    Rejection::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
        .with_header(RETRY_AFTER, HeaderValue::from_static("10"))
        .with_cause(cause.to_owned())
}
