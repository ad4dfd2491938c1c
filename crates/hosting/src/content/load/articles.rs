//! Reads the files of articles, on all cores.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::base::parse::Fault;
use crate::content::article::{Article, ArticleFile, ReadArticle};
use crate::content::file::{ContentFile, FileKind};
use crate::content::index::ContentIndex;
use crate::content::last_good_files::LastGoodFiles;
use crate::content::loaded::LoadedArticle;
use crate::content::markdown::LARGEST_SOURCE;
use crate::content::render_cache::RenderCache;
use crate::content::search_index::{IndexUpdate, SearchDocument};
use crate::content::source::ContentSource;

/// Reads articles and adds them to the search index.
pub(super) struct ArticleLoader<'l> {
    pub(super) source: &'l ContentSource,
    pub(super) cache: &'l RenderCache,
    pub(super) last_good: &'l LastGoodFiles,
    pub(super) previous: &'l ContentIndex,
    pub(super) search: &'l IndexUpdate<'l>,
}

impl ArticleLoader<'_> {
    pub(super) fn read_all(
        &self,
        files: &[&ContentFile],
        threads: usize,
    ) -> Vec<(String, LoadedArticle)> {
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

    /// Reads a file. If it is invalid, its last good version stays.
    fn read(&self, file: &ContentFile) -> LoadedArticle {
        let previous = self.previous.files.articles.get(&file.name);
        let last_good = previous.and_then(|loaded| loaded.article.clone());
        // Whatever an author wrote, it must not break more than its own article.
        let read = catch_unwind(AssertUnwindSafe(|| self.article(file)));
        let read = read.unwrap_or_else(|_| Err(vec![Fault::new(1, "cannot be rendered")]));
        let (article, faults, warnings) = match read {
            Ok(read) => {
                let known = last_good.filter(|good| good.key == read.article.key);
                let article = match known {
                    Some(same) if same.has_times_of(&read.article) => same,
                    // Only the file's time has changed: the words are in the search index already.
                    Some(_) => Arc::new(read.article),
                    None => {
                        self.index(&read.article, &read.words);
                        Arc::new(read.article)
                    }
                };
                (Some(article), Vec::new(), read.warnings)
            }
            Err(faults) => (self.last_good(file, last_good), faults, Vec::new()),
        };
        LoadedArticle {
            stamp: file.stamp,
            article,
            faults,
            warnings,
        }
    }

    /// Returns the last good version of an invalid file: the one that is shown, or the one that was
    /// saved before a restart.
    fn last_good(&self, file: &ContentFile, shown: Option<Arc<Article>>) -> Option<Arc<Article>> {
        if let Some(shown) = shown {
            self.last_good.put(&file.name, &shown.save());
            return Some(shown);
        }
        let FileKind::Article(kind) = file.kind else {
            return None;
        };
        let saved = self.last_good.get(&file.name)?;
        let (article, words) = Article::restore(kind, &file.name, &saved, self.cache)?;
        self.index(&article, &words);
        Some(Arc::new(article))
    }

    fn article(&self, file: &ContentFile) -> Result<ReadArticle, Vec<Fault>> {
        let FileKind::Article(kind) = file.kind else {
            return Err(vec![Fault::new(1, "not an article")]);
        };
        let bytes = self.source.read(&file.name, LARGEST_SOURCE as u64);
        let bytes =
            bytes.map_err(|error| vec![Fault::new(1, format!("cannot be read: {error}"))])?;
        let file = ArticleFile {
            kind,
            name: &file.name,
            bytes: &bytes,
            modified: file.stamp.modified(),
        };
        Article::read(&file, self.cache)
    }

    fn index(&self, article: &Article, words: &str) {
        let document = SearchDocument {
            key: article.key,
            title: &article.metadata.title,
            description: &article.metadata.description,
            words,
        };
        if let Err(error) = self.search.add(&document) {
            tracing::error!(%error, file = article.file, "the article could not be added to the search index");
        }
    }
}
