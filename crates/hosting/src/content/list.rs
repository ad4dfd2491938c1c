//! Pages of lists of articles.

use super::article::Article;
use super::index::ContentIndex;
use super::json;
use super::list_query::{ListError, ListQuery, Sort};
use super::search_index::SearchIndex;
use super::snapshot::Snapshot;

/// Returns a page as JSON.
pub(super) fn page(
    index: &ContentIndex,
    snapshot: &Snapshot,
    search: &SearchIndex,
    query: &ListQuery,
) -> Result<String, ListError> {
    let section = snapshot.section(query.kind);
    let order = ordered(index, snapshot, search, query)?;
    let matching: Vec<&Article> = order
        .into_iter()
        .filter_map(|position| Some(index.at(position)?.as_ref()))
        .filter(|article| query.matches(article))
        .collect();
    let start = match &query.after {
        None => 0,
        Some((offset, _)) if query.sort == Sort::Relevance => {
            offset.parse().unwrap_or(0).min(matching.len())
        }
        Some((key, path)) => matching
            .iter()
            .position(|article| query.is_after(article, key, path))
            .unwrap_or(matching.len()),
    };
    let items = matching.get(start..).unwrap_or_default();
    let items = items.get(..query.limit).unwrap_or(items);
    let end = start + items.len();
    let next = items.last().filter(|_| end < matching.len()).map(|last| {
        if query.sort == Sort::Relevance {
            query.encode_cursor(&end.to_string(), "")
        } else {
            query.encode_cursor(&query.sort_key(last), &last.metadata.path)
        }
    });
    Ok(json::list(
        items.iter().copied(),
        &section.categories,
        next.as_deref(),
        matching.len(),
    ))
}

/// Returns the positions of the visible articles that match the search, in order.
fn ordered(
    index: &ContentIndex,
    snapshot: &Snapshot,
    search: &SearchIndex,
    query: &ListQuery,
) -> Result<Vec<u32>, ListError> {
    let section = snapshot.section(query.kind);
    let mut order: Vec<u32> = match query.sort {
        Sort::Newest | Sort::Relevance => section.by_date.clone(),
        Sort::Oldest => section.by_date.iter().rev().copied().collect(),
        Sort::Title => section.by_title.clone(),
        Sort::TitleDescending => section.by_title.iter().rev().copied().collect(),
    };
    let Some(words) = &query.words else {
        return Ok(order);
    };
    // The visible articles that no match was counted for yet: the search may return one twice.
    let mut remaining = section.contains.clone();
    let mut take = |position: &u32| {
        let is_remaining = remaining.get_mut(*position as usize);
        is_remaining.is_some_and(std::mem::take)
    };
    let matches: Vec<u32> = search
        .find(words)?
        .into_iter()
        .filter_map(|key| index.by_key(key))
        .filter(&mut take)
        .collect();
    if query.sort == Sort::Relevance {
        return Ok(matches);
    }
    // What remains did not match.
    order.retain(|position| !take(position));
    Ok(order)
}
