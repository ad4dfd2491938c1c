//! Articles, plans and images from a folder: loaded in parallel, rendered once, kept in memory and
//! exchanged in one step when something changes.

mod article;
pub(crate) mod digest;
mod edition;
mod feed;
mod folder;
mod front_matter;
mod json;
mod last_good;
mod library;
mod list;
mod load;
mod markdown;
pub(crate) mod path;
mod problem;
mod related;
mod render_cache;
mod search;
mod watch;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use jiff::Timestamp;
use tantivy::TantivyError;

pub use article::{Article, Content, Kind, Metadata};
pub(crate) use feed::Format as FeedFormat;
pub use feed::Site;
pub use folder::{EmbeddedFile, Origin};
pub(crate) use front_matter::Moment;
pub use library::{Asset, Library};
pub(crate) use list::{Asked, ListError, ListQuery};
pub use markdown::TocEntry;
pub(crate) use markdown::forget_grammars;
pub(crate) use problem::line_at;
pub use problem::{Effect, Fault, Problem};
pub(crate) use watch::reload_in_background;
pub use watch::watch;

use crate::answer::Answer;
use last_good::LastGood;
use render_cache::RenderCache;
use search::Search;

/// Answers of lists and articles may be kept so long before they are asked for again.
const CACHE_CONTROL: &str = "public, max-age=60, stale-while-revalidate=600, stale-if-error=86400";
const JSON: &str = "application/json";

/// The largest image that is served.
const LARGEST_IMAGE: u64 = 32 * 1024 * 1024;

/// The name of the folder for rendered articles inside a content folder.
const CACHE_FOLDER: &str = ".innkeeper-cache";

/// Why content could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// The folder is not there or may not be read.
    #[error("the content folder {} cannot be read: {error}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The search index could not be changed.
    #[error("the search index could not be made: {0}")]
    Search(#[from] TantivyError),
}

/// What a reload reads again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reread {
    /// Files that look changed, and these in any case.
    Changed(HashSet<String>),
    /// All files.
    All,
}

/// What a reload did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many articles there are, visible or not.
    pub articles: usize,
    /// How many files of articles were read.
    pub read: usize,
    /// How many were rendered, because the cache did not have them.
    pub rendered: u64,
    /// How many problems there are.
    pub problems: usize,
}

/// The content of a site.
#[derive(Debug)]
pub struct Shelves {
    origin: Origin,
    cache: RenderCache,
    last_good: LastGood,
    search: Search,
    library: ArcSwap<Library>,
    /// One reload at a time.
    reloading: Mutex<()>,
}

impl Shelves {
    /// Loads all content. Rendered articles are kept in a folder: the given one, or one inside the
    /// content folder. Broken files are reported by [`Library::problems`] and stop nothing.
    ///
    /// This takes as long as reading and rendering takes, and blocks its thread.
    pub fn open(origin: Origin, cache: Option<&Path>) -> Result<Self, ContentError> {
        let own = match &origin {
            Origin::Folder(folder) => Some(folder.join(CACHE_FOLDER)),
            Origin::Embedded(_) => None,
        };
        // Not into a folder that is not there.
        if let Origin::Folder(folder) = &origin {
            readable(folder)?;
        }
        let shelves = Self {
            cache: RenderCache::open(cache.or(own.as_deref())),
            last_good: LastGood::open(cache.or(own.as_deref())),
            search: Search::new()?,
            library: ArcSwap::default(),
            reloading: Mutex::default(),
            origin,
        };
        shelves.reload(&Reread::All)?;
        Ok(shelves)
    }

    /// Where the content comes from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The content of the moment.
    pub fn library(&self) -> Arc<Library> {
        self.library.load_full()
    }

    /// Loads what has changed and exchanges the library in one step. When the folder cannot be read,
    /// everything stays as it is.
    ///
    /// This blocks its thread.
    pub fn reload(&self, reread: &Reread) -> Result<Report, ContentError> {
        let _one = self
            .reloading
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        load::reload(self, reread)
    }

    /// A page of a list.
    pub(crate) fn list(&self, query: &ListQuery, now: Timestamp) -> Result<Arc<Answer>, ListError> {
        let library = self.library.load();
        let edition = library.edition(now);
        let make = || {
            let json = list::page(&library, &edition, &self.search, query)?;
            Ok(Answer::new(JSON, CACHE_CONTROL, json))
        };
        // Anybody can make up words to look for; their answers would push out the others.
        if query.is_search() {
            return make().map(Arc::new);
        }
        let asked = edition::Asked::List(query.clone());
        if let Some(answer) = edition.kept(&asked) {
            return Ok(answer);
        }
        let answer = make()?;
        Ok(edition.keep(asked, answer))
    }

    /// One article, or where it went.
    pub(crate) fn article(&self, kind: Kind, wanted: &Wanted<'_>, now: Timestamp) -> Found {
        let library = self.library.load();
        let edition = library.edition(now);
        let found = match wanted {
            Wanted::Path(path) => library.by_path(kind, path, now),
            Wanted::Slug(slug) => match edition.by_slug(&library, kind, slug).as_slice() {
                [] => None,
                [index] => library.at(*index).map(|article| (*index, article)),
                _ => return Found::Several,
            },
        };
        let Some((index, article)) = found else {
            let moved = match wanted {
                Wanted::Path(path) => library.by_alias(path, now),
                Wanted::Slug(_) => None,
            };
            return moved.map_or(Found::Nothing, |article| Found::Moved {
                kind: article.kind,
                path: article.metadata.path.clone(),
            });
        };
        let asked = edition::Asked::Article(index);
        Found::Article(edition.answer(asked, || {
            let json = json::article(&library, &edition, article, index);
            Answer::new(JSON, CACHE_CONTROL, json)
        }))
    }

    /// An image by its name relative to the folder. This reads the file and blocks its thread.
    pub(crate) fn image(&self, name: &str) -> Option<Image> {
        let library = self.library();
        let asset = library.asset(name)?;
        // It may have grown, or gone, since it was found.
        let bytes = self.origin.read(name, LARGEST_IMAGE).ok()?;
        if bytes.len() as u64 > LARGEST_IMAGE {
            return None;
        }
        Some(Image {
            tag: digest::tag(&bytes),
            bytes: bytes.into(),
            media_type: asset.media_type,
        })
    }

    /// A feed of the newest articles of the blog, or the list of all addresses.
    pub(crate) fn feed(&self, format: FeedFormat, site: &Site, now: Timestamp) -> Arc<Answer> {
        let library = self.library.load();
        let edition = library.edition(now);
        edition.answer(edition::Asked::Feed(format.name()), || {
            let text = feed::write(format, &library, &edition, site);
            Answer::new(format.content_type(), CACHE_CONTROL, text)
        })
    }
}

/// An image that was read.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) bytes: bytes::Bytes,
    pub(crate) media_type: &'static str,
    pub(crate) tag: String,
}

/// What an article is asked for by.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted<'a> {
    Path(&'a str),
    Slug(&'a str),
}

/// What was found.
#[derive(Debug)]
pub(crate) enum Found {
    Article(Arc<Answer>),
    /// It has another path now.
    Moved {
        kind: Kind,
        path: String,
    },
    /// More than one has this slug.
    Several,
    Nothing,
}

fn readable(folder: &Path) -> Result<(), ContentError> {
    std::fs::read_dir(folder)
        .map(drop)
        .map_err(|error| ContentError::Folder {
            folder: folder.to_owned(),
            error,
        })
}

/// A number of minutes for people.
fn reading_time(minutes: u32) -> String {
    format!("{minutes} min read")
}
