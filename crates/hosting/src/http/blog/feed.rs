//! `GET /v1/blog/feed.atom` and `feed.json`: feeds of the newest articles.

use std::sync::Arc;

use innkeeper_rest::{Request, Unnegotiated, resource};

use crate::app::App;
use crate::content::FeedFormat;
use crate::http::openapi::shapes::JsonFeed;

pub(crate) struct FeedAtom {
    pub(crate) app: Arc<App>,
}

#[resource("/blog/feed.atom")]
impl FeedAtom {
    /// Returns the newest articles of the blog as an Atom feed.
    #[get]
    #[responds(200, "the newest articles")]
    fn show(&self, #[request] request: &Request) -> Unnegotiated {
        feed(&self.app, FeedFormat::Atom, request)
    }
}

pub(crate) struct FeedJson {
    pub(crate) app: Arc<App>,
}

#[resource("/blog/feed.json")]
impl FeedJson {
    /// Returns the newest articles of the blog as a JSON feed.
    #[get]
    #[responds(200, JsonFeed, "the newest articles")]
    fn show(&self, #[request] request: &Request) -> Unnegotiated {
        feed(&self.app, FeedFormat::JsonFeed, request)
    }
}

fn feed(app: &App, format: FeedFormat, request: &Request) -> Unnegotiated {
    let response = app
        .content
        .feed(format, &app.config.content.site, app.clock.recent());
    Unnegotiated(response.respond(request.head()))
}
