//! Pages of a server on this machine, by its name: browsers offer passkeys and security keys at `localhost`, and not at
//! a loopback address. Cookies belong to one of the two, so all pages move to the name.

use std::sync::Arc;

use http::Method;
use http::header::HOST;
use innkeeper_rest::{Filter, Head, Next, Request, Response};
use url::Position;

use super::paths::PagePath;
use super::site::Pages;

/// Sends browsers that open a page by the address of the server to the same page by its name.
#[derive(Debug, Clone)]
pub(crate) struct ByName {
    pub(crate) pages: Arc<Pages>,
}

impl Filter for ByName {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match redirect(&self.pages, request.head()) {
            Some(response) => response,
            None => next.run(request).await,
        }
    }

    fn applies_to(&self, _: &Request) -> bool {
        self.pages.origin_by_name.is_some()
    }
}

/// Returns the redirect, if a page was opened by the address.
pub(super) fn redirect(pages: &Pages, head: &Head) -> Option<Response> {
    let origin = pages.origin_by_name.as_ref()?;
    let external_url = &pages.app.config.api.external_url;
    let address = &external_url[Position::BeforeHost..Position::AfterPort];
    let is_by_address = head.header_text(HOST) == Some(address);
    // A page that stays at the address, such as that of a link to an application, loads its files from there.
    let is_file = PagePath::at(head.path()).is_some_and(PagePath::is_file);
    if head.method() != Method::GET || !is_by_address || is_file {
        return None;
    }
    let path = format!("{origin}{}{}", pages.paths.base(), head.path());
    let target = match head.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    };
    let response = Response::status(302).header("cache-control", "no-store");
    Some(response.header("location", target))
}
