//! The parameters of a list of articles: filters, order, page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tantivy::TantivyError;

use super::article::Article;
use super::kind::ArticleKind;
use crate::base::digest;

const LIMITS: std::ops::RangeInclusive<usize> = 1..=100;
const DEFAULT_LIMIT: usize = 20;
/// The longest text of a filter or a search, in characters.
const MAX_TEXT: usize = 200;
/// The longest cursor, in bytes; most are much shorter, unless a path is long.
const MAX_CURSOR: usize = 8192;

/// Why a list could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListError {
    /// A parameter is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The search index failed.
    #[error(transparent)]
    Search(#[from] TantivyError),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sort {
    Newest,
    Oldest,
    Title,
    TitleDescending,
    /// Best match first; only for searches.
    Relevance,
}

const SORTS: [(&str, Sort); 5] = [
    ("-date", Sort::Newest),
    ("date", Sort::Oldest),
    ("title", Sort::Title),
    ("-title", Sort::TitleDescending),
    ("relevance", Sort::Relevance),
];

/// The parameters of a list, as the client sent them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ListParams<'a> {
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
    pub(super) kind: ArticleKind,
    category: Option<String>,
    author: Option<String>,
    pub(super) words: Option<String>,
    pub(super) sort: Sort,
    pub(super) limit: usize,
    /// The sort key and the path of the last article of the previous page.
    pub(super) after: Option<(String, String)>,
}

impl ListQuery {
    pub(crate) fn new(kind: ArticleKind, params: &ListParams<'_>) -> Result<Self, ListError> {
        let words = text("q", params.q)?;
        let sort = sort(params.sort, words.is_some())?;
        let mut query = Self {
            kind,
            category: text("category", params.category)?.map(|text| text.to_lowercase()),
            author: text("author", params.author)?.map(|text| text.to_lowercase()),
            words,
            sort,
            limit: limit(params.limit)?,
            after: None,
        };
        if let Some(cursor) = params.cursor {
            query.after = Some(query.decode_cursor(cursor)?);
        }
        Ok(query)
    }

    pub(crate) fn is_search(&self) -> bool {
        self.words.is_some()
    }

    /// Returns the length of all texts, in bytes.
    pub(super) fn text_length(&self) -> usize {
        let after = self.after.iter().flat_map(|(key, path)| [key, path]);
        let texts = [&self.words, &self.category, &self.author];
        let texts = texts.into_iter().flatten().chain(after);
        texts.map(String::len).sum()
    }

    /// Returns a digest of the parameters that must not change from page to page.
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

    /// Encodes the end of a page.
    pub(super) fn encode_cursor(&self, key: &str, path: &str) -> String {
        // Texts always serialize.
        let cursor = serde_json::to_vec(&(self.fingerprint(), key, path)).unwrap_or_default();
        URL_SAFE_NO_PAD.encode(cursor)
    }

    fn decode_cursor(&self, cursor: &str) -> Result<(String, String), ListError> {
        let wrong = |message: &str| ListError::Invalid(format!("cursor: {message}"));
        if cursor.len() > MAX_CURSOR {
            return Err(wrong("not a cursor of this API"));
        }
        let bytes = URL_SAFE_NO_PAD
            .decode(cursor)
            .map_err(|_| wrong("not a cursor of this API"))?;
        let (fingerprint, key, path): (String, String, String) =
            serde_json::from_slice(&bytes).map_err(|_| wrong("not a cursor of this API"))?;
        if fingerprint != self.fingerprint() {
            return Err(wrong(
                "belongs to another list; keep the other parameters as they were",
            ));
        }
        if self.sort == Sort::Relevance && key.parse::<usize>().is_err() {
            return Err(wrong("not a cursor of this API"));
        }
        Ok((key, path))
    }

    /// Returns the value that articles are sorted by.
    pub(super) fn sort_key(&self, article: &Article) -> String {
        match self.sort {
            Sort::Title | Sort::TitleDescending => article.metadata.title.to_lowercase(),
            Sort::Newest | Sort::Oldest | Sort::Relevance => article.metadata.date.clone(),
        }
    }

    /// Tells whether an article comes after the end of the previous page.
    pub(super) fn is_after(&self, article: &Article, key: &str, path: &str) -> bool {
        let own = self.sort_key(article);
        let own_path = article.metadata.path.as_str();
        match self.sort {
            Sort::Newest => own.as_str() < key || (own == key && own_path > path),
            Sort::Oldest => own.as_str() > key || (own == key && own_path < path),
            Sort::TitleDescending => (own.as_str(), own_path) < (key, path),
            Sort::Title => (own.as_str(), own_path) > (key, path),
            Sort::Relevance => true,
        }
    }

    /// Tells whether an article passes the filters.
    pub(super) fn matches(&self, article: &Article) -> bool {
        let matches = |filter: &Option<String>, value: &str| {
            filter
                .as_ref()
                .is_none_or(|filter| value.to_lowercase() == *filter)
        };
        matches(&self.category, &article.metadata.category)
            && matches(&self.author, &article.metadata.author)
    }
}

/// Returns a trimmed parameter; `None` if it is absent or empty.
fn text(name: &str, value: Option<&str>) -> Result<Option<String>, ListError> {
    let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    if value.chars().count() > MAX_TEXT {
        return Err(ListError::Invalid(format!(
            "{name}: longer than {MAX_TEXT} characters"
        )));
    }
    Ok(Some(value.to_owned()))
}

fn sort(value: Option<&str>, has_words: bool) -> Result<Sort, ListError> {
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return Ok(if has_words {
            Sort::Relevance
        } else {
            Sort::Newest
        });
    };
    let known = SORTS.iter().find(|(word, _)| *word == value);
    match known {
        Some((_, Sort::Relevance)) if !has_words => {
            Err(ListError::Invalid("sort: relevance requires q".to_owned()))
        }
        Some((_, sort)) => Ok(*sort),
        None => {
            let words: Vec<&str> = SORTS.iter().map(|(word, _)| *word).collect();
            Err(ListError::Invalid(format!(
                "sort: expected one of {}",
                words.join(", ")
            )))
        }
    }
}

fn limit(value: Option<&str>) -> Result<usize, ListError> {
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return Ok(DEFAULT_LIMIT);
    };
    let limit = value.parse().ok().filter(|limit| LIMITS.contains(limit));
    limit.ok_or_else(|| {
        let (least, most) = (LIMITS.start(), LIMITS.end());
        ListError::Invalid(format!("limit: expected a number from {least} to {most}"))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{ArticleKind, ListParams, ListQuery, Sort};

    #[test]
    fn every_list_and_page_is_kept_apart() {
        let all = |kind| ListQuery::new(kind, &ListParams::default()).unwrap();
        let with = |change: fn(&mut ListQuery)| {
            let mut query = all(ArticleKind::Blog);
            change(&mut query);
            query
        };
        let lists = [
            all(ArticleKind::Blog),
            all(ArticleKind::Kb),
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
        assert_eq!(all(ArticleKind::Blog), all(ArticleKind::Blog));
    }
}
