//! Loading: what has changed is read and rendered by all cores, everything else is taken over.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::article::{Article, Source};
use super::folder::{Found, Listing, Origin, Role};
use super::library::{Asset, FileState, Library, Stock};
use super::markdown::LARGEST_SOURCE;
use super::problem::{Effect, Fault, Problem};
use super::search::{Change, Entry};
use super::{ContentError, Report, Reread, Shelves};
use crate::plans::{self, Catalog};
use crate::status::{self, Definition};

/// Fewer files than this are not worth a second thread.
const FEW: usize = 4;
/// The largest `plans.toml` and `status.toml`.
const LARGEST_TABLE: u64 = 1024 * 1024;
const TABLES: [&str; 2] = ["plans.toml", "status.toml"];

pub(super) fn reload(shelves: &Shelves, reread: &Reread) -> Result<Report, ContentError> {
    let before = shelves.library();
    let listing = shelves
        .origin
        .list()
        .map_err(|error| ContentError::Folder {
            folder: match &shelves.origin {
                Origin::Folder(folder) => folder.clone(),
                Origin::Embedded(_) => "of the program".into(),
            },
            error,
        })?;
    let must_read = |file: &Found| match reread {
        Reread::All => true,
        Reread::Changed(names) => names.contains(&file.name),
    };
    let (files, to_read) = taken_over(&listing, &before, must_read);
    let misses_before = shelves.cache.counts().1;
    let threads = match to_read.len() {
        ..FEW => 1,
        _ => thread::available_parallelism().map_or(1, usize::from),
    };
    let change = shelves.search.change(threads)?;
    let work = Work {
        shelves,
        before: &before,
        change: &change,
    };
    let read = work.read_all(&to_read, threads);
    let read_count = to_read.len();
    let rendered = shelves.cache.counts().1 - misses_before;
    let stock = take_stock(
        shelves,
        listing,
        &before,
        files.into_iter().chain(read).collect(),
    );
    let library = Library::new(stock, &before);
    settle_index(&before, &library, &change);
    let merging = change.finish()?;
    tell(&before, &library);
    let report = Report {
        articles: library.len(),
        read: read_count,
        rendered,
        problems: library.problems().len(),
    };
    shelves.library.store(Arc::new(library));
    merging.wait()?;
    if *reread == Reread::All {
        shelves.cache.prune();
        forget_good_versions(shelves);
    }
    Ok(report)
}

/// Forgets the versions of files that are not broken any more.
fn forget_good_versions(shelves: &Shelves) {
    let library = shelves.library();
    let files = library.stock.files.iter();
    let broken = files.filter(|(_, state)| !state.faults.is_empty());
    let broken = broken.map(|(file, _)| file.as_str());
    shelves.last_good.retain(broken.chain(TABLES));
}

/// The files that are as they were, and those that are to be read.
fn taken_over<'l>(
    listing: &'l Listing,
    before: &Library,
    must_read: impl Fn(&Found) -> bool,
) -> (BTreeMap<String, FileState>, Vec<&'l Found>) {
    let mut same = BTreeMap::new();
    let mut to_read = Vec::new();
    for file in &listing.files {
        if !matches!(file.role, Role::Article(_)) {
            continue;
        }
        match before.stock.files.get(&file.name) {
            Some(state) if state.stamp == file.stamp && !must_read(file) => {
                same.insert(file.name.clone(), state.clone());
            }
            _ => to_read.push(file),
        }
    }
    (same, to_read)
}

struct Work<'w> {
    shelves: &'w Shelves,
    before: &'w Library,
    change: &'w Change<'w>,
}

impl Work<'_> {
    fn read_all(&self, files: &[&Found], threads: usize) -> Vec<(String, FileState)> {
        let next = AtomicUsize::new(0);
        let take = || {
            let mut done = Vec::new();
            while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((file.name.clone(), self.read(file)));
            }
            done
        };
        thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
            let mut done = take();
            for helper in helpers {
                done.extend(helper.join().unwrap_or_default());
            }
            done
        })
    }

    /// Reads one file. If it is broken its last good version stays.
    fn read(&self, file: &Found) -> FileState {
        let before = self.before.stock.files.get(&file.name);
        let last_good = before.and_then(|state| state.article.clone());
        // Whatever an author wrote, it must not end more than its own article.
        let read = catch_unwind(AssertUnwindSafe(|| self.article(file)));
        let read = read.unwrap_or_else(|_| Err(vec![Fault::new(1, "cannot be rendered")]));
        match read {
            // The same again: the search index knows it already.
            Ok((article, _))
                if last_good
                    .as_ref()
                    .is_some_and(|good| good.key == article.key) =>
            {
                FileState {
                    stamp: file.stamp,
                    article: last_good,
                    faults: Vec::new(),
                }
            }
            Ok((article, words)) => {
                self.index(&article, &words);
                FileState {
                    stamp: file.stamp,
                    article: Some(Arc::new(article)),
                    faults: Vec::new(),
                }
            }
            Err(faults) => FileState {
                stamp: file.stamp,
                article: self.last_good(file, last_good),
                faults,
            },
        }
    }

    /// The last good version of a broken file: the one that is shown, or one from before a restart.
    fn last_good(&self, file: &Found, shown: Option<Arc<Article>>) -> Option<Arc<Article>> {
        let kept = &self.shelves.last_good;
        if let Some(shown) = shown {
            kept.put(&file.name, &shown.keep());
            return Some(shown);
        }
        let Role::Article(kind) = file.role else {
            return None;
        };
        let version = kept.get(&file.name)?;
        let (article, words) = Article::restore(kind, &file.name, &version, &self.shelves.cache)?;
        self.index(&article, &words);
        Some(Arc::new(article))
    }

    /// The article and its words for the search.
    fn article(&self, file: &Found) -> Result<(Article, String), Vec<Fault>> {
        let Role::Article(kind) = file.role else {
            return Err(vec![Fault::new(1, "is no article")]);
        };
        let largest = LARGEST_SOURCE as u64;
        let bytes = self.shelves.origin.read(&file.name, largest);
        let bytes =
            bytes.map_err(|error| vec![Fault::new(1, format!("cannot be read: {error}"))])?;
        let source = Source {
            kind,
            file: &file.name,
            bytes: &bytes,
            modified: file.stamp.modified(),
        };
        Article::read(&source, &self.shelves.cache)
    }

    fn index(&self, article: &Article, words: &str) {
        let entry = Entry {
            key: article.key,
            title: &article.metadata.title,
            description: &article.metadata.description,
            words,
        };
        if let Err(error) = self.change.add(&entry) {
            tracing::error!(%error, file = article.file, "an article cannot be searched");
        }
    }
}

/// Takes out of the index what is no longer in the library.
fn settle_index(before: &Library, library: &Library, change: &Change<'_>) {
    let keys = |library: &Library| {
        let files = library.stock.files.values();
        let articles = files.filter_map(|state| state.article.as_ref());
        articles
            .map(|article| article.key)
            .collect::<HashSet<u64>>()
    };
    for gone in keys(before).difference(&keys(library)) {
        change.remove(*gone);
    }
}

/// Everything that is not an article, and the problems so far.
fn take_stock(
    shelves: &Shelves,
    listing: Listing,
    before: &Library,
    files: BTreeMap<String, FileState>,
) -> Stock {
    let mut stock = Stock {
        files,
        assets: HashMap::new(),
        plans: Arc::default(),
        status: Arc::default(),
        problems: listing.problems,
    };
    for file in listing.files {
        match file.role {
            Role::Article(_) => {}
            Role::Asset(media_type) => {
                stock.assets.insert(file.name, Asset { media_type });
            }
            Role::Plans => {
                let (plans, problems) = read_plans(shelves, &file, before);
                stock.plans = plans;
                stock.problems.extend(problems);
            }
            Role::Status => {
                let (status, problems) = read_status(shelves, &file, before);
                stock.status = status;
                stock.problems.extend(problems);
            }
        }
    }
    stock
}

/// The catalog, or the last good one with what is wrong.
fn read_plans(shelves: &Shelves, file: &Found, before: &Library) -> (Arc<Catalog>, Vec<Problem>) {
    let last_good = Some(before.plans()).filter(|plans| plans.updated_at.is_some());
    let modified = file.stamp.modified();
    read_table(shelves, file, last_good, |text| plans::read(text, modified))
}

/// What `status.toml` says, or the last that was right with what is wrong.
fn read_status(
    shelves: &Shelves,
    file: &Found,
    before: &Library,
) -> (Arc<Definition>, Vec<Problem>) {
    let last_good = Some(before.status()).filter(|status| !status.components.is_empty());
    read_table(shelves, file, last_good, status::read)
}

/// Reads a table. If it is broken the last good one stays: the one that is shown, or one from before
/// a restart.
fn read_table<T: Default>(
    shelves: &Shelves,
    file: &Found,
    shown: Option<&Arc<T>>,
    read: impl Fn(&str) -> Result<T, Vec<Fault>>,
) -> (Arc<T>, Vec<Problem>) {
    let text = read_text(shelves, file).map_err(|message| (None, message));
    let faults = match text {
        Err(message) => vec![message],
        Ok(text) => match read(&text) {
            Ok(table) => {
                shelves.last_good.put(&file.name, text.as_bytes());
                return (Arc::new(table), Vec::new());
            }
            Err(faults) => {
                let faults = faults.into_iter();
                faults
                    .map(|fault| (Some(fault.line), fault.message))
                    .collect()
            }
        },
    };
    let kept = || {
        let text = String::from_utf8(shelves.last_good.get(&file.name)?).ok()?;
        read(&text).ok().map(Arc::new)
    };
    let last_good = shown.map(Arc::clone).or_else(kept);
    let effect = match last_good {
        Some(_) => Effect::LastGood,
        None => Effect::NotShown,
    };
    let problems = faults.into_iter().map(|(line, message)| Problem {
        file: file.name.clone(),
        line,
        message,
        effect,
    });
    (last_good.unwrap_or_default(), problems.collect())
}

fn read_text(shelves: &Shelves, file: &Found) -> Result<String, String> {
    let bytes = shelves.origin.read(&file.name, LARGEST_TABLE);
    let bytes = bytes.map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > LARGEST_TABLE {
        return Err(format!("larger than {} KiB", LARGEST_TABLE / 1024));
    }
    String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())
}

/// Logs the problems that were not there before.
fn tell(before: &Library, library: &Library) {
    let known: HashSet<&Problem> = before.problems().iter().collect();
    for problem in library.problems() {
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
