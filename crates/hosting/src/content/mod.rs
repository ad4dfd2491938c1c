//! Articles, plans and images from a folder: loaded in parallel, rendered once, held in memory, and
//! replaced in one step when something changes.

mod article;
mod change_detector;
mod cover;
pub(crate) mod digest;
mod error;
mod feed;
mod file;
mod folder_walk;
mod front_matter;
mod index;
mod json;
mod kind;
mod last_good_files;
mod list;
mod list_query;
mod load;
mod loaded;
mod markdown;
pub(crate) mod path;
mod problem;
mod related;
mod render_cache;
mod search_index;
mod snapshot;
mod source;
mod store;
mod watch;

pub use article::{Article, Content, Metadata};
pub use error::ContentError;
pub(crate) use feed::{FeedFormat, xml};
pub use index::ContentIndex;
pub use kind::ArticleKind;
pub(crate) use list_query::{ListError, ListParams, ListQuery};
pub use load::{ReloadReport, ReloadScope};
pub use loaded::Asset;
pub use markdown::TocEntry;
pub(crate) use markdown::forget_grammars;
pub use problem::{Effect, Problem};
pub use source::{ContentSource, EmbeddedFile};
pub use store::ContentStore;
pub(crate) use store::{ArticleLookup, ArticleRef};
pub(crate) use watch::reload_in_background;
pub use watch::watch;
