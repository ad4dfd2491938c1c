//! `GET /v1/blog/list`: articles of the blog.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, resource};

use crate::api::articles;
use crate::api::send::Sent;
use crate::app::App;
use crate::content::{Asked, Kind};

pub(crate) struct List {
    pub(crate) app: Arc<App>,
}

#[resource("/blog/list")]
impl List {
    /// Articles of the blog, newest first unless told otherwise, as metadata only.
    #[get]
    #[expect(
        clippy::too_many_arguments,
        reason = "one for each parameter of the list"
    )]
    fn list(
        &self,
        #[request] request: &Request,
        category: Option<&str>,
        author: Option<&str>,
        q: Option<&str>,
        sort: Option<&str>,
        limit: Option<&str>,
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
        articles::list(&self.app, Kind::Blog, request, &asked)
    }
}
