//! `GET /v1/sitemap.xml`: the URLs of all articles, for search engines.

use std::sync::Arc;

use innkeeper_rest::{Request, Unnegotiated, resource};

use crate::app::App;
use crate::content::FeedFormat;

pub(crate) struct Sitemap {
    pub(crate) app: Arc<App>,
}

#[resource("/sitemap.xml")]
impl Sitemap {
    /// Returns the URLs of all articles on the site.
    #[get]
    #[responds(200, "the site map")]
    fn show(&self, #[request] request: &Request) -> Unnegotiated {
        let site = &self.app.config.content.site;
        let response = self
            .app
            .content
            .feed(FeedFormat::Sitemap, site, self.app.clock.recent());
        Unnegotiated(response.respond(request.head()))
    }
}
