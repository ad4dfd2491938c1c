//! The newest articles as Atom and JSON Feed, and the URLs of all articles as a site map.

use std::fmt::Write;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;

use super::article::Article;
use super::index::ContentIndex;
use super::kind::ArticleKind;
use super::snapshot::Snapshot;
use crate::base::site::Site;

/// How many articles a feed has at most.
const FEED_LENGTH: usize = 20;
/// How many URLs the sitemaps protocol allows in a file.
const MAX_SITEMAP_URLS: usize = 50_000;

/// A format in which articles are announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FeedFormat {
    Atom,
    JsonFeed,
    Sitemap,
}

impl FeedFormat {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Atom => "feed.atom",
            Self::JsonFeed => "feed.json",
            Self::Sitemap => "sitemap.xml",
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Atom => "application/atom+xml; charset=utf-8",
            Self::JsonFeed => "application/feed+json; charset=utf-8",
            Self::Sitemap => "application/xml; charset=utf-8",
        }
    }
}

pub(super) fn write(
    format: FeedFormat,
    index: &ContentIndex,
    snapshot: &Snapshot,
    site: &Site,
) -> String {
    match format {
        FeedFormat::Atom => atom(&newest(index, snapshot), site),
        FeedFormat::JsonFeed => json_feed(&newest(index, snapshot), site),
        FeedFormat::Sitemap => sitemap(index, snapshot, site),
    }
}

fn newest<'i>(index: &'i ContentIndex, snapshot: &Snapshot) -> Vec<&'i Arc<Article>> {
    let section = snapshot.section(ArticleKind::Blog).by_date.iter();
    section
        .filter_map(|position| index.at(*position))
        .take(FEED_LENGTH)
        .collect()
}

/// Returns when an article was published; one without a date was published when its file was modified.
fn published(article: &Article) -> Timestamp {
    if article.visible_from == Timestamp::MIN {
        article.updated_at
    } else {
        article.visible_from
    }
}

fn atom(articles: &[&Arc<Article>], site: &Site) -> String {
    let home = xml(&site.url_of("/"));
    let updated = articles.iter().map(|article| article.updated_at).max();
    let updated = updated.unwrap_or(Timestamp::UNIX_EPOCH);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>{}</title>\n<id>{home}</id>\n<link href=\"{home}\"/>\n<updated>{updated}</updated>\n",
        xml(&site.name)
    );
    for article in articles {
        let meta = &article.metadata;
        let url = xml(&site.url_of(&meta.path));
        let author = if meta.author.is_empty() {
            &site.name
        } else {
            &meta.author
        };
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<entry>\n<title>{}</title>\n<id>{url}</id>\n<link href=\"{url}\"/>\n\
             <published>{}</published>\n<updated>{}</updated>\n<author><name>{}</name></author>\n",
            xml(&meta.title),
            published(article),
            article.updated_at,
            xml(author),
        );
        if !meta.category.is_empty() {
            let _ = writeln!(out, "<category term=\"{}\"/>", xml(&meta.category));
        }
        let _ = write!(
            out,
            "<summary>{}</summary>\n<content type=\"html\">{}</content>\n</entry>\n",
            xml(&meta.description),
            xml(&article.content().html),
        );
    }
    out.push_str("</feed>\n");
    out
}

fn json_feed(articles: &[&Arc<Article>], site: &Site) -> String {
    let items: Vec<_> = articles
        .iter()
        .map(|article| {
            let meta = &article.metadata;
            let url = site.url_of(&meta.path);
            let mut item = json!({
                "id": url,
                "url": url,
                "title": meta.title,
                "summary": meta.description,
                "content_html": article.content().html,
                "date_published": published(article).to_string(),
                "date_modified": article.updated_at.to_string(),
            });
            if let Some(item) = item.as_object_mut() {
                if !meta.author.is_empty() {
                    item.insert("authors".to_owned(), json!([{ "name": meta.author }]));
                }
                if !meta.category.is_empty() {
                    item.insert("tags".to_owned(), json!([meta.category]));
                }
                if !meta.cover.is_empty() {
                    item.insert("image".to_owned(), json!(image(site, &meta.cover)));
                }
            }
            item
        })
        .collect();
    json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": site.name,
        "home_page_url": site.url_of("/"),
        "items": items,
    })
    .to_string()
}

/// Returns the URL of a cover, which is a path on the site or a URL.
fn image(site: &Site, cover: &str) -> String {
    if cover.starts_with('/') && !cover.starts_with("//") {
        site.url_of(cover)
    } else {
        cover.to_owned()
    }
}

fn sitemap(index: &ContentIndex, snapshot: &Snapshot, site: &Site) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    let sections = [ArticleKind::Blog, ArticleKind::Kb];
    let sections = sections.map(|kind| snapshot.section(kind).by_date.iter());
    let articles = sections
        .into_iter()
        .flatten()
        .filter_map(|position| index.at(*position));
    for article in articles.take(MAX_SITEMAP_URLS) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<url><loc>{}</loc><lastmod>{}</lastmod></url>",
            xml(&site.url_of(&article.metadata.path)),
            article.updated_at,
        );
    }
    out.push_str("</urlset>\n");
    out
}

/// Escapes a text for XML, and replaces the characters that XML cannot represent.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(letter),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}
