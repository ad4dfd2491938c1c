//! `CONTENT_*`, `SITE_*` and `STATUS_CSS`: the content, the site that shows it, and how the status page looks.

use std::path::PathBuf;

use innkeeper_service::settings::{Kind, Reader, Setting};
use url::Url;

use crate::base::parse::read_css;
use crate::base::site::Site;

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "CONTENT_DIR",
        Kind::Path,
        "The folder of articles, images, `plans.toml` and `status.toml`. If it is not set, demo content is \
         served.",
    ),
    Setting::new(
        "CONTENT_CACHE_DIR",
        Kind::Path,
        "The folder for rendered articles; by default `.innkeeper-cache` in the content folder.",
    ),
    Setting::new(
        "CONTENT_WATCH",
        Kind::Boolean,
        "Loads changes of the content folder as they happen. SIGHUP always loads them.",
    )
    .default(&["true"]),
    Setting::new(
        "SITE_URL",
        Kind::Url,
        "The URL of the site that shows the articles, for feeds and the site map.",
    )
    .default(&["http://localhost:8080"]),
    Setting::new("SITE_NAME", Kind::Text, "The name of the site, for feeds.")
        .default(&["Innkeeper"]),
    Setting::new(
        "STATUS_CSS",
        Kind::Path,
        "A style sheet for the status page `/v1/status.html`, after the server's own. A changed file is loaded.",
    ),
];

/// `CONTENT_*`, `SITE_*` and `STATUS_CSS` settings.
#[derive(Debug, Clone)]
pub struct ContentConfig {
    /// `CONTENT_DIR`: the content folder; `None` for demo content.
    pub dir: Option<PathBuf>,
    /// `CONTENT_CACHE_DIR`: the folder for rendered articles.
    pub cache_dir: Option<PathBuf>,
    /// `CONTENT_WATCH`, default true.
    pub watch: bool,
    /// `SITE_URL` and `SITE_NAME`.
    pub site: Site,
    /// `STATUS_CSS`: a style sheet for the status page.
    pub status_css: Option<PathBuf>,
}

impl ContentConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let dir: Option<PathBuf> = reader.optional("CONTENT_DIR");
        if let Some(dir) = &dir
            && !dir.is_dir()
        {
            reader.fault("CONTENT_DIR", &format!("{} is not a folder", dir.display()));
        }
        let status_css: Option<PathBuf> = reader.optional("STATUS_CSS");
        if let Some(Err(problem)) = status_css.as_deref().map(read_css) {
            reader.fault("STATUS_CSS", &problem);
        }
        let url = reader.parsed("SITE_URL", |text, _| {
            let url = Url::parse(text.trim()).map_err(|error| error.to_string())?;
            match url.scheme() {
                "http" | "https" => Ok(url),
                _ => Err("must start with http:// or https://".to_owned()),
            }
        });
        Self {
            dir,
            cache_dir: reader.optional("CONTENT_CACHE_DIR"),
            watch: reader.get("CONTENT_WATCH"),
            site: Site {
                url: url.unwrap_or_else(Site::placeholder_url),
                name: reader.get("SITE_NAME"),
            },
            status_css,
        }
    }
}
