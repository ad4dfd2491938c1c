//! `GET /v1/kb/article`: one article of the knowledge base.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, Unnegotiated, resource};

use crate::app::App;
use crate::content::ArticleKind;
use crate::http::articles;
use crate::http::openapi::shapes::{FullArticle, Moved};

pub(crate) struct KbArticle {
    pub(crate) app: Arc<App>,
}

#[resource("/kb/article")]
impl KbArticle {
    /// Returns an article of the knowledge base with its source and its HTML, by path or by slug.
    #[get]
    #[responds(200, FullArticle, "the article")]
    #[responds(301, Moved, "the article has another path now")]
    #[responds(404, "article not found")]
    fn show(
        &self,
        #[request] request: &Request,
        /// The path of the article on the site. Either this or `slug` is required.
        path: Option<&str>,
        /// The last segment of the path, if only one article has it.
        slug: Option<&str>,
    ) -> Result<Unnegotiated, Rejection> {
        articles::article(&self.app, ArticleKind::Kb, request, path, slug)
    }
}
