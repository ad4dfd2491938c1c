//! `GET /v1/blog/feed.atom` and `feed.json`: the newest articles, for readers.

use std::sync::Arc;

use innkeeper_rest::{Request, resource};

use crate::api::openapi::shapes::JsonFeed;
use crate::api::send::{Sent, send};
use crate::app::App;
use crate::content::FeedFormat;

pub(crate) struct FeedAtom {
    pub(crate) app: Arc<App>,
}

#[resource("/blog/feed.atom")]
impl FeedAtom {
    /// The newest articles of the blog as an Atom feed.
    #[get]
    #[responds(200, "the newest articles")]
    fn show(&self, #[request] request: &Request) -> Sent {
        feed(&self.app, FeedFormat::Atom, request)
    }
}

pub(crate) struct FeedJson {
    pub(crate) app: Arc<App>,
}

#[resource("/blog/feed.json")]
impl FeedJson {
    /// The newest articles of the blog as a JSON feed.
    #[get]
    #[responds(200, JsonFeed, "the newest articles")]
    fn show(&self, #[request] request: &Request) -> Sent {
        feed(&self.app, FeedFormat::JsonFeed, request)
    }
}

fn feed(app: &App, format: FeedFormat, request: &Request) -> Sent {
    let answer = app
        .shelves
        .feed(format, &app.config.content.site, app.clock.recent());
    send(&answer, request.head())
}
