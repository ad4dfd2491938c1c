//! An immutable index of all content. A change makes a new index and leaves this one alone.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use jiff::Timestamp;

use super::article::Article;
use super::cover;
use super::kind::ArticleKind;
use super::loaded::{Asset, LoadedFiles};
use super::problem::{Effect, Problem};
use super::snapshot::Snapshot;
use crate::content::plans::Catalog;
use crate::content::status_definition::Definition;

/// Takes keys as they are, because they are hashes already.
#[derive(Debug, Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
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

/// Positions of articles by path. Only the operator adds paths, so the hash function need not resist
/// attacks.
type ByPath = HashMap<String, u32, foldhash::fast::RandomState>;

/// All content at a point in time.
#[derive(Debug, Default)]
pub struct ContentIndex {
    pub(crate) articles: Vec<Arc<Article>>,
    by_path: ByPath,
    by_alias: ByPath,
    by_key: HashMap<u64, u32, BuildHasherDefault<IdentityHasher>>,
    pub(crate) files: LoadedFiles,
    /// The articles that are visible now.
    snapshot: ArcSwapOption<Snapshot>,
}

impl ContentIndex {
    /// Indexes the content of files. If two files claim a path, the one that had it in the previous
    /// index keeps it.
    pub(crate) fn new(mut files: LoadedFiles, previous: &Self) -> Self {
        let mut index = Self::default();
        let owners = previous.articles.iter();
        let owners: HashMap<&str, &str> = owners
            .map(|article| (&*article.metadata.path, &*article.file))
            .collect();
        let mut articles: Vec<&Arc<Article>> = files
            .articles
            .values()
            .filter_map(|loaded| loaded.article.as_ref())
            .collect();
        // Stable, so that otherwise the names of the files decide.
        articles.sort_by_key(|article| {
            owners.get(&*article.metadata.path).copied() != Some(&*article.file)
        });
        let mut problems = Vec::new();
        for article in articles {
            index.add(article, &mut problems);
        }
        index.add_aliases(&mut problems);
        for (file, loaded) in &files.articles {
            let effect = match loaded.article {
                Some(_) => Effect::LastGood,
                None => Effect::NotShown,
            };
            let faults = loaded.faults.iter().cloned();
            problems.extend(faults.map(|fault| Problem::with_fault(file, fault, effect)));
            let warnings = loaded.warnings.iter().cloned();
            problems.extend(warnings.map(|fault| Problem::with_fault(file, fault, Effect::Shown)));
        }
        problems.extend(index.missing_covers(&files));
        files.problems.append(&mut problems);
        files.problems.sort();
        index.files = files;
        index
    }

    fn add(&mut self, article: &Arc<Article>, problems: &mut Vec<Problem>) {
        let path = &article.metadata.path;
        if let Some(other) = self.by_path.get(path).and_then(|taken| self.at(*taken)) {
            let message = format!("the path {path} belongs to {}", other.file);
            problems.push(Problem::with_file(&article.file, message, Effect::NotShown));
            return;
        }
        let position = u32::try_from(self.articles.len()).unwrap_or(u32::MAX);
        self.by_path.insert(path.clone(), position);
        self.by_key.insert(article.key, position);
        self.articles.push(Arc::clone(article));
    }

    fn add_aliases(&mut self, problems: &mut Vec<Problem>) {
        for (position, article) in (0..).zip(&self.articles) {
            for alias in &article.aliases {
                let taken = self.by_path.get(alias).or_else(|| self.by_alias.get(alias));
                let owner = taken.and_then(|owner| self.articles.get(*owner as usize));
                if let Some(owner) = owner {
                    let message = format!("the alias {alias} belongs to {}", owner.file);
                    problems.push(Problem::with_file(&article.file, message, Effect::Shown));
                } else {
                    self.by_alias.insert(alias.clone(), position);
                }
            }
        }
    }

    fn missing_covers(&self, files: &LoadedFiles) -> Vec<Problem> {
        let is_missing = |article: &&Arc<Article>| {
            let cover = article.metadata.cover.as_str();
            let is_local = !cover.is_empty() && !cover::is_url(cover);
            is_local && cover::asset(cover).is_none_or(|name| !files.assets.contains_key(name))
        };
        let missing = self.articles.iter().filter(is_missing);
        missing
            .map(|article| {
                let cover = &article.metadata.cover;
                let message = format!("the cover {cover} is not an image in the content folder");
                Problem::with_file(&article.file, message, Effect::Shown)
            })
            .collect()
    }

    /// Returns the article at a position of the index.
    pub(crate) fn at(&self, position: u32) -> Option<&Arc<Article>> {
        self.articles.get(position as usize)
    }

    /// Returns the article with a path, and its position, if it is visible.
    pub(crate) fn by_path(
        &self,
        kind: ArticleKind,
        path: &str,
        now: Timestamp,
    ) -> Option<(u32, &Arc<Article>)> {
        let position = *self.by_path.get(path)?;
        let article = self.at(position)?;
        (article.kind == kind && article.is_visible(now)).then_some((position, article))
    }

    /// Returns the article that used to have this path, if it is visible.
    pub(crate) fn by_alias(&self, path: &str, now: Timestamp) -> Option<&Arc<Article>> {
        let article = self.at(*self.by_alias.get(path)?)?;
        article.is_visible(now).then_some(article)
    }

    /// Returns the positions of at most two visible articles whose path ends with a slug.
    pub(crate) fn by_slug(&self, snapshot: &Snapshot, kind: ArticleKind, slug: &str) -> Vec<u32> {
        let visible = snapshot.section(kind).by_date.iter().copied();
        let has_slug = |position: &u32| {
            self.at(*position)
                .is_some_and(|article| article.slug == slug)
        };
        visible.filter(has_slug).take(2).collect()
    }

    /// Returns the position of the article with this key in the search index.
    pub(crate) fn by_key(&self, key: u64) -> Option<u32> {
        self.by_key.get(&key).copied()
    }

    /// Returns the articles that are visible at this time.
    pub(crate) fn snapshot(&self, now: Timestamp) -> Arc<Snapshot> {
        let current = self.snapshot.load();
        if let Some(snapshot) = &*current
            && snapshot.is_valid_at(now)
        {
            return Arc::clone(snapshot);
        }
        let snapshot = Arc::new(Snapshot::new(&self.articles, now));
        self.snapshot.store(Some(Arc::clone(&snapshot)));
        snapshot
    }

    /// Returns the problems of all files, sorted by file.
    pub fn problems(&self) -> &[Problem] {
        &self.files.problems
    }

    /// Returns the number of articles, visible or not.
    pub fn len(&self) -> usize {
        self.articles.len()
    }

    /// Tells whether there are no articles.
    pub fn is_empty(&self) -> bool {
        self.articles.is_empty()
    }

    /// Returns the plan catalog.
    pub fn plans(&self) -> &Arc<Catalog> {
        &self.files.plans
    }

    /// Returns the status page that `status.toml` defines.
    pub fn status(&self) -> &Arc<Definition> {
        &self.files.status
    }

    /// Returns an image by its name relative to the content folder.
    pub(crate) fn asset(&self, name: &str) -> Option<&Asset> {
        self.files.assets.get(name)
    }
}
