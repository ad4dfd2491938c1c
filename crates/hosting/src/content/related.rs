//! Articles that readers of an article may want to read next.

use std::cmp::Reverse;
use std::sync::Arc;

use super::article::Article;
use super::index::ContentIndex;
use super::snapshot::Snapshot;

/// How many related articles an article has at most.
const MAX_RELATED: usize = 4;
/// How many shared words a shared category is worth.
const CATEGORY_WEIGHT: usize = 2;

/// Returns the most similar visible articles of the same kind: by words of title and description, by
/// category, and newer ones first. The result is the same on every replica, so that entity tags agree.
pub(super) fn articles<'i>(
    index: &'i ContentIndex,
    snapshot: &Snapshot,
    article: &Article,
    position: u32,
) -> Vec<&'i Arc<Article>> {
    let section = snapshot.section(article.kind).by_date.iter();
    let mut scored: Vec<(Reverse<usize>, usize, u32)> = section
        .enumerate()
        .filter(|(_, other)| **other != position)
        .filter_map(|(rank, other)| {
            let score = score(article, index.at(*other)?);
            (score > 0).then_some((Reverse(score), rank, *other))
        })
        .collect();
    scored.sort_unstable();
    scored
        .into_iter()
        .take(MAX_RELATED)
        .filter_map(|(_, _, other)| index.at(other))
        .collect()
}

fn score(article: &Article, other: &Article) -> usize {
    let category = &article.metadata.category;
    let same = !category.is_empty() && other.metadata.category == *category;
    shared(&article.word_hashes, &other.word_hashes) + if same { CATEGORY_WEIGHT } else { 0 }
}

/// Counts the numbers that two sorted lists share.
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
