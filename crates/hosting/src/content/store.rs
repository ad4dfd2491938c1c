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
use crate::base::prepared::prepare;
use crate::base::site::Site;

const CACHE_CONTROL: &str = "public, max-age=60, stale-while-revalidate=600, stale-if-error=86400";
const JSON: &str = "application/json";

/// How long a request waits for changes to be loaded.
const LONGEST_CATCH_UP: Duration = Duration::from_secs(2);
/// For how long requests may wait for loads, one after the other, before loads may take only half of the time.
const MAX_CATCH_UP_COST: Duration = Duration::from_secs(30);

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

/// How long requests have waited for loads. Half of the time that passes is subtracted, so that a folder that changes
/// all the time cannot hold up all requests.
#[derive(Debug)]
struct CatchUpCost {
    total: Duration,
    at: Instant,
}

impl CatchUpCost {
    fn new(now: Instant) -> Self {
        Self {
            total: Duration::ZERO,
            at: now,
        }
    }

    /// Whether requests must not wait for another load now.
    fn is_too_high(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at);
        self.total = self.total.saturating_sub(passed / 2);
        self.at = now;
        self.total >= MAX_CATCH_UP_COST
    }

    fn add(&mut self, duration: Duration) {
        self.total += duration;
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
            catch_up: tokio::sync::Mutex::new(CatchUpCost::new(Instant::now())),
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
        let begin = Instant::now();
        if detector.is_loaded(number) || cost.is_too_high(begin) {
            return;
        }
        let (number, names) = detector.take();
        reload_in_background(self, ReloadScope::Changed(names)).await;
        detector.set_loaded(number);
        cost.add(begin.elapsed());
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{CatchUpCost, MAX_CATCH_UP_COST};

    #[test]
    fn loads_in_a_row_may_take_half_a_minute_and_then_half_of_the_time() {
        let begin = Instant::now();
        let mut cost = CatchUpCost::new(begin);
        let load = Duration::from_secs(1);
        let mut now = begin;
        let mut loads_in = |seconds: u64| {
            let mut loads = 0;
            let end = now + Duration::from_secs(seconds);
            while now < end {
                if cost.is_too_high(now) {
                    now += Duration::from_millis(100);
                } else {
                    cost.add(load);
                    loads += 1;
                    now += load;
                }
            }
            loads
        };
        // Half of the time of each load is subtracted again.
        assert_eq!(loads_in(59), 59);
        let later = loads_in(120);
        assert!((55..=62).contains(&later), "{later}");
    }

    #[test]
    fn the_cost_falls_with_time() {
        let begin = Instant::now();
        let mut cost = CatchUpCost::new(begin);
        assert!(!cost.is_too_high(begin));
        cost.add(MAX_CATCH_UP_COST);
        assert!(cost.is_too_high(begin));
        assert!(!cost.is_too_high(begin + Duration::from_millis(1)));
        cost.add(Duration::from_secs(10));
        assert!(cost.is_too_high(begin + Duration::from_secs(19)));
        assert!(!cost.is_too_high(begin + Duration::from_secs(21)));
    }
}
