//! Handlers that the blog and the knowledge base share: lists and articles.

use http::StatusCode;
use http::header::LOCATION;
use innkeeper_rest::{Rejection, Request, Response, Unnegotiated};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use crate::app::App;
use crate::content::{
    ArticleKind, ArticleLookup, ArticleRef, ListError, ListParams, ListQuery, path,
};

/// The characters that are percent-encoded in a parameter.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'/');

pub(super) fn list(
    app: &App,
    kind: ArticleKind,
    request: &Request,
    params: &ListParams<'_>,
) -> Result<Unnegotiated, Rejection> {
    let query = ListQuery::new(kind, params).map_err(rejection)?;
    let page = app.content.list(&query, app.clock.recent());
    let page = page.map_err(rejection)?;
    Ok(Unnegotiated(page.respond(request.head())))
}

fn rejection(error: ListError) -> Rejection {
    match error {
        ListError::Invalid(message) => bad_request(message),
        ListError::Search(error) => Rejection::internal(error),
    }
}

fn bad_request(message: impl Into<std::borrow::Cow<'static, str>>) -> Rejection {
    Rejection::new(StatusCode::BAD_REQUEST, "invalid_request", message)
}

pub(super) fn article(
    app: &App,
    kind: ArticleKind,
    request: &Request,
    path: Option<&str>,
    slug: Option<&str>,
) -> Result<Unnegotiated, Rejection> {
    let reference = match (path, slug) {
        (Some(path), None) => {
            let checked = path::check(path);
            ArticleRef::Path(checked.map_err(|problem| bad_request(format!("path: {problem}")))?)
        }
        (None, Some(slug)) => ArticleRef::Slug(slug),
        (None, None) => return Err(bad_request("path is missing")),
        (Some(_), Some(_)) => return Err(bad_request("either path or slug, not both")),
    };
    match app.content.article(kind, &reference, app.clock.recent()) {
        ArticleLookup::Article(article) => Ok(Unnegotiated(article.respond(request.head()))),
        ArticleLookup::Moved { kind, path } => Ok(moved(kind, &path)),
        ArticleLookup::Ambiguous => Err(bad_request(
            "several articles have this slug; use path instead",
        )),
        ArticleLookup::NotFound => Err(Rejection::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "article not found",
        )),
    }
}

/// Redirects to the current path of an article.
fn moved(kind: ArticleKind, path: &str) -> Unnegotiated {
    let location = format!(
        "/v1/{}/article?path={}",
        kind.name(),
        utf8_percent_encode(path, ENCODED)
    );
    let response = Response::status(StatusCode::MOVED_PERMANENTLY)
        .header(LOCATION, location)
        .header("cache-control", "public, max-age=60")
        .entity(json!({ "movedTo": path }));
    Unnegotiated(response)
}
