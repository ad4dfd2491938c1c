//! Articles in memory.

use std::borrow::Cow;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::front_matter::{self, FrontMatter, reading_time};
use super::kind::ArticleKind;
use super::markdown::{self, LARGEST_SOURCE, TocEntry};
use super::render_cache::{RenderCache, RenderedArticle};
use super::{cover, search_index};
use crate::base::digest;
use crate::base::parse::{Fault, SourceDate, lines_in};

/// How many words readers read per minute.
const WORDS_PER_MINUTE: usize = 200;

/// The metadata of an article: the eight texts that lists show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The title.
    pub title: String,
    /// A short summary.
    pub description: String,
    /// The path of the article on the site.
    pub path: String,
    /// The category.
    pub category: String,
    /// The date, as YYYY-MM-DD: that of the front matter, or else the day on which the file was modified.
    #[schemars(regex(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))]
    pub date: String,
    /// The author.
    pub author: String,
    /// The reading time, such as `3 min read`.
    pub read_time: String,
    /// The path of the cover image on the site, or its URL; empty if there is none.
    pub cover: String,
}

/// The content of an article: what lists do not show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content<'a> {
    /// The Markdown source without front matter, byte for byte.
    pub body: Cow<'a, str>,
    /// The rendered HTML.
    pub html: Cow<'a, str>,
    /// The table of contents.
    pub toc: Cow<'a, [TocEntry]>,
}

impl Content<'_> {
    /// Returns the fields as JSON without the braces, compressed.
    pub(crate) fn pack(&self) -> Box<[u8]> {
        // Texts and numbers always serialize, and writing to memory does not fail.
        let json = serde_json::to_string(self).unwrap_or_default();
        let fields = json
            .get(1..json.len().saturating_sub(1))
            .unwrap_or_default();
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(5));
        let _ = encoder.write_all(fields.as_bytes());
        encoder.finish().unwrap_or_default().into_boxed_slice()
    }
}

/// An article, rendered and held in memory.
#[derive(Debug)]
pub struct Article {
    pub(crate) kind: ArticleKind,
    /// The file, relative to the content folder.
    pub(crate) file: String,
    /// Identifies this version of the file in the search index.
    pub(crate) key: u64,
    pub(crate) metadata: Metadata,
    /// The metadata as JSON, with braces.
    pub(crate) metadata_json: Box<str>,
    pub(crate) slug: String,
    pub(crate) aliases: Vec<String>,
    /// When the article becomes visible; [`Timestamp::MAX`] for drafts.
    pub(crate) visible_from: Timestamp,
    pub(crate) updated_at: Timestamp,
    /// Hashes of the words of title and description, to find related articles.
    pub(crate) word_hashes: Box<[u32]>,
    /// The content, see [`Content::pack`]. It is compressed so that articles that are seldom read take
    /// little memory.
    packed: Box<[u8]>,
}

/// The last good version of an article whose file is invalid, as it is saved on disk.
#[derive(Serialize, Deserialize)]
struct SavedArticle {
    key: u64,
    metadata: Metadata,
    aliases: Vec<String>,
    /// Seconds and nanoseconds since 1970.
    visible_from: (i64, i32),
    updated_at: (i64, i32),
    body: String,
}

fn seconds_and_nanos(time: Timestamp) -> (i64, i32) {
    (time.as_second(), time.subsec_nanosecond())
}

/// An article that was just read, and what is not kept with it.
pub(crate) struct ReadArticle {
    pub(crate) article: Article,
    /// The words for the search index.
    pub(crate) words: String,
    /// Probable mistakes of the author.
    pub(crate) warnings: Vec<Fault>,
}

/// The file of an article, after it was read.
pub(crate) struct ArticleFile<'f> {
    pub(crate) kind: ArticleKind,
    pub(crate) name: &'f str,
    pub(crate) bytes: &'f [u8],
    pub(crate) modified: Timestamp,
}

impl Article {
    /// Parses and renders an article. All faults of the front matter are reported together.
    pub(crate) fn read(
        file: &ArticleFile<'_>,
        cache: &RenderCache,
    ) -> Result<ReadArticle, Vec<Fault>> {
        if file.bytes.len() > LARGEST_SOURCE {
            let message = format!("larger than {} KiB", LARGEST_SOURCE / 1024);
            return Err(vec![Fault::new(1, message)]);
        }
        let text = std::str::from_utf8(file.bytes).map_err(|error| {
            let good = file.bytes.get(..error.valid_up_to()).unwrap_or_default();
            vec![Fault::new(lines_in(good) + 1, "not UTF-8")]
        })?;
        let parts = front_matter::split(text).map_err(|fault| vec![fault])?;
        let (front_matter, warnings) = front_matter::parse(&parts)?;
        if file.kind == ArticleKind::Blog && front_matter.date.is_none() {
            return Err(vec![Fault::new(1, "`date` is missing")]);
        }
        let mut rendered = render(parts.body, cache).map_err(|mut fault| {
            fault.line += parts.lines_before_body;
            vec![fault]
        })?;
        let words = std::mem::take(&mut rendered.search);
        Ok(ReadArticle {
            article: Self::assemble(file, front_matter, rendered),
            words,
            warnings,
        })
    }

    /// Returns the bytes from which [`restore`](Self::restore) makes the article again after a restart.
    pub(crate) fn save(&self) -> Vec<u8> {
        let saved = SavedArticle {
            key: self.key,
            metadata: self.metadata.clone(),
            aliases: self.aliases.clone(),
            visible_from: seconds_and_nanos(self.visible_from),
            updated_at: seconds_and_nanos(self.updated_at),
            body: self.content().body.into_owned(),
        };
        // Texts and numbers always serialize.
        serde_json::to_vec(&saved).unwrap_or_default()
    }

    /// Restores a saved article; returns it with its words for the search index.
    pub(crate) fn restore(
        kind: ArticleKind,
        file: &str,
        saved: &[u8],
        cache: &RenderCache,
    ) -> Option<(Self, String)> {
        let mut saved: SavedArticle = serde_json::from_slice(saved).ok()?;
        let rendered = render(&saved.body, cache).ok()?;
        let time = |(seconds, nanoseconds)| Timestamp::new(seconds, nanoseconds).ok();
        // Earlier versions saved articles without a date.
        if saved.metadata.date.is_empty() {
            saved.metadata.date = day_of(time(saved.updated_at)?);
        }
        let slug = saved.metadata.path.rsplit('/').next().unwrap_or_default();
        let article = Self {
            kind,
            file: file.to_owned(),
            key: saved.key,
            metadata_json: serde_json::to_string(&saved.metadata).ok()?.into(),
            slug: slug.to_owned(),
            aliases: saved.aliases,
            visible_from: time(saved.visible_from)?,
            updated_at: time(saved.updated_at)?,
            word_hashes: word_hashes(&saved.metadata),
            packed: rendered.content,
            metadata: saved.metadata,
        };
        Some((article, rendered.search))
    }

    fn assemble(
        file: &ArticleFile<'_>,
        front_matter: FrontMatter,
        rendered: RenderedArticle,
    ) -> Self {
        let path = path_of(file, &front_matter);
        let at = |date: Option<SourceDate>| date.map(|date| date.at);
        let published = at(front_matter.date);
        let minutes = rendered.words.div_ceil(WORDS_PER_MINUTE).max(1);
        let read_time = front_matter
            .read_time
            .unwrap_or_else(|| reading_time(u32::try_from(minutes).unwrap_or(u32::MAX)));
        let slug = path.rsplit('/').next().unwrap_or_default().to_owned();
        let metadata = Metadata {
            title: front_matter.title,
            description: front_matter.description,
            path,
            category: front_matter.category,
            date: front_matter
                .date
                .map_or_else(|| day_of(file.modified), |date| date.day.to_string()),
            author: front_matter.author,
            read_time,
            cover: cover::site_path(file.name, &front_matter.cover),
        };
        Self {
            kind: file.kind,
            file: file.name.to_owned(),
            key: digest::number(&[file.name.as_bytes(), file.bytes]),
            // Texts always serialize.
            metadata_json: serde_json::to_string(&metadata).unwrap_or_default().into(),
            slug,
            aliases: front_matter.aliases,
            visible_from: if front_matter.draft {
                Timestamp::MAX
            } else {
                published.unwrap_or(Timestamp::MIN)
            },
            updated_at: at(front_matter.updated)
                .or(published)
                .unwrap_or(file.modified),
            word_hashes: word_hashes(&metadata),
            packed: rendered.content,
            metadata,
        }
    }

    /// Tells whether two versions of an article with the same text have the same date and change.
    pub(crate) fn has_times_of(&self, other: &Self) -> bool {
        (&self.metadata.date, self.updated_at) == (&other.metadata.date, other.updated_at)
    }

    /// Tells whether the article is visible at this time.
    pub fn is_visible(&self, now: Timestamp) -> bool {
        self.visible_from != Timestamp::MAX && self.visible_from <= now
    }

    /// Returns the metadata.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns `body`, `html` and `toc` as JSON without the braces.
    pub(crate) fn content_fields(&self) -> String {
        let mut fields = String::new();
        // The bytes were packed by this process, or read from the cache, which checks their digest.
        let _ = ZlibDecoder::new(&*self.packed).read_to_string(&mut fields);
        fields
    }

    /// Returns the content.
    pub fn content(&self) -> Content<'static> {
        let json = format!("{{{}}}", self.content_fields());
        serde_json::from_str(&json).unwrap_or(Content {
            body: Cow::Borrowed(""),
            html: Cow::Borrowed(""),
            toc: Cow::Borrowed(&[]),
        })
    }
}

/// Returns the day of a time in UTC, as YYYY-MM-DD.
fn day_of(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).date().to_string()
}

/// Returns a rendered body from the cache, or renders it and puts it there.
fn render(body: &str, cache: &RenderCache) -> Result<RenderedArticle, Fault> {
    let key = RenderCache::key(body);
    if let Some(rendered) = cache.get(&key) {
        return Ok(rendered);
    }
    let rendered = markdown::render(body)?;
    let content = Content {
        body: Cow::Borrowed(body),
        html: Cow::Owned(rendered.html),
        toc: Cow::Owned(rendered.toc),
    };
    let article = RenderedArticle {
        words: rendered.words,
        content: content.pack(),
        search: search_index::words(&markdown::plain_text(body)),
    };
    cache.put(&key, &article);
    Ok(article)
}

/// Returns the path of an article on the site: from the front matter, or from the name of the file.
fn path_of(file: &ArticleFile<'_>, front_matter: &FrontMatter) -> String {
    if let Some(path) = &front_matter.path {
        return path.clone();
    }
    let stem = file.name.strip_suffix(".md").unwrap_or(file.name);
    let stem = stem.strip_suffix("/index").unwrap_or(stem);
    match (&front_matter.slug, stem.rsplit_once('/')) {
        (Some(slug), Some((folder, _))) => format!("/{folder}/{slug}"),
        _ => format!("/{stem}"),
    }
}

/// Returns hashes of the longer words of title and description, sorted and without duplicates.
fn word_hashes(metadata: &Metadata) -> Box<[u32]> {
    let text = format!("{} {}", metadata.title, metadata.description).to_lowercase();
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let mut hashes: Vec<u32> = words
        .filter(|word| word.chars().count() > 3)
        .map(|word| digest::small(word.as_bytes()))
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into_boxed_slice()
}
