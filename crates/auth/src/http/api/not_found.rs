//! The page for browsers at addresses that do not exist. Programs get the usual error.

use http::StatusCode;
use innkeeper_rest::{Filter, Next, Request, Response};
use innkeeper_service::html::NotFoundPage;

use super::errors::ERROR_CODE;
use crate::base::error_code::ErrorCode;
use crate::config::Profile;

const PAGE: NotFoundPage = NotFoundPage {
    server: "Innkeeper auth",
    links: &[("/docs", "API documentation"), ("/health", "Health")],
};

/// Shows browsers a page where no route has the path. Paths of GoTrue's profile look as they do there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShowNotFoundPage(pub(crate) Profile);

impl Filter for ShowNotFoundPage {
    fn applies_to(&self, request: &Request) -> bool {
        self.0 == Profile::Std && NotFoundPage::is_for(request.head())
    }

    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let path = request.path().to_owned();
        let response = next.run(request).await;
        let code = response.headers().get(ERROR_CODE);
        let has_no_route = response.status_code() == StatusCode::NOT_FOUND
            && code.is_some_and(|code| code == ErrorCode::NotFound.as_str());
        if has_no_route {
            PAGE.write(&path, response)
        } else {
            response
        }
    }
}
