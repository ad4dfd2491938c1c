//! The docs page: embedded files under a policy that allows no others.

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};

use super::serve::respond;
use crate::future::BoxFuture;
use crate::pipeline::MountedService;
use crate::prepared::PreparedResponse;
use crate::request::Request;
use crate::response::Response;

const PAGE: &str = include_str!("../../docs-page/index.html");
const STYLES: &str = include_str!("../../docs-page/docs.css");
/// The files of the script share one scope, so that the browser loads one file.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("../../docs-page/dom.js"),
    include_str!("../../docs-page/markdown.js"),
    include_str!("../../docs-page/document.js"),
    include_str!("../../docs-page/schema.js"),
    include_str!("../../docs-page/example.js"),
    include_str!("../../docs-page/request.js"),
    include_str!("../../docs-page/samples.js"),
    include_str!("../../docs-page/form.js"),
    include_str!("../../docs-page/try.js"),
    include_str!("../../docs-page/operation.js"),
    include_str!("../../docs-page/page.js"),
    "})();\n",
);

/// The headers of all files. Only files of this server may run and style the page, and it sends requests to
/// this server only. The icon is an empty image in the page itself. The files belong together, so browsers
/// ask whether their copies are current.
const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
             connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ),
    (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
];

/// The page of one document, and its files.
pub(crate) struct DocsPage {
    page: PreparedResponse,
    script: PreparedResponse,
    styles: PreparedResponse,
}

impl DocsPage {
    /// Makes the page at a path that shows the document at an address.
    pub(crate) fn new(path: &str, document: &str) -> Self {
        let page = PAGE
            .replace("{base}", &escaped(path.trim_end_matches('/')))
            .replace("{document}", &escaped(document));
        Self {
            page: file("text/html; charset=utf-8", page),
            script: file("text/javascript; charset=utf-8", SCRIPT),
            styles: file("text/css; charset=utf-8", STYLES),
        }
    }

    /// Returns a file by its path below the page.
    fn file(&self, name: &str) -> Option<&PreparedResponse> {
        Some(match name {
            "" | "/" => &self.page,
            "/docs.js" => &self.script,
            "/docs.css" => &self.styles,
            _ => return None,
        })
    }
}

fn file(content_type: &'static str, bytes: impl Into<bytes::Bytes>) -> PreparedResponse {
    let file = PreparedResponse::new(HeaderValue::from_static(content_type), bytes);
    HEADERS
        .into_iter()
        .fold(file, |file, (name, value)| file.common_header(name, value))
}

/// Escapes text for the value of an HTML attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
}

impl MountedService for DocsPage {
    fn call(&self, request: Request, prefix: &str) -> BoxFuture<'static, Response> {
        let name = request.path().strip_prefix(prefix).unwrap_or_default();
        let response = match self.file(name) {
            None => Response::not_found(),
            Some(file) => respond(&request, |head| file.respond(head)),
        };
        Box::pin(std::future::ready(response))
    }
}
