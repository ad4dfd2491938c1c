//! What else somebody may read who reads an article.

use std::cmp::Reverse;
use std::sync::Arc;

use super::article::Article;
use super::edition::Edition;
use super::library::Library;

/// How many are named.
const MOST: usize = 4;
/// How many shared words a shared category is worth.
const CATEGORY: usize = 2;

/// The nearest visible articles of the same kind: by words of title and description, by category, and
/// the newer first. The same on every replica, so that they agree on entity tags.
pub(super) fn to<'l>(
    library: &'l Library,
    edition: &Edition,
    article: &Article,
    index: u32,
) -> Vec<&'l Arc<Article>> {
    let shelf = edition.shelf(article.kind).by_date.iter();
    let mut scored: Vec<(Reverse<usize>, usize, u32)> = shelf
        .enumerate()
        .filter(|(_, other)| **other != index)
        .filter_map(|(place, other)| {
            let score = score(article, library.at(*other)?);
            (score > 0).then_some((Reverse(score), place, *other))
        })
        .collect();
    scored.sort_unstable();
    scored
        .into_iter()
        .take(MOST)
        .filter_map(|(_, _, other)| library.at(other))
        .collect()
}

fn score(article: &Article, other: &Article) -> usize {
    let category = &article.metadata.category;
    let same = !category.is_empty() && other.metadata.category == *category;
    shared(&article.word_hashes, &other.word_hashes) + if same { CATEGORY } else { 0 }
}

/// How many numbers two sorted lists share.
fn shared(mut left: &[u32], mut right: &[u32]) -> usize {
    let mut count = 0;
    while let (Some((a, left_rest)), Some((b, right_rest))) =
        (left.split_first(), right.split_first())
    {
        match a.cmp(b) {
            std::cmp::Ordering::Less => left = left_rest,
            std::cmp::Ordering::Greater => right = right_rest,
            std::cmp::Ordering::Equal => {
                count += 1;
                (left, right) = (left_rest, right_rest);
            }
        }
    }
    count
}
