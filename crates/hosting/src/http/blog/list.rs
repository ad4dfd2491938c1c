//! `GET /v1/blog/list`: lists of articles of the blog.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, Unnegotiated, resource};

use crate::app::App;
use crate::content::{ArticleKind, ListParams};
use crate::http::articles;
use crate::http::openapi::shapes::ArticleList;

pub(crate) struct BlogList {
    pub(crate) app: Arc<App>,
}

#[resource("/blog/list")]
impl BlogList {
    /// Returns a page of articles of the blog, as metadata only. Newest articles come first unless `sort` says
    /// otherwise.
    #[get]
    #[responds(200, ArticleList, "a page of the list")]
    #[expect(
        clippy::too_many_arguments,
        reason = "one for each parameter of the list"
    )]
    fn list(
        &self,
        #[request] request: &Request,
        /// Only articles of this category.
        category: Option<&str>,
        /// Only articles by this author.
        author: Option<&str>,
        /// Words to search for in titles, descriptions and texts.
        q: Option<&str>,
        /// The order: `-date` by default, `relevance` for searches.
        sort: Option<&str>,
        /// The number of articles per page.
        limit: Option<&str>,
        /// The `nextCursor` of the previous page.
        cursor: Option<&str>,
    ) -> Result<Unnegotiated, Rejection> {
        let params = ListParams {
            category,
            author,
            q,
            sort,
            limit,
            cursor,
        };
        articles::list(&self.app, ArticleKind::Blog, request, &params)
    }
}
