//! `GET /v1/kb/article`: one article of the knowledge base.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, resource};

use crate::api::articles;
use crate::api::openapi::shapes::{FullArticle, Moved};
use crate::api::send::Sent;
use crate::app::App;
use crate::content::Kind;

pub(crate) struct Article {
    pub(crate) app: Arc<App>,
}

#[resource("/kb/article")]
impl Article {
    /// One article of the knowledge base with its source and its HTML, by path or by slug.
    #[get]
    #[responds(200, FullArticle, "the article")]
    #[responds(301, Moved, "it has another path now")]
    #[responds(404, "article not found")]
    fn show(
        &self,
        #[request] request: &Request,
        /// The path on the site. Either this or `slug` is needed.
        path: Option<&str>,
        /// The last part of the path, where only one article has it.
        slug: Option<&str>,
    ) -> Result<Sent, Rejection> {
        articles::article(&self.app, Kind::Kb, request, (path, slug))
    }
}
