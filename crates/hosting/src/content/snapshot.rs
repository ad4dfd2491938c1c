//! The articles that are visible at a time. Articles become visible on their date by themselves.

use std::collections::HashMap;
use std::sync::Arc;

use innkeeper_rest::PreparedResponse;
use jiff::Timestamp;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::article::Article;
use super::kind::ArticleKind;
use super::list_query::ListQuery;

/// The capacity of the cache of prepared responses, in bytes.
const CACHE_BYTES: u64 = 48 * 1024 * 1024;
/// What a cached response takes besides its bytes, about.
const RESPONSE_OVERHEAD: usize = 4000;

/// The visible articles, and a cache of the responses made from them.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// When the newest of the visible articles became visible.
    from: Timestamp,
    /// When the next article becomes visible.
    until: Timestamp,
    blog: Section,
    kb: Section,
    responses: Cache<ResponseKey, Arc<PreparedResponse>, ResponseWeight>,
}

/// The key of a cached response.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ResponseKey {
    /// An article, by its position in the index.
    Article(u32),
    List(ListQuery),
    /// A feed, by its file name.
    Feed(&'static str),
}

/// The visible articles of one kind, by their positions in the index.
#[derive(Debug, Default)]
pub(crate) struct Section {
    /// For each article of the index, whether it is in this section.
    pub(crate) contains: Vec<bool>,
    /// Newest first.
    pub(crate) by_date: Vec<u32>,
    pub(crate) by_title: Vec<u32>,
    /// Categories and how many articles each has, sorted by name.
    pub(crate) categories: Vec<(String, usize)>,
}

#[derive(Debug, Clone)]
struct ResponseWeight;

impl Weighter<ResponseKey, Arc<PreparedResponse>> for ResponseWeight {
    fn weight(&self, key: &ResponseKey, response: &Arc<PreparedResponse>) -> u64 {
        let key = match key {
            ResponseKey::List(query) => query.text_length(),
            ResponseKey::Article(_) | ResponseKey::Feed(_) => 0,
        };
        // The compressed forms take about half of the plain bytes.
        let length = response.len();
        (key + length + length / 2 + RESPONSE_OVERHEAD) as u64
    }
}

impl Snapshot {
    pub(crate) fn new(articles: &[Arc<Article>], now: Timestamp) -> Self {
        let times = || articles.iter().map(|article| article.visible_from);
        let from = times().filter(|time| *time <= now).max();
        let until = times().filter(|time| *time > now).min();
        Self {
            from: from.unwrap_or(Timestamp::MIN),
            until: until.unwrap_or(Timestamp::MAX),
            blog: Section::new(articles, ArticleKind::Blog, now),
            kb: Section::new(articles, ArticleKind::Kb, now),
            responses: Cache::with_weighter(4096, CACHE_BYTES, ResponseWeight),
        }
    }

    /// Tells whether the same articles are visible at this time.
    pub(crate) fn is_valid_at(&self, now: Timestamp) -> bool {
        self.from <= now && now < self.until
    }

    pub(crate) fn section(&self, kind: ArticleKind) -> &Section {
        match kind {
            ArticleKind::Blog => &self.blog,
            ArticleKind::Kb => &self.kb,
        }
    }

    /// Returns a cached response.
    pub(crate) fn cached(&self, key: &ResponseKey) -> Option<Arc<PreparedResponse>> {
        self.responses.get(key)
    }

    /// Caches a response, as long as there is room.
    pub(crate) fn cache(
        &self,
        key: ResponseKey,
        response: PreparedResponse,
    ) -> Arc<PreparedResponse> {
        let response = Arc::new(response);
        self.responses.insert(key, Arc::clone(&response));
        response
    }

    /// Returns a cached response, or makes and caches it.
    pub(crate) fn response(
        &self,
        key: ResponseKey,
        make: impl FnOnce() -> PreparedResponse,
    ) -> Arc<PreparedResponse> {
        self.cached(&key).unwrap_or_else(|| self.cache(key, make()))
    }
}

impl Section {
    fn new(articles: &[Arc<Article>], kind: ArticleKind, now: Timestamp) -> Self {
        let mut visible: Vec<(u32, &Article)> = (0..)
            .zip(articles.iter().map(Arc::as_ref))
            .filter(|(_, article)| article.kind == kind && article.is_visible(now))
            .collect();
        visible.sort_unstable_by(|(_, a), (_, b)| {
            (&b.metadata.date, &a.metadata.path).cmp(&(&a.metadata.date, &b.metadata.path))
        });
        let by_date = visible.iter().map(|(position, _)| *position).collect();
        let contains = articles
            .iter()
            .map(|article| article.kind == kind && article.is_visible(now));
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (_, article) in &visible {
            *counts.entry(&article.metadata.category).or_default() += 1;
        }
        let mut categories: Vec<(String, usize)> = counts
            .into_iter()
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, count)| (name.to_owned(), count))
            .collect();
        categories.sort_unstable();
        visible.sort_by_cached_key(|(_, article)| title_key(article));
        Self {
            contains: contains.collect(),
            by_date,
            by_title: visible.iter().map(|(position, _)| *position).collect(),
            categories,
        }
    }
}

/// Returns the key by which articles are sorted by title.
fn title_key(article: &Article) -> (String, String) {
    (
        article.metadata.title.to_lowercase(),
        article.metadata.path.clone(),
    )
}
