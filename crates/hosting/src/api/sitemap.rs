//! `GET /v1/sitemap.xml`: the addresses of all articles, for search engines.

use std::sync::Arc;

use innkeeper_rest::{Request, resource};

use super::send::{Sent, send};
use crate::app::App;
use crate::content::FeedFormat;

pub(crate) struct Sitemap {
    pub(crate) app: Arc<App>,
}

#[resource("/sitemap.xml")]
impl Sitemap {
    /// The addresses of all articles on the site.
    #[get]
    #[responds(200, "all addresses")]
    fn show(&self, #[request] request: &Request) -> Sent {
        let site = &self.app.config.content.site;
        let answer = self
            .app
            .shelves
            .feed(FeedFormat::Sitemap, site, self.app.clock.recent());
        send(&answer, request.head())
    }
}
