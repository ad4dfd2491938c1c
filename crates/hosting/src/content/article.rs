//! An article as the library keeps it.

use std::borrow::Cow;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::front_matter::{self, FrontMatter, Moment};
use super::markdown::{self, LARGEST_SOURCE, TocEntry};
use super::problem::{Fault, lines_in};
use super::render_cache::{Packed, RenderCache};
use super::{digest, reading_time, search};

/// How many words a reader takes in a minute.
const WORDS_PER_MINUTE: usize = 200;

/// Which shelf an article stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The blog.
    Blog,
    /// The knowledge base.
    Kb,
}

impl Kind {
    /// Its word in paths and folders.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blog => "blog",
            Self::Kb => "kb",
        }
    }
}

/// What lists say about an article: these eight texts and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The title.
    pub title: String,
    /// A short summary.
    pub description: String,
    /// The path on the site.
    pub path: String,
    /// The category.
    pub category: String,
    /// The day, as YYYY-MM-DD; empty when there is none.
    #[schemars(regex(pattern = "^([0-9]{4}-[0-9]{2}-[0-9]{2})?$"))]
    pub date: String,
    /// Who wrote it.
    pub author: String,
    /// The reading time, for people.
    pub read_time: String,
    /// The path of the cover image, as the author wrote it.
    pub cover: String,
}

/// What only the article itself has: the source, the HTML and the table of contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content<'a> {
    /// The source without front matter, byte for byte.
    pub body: Cow<'a, str>,
    /// The rendered HTML.
    pub html: Cow<'a, str>,
    /// The headings.
    pub toc: Cow<'a, [TocEntry]>,
}

impl Content<'_> {
    /// The fields as JSON without the braces, compressed.
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

/// An article.
#[derive(Debug)]
pub struct Article {
    pub(crate) kind: Kind,
    /// The file, relative to the content folder.
    pub(crate) file: String,
    /// Names this version of this file in the search index.
    pub(crate) key: u64,
    pub(crate) metadata: Metadata,
    /// The metadata as JSON, with braces.
    pub(crate) metadata_json: Box<str>,
    pub(crate) slug: String,
    pub(crate) aliases: Vec<String>,
    /// From when on it is shown. Drafts never are.
    pub(crate) visible_from: Timestamp,
    pub(crate) updated_at: Timestamp,
    /// The words of title and description, hashed, to find what is related.
    pub(crate) word_hashes: Box<[u32]>,
    /// See [`Content::pack`]. Articles that nobody reads should not cost much memory.
    packed: Box<[u8]>,
}

/// What is kept of an article whose file is broken.
#[derive(Serialize, Deserialize)]
struct Kept {
    key: u64,
    metadata: Metadata,
    aliases: Vec<String>,
    /// Seconds and nanoseconds since 1970.
    visible_from: (i64, i32),
    updated_at: (i64, i32),
    body: String,
}

fn parts(time: Timestamp) -> (i64, i32) {
    (time.as_second(), time.subsec_nanosecond())
}

/// A file that was read.
pub(crate) struct Source<'f> {
    pub(crate) kind: Kind,
    pub(crate) file: &'f str,
    pub(crate) bytes: &'f [u8],
    pub(crate) modified: Timestamp,
}

impl Article {
    /// Makes an article of a file. All faults of the front matter are reported together.
    /// With it come its words for the search.
    pub(crate) fn read(
        source: &Source<'_>,
        cache: &RenderCache,
    ) -> Result<(Self, String), Vec<Fault>> {
        if source.bytes.len() > LARGEST_SOURCE {
            let message = format!("larger than {} KiB", LARGEST_SOURCE / 1024);
            return Err(vec![Fault::new(1, message)]);
        }
        let text = std::str::from_utf8(source.bytes).map_err(|error| {
            let good = source.bytes.get(..error.valid_up_to()).unwrap_or_default();
            vec![Fault::new(lines_in(good) + 1, "not UTF-8")]
        })?;
        let parts = front_matter::split(text).map_err(|fault| vec![fault])?;
        let front_matter = front_matter::read(&parts)?;
        if source.kind == Kind::Blog && front_matter.date.is_none() {
            return Err(vec![Fault::new(1, "`date` is missing")]);
        }
        let mut packed = packed(parts.body, cache).map_err(|mut fault| {
            fault.line += parts.lines_before_body;
            vec![fault]
        })?;
        let search = std::mem::take(&mut packed.search);
        Ok((Self::assemble(source, front_matter, packed), search))
    }

    /// All that is needed to have it again, when its file is broken and the server was restarted.
    pub(crate) fn keep(&self) -> Vec<u8> {
        let kept = Kept {
            key: self.key,
            metadata: self.metadata.clone(),
            aliases: self.aliases.clone(),
            visible_from: parts(self.visible_from),
            updated_at: parts(self.updated_at),
            body: self.content().body.into_owned(),
        };
        // Texts and numbers always serialize.
        serde_json::to_vec(&kept).unwrap_or_default()
    }

    /// The article that was kept, with its words for the search.
    pub(crate) fn restore(
        kind: Kind,
        file: &str,
        kept: &[u8],
        cache: &RenderCache,
    ) -> Option<(Self, String)> {
        let kept: Kept = serde_json::from_slice(kept).ok()?;
        let packed = packed(&kept.body, cache).ok()?;
        let time = |(seconds, nanoseconds)| Timestamp::new(seconds, nanoseconds).ok();
        let slug = kept.metadata.path.rsplit('/').next().unwrap_or_default();
        let article = Self {
            kind,
            file: file.to_owned(),
            key: kept.key,
            metadata_json: serde_json::to_string(&kept.metadata).ok()?.into(),
            slug: slug.to_owned(),
            aliases: kept.aliases,
            visible_from: time(kept.visible_from)?,
            updated_at: time(kept.updated_at)?,
            word_hashes: word_hashes(&kept.metadata),
            packed: packed.content,
            metadata: kept.metadata,
        };
        Some((article, packed.search))
    }

    fn assemble(source: &Source<'_>, front_matter: FrontMatter, packed: Packed) -> Self {
        let path = path_of(source, &front_matter);
        let at = |moment: Option<Moment>| moment.map(|moment| moment.at);
        let published = at(front_matter.date);
        let minutes = packed.words.div_ceil(WORDS_PER_MINUTE).max(1);
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
                .map_or_else(String::new, |moment| moment.day.to_string()),
            author: front_matter.author,
            read_time,
            cover: front_matter.cover,
        };
        Self {
            kind: source.kind,
            file: source.file.to_owned(),
            key: digest::number(&[source.file.as_bytes(), source.bytes]),
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
                .unwrap_or(source.modified),
            word_hashes: word_hashes(&metadata),
            packed: packed.content,
            metadata,
        }
    }

    /// Whether it is shown at this time.
    pub fn is_visible(&self, now: Timestamp) -> bool {
        self.visible_from != Timestamp::MAX && self.visible_from <= now
    }

    /// The eight texts of lists.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// `body`, `html` and `toc` as JSON without the braces.
    pub(crate) fn content_fields(&self) -> String {
        let mut fields = String::new();
        // What was packed by this program or checked by its hash can be unpacked.
        let _ = ZlibDecoder::new(&*self.packed).read_to_string(&mut fields);
        fields
    }

    /// `body`, `html` and `toc`.
    pub fn content(&self) -> Content<'static> {
        let json = format!("{{{}}}", self.content_fields());
        serde_json::from_str(&json).unwrap_or(Content {
            body: Cow::Borrowed(""),
            html: Cow::Borrowed(""),
            toc: Cow::Borrowed(&[]),
        })
    }
}

/// What comes of a body: from the cache, or rendered and put there.
fn packed(body: &str, cache: &RenderCache) -> Result<Packed, Fault> {
    let key = RenderCache::key(body);
    if let Some(packed) = cache.get(&key) {
        return Ok(packed);
    }
    let rendered = markdown::render(body)?;
    let content = Content {
        body: Cow::Borrowed(body),
        html: Cow::Owned(rendered.html),
        toc: Cow::Owned(rendered.toc),
    };
    let packed = Packed {
        words: rendered.words,
        content: content.pack(),
        search: search::words(&markdown::plain_text(body)),
    };
    cache.put(&key, &packed);
    Ok(packed)
}

/// Where the article stands on the site: as its author says, or as its file does.
fn path_of(source: &Source<'_>, front_matter: &FrontMatter) -> String {
    if let Some(path) = &front_matter.path {
        return path.clone();
    }
    let stem = source.file.strip_suffix(".md").unwrap_or(source.file);
    let stem = stem.strip_suffix("/index").unwrap_or(stem);
    match (&front_matter.slug, stem.rsplit_once('/')) {
        (Some(slug), Some((folder, _))) => format!("/{folder}/{slug}"),
        _ => format!("/{stem}"),
    }
}

/// The longer words of title and description, each once.
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
