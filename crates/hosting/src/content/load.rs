//! Loading: changed files are read and rendered on all cores, everything else is carried over from the
//! previous index.

mod articles;
mod tables;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::thread;

use super::change_detector::ChangeDetector;
use super::error::ContentError;
use super::file::{ContentFile, FileKind, FileListing, is_within};
use super::index::ContentIndex;
use super::last_good_files::LastGoodFiles;
use super::loaded::{Asset, LoadedArticle, LoadedFiles};
use super::problem::{Effect, Problem};
use super::render_cache::RenderCache;
use super::search_index::{IndexUpdate, PendingMerge, SearchIndex};
use super::source::ContentSource;
use articles::ArticleLoader;
use tables::TableLoader;

/// Fewer files than this are not worth a second thread.
const FEW_FILES: usize = 4;
const TABLES: [&str; 2] = ["plans.toml", "status.toml"];

/// Which files a reload reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReloadScope {
    /// Files whose metadata has changed, and these files in any case.
    Changed(HashSet<String>),
    /// All files.
    All,
}

/// The result of a reload, for the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReloadReport {
    /// The number of articles, visible or not.
    pub articles: usize,
    /// The number of article files that were read.
    pub read: usize,
    /// The number of articles that were rendered because the cache did not have them.
    pub rendered: u64,
    /// The number of problems.
    pub problems: usize,
}

/// Loads content from its source.
#[derive(Debug)]
pub(super) struct Loader {
    pub(super) source: ContentSource,
    pub(super) cache: RenderCache,
    pub(super) last_good: LastGoodFiles,
    pub(super) search: SearchIndex,
    /// `None` if changes are not detected.
    pub(super) detector: Option<ChangeDetector>,
}

/// A new index, which is not served yet.
pub(super) struct LoadedIndex {
    pub(super) index: ContentIndex,
    pub(super) report: ReloadReport,
    /// The merge of the search index, to wait for once the new index is served.
    pub(super) merge: PendingMerge,
}

impl Loader {
    /// Loads files and indexes them.
    pub(super) fn load(
        &self,
        previous: &ContentIndex,
        scope: &ReloadScope,
    ) -> Result<LoadedIndex, ContentError> {
        let listing = self.source.list(self.detector.as_ref());
        let listing = listing.map_err(|error| ContentError::Folder {
            folder: match &self.source {
                ContentSource::Folder(folder) => folder.clone(),
                ContentSource::Embedded(_) => "of the program".into(),
            },
            error,
        })?;
        let must_read = |file: &ContentFile| match scope {
            ReloadScope::All => true,
            ReloadScope::Changed(names) => names.contains(&file.name),
        };
        let (unchanged, to_read) = divide(&listing, previous, must_read);
        let misses_before = self.cache.counts().1;
        let threads = match to_read.len() {
            ..FEW_FILES => 1,
            _ => thread::available_parallelism().map_or(1, usize::from),
        };
        let update = self.search.update(threads)?;
        let loader = ArticleLoader {
            source: &self.source,
            cache: &self.cache,
            last_good: &self.last_good,
            previous,
            search: &update,
        };
        let read = loader.read_all(&to_read, threads);
        let read_count = to_read.len();
        let rendered = self.cache.counts().1 - misses_before;
        let kept = kept_articles(&listing, previous);
        let articles = unchanged.into_iter().chain(read).chain(kept).collect();
        let index = ContentIndex::new(self.files(listing, previous, articles), previous);
        remove_stale(previous, &index, &update);
        let merge = update.commit()?;
        log_new_problems(previous, &index);
        let report = ReloadReport {
            articles: index.len(),
            read: read_count,
            rendered,
            problems: index.problems().len(),
        };
        Ok(LoadedIndex {
            index,
            report,
            merge,
        })
    }

    /// Deletes rendered articles that are no longer used, and saved versions of files that are valid
    /// again.
    pub(super) fn clean_up(&self, index: &ContentIndex) {
        self.cache.prune();
        let articles = index.files.articles.iter();
        let invalid = articles.filter(|(_, loaded)| !loaded.faults.is_empty());
        let invalid = invalid.map(|(file, _)| file.as_str());
        self.last_good.retain(invalid.chain(TABLES));
    }

    /// Adds everything that is not an article, and the problems so far.
    fn files(
        &self,
        listing: FileListing,
        previous: &ContentIndex,
        articles: BTreeMap<String, LoadedArticle>,
    ) -> LoadedFiles {
        let loader = TableLoader {
            source: &self.source,
            last_good: &self.last_good,
            previous,
        };
        let mut files = LoadedFiles {
            articles,
            ..kept_files(&listing, previous)
        };
        for file in listing.files {
            match file.kind {
                FileKind::Article(_) => {}
                FileKind::Asset(media_type) => {
                    files.assets.insert(file.name, Asset { media_type });
                }
                FileKind::Plans => {
                    let (plans, problems) = loader.plans(&file);
                    files.plans = plans;
                    files.problems.extend(problems);
                }
                FileKind::Status => {
                    let (status, problems) = loader.status(&file);
                    files.status = status;
                    files.problems.extend(problems);
                }
            }
        }
        files
    }
}

/// Divides the articles into those that are unchanged and those to read.
fn divide<'l>(
    listing: &'l FileListing,
    previous: &ContentIndex,
    must_read: impl Fn(&ContentFile) -> bool,
) -> (BTreeMap<String, LoadedArticle>, Vec<&'l ContentFile>) {
    let mut unchanged = BTreeMap::new();
    let mut to_read = Vec::new();
    for file in &listing.files {
        if !matches!(file.kind, FileKind::Article(_)) {
            continue;
        }
        match previous.files.articles.get(&file.name) {
            Some(loaded) if loaded.stamp == file.stamp && !must_read(file) => {
                unchanged.insert(file.name.clone(), loaded.clone());
            }
            _ => to_read.push(file),
        }
    }
    (unchanged, to_read)
}

/// Returns the articles in folders that cannot be read, as they were.
fn kept_articles<'l>(
    listing: &'l FileListing,
    previous: &'l ContentIndex,
) -> impl Iterator<Item = (String, LoadedArticle)> + use<'l> {
    let articles = previous.files.articles.iter();
    let kept = articles.filter(|(name, _)| listing.is_unreadable(name));
    kept.map(|(name, loaded)| (name.clone(), loaded.clone()))
}

/// Returns everything else that cannot be read, as it was, and the problems of the folder.
fn kept_files(listing: &FileListing, previous: &ContentIndex) -> LoadedFiles {
    let mut kept = LoadedFiles {
        problems: listing.problems.clone(),
        ..LoadedFiles::default()
    };
    let assets = previous.files.assets.iter();
    let assets = assets.filter(|(name, _)| listing.is_unreadable(name));
    kept.assets
        .extend(assets.map(|(name, asset)| (name.clone(), asset.clone())));
    let [plans, status] = TABLES.map(|table| listing.is_unreadable(table));
    if plans {
        kept.plans = Arc::clone(previous.plans());
    }
    if status {
        kept.status = Arc::clone(previous.status());
    }
    for (name, message) in &listing.unreadable {
        let mut known = previous
            .files
            .articles
            .keys()
            .map(String::as_str)
            .chain(TABLES);
        let effect = if known.any(|file| is_within(file, name)) {
            Effect::LastGood
        } else {
            Effect::NotShown
        };
        let problem = Problem::with_file(name, message.as_str(), effect);
        kept.problems.push(problem);
    }
    kept
}

/// Removes the articles from the search index that are no longer in the content index.
fn remove_stale(previous: &ContentIndex, index: &ContentIndex, update: &IndexUpdate<'_>) {
    let keys = |index: &ContentIndex| {
        let loaded = index.files.articles.values();
        let articles = loaded.filter_map(|loaded| loaded.article.as_ref());
        articles
            .map(|article| article.key)
            .collect::<HashSet<u64>>()
    };
    for stale in keys(previous).difference(&keys(index)) {
        update.remove(*stale);
    }
}

/// Logs the problems that the previous index did not have.
fn log_new_problems(previous: &ContentIndex, index: &ContentIndex) {
    let known: HashSet<&Problem> = previous.problems().iter().collect();
    for problem in index.problems() {
        if !known.contains(problem) {
            tracing::warn!(
                file = problem.file,
                line = problem.line,
                effect = problem.effect.words(),
                "{problem}"
            );
        }
    }
}
