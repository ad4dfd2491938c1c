//! The site that shows the articles.

use url::Url;

/// The site that shows the articles and the status page.
#[derive(Debug, Clone)]
pub struct Site {
    /// The base URL; paths of articles are appended to it.
    pub url: Url,
    /// The name of the site.
    pub name: String,
}

impl Site {
    /// Returns the URL that stands in for an invalid `SITE_URL` until the fault is reported.
    #[expect(clippy::expect_used, reason = "what it parses is a constant")]
    pub(crate) fn placeholder_url() -> Url {
        Url::parse("http://localhost").expect("a URL")
    }

    /// Returns the URL of a path on the site.
    pub(crate) fn url_of(&self, path: &str) -> String {
        let mut url = self.url.clone();
        let base = url.path().trim_end_matches('/').to_owned();
        // Percent-encodes what a URL must not contain.
        url.set_path(&format!("{base}{path}"));
        url.to_string()
    }
}
