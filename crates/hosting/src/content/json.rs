//! Lists and articles as JSON, assembled from fragments that are made when an article is loaded.

use std::fmt::Write;

use super::article::Article;
use super::index::ContentIndex;
use super::related;
use super::snapshot::Snapshot;

/// Writes a page of a list.
pub(super) fn list<'a>(
    articles: impl Iterator<Item = &'a Article>,
    categories: &[(String, usize)],
    next: Option<&str>,
    total: usize,
) -> String {
    let mut json = String::from("{\"items\":");
    push_list(&mut json, articles.map(|article| &*article.metadata_json));
    json.push_str(",\"categories\":");
    let categories = categories
        .iter()
        .map(|(name, count)| format!("{{\"name\":{},\"count\":{count}}}", quoted(name)));
    push_list(&mut json, categories);
    json.push_str(",\"nextCursor\":");
    match next {
        Some(cursor) => json.push_str(&quoted(cursor)),
        None => json.push_str("null"),
    }
    // Writing to a string cannot fail.
    let _ = write!(json, ",\"total\":{total}}}");
    json
}

/// Writes an article.
pub(super) fn article(
    index: &ContentIndex,
    snapshot: &Snapshot,
    article: &Article,
    position: u32,
) -> String {
    let content = article.content_fields();
    let metadata = article.metadata_json.strip_suffix('}').unwrap_or_default();
    let mut json = String::with_capacity(metadata.len() + content.len() + 2048);
    json.push_str(metadata);
    json.push(',');
    json.push_str(&content);
    let _ = write!(json, ",\"updatedAt\":\"{:.3}\"", article.updated_at);
    json.push_str(",\"related\":");
    let related = related::articles(index, snapshot, article, position);
    push_list(
        &mut json,
        related.iter().map(|article| &*article.metadata_json),
    );
    json.push('}');
    json
}

fn push_list<T: AsRef<str>>(json: &mut String, items: impl Iterator<Item = T>) {
    json.push('[');
    for (number, item) in items.enumerate() {
        if number > 0 {
            json.push(',');
        }
        json.push_str(item.as_ref());
    }
    json.push(']');
}

fn quoted(text: &str) -> String {
    // Texts always serialize.
    serde_json::to_string(text).unwrap_or_default()
}
