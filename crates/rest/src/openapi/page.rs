//! The docs page: embedded files under a policy that allows no others.

use std::borrow::Cow;

use http::header::{CONTENT_SECURITY_POLICY, HeaderValue};

use super::serve::respond;
use crate::app::MountedService;
use crate::future::BoxFuture;
use crate::request::Request;
use crate::response::Response;

const INDEX: &str = include_str!("page/index.html");
const START: &str = include_str!("page/page.js");
const SCRIPT: &[u8] = include_bytes!(concat!(
    env!("INNKEEPER_DOCS_PAGE"),
    "/swagger-ui-bundle.js"
));
const STYLES: &[u8] = include_bytes!(concat!(env!("INNKEEPER_DOCS_PAGE"), "/swagger-ui.css"));

/// Only files of this server may run and style the page; the styles contain images.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// The page of one document.
pub(crate) struct DocsPage {
    document: String,
}

impl DocsPage {
    /// Makes a page that shows the document at this address.
    pub(crate) fn new(document: String) -> Self {
        Self { document }
    }

    /// Returns the content type and bytes of a file below the page's path.
    fn file(&self, name: &str, prefix: &str) -> Option<(&'static str, Cow<'static, [u8]>)> {
        Some(match name {
            "" | "/" => {
                let page = INDEX
                    .replace("{base}", &escaped(prefix))
                    .replace("{document}", &escaped(&self.document));
                ("text/html; charset=utf-8", page.into_bytes().into())
            }
            "/page.js" => ("text/javascript; charset=utf-8", START.as_bytes().into()),
            "/swagger-ui-bundle.js" => ("text/javascript; charset=utf-8", SCRIPT.into()),
            "/swagger-ui.css" => ("text/css; charset=utf-8", STYLES.into()),
            _ => return None,
        })
    }
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
        let response = match self.file(name, prefix) {
            None => Response::not_found(),
            Some((content_type, bytes)) => {
                let content_type = HeaderValue::from_static(content_type);
                let bytes = match bytes {
                    Cow::Borrowed(bytes) => bytes::Bytes::from_static(bytes),
                    Cow::Owned(bytes) => bytes.into(),
                };
                let mut response = respond(&request, content_type.into(), bytes);
                response
                    .fields_mut()
                    .insert(CONTENT_SECURITY_POLICY, POLICY);
                response
            }
        };
        Box::pin(std::future::ready(response))
    }
}
