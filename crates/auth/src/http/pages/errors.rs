//! The error format of the pages: what went wrong, as a page.

use std::sync::Arc;

use http::header::RETRY_AFTER;
use innkeeper_rest::{ErrorFormat, Head, Rejection, RejectionKind, Response};

use super::html::Html;
use super::layout::Page;
use super::parts::{link_to, paragraph};
use super::paths::PagePath;
use super::problem::Problem;
use super::site::Pages;
use super::visit::Visit;
use super::words::{Words, fill};

/// Writes errors as pages.
#[derive(Debug, Clone)]
pub(crate) struct PageErrors {
    pub(crate) pages: Arc<Pages>,
}

impl ErrorFormat for PageErrors {
    fn write(&self, rejection: &Rejection, head: &Head, response: Response) -> Response {
        let mut visit = Visit::anonymous(&self.pages, head);
        let words = visit.words();
        let problem = Problem::new(
            rejection.status().as_u16(),
            &describe(rejection, head, words),
        );
        let content: Html = [
            paragraph(&words.go_back),
            link_to(&visit, PagePath::Account, &words.to_account),
        ]
        .into_iter()
        .collect();
        let page = Page::new(&visit, PagePath::Account, &words.error_title, content)
            .with_problem(Some(problem));
        let written = page.respond(&mut visit);
        let mut written = match written {
            Ok(written) => written,
            // Only sealing the cookie can fail; the page can do without it.
            Err(_) => Response::status(rejection.status().as_u16()),
        };
        for (name, value) in response.headers() {
            written.headers_mut().entry(name).or_insert(value.clone());
        }
        written
    }
}

fn describe(rejection: &Rejection, head: &Head, words: &Words) -> String {
    let wait = rejection.headers().get(RETRY_AFTER);
    let wait = wait.and_then(|value| value.to_str().ok()?.parse().ok());
    match (rejection.kind(), rejection.status().as_u16()) {
        (RejectionKind::NotFound, _) => fill(&words.no_page, &[("path", head.path())]),
        (_, 429) => words.with_wait(&words.too_many_attempts, wait.unwrap_or(60)),
        (_, 500) => words.unexpected.clone(),
        (_, 502..=504 | 408) => words.unavailable.clone(),
        _ => rejection.message().to_owned(),
    }
}
