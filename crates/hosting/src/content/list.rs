//! Lists of articles: filters, order, pages.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tantivy::TantivyError;

use super::article::{Article, Kind};
use super::digest;
use super::edition::Edition;
use super::json;
use super::library::Library;
use super::search::Search;

const LIMITS: std::ops::RangeInclusive<usize> = 1..=100;
const DEFAULT_LIMIT: usize = 20;
/// The longest text that is looked for or filtered by.
const LONGEST: usize = 200;
/// The longest cursor; ours are much shorter, unless a path is long.
const LONGEST_CURSOR: usize = 8192;

/// Why there is no list.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListError {
    /// The client asked for something that cannot be.
    #[error("{0}")]
    Asked(String),
    /// The index failed.
    #[error(transparent)]
    Search(#[from] TantivyError),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Sort {
    Newest,
    Oldest,
    Title,
    TitleDown,
    /// Best match first; only with words to look for.
    Relevance,
}

const SORTS: [(&str, Sort); 5] = [
    ("-date", Sort::Newest),
    ("date", Sort::Oldest),
    ("title", Sort::Title),
    ("-title", Sort::TitleDown),
    ("relevance", Sort::Relevance),
];

/// The parameters as a client sends them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked<'a> {
    pub(crate) category: Option<&'a str>,
    pub(crate) author: Option<&'a str>,
    pub(crate) q: Option<&'a str>,
    pub(crate) sort: Option<&'a str>,
    pub(crate) limit: Option<&'a str>,
    pub(crate) cursor: Option<&'a str>,
}

/// The parameters of a list, checked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ListQuery {
    kind: Kind,
    category: Option<String>,
    author: Option<String>,
    words: Option<String>,
    sort: Sort,
    limit: usize,
    after: Option<(String, String)>,
}

impl ListQuery {
    pub(crate) fn new(kind: Kind, asked: &Asked<'_>) -> Result<Self, ListError> {
        let words = text("q", asked.q)?;
        let sort = sort(asked.sort, words.is_some())?;
        let mut query = Self {
            kind,
            category: text("category", asked.category)?.map(|text| text.to_lowercase()),
            author: text("author", asked.author)?.map(|text| text.to_lowercase()),
            words,
            sort,
            limit: limit(asked.limit)?,
            after: None,
        };
        if let Some(cursor) = asked.cursor {
            query.after = Some(query.open(cursor)?);
        }
        Ok(query)
    }

    pub(crate) fn is_search(&self) -> bool {
        self.words.is_some()
    }

    /// How many bytes of text it keeps.
    pub(super) fn length(&self) -> usize {
        let after = self.after.iter().flat_map(|(key, path)| [key, path]);
        let texts = [&self.words, &self.category, &self.author];
        let texts = texts.into_iter().flatten().chain(after);
        texts.map(String::len).sum()
    }

    /// The same for the same list, whatever the page.
    fn fingerprint(&self) -> String {
        let empty = String::new();
        let parts = [
            self.kind.name().to_owned(),
            format!("{:?}", self.sort),
            format!("{:?}", (&self.words, &self.category, &self.author)),
        ];
        let parts: Vec<&[u8]> = parts.iter().chain([&empty]).map(String::as_bytes).collect();
        format!("{:016x}", digest::number(&parts))
    }

    fn close(&self, key: &str, path: &str) -> String {
        // Texts always serialize.
        let cursor = serde_json::to_vec(&(self.fingerprint(), key, path)).unwrap_or_default();
        URL_SAFE_NO_PAD.encode(cursor)
    }

    fn open(&self, cursor: &str) -> Result<(String, String), ListError> {
        let wrong = |message: &str| ListError::Asked(format!("cursor: {message}"));
        if cursor.len() > LONGEST_CURSOR {
            return Err(wrong("not one of ours"));
        }
        let bytes = URL_SAFE_NO_PAD
            .decode(cursor)
            .map_err(|_| wrong("not one of ours"))?;
        let (fingerprint, key, path): (String, String, String) =
            serde_json::from_slice(&bytes).map_err(|_| wrong("not one of ours"))?;
        if fingerprint != self.fingerprint() {
            return Err(wrong(
                "belongs to another list; keep the other parameters as they were",
            ));
        }
        if self.sort == Sort::Relevance && key.parse::<usize>().is_err() {
            return Err(wrong("not one of ours"));
        }
        Ok((key, path))
    }

    /// What an article is sorted by.
    fn key_of(&self, article: &Article) -> String {
        match self.sort {
            Sort::Title | Sort::TitleDown => article.metadata.title.to_lowercase(),
            Sort::Newest | Sort::Oldest | Sort::Relevance => article.metadata.date.clone(),
        }
    }

    /// Whether an article comes after the end of the last page.
    fn is_after(&self, article: &Article, key: &str, path: &str) -> bool {
        let own = self.key_of(article);
        let own_path = article.metadata.path.as_str();
        match self.sort {
            Sort::Newest => own.as_str() < key || (own == key && own_path > path),
            Sort::Oldest => own.as_str() > key || (own == key && own_path < path),
            Sort::TitleDown => (own.as_str(), own_path) < (key, path),
            Sort::Title => (own.as_str(), own_path) > (key, path),
            Sort::Relevance => true,
        }
    }

    fn matches(&self, article: &Article) -> bool {
        let same = |wanted: &Option<String>, own: &str| {
            wanted
                .as_ref()
                .is_none_or(|wanted| own.to_lowercase() == *wanted)
        };
        same(&self.category, &article.metadata.category)
            && same(&self.author, &article.metadata.author)
    }
}

/// A parameter that is not empty.
fn text(name: &str, value: Option<&str>) -> Result<Option<String>, ListError> {
    let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    if value.chars().count() > LONGEST {
        return Err(ListError::Asked(format!(
            "{name}: longer than {LONGEST} letters"
        )));
    }
    Ok(Some(value.to_owned()))
}

fn sort(asked: Option<&str>, has_words: bool) -> Result<Sort, ListError> {
    let Some(asked) = asked.filter(|asked| !asked.is_empty()) else {
        return Ok(if has_words {
            Sort::Relevance
        } else {
            Sort::Newest
        });
    };
    let known = SORTS.iter().find(|(word, _)| *word == asked);
    match known {
        Some((_, Sort::Relevance)) if !has_words => Err(ListError::Asked(
            "sort: relevance needs words in q".to_owned(),
        )),
        Some((_, sort)) => Ok(*sort),
        None => {
            let words: Vec<&str> = SORTS.iter().map(|(word, _)| *word).collect();
            Err(ListError::Asked(format!(
                "sort: expected one of {}",
                words.join(", ")
            )))
        }
    }
}

fn limit(asked: Option<&str>) -> Result<usize, ListError> {
    let Some(asked) = asked.filter(|asked| !asked.is_empty()) else {
        return Ok(DEFAULT_LIMIT);
    };
    let limit = asked.parse().ok().filter(|limit| LIMITS.contains(limit));
    limit.ok_or_else(|| {
        let (least, most) = (LIMITS.start(), LIMITS.end());
        ListError::Asked(format!("limit: expected a number from {least} to {most}"))
    })
}

/// A page as JSON.
pub(super) fn page(
    library: &Library,
    edition: &Edition,
    search: &Search,
    query: &ListQuery,
) -> Result<String, ListError> {
    let shelf = edition.shelf(query.kind);
    let order = ordered(library, edition, search, query)?;
    let matching: Vec<(u32, &Article)> = order
        .into_iter()
        .filter_map(|index| Some((index, library.at(index)?.as_ref())))
        .filter(|(_, article)| query.matches(article))
        .collect();
    let start = match &query.after {
        None => 0,
        Some((offset, _)) if query.sort == Sort::Relevance => {
            offset.parse().unwrap_or(0).min(matching.len())
        }
        Some((key, path)) => matching
            .iter()
            .position(|(_, article)| query.is_after(article, key, path))
            .unwrap_or(matching.len()),
    };
    let items = matching.get(start..).unwrap_or_default();
    let items = items.get(..query.limit).unwrap_or(items);
    let end = start + items.len();
    let next = items
        .last()
        .filter(|_| end < matching.len())
        .map(|(_, last)| {
            if query.sort == Sort::Relevance {
                query.close(&end.to_string(), "")
            } else {
                query.close(&query.key_of(last), &last.metadata.path)
            }
        });
    let articles = items.iter().map(|(_, article)| *article);
    Ok(json::list(
        articles,
        &shelf.categories,
        next.as_deref(),
        matching.len(),
    ))
}

/// The numbers of the visible articles that have the words, in order.
fn ordered(
    library: &Library,
    edition: &Edition,
    search: &Search,
    query: &ListQuery,
) -> Result<Vec<u32>, ListError> {
    let shelf = edition.shelf(query.kind);
    let mut order: Vec<u32> = match query.sort {
        Sort::Newest | Sort::Relevance => shelf.by_date.clone(),
        Sort::Oldest => shelf.by_date.iter().rev().copied().collect(),
        Sort::Title => shelf.by_title.clone(),
        Sort::TitleDown => shelf.by_title.iter().rev().copied().collect(),
    };
    let Some(words) = &query.words else {
        return Ok(order);
    };
    // Those that are visible and were not found yet.
    let mut left = shelf.shown.clone();
    let mut take = |index: &u32| {
        let is_left = left.get_mut(*index as usize);
        is_left.is_some_and(std::mem::take)
    };
    let found: Vec<u32> = search
        .find(words)?
        .into_iter()
        .filter_map(|key| library.by_key(key))
        .filter(&mut take)
        .collect();
    if query.sort == Sort::Relevance {
        return Ok(found);
    }
    // What is still left was not found.
    order.retain(|index| !take(index));
    Ok(order)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Asked, Kind, ListQuery, Sort};

    #[test]
    fn every_list_and_page_is_kept_apart() {
        let all = |kind| ListQuery::new(kind, &Asked::default()).unwrap();
        let with = |change: fn(&mut ListQuery)| {
            let mut query = all(Kind::Blog);
            change(&mut query);
            query
        };
        let lists = [
            all(Kind::Blog),
            all(Kind::Kb),
            with(|list| list.limit = 7),
            with(|list| list.sort = Sort::Title),
            with(|list| list.category = Some("a".to_owned())),
            with(|list| list.author = Some("a".to_owned())),
            with(|list| list.category = Some("a 1:b".to_owned())),
            with(|list| {
                list.category = Some("a".to_owned());
                list.author = Some("b".to_owned());
            }),
            with(|list| list.after = Some(("a".to_owned(), "b".to_owned()))),
            with(|list| list.after = Some(("ab".to_owned(), String::new()))),
        ];
        let apart: HashSet<&ListQuery> = lists.iter().collect();
        assert_eq!(apart.len(), lists.len());
        assert_eq!(all(Kind::Blog), all(Kind::Blog));
    }
}
