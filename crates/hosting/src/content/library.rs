//! All content as it was at one moment. A change makes another library and leaves this one alone.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use jiff::Timestamp;

use super::article::{Article, Kind};
use super::edition::Edition;
use super::folder::Stamp;
use super::problem::{Effect, Fault, Problem};
use crate::plans::Catalog;
use crate::status::Definition;

/// Takes keys as they are, because they are hashes already.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Articles by a path. Only the operator adds paths, so the hash need not withstand anybody.
type ByPath = HashMap<String, u32, foldhash::fast::RandomState>;

/// An image that is served as it is.
#[derive(Debug, Clone)]
pub struct Asset {
    pub(crate) media_type: &'static str,
}

/// What became of a file of an article.
#[derive(Debug, Clone)]
pub(crate) struct FileState {
    pub(crate) stamp: Stamp,
    /// The last version that was right.
    pub(crate) article: Option<Arc<Article>>,
    /// What is wrong with the version that is there.
    pub(crate) faults: Vec<Fault>,
}

/// The files and what they say, before they are put together.
#[derive(Debug, Default)]
pub(crate) struct Stock {
    /// By name.
    pub(crate) files: BTreeMap<String, FileState>,
    pub(crate) assets: HashMap<String, Asset>,
    pub(crate) plans: Arc<Catalog>,
    pub(crate) status: Arc<Definition>,
    pub(crate) problems: Vec<Problem>,
}

/// All content.
#[derive(Debug, Default)]
pub struct Library {
    pub(crate) articles: Vec<Arc<Article>>,
    by_path: ByPath,
    by_alias: ByPath,
    by_key: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    pub(crate) stock: Stock,
    /// The articles that are visible at the moment.
    edition: ArcSwapOption<Edition>,
}

impl Library {
    /// Puts a library together. Where two files want one path, the one that had it before keeps it.
    pub(crate) fn new(mut stock: Stock, before: &Self) -> Self {
        let mut library = Self::default();
        let owners = before.articles.iter();
        let owners: HashMap<&str, &str> = owners
            .map(|article| (&*article.metadata.path, &*article.file))
            .collect();
        let mut articles: Vec<&Arc<Article>> = stock
            .files
            .values()
            .filter_map(|state| state.article.as_ref())
            .collect();
        // Stable, so that otherwise the names of the files decide.
        articles.sort_by_key(|article| {
            owners.get(&*article.metadata.path).copied() != Some(&*article.file)
        });
        let mut problems = Vec::new();
        for article in articles {
            library.add(article, &mut problems);
        }
        library.add_aliases(&mut problems);
        for (file, state) in &stock.files {
            let effect = match state.article {
                Some(_) => Effect::LastGood,
                None => Effect::NotShown,
            };
            let faults = state.faults.iter().cloned();
            problems.extend(faults.map(|fault| fault.in_file(file, effect)));
        }
        problems.extend(library.missing_covers(&stock));
        stock.problems.append(&mut problems);
        stock.problems.sort();
        library.stock = stock;
        library
    }

    fn add(&mut self, article: &Arc<Article>, problems: &mut Vec<Problem>) {
        let path = &article.metadata.path;
        if let Some(other) = self.by_path.get(path).and_then(|index| self.at(*index)) {
            problems.push(Problem {
                file: article.file.clone(),
                line: None,
                message: format!("the path {path} belongs to {}", other.file),
                effect: Effect::NotShown,
            });
            return;
        }
        let index = u32::try_from(self.articles.len()).unwrap_or(u32::MAX);
        self.by_path.insert(path.clone(), index);
        self.by_key.insert(article.key, index);
        self.articles.push(Arc::clone(article));
    }

    fn add_aliases(&mut self, problems: &mut Vec<Problem>) {
        for (index, article) in (0..).zip(&self.articles) {
            for alias in &article.aliases {
                let taken = self.by_path.get(alias).or_else(|| self.by_alias.get(alias));
                let owner = taken.and_then(|owner| self.articles.get(*owner as usize));
                match owner {
                    Some(owner) => problems.push(Problem {
                        file: article.file.clone(),
                        line: None,
                        message: format!("the alias {alias} belongs to {}", owner.file),
                        effect: Effect::Shown,
                    }),
                    None => {
                        self.by_alias.insert(alias.clone(), index);
                    }
                }
            }
        }
    }

    fn missing_covers(&self, stock: &Stock) -> Vec<Problem> {
        let is_missing = |article: &&Arc<Article>| {
            let cover = article.metadata.cover.as_str();
            let is_ours = !cover.is_empty() && !cover.contains("://") && !cover.starts_with("//");
            is_ours
                && cover_asset(article, cover).is_none_or(|name| !stock.assets.contains_key(&name))
        };
        let missing = self.articles.iter().filter(is_missing);
        missing
            .map(|article| Problem {
                file: article.file.clone(),
                line: None,
                message: format!(
                    "the cover {} is no image in the folder",
                    article.metadata.cover
                ),
                effect: Effect::Shown,
            })
            .collect()
    }

    /// An article by its number.
    pub(crate) fn at(&self, index: u32) -> Option<&Arc<Article>> {
        self.articles.get(index as usize)
    }

    /// The article at a path, if it is visible.
    pub(crate) fn by_path(
        &self,
        kind: Kind,
        path: &str,
        now: Timestamp,
    ) -> Option<(u32, &Arc<Article>)> {
        let index = *self.by_path.get(path)?;
        let article = self.at(index)?;
        (article.kind == kind && article.is_visible(now)).then_some((index, article))
    }

    /// The article that once had this path, if it is visible.
    pub(crate) fn by_alias(&self, path: &str, now: Timestamp) -> Option<&Arc<Article>> {
        let article = self.at(*self.by_alias.get(path)?)?;
        article.is_visible(now).then_some(article)
    }

    /// The number of the article that the search index knows by this key.
    pub(crate) fn by_key(&self, key: u64) -> Option<u32> {
        self.by_key.get(&key).copied()
    }

    /// What is visible at this time.
    pub(crate) fn edition(&self, now: Timestamp) -> Arc<Edition> {
        let current = self.edition.load();
        if let Some(edition) = &*current
            && edition.holds_at(now)
        {
            return Arc::clone(edition);
        }
        let edition = Arc::new(Edition::new(&self.articles, now));
        self.edition.store(Some(Arc::clone(&edition)));
        edition
    }

    /// What is wrong with the files, sorted by file.
    pub fn problems(&self) -> &[Problem] {
        &self.stock.problems
    }

    /// How many articles there are, visible or not.
    pub fn len(&self) -> usize {
        self.articles.len()
    }

    /// Whether there is no article.
    pub fn is_empty(&self) -> bool {
        self.articles.is_empty()
    }

    /// The plan catalog.
    pub fn plans(&self) -> &Arc<Catalog> {
        &self.stock.plans
    }

    /// What `status.toml` says.
    pub fn status(&self) -> &Arc<Definition> {
        &self.stock.status
    }

    /// An image by its name relative to the folder.
    pub(crate) fn asset(&self, name: &str) -> Option<&Asset> {
        self.stock.assets.get(name)
    }
}

/// The file that a cover names: from the folder's root, or else beside the article.
fn cover_asset(article: &Article, cover: &str) -> Option<String> {
    let cover = cover.split(['?', '#']).next().unwrap_or_default();
    if let Some(name) = cover.strip_prefix('/') {
        return Some(name.to_owned());
    }
    let (folder, _) = article.file.rsplit_once('/')?;
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in cover.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
