//! `GET /v1/blog/article`: one article of the blog.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, resource};

use crate::api::articles;
use crate::api::send::Sent;
use crate::app::App;
use crate::content::Kind;

pub(crate) struct Article {
    pub(crate) app: Arc<App>,
}

#[resource("/blog/article")]
impl Article {
    /// One article of the blog with its source and its HTML, by path or by slug.
    #[get]
    fn show(
        &self,
        #[request] request: &Request,
        path: Option<&str>,
        slug: Option<&str>,
    ) -> Result<Sent, Rejection> {
        articles::article(&self.app, Kind::Blog, request, (path, slug))
    }
}
