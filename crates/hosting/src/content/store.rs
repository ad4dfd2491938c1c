//! The content of a site, which is replaced in one step when files change.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use innkeeper_rest::PreparedResponse;
use jiff::Timestamp;
use tokio::time::timeout;

use super::change_detector::ChangeDetector;
use super::error::ContentError;
use super::feed::{self, FeedFormat};
use super::index::ContentIndex;
use super::json;
use super::kind::ArticleKind;
use super::last_good_files::LastGoodFiles;
use super::list;
use super::list_query::{ListError, ListQuery};
use super::load::{Loader, ReloadReport, ReloadScope};
use super::render_cache::RenderCache;
use super::search_index::SearchIndex;
use super::snapshot::ResponseKey;
use super::source::ContentSource;
use super::watch::reload_in_background;
use crate::prepared::prepare;
use crate::site::Site;

const CACHE_CONTROL: &str = "public, max-age=60, stale-while-revalidate=600, stale-if-error=86400";
const JSON: &str = "application/json";

/// How long a request waits for changes to be loaded.
const LONGEST_CATCH_UP: Duration = Duration::from_secs(2);
/// Requests may always wait for loads that take no longer than this.
const QUICK: Duration = Duration::from_millis(200);

/// The folder for rendered articles inside the content folder.
const CACHE_FOLDER: &str = ".innkeeper-cache";

/// The content of a site.
#[derive(Debug)]
pub struct ContentStore {
    loader: Loader,
    index: ArcSwap<ContentIndex>,
    /// Held during a reload, so that there is only one at a time.
    reload: Mutex<()>,
    /// Held while requests wait for changes to be loaded.
    catch_up: tokio::sync::Mutex<CatchUpCost>,
}

/// How long the last catch-up took, and when it ended.
#[derive(Debug, Default)]
struct CatchUpCost {
    duration: Duration,
    ended_at: Option<Instant>,
}

impl CatchUpCost {
    /// Tells whether another catch-up would take more than half of the time.
    fn is_too_high(&self) -> bool {
        let elapsed = self.ended_at.map_or(Duration::MAX, |end| end.elapsed());
        self.duration > QUICK && elapsed < self.duration
    }
}

/// How a client refers to an article.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ArticleRef<'a> {
    Path(&'a str),
    Slug(&'a str),
}

/// The result of looking an article up.
#[derive(Debug)]
pub(crate) enum ArticleLookup {
    Article(Arc<PreparedResponse>),
    /// The path is an alias of an article that has another path now.
    Moved {
        kind: ArticleKind,
        path: String,
    },
    /// Several articles have the slug.
    Ambiguous,
    NotFound,
}

impl ContentStore {
    /// Loads all content. Rendered articles are cached in the given folder, or in one inside the
    /// content folder. Invalid files are reported by [`ContentIndex::problems`] and do not fail the
    /// load.
    ///
    /// This blocks its thread while files are read and rendered.
    pub fn open(source: ContentSource, cache: Option<&Path>) -> Result<Self, ContentError> {
        Self::open_with(source, cache, None)
    }

    /// Does the same, and detects changes from then on, so that requests can wait until they are loaded.
    pub(crate) fn open_watched(
        source: ContentSource,
        cache: Option<&Path>,
    ) -> Result<Self, ContentError> {
        let detector = match source {
            // Without it, changes are loaded a moment later.
            ContentSource::Folder(_) => ChangeDetector::new().ok(),
            ContentSource::Embedded(_) => None,
        };
        Self::open_with(source, cache, detector)
    }

    fn open_with(
        source: ContentSource,
        cache: Option<&Path>,
        detector: Option<ChangeDetector>,
    ) -> Result<Self, ContentError> {
        let own = match &source {
            ContentSource::Folder(folder) => {
                // Opening the cache would create a content folder that does not exist.
                check_readable(folder)?;
                Some(folder.join(CACHE_FOLDER))
            }
            ContentSource::Embedded(_) => None,
        };
        let cache = cache.or(own.as_deref());
        let store = Self {
            loader: Loader {
                cache: RenderCache::open(cache),
                last_good: LastGoodFiles::open(cache),
                search: SearchIndex::new()?,
                detector,
                source,
            },
            index: ArcSwap::default(),
            reload: Mutex::default(),
            catch_up: tokio::sync::Mutex::default(),
        };
        store.reload(&ReloadScope::All)?;
        Ok(store)
    }

    /// Returns the source of the content.
    pub fn source(&self) -> &ContentSource {
        &self.loader.source
    }

    /// Returns the current index.
    pub fn index(&self) -> Arc<ContentIndex> {
        self.index.load_full()
    }

    /// Loads files and replaces the index in one step. If the content folder cannot be read, the index
    /// stays as it is.
    ///
    /// This blocks its thread.
    pub fn reload(&self, scope: &ReloadScope) -> Result<ReloadReport, ContentError> {
        let _guard = self.reload.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = self.loader.load(&self.index.load(), scope)?;
        let index = Arc::new(loaded.index);
        self.index.store(Arc::clone(&index));
        loaded.merge.wait()?;
        if *scope == ReloadScope::All {
            self.loader.clean_up(&index);
        }
        Ok(loaded.report)
    }

    /// Tells whether the folder has changed since it was loaded. Content that is not watched never has.
    pub(crate) fn has_changes(&self) -> bool {
        let detector = self.loader.detector.as_ref();
        detector.is_some_and(ChangeDetector::has_changes)
    }

    /// Loads what has changed before the call, unless that takes too long.
    pub(crate) async fn catch_up(self: &Arc<Self>) {
        if let Some(detector) = &self.loader.detector {
            let number = detector.note();
            // Whoever gives up goes on with what is loaded; the watcher loads the rest.
            let _ = timeout(LONGEST_CATCH_UP, self.load_noted(detector, number)).await;
        }
    }

    async fn load_noted(self: &Arc<Self>, detector: &ChangeDetector, number: u64) {
        let mut cost = self.catch_up.lock().await;
        if detector.is_loaded(number) || cost.is_too_high() {
            return;
        }
        let begin = Instant::now();
        let (number, names) = detector.take();
        reload_in_background(self, ReloadScope::Changed(names)).await;
        detector.set_loaded(number);
        *cost = CatchUpCost {
            duration: begin.elapsed(),
            ended_at: Some(Instant::now()),
        };
    }

    /// Returns a page of a list.
    pub(crate) fn list(
        &self,
        query: &ListQuery,
        now: Timestamp,
    ) -> Result<Arc<PreparedResponse>, ListError> {
        let index = self.index.load();
        let snapshot = index.snapshot(now);
        let make = || {
            let json = list::page(&index, &snapshot, &self.loader.search, query)?;
            Ok(prepare(JSON, CACHE_CONTROL, json))
        };
        // Clients can search for anything; such responses would evict the others from the cache.
        if query.is_search() {
            return make().map(Arc::new);
        }
        let key = ResponseKey::List(query.clone());
        if let Some(response) = snapshot.cached(&key) {
            return Ok(response);
        }
        let response = make()?;
        Ok(snapshot.cache(key, response))
    }

    /// Looks an article up by path or slug.
    pub(crate) fn article(
        &self,
        kind: ArticleKind,
        reference: &ArticleRef<'_>,
        now: Timestamp,
    ) -> ArticleLookup {
        let index = self.index.load();
        let snapshot = index.snapshot(now);
        let visible = match reference {
            ArticleRef::Path(path) => index.by_path(kind, path, now),
            ArticleRef::Slug(slug) => match index.by_slug(&snapshot, kind, slug).as_slice() {
                [] => None,
                [position] => index.at(*position).map(|article| (*position, article)),
                _ => return ArticleLookup::Ambiguous,
            },
        };
        let Some((position, article)) = visible else {
            let moved = match reference {
                ArticleRef::Path(path) => index.by_alias(path, now),
                ArticleRef::Slug(_) => None,
            };
            return moved.map_or(ArticleLookup::NotFound, |article| ArticleLookup::Moved {
                kind: article.kind,
                path: article.metadata.path.clone(),
            });
        };
        ArticleLookup::Article(snapshot.response(ResponseKey::Article(position), || {
            let json = json::article(&index, &snapshot, article, position);
            prepare(JSON, CACHE_CONTROL, json)
        }))
    }

    /// Returns a feed of the newest blog articles, or the site map.
    pub(crate) fn feed(
        &self,
        format: FeedFormat,
        site: &Site,
        now: Timestamp,
    ) -> Arc<PreparedResponse> {
        let index = self.index.load();
        let snapshot = index.snapshot(now);
        snapshot.response(ResponseKey::Feed(format.name()), || {
            let text = feed::write(format, &index, &snapshot, site);
            prepare(format.content_type(), CACHE_CONTROL, text)
        })
    }
}

fn check_readable(folder: &Path) -> Result<(), ContentError> {
    std::fs::read_dir(folder)
        .map(drop)
        .map_err(|error| ContentError::Folder {
            folder: folder.to_owned(),
            error,
        })
}
