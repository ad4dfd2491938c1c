//! What can be seen at one time: articles open on their day, without anybody doing anything.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::article::{Article, Kind};
use super::library::Library;
use super::list::ListQuery;
use crate::answer::Answer;

/// How many bytes of made answers are kept.
const KEPT_BYTES: u64 = 48 * 1024 * 1024;

/// The articles that are visible, and answers made of them.
#[derive(Debug)]
pub(crate) struct Edition {
    /// The last and the next moment at which something opens.
    from: Timestamp,
    until: Timestamp,
    blog: Shelf,
    kb: Shelf,
    answers: Cache<Asked, Arc<Answer>, Weight>,
}

/// What an answer is kept under.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    /// An article by its number.
    Article(u32),
    List(ListQuery),
    Feed(&'static str),
}

/// The visible articles of one kind.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    /// Of each article of the library whether it is here.
    pub(crate) shown: Vec<bool>,
    /// Newest first.
    pub(crate) by_date: Vec<u32>,
    pub(crate) by_title: Vec<u32>,
    /// Names and how many articles they have, by name.
    pub(crate) categories: Vec<(String, usize)>,
}

#[derive(Debug, Clone)]
struct Weight;

impl Weighter<Asked, Arc<Answer>> for Weight {
    fn weight(&self, asked: &Asked, answer: &Arc<Answer>) -> u64 {
        let key = match asked {
            Asked::List(query) => query.length(),
            Asked::Article(_) | Asked::Feed(_) => 0,
        };
        (key + answer.weight()) as u64
    }
}

impl Edition {
    pub(crate) fn new(articles: &[Arc<Article>], now: Timestamp) -> Self {
        let opens = || articles.iter().map(|article| article.visible_from);
        let from = opens().filter(|opens| *opens <= now).max();
        let until = opens().filter(|opens| *opens > now).min();
        Self {
            from: from.unwrap_or(Timestamp::MIN),
            until: until.unwrap_or(Timestamp::MAX),
            blog: Shelf::new(articles, Kind::Blog, now),
            kb: Shelf::new(articles, Kind::Kb, now),
            answers: Cache::with_weighter(4096, KEPT_BYTES, Weight),
        }
    }

    /// Whether the same is visible at this time.
    pub(crate) fn holds_at(&self, now: Timestamp) -> bool {
        self.from <= now && now < self.until
    }

    pub(crate) fn shelf(&self, kind: Kind) -> &Shelf {
        match kind {
            Kind::Blog => &self.blog,
            Kind::Kb => &self.kb,
        }
    }

    /// An answer that was made before.
    pub(crate) fn kept(&self, asked: &Asked) -> Option<Arc<Answer>> {
        self.answers.get(asked)
    }

    /// Keeps an answer, as long as there is room.
    pub(crate) fn keep(&self, asked: Asked, answer: Answer) -> Arc<Answer> {
        let answer = Arc::new(answer);
        self.answers.insert(asked, Arc::clone(&answer));
        answer
    }

    /// An answer that was made before, or is made now.
    pub(crate) fn answer(&self, asked: Asked, make: impl FnOnce() -> Answer) -> Arc<Answer> {
        self.kept(&asked)
            .unwrap_or_else(|| self.keep(asked, make()))
    }

    /// The visible articles whose path ends so.
    pub(crate) fn by_slug(&self, library: &Library, kind: Kind, slug: &str) -> Vec<u32> {
        let visible = self.shelf(kind).by_date.iter().copied();
        let is_it = |index: &u32| {
            library
                .at(*index)
                .is_some_and(|article| article.slug == slug)
        };
        visible.filter(is_it).take(2).collect()
    }
}

impl Shelf {
    fn new(articles: &[Arc<Article>], kind: Kind, now: Timestamp) -> Self {
        let mut visible: Vec<(u32, &Article)> = (0..)
            .zip(articles.iter().map(Arc::as_ref))
            .filter(|(_, article)| article.kind == kind && article.is_visible(now))
            .collect();
        visible.sort_unstable_by(|(_, a), (_, b)| {
            (&b.metadata.date, &a.metadata.path).cmp(&(&a.metadata.date, &b.metadata.path))
        });
        let by_date = visible.iter().map(|(index, _)| *index).collect();
        let shown = articles
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
            shown: shown.collect(),
            by_date,
            by_title: visible.iter().map(|(index, _)| *index).collect(),
            categories,
        }
    }
}

/// What articles are sorted by when they are sorted by title.
pub(crate) fn title_key(article: &Article) -> (String, String) {
    (
        article.metadata.title.to_lowercase(),
        article.metadata.path.clone(),
    )
}
