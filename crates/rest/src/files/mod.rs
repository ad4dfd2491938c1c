//! Static files: those of a directory, and those inside the program.

mod answer;
mod beneath;
mod disk;
mod embedded;
mod path;
mod types;

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::Method;
use http::header::{ALLOW, HeaderValue};

use crate::app::MountedService;
use crate::coding::Coding;
use crate::conditional::ETag;
use crate::future::BoxFuture;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;
use disk::Disk;
use embedded::Embedded;
use path::Wanted;

/// Static files under a prefix, from a directory or from inside the program.
///
/// ```
/// use innkeeper_rest::{App, Files};
///
/// let pages = Files::embedded([
///     ("index.html", "<h1>Welcome</h1>"),
///     ("css/inn.css", "h1 { color: brown }"),
/// ]);
/// let app = App::new().files("/", pages.immutable_below("css"));
/// assert!(app.build().is_ok());
/// ```
///
/// Every file has an entity tag, a content type by its name, and parts for those who ask; those of a
/// directory have their date too. GET and HEAD are answered, other methods get 405.
///
/// | Path | Answer |
/// |---|---|
/// | leads out of the directory, by `..`, escapes, backslashes or a symbolic link | 404 |
/// | has a name that starts with a dot, other than `.well-known` | 404, unless [`hidden`](Self::hidden) |
/// | of a directory with an index, with a slash at its end | the index |
/// | of such a directory, without the slash | 301 to the path with it |
/// | of another directory | 404: there are no lists |
/// | of nothing | 404, or the [`fallback`](Self::fallback) or [`catch_all`](Self::catch_all) |
pub struct Files {
    store: Store,
    index: Option<String>,
    fallback: Option<Fallback>,
    /// `Cache-Control` by directory; that of the nearest counts.
    caches: Vec<(String, HeaderValue)>,
    types: Vec<(String, HeaderValue)>,
    precompressed: bool,
    hidden: bool,
    links: bool,
    /// What is wrong, for the start of the application.
    problems: Vec<String>,
}

/// The file that is sent for paths without a file of their own.
#[derive(Debug)]
struct Fallback {
    path: String,
    /// Whether it is sent for paths with an extension, too.
    is_catch_all: bool,
}

#[derive(Debug)]
enum Store {
    Disk(Disk),
    Embedded(Embedded),
    /// The directory is none; the application will not start.
    Nothing,
}

/// What is at a path.
enum Lookup {
    File(Item),
    Directory,
    Missing,
}

/// A file, in one of its variants.
struct Item {
    etag: ETag,
    modified: Option<SystemTime>,
    content: Content,
    coding: Option<Coding>,
    /// Whether others may be sent another variant.
    varies: bool,
}

enum Content {
    Bytes(Bytes),
    File(File, u64),
}

const FOREVER: &str = "public, max-age=31536000, immutable";

impl Files {
    /// The files of a directory. One that is not there is an error when the application is built.
    ///
    /// ```
    /// use innkeeper_rest::{App, Files};
    ///
    /// let app = App::new().files("/assets", Files::directory("no such directory"));
    /// assert!(app.build().unwrap_err().problems()[0].contains("`no such directory`"));
    /// ```
    pub fn directory(directory: impl AsRef<Path>) -> Self {
        match Disk::new(directory.as_ref()) {
            Ok(disk) => Self::of(Store::Disk(disk), Vec::new()),
            Err(problem) => Self::of(Store::Nothing, vec![problem]),
        }
    }

    /// The files of a directory as they are now, kept in memory: nothing is faster, and changes are
    /// seen after the next start. Names that start with a dot are left out.
    pub fn loaded(directory: impl AsRef<Path>) -> Self {
        let directory = directory.as_ref();
        let loaded = Disk::new(directory).and_then(|disk| {
            let shown = directory.display();
            disk.load()
                .map_err(|error| format!("`{shown}` cannot be read: {error}"))
        });
        match loaded {
            Ok(files) => {
                let (embedded, problems) = Embedded::new(files.into_iter());
                Self::of(Store::Embedded(embedded), problems)
            }
            Err(problem) => Self::of(Store::Nothing, vec![problem]),
        }
    }

    /// Files by their paths, usually from `include_bytes!`. A file beside it whose name ends with
    /// `.br` or `.gz` is the compressed variant of another.
    pub fn embedded<P, B>(files: impl IntoIterator<Item = (P, B)>) -> Self
    where
        P: Into<String>,
        B: Into<Bytes>,
    {
        let files = files.into_iter();
        let files = files.map(|(path, bytes)| (path.into(), bytes.into(), None));
        let (embedded, problems) = Embedded::new(files);
        Self::of(Store::Embedded(embedded), problems)
    }

    fn of(store: Store, problems: Vec<String>) -> Self {
        Self {
            store,
            index: Some("index.html".to_owned()),
            fallback: None,
            caches: Vec::new(),
            types: Vec::new(),
            precompressed: false,
            hidden: false,
            links: false,
            problems,
        }
    }

    /// What stands for a directory; `index.html` unless told otherwise, nothing with `None`.
    #[must_use]
    pub fn index(mut self, name: impl Into<Option<&'static str>>) -> Self {
        self.index = name.into().map(str::to_owned);
        self
    }

    /// Sends this file, with 200, for paths without an extension that lead to nothing: for pages
    /// that find their own way once they are loaded.
    #[must_use]
    pub fn fallback(self, path: impl Into<String>) -> Self {
        self.with_fallback(&path.into(), false)
    }

    /// Sends this file, with 200, for every path that leads to nothing, whatever its extension: for a
    /// page that stands for many paths, such as those of articles.
    ///
    /// ```
    /// use innkeeper_rest::{App, Files};
    ///
    /// let article = Files::embedded([("article.html", "<h1>An article</h1>")]);
    /// let app = App::new().files("/blog", article.index(None).catch_all("article.html"));
    /// assert!(app.build().is_ok());
    /// ```
    #[must_use]
    pub fn catch_all(self, path: impl Into<String>) -> Self {
        self.with_fallback(&path.into(), true)
    }

    fn with_fallback(mut self, path: &str, is_catch_all: bool) -> Self {
        self.fallback = Some(Fallback {
            path: path.trim_start_matches('/').to_owned(),
            is_catch_all,
        });
        self
    }

    /// The `Cache-Control` of all files. Without it they have `no-cache`: caches ask each time
    /// whether theirs are still good.
    #[must_use]
    pub fn cache_control(self, directives: &str) -> Self {
        self.cache_control_below("", directives)
    }

    /// The `Cache-Control` of the files below a directory.
    #[must_use]
    pub fn cache_control_below(mut self, directory: &str, directives: &str) -> Self {
        match HeaderValue::from_str(directives) {
            Ok(value) => {
                let directory = directory.trim_matches('/').to_owned();
                self.caches.push((directory, value));
            }
            Err(_) => self.refuse("Cache-Control", directives),
        }
        self
    }

    /// Lets caches keep files below a directory for good: for names that change with the content.
    #[must_use]
    pub fn immutable_below(self, directory: &str) -> Self {
        self.cache_control_below(directory, FOREVER)
    }

    /// The content type of names with this extension, instead of the usual one.
    #[must_use]
    pub fn content_type(mut self, extension: &str, media_type: &str) -> Self {
        match HeaderValue::from_str(media_type) {
            Ok(value) => {
                let extension = extension.trim_start_matches('.').to_owned();
                self.types.push((extension, value));
            }
            Err(_) => self.refuse("Content-Type", media_type),
        }
        self
    }

    fn refuse(&mut self, header: &str, value: &str) {
        let value = value.escape_debug();
        self.problems
            .push(format!("`{value}` is no value for `{header}`"));
    }

    /// Sends `name.br` or `name.gz` instead of `name` to clients that accept it, if it is there.
    /// They are compressed once, by whoever has put them there. Embedded files do this by themselves.
    #[must_use]
    pub fn precompressed(mut self) -> Self {
        self.precompressed = true;
        self
    }

    /// Sends files and enters directories whose names start with a dot.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Follows symbolic links that lead out of the directory.
    #[must_use]
    pub fn follow_links(mut self) -> Self {
        self.links = true;
        self
    }
}

impl From<&str> for Files {
    fn from(directory: &str) -> Self {
        Self::directory(directory)
    }
}

impl From<&Path> for Files {
    fn from(directory: &Path) -> Self {
        Self::directory(directory)
    }
}

impl From<PathBuf> for Files {
    fn from(directory: PathBuf) -> Self {
        Self::directory(directory)
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Files")
            .field("store", &self.store)
            .field("index", &self.index)
            .field("fallback", &self.fallback)
            .finish_non_exhaustive()
    }
}

/// Files under a prefix.
pub(crate) struct Mounted(Arc<Files>);

impl Mounted {
    pub(crate) fn new(files: Files) -> Self {
        Self(Arc::new(files))
    }
}

const ALLOWED: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

fn refusal(method: &Method) -> Option<Response> {
    match *method {
        Method::GET | Method::HEAD => None,
        Method::OPTIONS => {
            let mut response = Response::no_content();
            response.fields_mut().insert(ALLOW, ALLOWED);
            Some(response)
        }
        _ => Some(Response::rejected(Rejection::method_not_allowed(ALLOWED))),
    }
}

impl MountedService for Mounted {
    fn call(&self, request: Request, prefix: &str) -> BoxFuture<'static, Response> {
        let path = request.path();
        let path = path.strip_prefix(prefix).unwrap_or(path);
        let Some(wanted) = Wanted::parse(path, self.0.hidden) else {
            return Box::pin(std::future::ready(Response::not_found()));
        };
        if let Some(refusal) = refusal(request.method()) {
            return Box::pin(std::future::ready(refusal));
        }
        let files = Arc::clone(&self.0);
        if let Some(response) = files.answer_now(&wanted, &request) {
            return Box::pin(std::future::ready(response));
        }
        let work = tokio::task::spawn_blocking(move || files.answer(&wanted, &request));
        Box::pin(async move {
            let answer = work.await;
            answer.unwrap_or_else(|error| Response::rejected(Rejection::internal(error)))
        })
    }

    fn problems(&self) -> &[String] {
        &self.0.problems
    }
}
