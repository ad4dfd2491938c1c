//! `GET /v1/kb/list`: articles of the knowledge base.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, resource};

use crate::api::articles;
use crate::api::openapi::shapes::ArticleList;
use crate::api::send::Sent;
use crate::app::App;
use crate::content::{Asked, Kind};

pub(crate) struct List {
    pub(crate) app: Arc<App>,
}

#[resource("/kb/list")]
impl List {
    /// Articles of the knowledge base, newest first unless told otherwise, as metadata only.
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
        /// Words to look for in titles, descriptions and texts.
        q: Option<&str>,
        /// The order: `-date` by default, `relevance` with words to look for.
        sort: Option<&str>,
        /// How many articles a page has.
        limit: Option<&str>,
        /// The `nextCursor` of the page before.
        cursor: Option<&str>,
    ) -> Result<Sent, Rejection> {
        let asked = Asked {
            category,
            author,
            q,
            sort,
            limit,
            cursor,
        };
        articles::list(&self.app, Kind::Kb, request, &asked)
    }
}
