//! The newest articles as Atom and JSON Feed, and the addresses of all as a site map.

use std::fmt::Write;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;
use url::Url;

use super::article::{Article, Kind};
use super::edition::Edition;
use super::library::Library;

/// How many articles a feed has.
const NEWEST: usize = 20;
/// How many addresses a site map may have.
const MOST_ADDRESSES: usize = 50_000;

/// The site that shows the articles.
#[derive(Debug, Clone)]
pub struct Site {
    /// Where it is; paths of articles start there.
    pub url: Url,
    /// What it is called.
    pub name: String,
}

impl Site {
    /// Stands in where a setting is wrong, until the fault is reported.
    #[expect(clippy::expect_used, reason = "what it parses is a constant")]
    pub(crate) fn nowhere() -> Url {
        Url::parse("http://localhost").expect("a URL")
    }

    /// The address of a path.
    fn address(&self, path: &str) -> String {
        let mut url = self.url.clone();
        let base = url.path().trim_end_matches('/').to_owned();
        // Encodes what must not stand in an address.
        url.set_path(&format!("{base}{path}"));
        url.to_string()
    }
}

/// A form in which articles are announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Atom,
    JsonFeed,
    Sitemap,
}

impl Format {
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

pub(super) fn write(format: Format, library: &Library, edition: &Edition, site: &Site) -> String {
    match format {
        Format::Atom => atom(&newest(library, edition), site),
        Format::JsonFeed => json_feed(&newest(library, edition), site),
        Format::Sitemap => sitemap(library, edition, site),
    }
}

fn newest<'l>(library: &'l Library, edition: &Edition) -> Vec<&'l Arc<Article>> {
    let shelf = edition.shelf(Kind::Blog).by_date.iter();
    shelf
        .filter_map(|index| library.at(*index))
        .take(NEWEST)
        .collect()
}

/// When it was published; articles without a day have the day of their file.
fn published(article: &Article) -> Timestamp {
    if article.visible_from == Timestamp::MIN {
        article.updated_at
    } else {
        article.visible_from
    }
}

fn atom(articles: &[&Arc<Article>], site: &Site) -> String {
    let home = xml(&site.address("/"));
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
        let address = xml(&site.address(&meta.path));
        let author = if meta.author.is_empty() {
            &site.name
        } else {
            &meta.author
        };
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<entry>\n<title>{}</title>\n<id>{address}</id>\n<link href=\"{address}\"/>\n\
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
            let address = site.address(&meta.path);
            let mut item = json!({
                "id": address,
                "url": address,
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
        "home_page_url": site.address("/"),
        "items": items,
    })
    .to_string()
}

/// A cover is a path on the site or an address of its own.
fn image(site: &Site, cover: &str) -> String {
    if cover.starts_with('/') && !cover.starts_with("//") {
        site.address(cover)
    } else {
        cover.to_owned()
    }
}

fn sitemap(library: &Library, edition: &Edition, site: &Site) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    let shelves = [Kind::Blog, Kind::Kb].map(|kind| edition.shelf(kind).by_date.iter());
    let articles = shelves
        .into_iter()
        .flatten()
        .filter_map(|index| library.at(*index));
    for article in articles.take(MOST_ADDRESSES) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<url><loc>{}</loc><lastmod>{}</lastmod></url>",
            xml(&site.address(&article.metadata.path)),
            article.updated_at,
        );
    }
    out.push_str("</urlset>\n");
    out
}

/// A text in XML, without the characters that XML cannot have.
fn xml(text: &str) -> String {
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
