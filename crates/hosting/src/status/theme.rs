//! The style sheet of the status page: the server's own, and the operator's after it.

use std::path::PathBuf;
use std::time::SystemTime;

use arc_swap::ArcSwap;
use http::header::{CONTENT_SECURITY_POLICY, HeaderValue};
use innkeeper_rest::PreparedResponse;
use std::sync::Arc;

use super::html::{POLICY, STYLES};
use crate::base::parse::read_css;
use crate::base::prepared::prepare;

/// A changed theme is seen soon; the page is not cached longer either.
const CACHE_CONTROL: &str = "public, max-age=15, stale-if-error=3600";

/// What tells whether a file has changed: size and time of the last change; `None` if it cannot be read.
type FileStamp = Option<(u64, SystemTime)>;

/// The style sheet of the status page. A changed theme is loaded; one that cannot be used leaves the last one.
#[derive(Debug)]
pub(super) struct StatusTheme {
    /// `STATUS_CSS`.
    path: Option<PathBuf>,
    loaded: ArcSwap<LoadedTheme>,
}

#[derive(Debug)]
struct LoadedTheme {
    stamp: FileStamp,
    response: Arc<PreparedResponse>,
}

impl StatusTheme {
    /// Loads the theme. Settings were checked, so a file that cannot be used has changed since.
    pub(super) fn new(path: Option<PathBuf>) -> Self {
        let stamp = path.as_ref().and_then(stamp);
        let theme = path.as_ref().map(|path| read_css(path));
        let theme = theme.transpose().unwrap_or_else(|problem| {
            tracing::warn!("the theme of the status page is not used: {problem}");
            None
        });
        let loaded = LoadedTheme {
            stamp,
            response: Arc::new(response(theme.as_deref().unwrap_or_default())),
        };
        Self {
            path,
            loaded: ArcSwap::from_pointee(loaded),
        }
    }

    /// Loads the theme if its file has changed.
    pub(super) async fn refresh(&self) {
        let Some(path) = self.path.clone() else {
            return;
        };
        let known = self.loaded.load_full();
        let read = tokio::task::spawn_blocking(move || {
            let stamp = stamp(&path);
            (stamp != known.stamp).then(|| (stamp, known, read_css(&path)))
        });
        // The task does not panic, and is not aborted.
        let Ok(Some((stamp, known, theme))) = read.await else {
            return;
        };
        let response = match theme {
            Ok(theme) => {
                tracing::info!("the theme of the status page was loaded");
                Arc::new(response(&theme))
            }
            Err(problem) => {
                tracing::warn!("the theme of the status page stays as it was: {problem}");
                Arc::clone(&known.response)
            }
        };
        self.loaded.store(Arc::new(LoadedTheme { stamp, response }));
    }

    /// Returns the style sheet.
    pub(super) fn response(&self) -> Arc<PreparedResponse> {
        Arc::clone(&self.loaded.load().response)
    }
}

fn stamp(path: &PathBuf) -> FileStamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

fn response(theme: &str) -> PreparedResponse {
    let styles = format!("{STYLES}{theme}");
    prepare("text/css; charset=utf-8", CACHE_CONTROL, styles)
        .common_header(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY))
}
