//! `GET /v1/blog/article`: one article of the blog.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, Unnegotiated, resource};

use crate::app::App;
use crate::content::ArticleKind;
use crate::http::articles;
use crate::http::openapi::shapes::{FullArticle, Moved};

pub(crate) struct BlogArticle {
    pub(crate) app: Arc<App>,
}

#[resource("/blog/article")]
impl BlogArticle {
    /// Returns an article of the blog with its source and its HTML, by path or by slug.
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
        articles::article(&self.app, ArticleKind::Blog, request, path, slug)
    }
}
