//! The pages, their styles and their scripts, as they were built in.

use innkeeper_rest::{ETag, Response, resource};

/// Whether the form on the start page has the client that it needs.
pub(super) const HAS_CLIENT: bool = cfg!(feature = "portal-client");

#[cfg(feature = "portal-client")]
const CLIENT: &str = include_str!(concat!(env!("INNKEEPER_PORTAL"), "/auth-js.js"));

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

pub(super) struct Pages {
    /// What the pages may load and whom they may ask.
    pub(super) policy: String,
    /// What their scripts need to know, as JSON.
    pub(super) config: String,
}

#[resource("/")]
impl Pages {
    /// The start page.
    #[get("/")]
    fn start(&self) -> Response {
        self.page(include_str!("pages/start.html"))
    }

    /// The mailbox.
    #[get("/mailbox")]
    fn mailbox(&self) -> Response {
        self.page(include_str!("pages/mailbox.html"))
    }

    /// An article of the blog.
    #[get("/blog/{*_path}")]
    fn blog(&self, _path: &str) -> Response {
        self.article()
    }

    /// An article of the knowledge base.
    #[get("/kb/{*_path}")]
    fn kb(&self, _path: &str) -> Response {
        self.article()
    }

    /// What the scripts need to know.
    #[get("/portal/config.json")]
    fn config(&self) -> Response {
        answer("application/json", self.config.clone())
    }

    /// A script, a style or a picture.
    #[get("/portal/{name}")]
    fn part(&self, name: &str) -> Response {
        let (content_type, text) = match name {
            "icon.svg" => ("image/svg+xml", include_str!("pages/icon.svg")),
            "portal.css" => ("text/css; charset=utf-8", include_str!("pages/portal.css")),
            "page.js" => (SCRIPT, include_str!("pages/page.js")),
            "start.js" => (SCRIPT, include_str!("pages/start.js")),
            "article.js" => (SCRIPT, include_str!("pages/article.js")),
            "mailbox.js" => (SCRIPT, include_str!("pages/mailbox.js")),
            #[cfg(feature = "portal-client")]
            "auth-js.js" => (SCRIPT, CLIENT),
            _ => return Response::not_found(),
        };
        answer(content_type, text)
    }
}

impl Pages {
    /// One page for all articles: its script asks for the one that the path names.
    fn article(&self) -> Response {
        self.page(include_str!("pages/article.html"))
    }

    fn page(&self, html: &'static str) -> Response {
        answer(HTML, html)
            .header("content-security-policy", &self.policy)
            .header("referrer-policy", "no-referrer")
            .header("x-frame-options", "DENY")
    }
}

fn answer(content_type: &str, text: impl Into<String>) -> Response {
    let text = text.into();
    let tag = ETag::of(text.as_bytes());
    Response::ok()
        .content_type(content_type)
        .body(text)
        .etag(tag)
}
