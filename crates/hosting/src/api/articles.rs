//! What lists and articles of the blog and the knowledge base have in common.

use http::StatusCode;
use http::header::LOCATION;
use innkeeper_rest::{Rejection, Request, Response};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use super::send::{Sent, send};
use crate::app::App;
use crate::content::{Asked, Found, Kind, ListError, ListQuery, Wanted, path};

/// What stays as it is in a parameter.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'/');

pub(super) fn list(
    app: &App,
    kind: Kind,
    request: &Request,
    asked: &Asked<'_>,
) -> Result<Sent, Rejection> {
    let query = ListQuery::new(kind, asked).map_err(refused)?;
    let answer = app
        .shelves
        .list(&query, app.clock.recent())
        .map_err(refused)?;
    Ok(send(&answer, request.head()))
}

fn refused(error: ListError) -> Rejection {
    match error {
        ListError::Asked(message) => bad_request(message),
        ListError::Search(error) => Rejection::internal(error),
    }
}

fn bad_request(message: impl Into<std::borrow::Cow<'static, str>>) -> Rejection {
    Rejection::new(StatusCode::BAD_REQUEST, "invalid_request", message)
}

pub(super) fn article(
    app: &App,
    kind: Kind,
    request: &Request,
    (wanted_path, slug): (Option<&str>, Option<&str>),
) -> Result<Sent, Rejection> {
    let wanted = match (wanted_path, slug) {
        (Some(wanted), None) => {
            let checked = path::check(wanted);
            Wanted::Path(checked.map_err(|problem| bad_request(format!("path: {problem}")))?)
        }
        (None, Some(slug)) => Wanted::Slug(slug),
        (None, None) => return Err(bad_request("path is missing")),
        (Some(_), Some(_)) => return Err(bad_request("either path or slug, not both")),
    };
    match app.shelves.article(kind, &wanted, app.clock.recent()) {
        Found::Article(answer) => Ok(send(&answer, request.head())),
        Found::Moved { kind, path } => Ok(moved(kind, &path)),
        Found::Several => Err(bad_request("several articles have this slug; ask by path")),
        Found::Nothing => Err(Rejection::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "article not found",
        )),
    }
}

/// Sends the client to the path that the article has now.
fn moved(kind: Kind, path: &str) -> Sent {
    let location = format!(
        "/v1/{}/article?path={}",
        kind.name(),
        utf8_percent_encode(path, KEPT)
    );
    let response = Response::status(StatusCode::MOVED_PERMANENTLY)
        .header(LOCATION, location)
        .header("cache-control", "public, max-age=60")
        .entity(json!({ "movedTo": path }));
    Sent(response)
}
