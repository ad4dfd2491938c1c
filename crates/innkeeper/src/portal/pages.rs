//! The portal's pages, styles and scripts, which are embedded in the program.

use innkeeper_rest::Files;

/// Whether the form on the start page has the JavaScript client that it needs.
pub(super) const HAS_CLIENT: bool = cfg!(feature = "portal-client");

/// Returns the pages below `/`.
pub(super) fn pages() -> Files {
    Files::embedded([
        ("index.html", include_str!("pages/start.html")),
        ("mailbox", include_str!("pages/mailbox.html")),
    ])
    // The mailbox, whose path has no extension.
    .content_type("", "text/html; charset=utf-8")
}

/// Returns the page of every article: its script fetches the article that the path names.
pub(super) fn articles() -> Files {
    Files::embedded([("article.html", include_str!("pages/article.html"))])
        .index(None)
        .catch_all("article.html")
}

/// Returns the files below `/portal`: scripts, styles, the icon, and the configuration of the scripts as
/// JSON.
pub(super) fn assets(config: String) -> Files {
    Files::embedded([
        ("config.json", config),
        ("icon.svg", include_str!("pages/icon.svg").to_owned()),
        ("portal.css", include_str!("pages/portal.css").to_owned()),
        ("page.js", include_str!("pages/page.js").to_owned()),
        ("start.js", include_str!("pages/start.js").to_owned()),
        ("account.js", include_str!("pages/account.js").to_owned()),
        ("article.js", include_str!("pages/article.js").to_owned()),
        ("mailbox.js", include_str!("pages/mailbox.js").to_owned()),
        #[cfg(feature = "portal-client")]
        (
            "auth-js.js",
            include_str!(concat!(env!("INNKEEPER_PORTAL"), "/auth-js.js")).to_owned(),
        ),
    ])
}
