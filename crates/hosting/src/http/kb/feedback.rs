//! `POST /v1/kb/feedback`: feedback of a reader on an article of the knowledge base.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use innkeeper_rest::filter::ClientAddress;
use innkeeper_rest::{Rejection, Request, Response, Unnegotiated, resource};
use innkeeper_service::database::DatabaseError;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::app::App;
use crate::content::feedback::{self, InvalidField, StoredFeedback};
use crate::content::{ArticleKind, path};

pub(crate) struct KbFeedback {
    pub(crate) app: Arc<App>,
}

/// Confirms that feedback was stored.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Receipt {
    #[schemars(with = "String", extend("format" = "uuid"))]
    id: Uuid,
    #[schemars(extend("format" = "date-time"))]
    received_at: String,
}

#[resource("/kb/feedback")]
impl KbFeedback {
    /// Stores feedback: 202 if it is new, 200 if it replaces feedback that the same client sent on the same
    /// article within a day.
    #[post]
    #[responds(200, Receipt, "the feedback replaced earlier feedback")]
    #[responds(202, Receipt, "the feedback is new")]
    #[responds(404, "article not found")]
    #[responds(503, "feedback cannot be stored at the moment")]
    #[consumes("application/json")]
    #[body_limit(8 * 1024)]
    async fn send(
        &self,
        #[request] request: &Request,
        #[value] client: Option<ClientAddress>,
        #[entity] feedback: feedback::Feedback,
    ) -> Result<Unnegotiated, Rejection> {
        require_content_type(request)?;
        let mut feedback = feedback.checked().map_err(|fields| invalid(&fields))?;
        feedback.path = self.article(&feedback.path)?;
        let stored = self.store(client, &feedback).await?;
        let status = if stored.is_new {
            StatusCode::ACCEPTED
        } else {
            StatusCode::OK
        };
        let receipt = Receipt {
            id: stored.id,
            received_at: format!("{:.3}", stored.received_at),
        };
        let response = Response::status(status).header("cache-control", "no-store");
        Ok(Unnegotiated(response.entity(receipt)))
    }

    async fn store(
        &self,
        client: Option<ClientAddress>,
        feedback: &feedback::Feedback,
    ) -> Result<StoredFeedback, Rejection> {
        let database = self.app.database.as_ref();
        let database = database.ok_or_else(|| unavailable("DATABASE_URL is not set"))?;
        if !database.is_ready() {
            return Err(unavailable("the database is not ready"));
        }
        let address = client.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client| client.0);
        let connection = database.connection().await.map_err(failed)?;
        let (salts, now) = (&self.app.salts, self.app.clock.now());
        let stored = feedback::store(&connection, salts, address, feedback, now).await;
        stored.map_err(failed)
    }

    /// Returns the current path of the article that feedback is about.
    fn article(&self, given: &str) -> Result<String, Rejection> {
        let checked = path::check(given).map_err(|problem| {
            let message = format!("path: {problem}");
            Rejection::new(StatusCode::BAD_REQUEST, "invalid_request", message)
        })?;
        let now = self.app.clock.now();
        let index = self.app.content.index();
        let current = index
            .by_path(ArticleKind::Kb, checked, now)
            .map(|(_, article)| article);
        let moved = || {
            index
                .by_alias(checked, now)
                .filter(|article| article.kind == ArticleKind::Kb)
        };
        let article = current.or_else(moved).ok_or_else(|| {
            Rejection::new(StatusCode::NOT_FOUND, "not_found", "article not found")
        })?;
        Ok(article.metadata.path.clone())
    }
}

/// Refuses a body without a content type. Pages of other sites may send one without asking first, unlike one with
/// the content type of JSON.
fn require_content_type(request: &Request) -> Result<(), Rejection> {
    if request.head().header_text(CONTENT_TYPE).is_some() {
        return Ok(());
    }
    let message = "the request has no Content-Type; application/json is expected";
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(Rejection::new(status, "unsupported_media_type", message))
}

fn invalid(fields: &[InvalidField]) -> Rejection {
    let lines: Vec<String> = fields
        .iter()
        .map(|invalid| format!("{}: {}", invalid.field, invalid.problem))
        .collect();
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    let rejection = Rejection::new(status, "invalid_request", lines.join("; "));
    fields.iter().fold(rejection, |rejection, invalid| {
        rejection.with_error(format!("/{}", invalid.field), invalid.problem.clone())
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
