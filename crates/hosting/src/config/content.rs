//! `CONTENT_*` and `SITE_*`: what is served, and on which site it is shown.

use std::path::PathBuf;

use innkeeper_service::settings::{Kind, Reader, Setting};
use url::Url;

use crate::content::Site;

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "CONTENT_DIR",
        Kind::Path,
        "The folder of articles, images, `plans.toml` and `status.toml`; demo content when it is not \
         set.",
    ),
    Setting::new(
        "CONTENT_CACHE_DIR",
        Kind::Path,
        "Where rendered articles are kept; `.innkeeper-cache` in the content folder when it is not \
         set.",
    ),
    Setting::new(
        "CONTENT_WATCH",
        Kind::Boolean,
        "Loads changes as they happen; SIGHUP loads them in any case.",
    )
    .default(&["true"]),
    Setting::new(
        "SITE_URL",
        Kind::Url,
        "The site that shows the articles; feeds and the site map lead there.",
    )
    .default(&["http://localhost:8080"]),
    Setting::new("SITE_NAME", Kind::Text, "The name of the site, for feeds.")
        .default(&["Innkeeper"]),
];

/// `CONTENT_*` and `SITE_*` settings.
#[derive(Debug, Clone)]
pub struct ContentConfig {
    /// `CONTENT_DIR`: the folder; none means demo content.
    pub dir: Option<PathBuf>,
    /// `CONTENT_CACHE_DIR`: where rendered articles are kept.
    pub cache_dir: Option<PathBuf>,
    /// `CONTENT_WATCH`, default true.
    pub watch: bool,
    /// `SITE_URL` and `SITE_NAME`.
    pub site: Site,
}

impl ContentConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let dir: Option<PathBuf> = reader.optional("CONTENT_DIR");
        if let Some(dir) = &dir
            && !dir.is_dir()
        {
            reader.fault("CONTENT_DIR", &format!("{} is no folder", dir.display()));
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
                url: url.unwrap_or_else(Site::nowhere),
                name: reader.get("SITE_NAME"),
            },
        }
    }
}
