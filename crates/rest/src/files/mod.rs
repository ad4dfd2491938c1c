//! Static files from a directory or from memory.

mod answer;
mod content_types;
mod directory;
mod lookup;
mod memory;
mod open_beneath;
mod request_path;
mod service;

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use http::header::HeaderValue;

use directory::DirectoryStore;
use lookup::{FileContent, FileVariant, LoadedFile, Lookup};
use memory::MemoryStore;
use request_path::RequestedPath;
pub(crate) use service::MountedFiles;

use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;

/// Static files under a prefix, from a directory or embedded in the program.
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
/// Every response has an entity tag and a content type by the file's name, and supports ranges; files
/// of a directory have a modification date too. Methods other than GET and HEAD are answered with 405.
///
/// | Path | Response |
/// |---|---|
/// | leads out of the directory, by `..`, escapes, backslashes or a symbolic link | 404 |
/// | has a name that starts with a dot, other than `.well-known` | 404, unless [`hidden`](Self::hidden) |
/// | of a directory with an index, with a trailing slash | the index |
/// | of a directory with an index, without the slash | 301 to the path with the slash |
/// | of another directory | 404: directories are not listed |
/// | of nothing | 404, or the [`fallback`](Self::fallback) or [`catch_all`](Self::catch_all) |
pub struct Files {
    store: Store,
    index: Option<String>,
    fallback: Option<Fallback>,
    /// `Cache-Control` by directory; the innermost directory counts.
    cache_control: Vec<(String, HeaderValue)>,
    /// Content types by extension, before the built-in ones.
    content_types: Vec<(String, HeaderValue)>,
    precompressed: bool,
    hidden: bool,
    follow_links: bool,
    /// Reported when the application is built.
    problems: Vec<String>,
}

/// The file that is sent for paths at which there is no file.
#[derive(Debug)]
struct Fallback {
    path: String,
    /// Whether it is sent for paths with an extension too.
    is_catch_all: bool,
}

#[derive(Debug)]
enum Store {
    Directory(DirectoryStore),
    Memory(MemoryStore),
    /// The directory cannot be served; the application will not start.
    Invalid,
}

const IMMUTABLE: &str = "public, max-age=31536000, immutable";

impl Files {
    /// Serves the files of a directory. If it does not exist, building the application fails.
    ///
    /// ```
    /// use innkeeper_rest::{App, Files};
    ///
    /// let app = App::new().files("/assets", Files::directory("no such directory"));
    /// assert!(app.build().unwrap_err().problems()[0].contains("`no such directory`"));
    /// ```
    pub fn directory(directory: impl AsRef<Path>) -> Self {
        match DirectoryStore::new(directory.as_ref()) {
            Ok(store) => Self::new(Store::Directory(store), Vec::new()),
            Err(problem) => Self::new(Store::Invalid, vec![problem]),
        }
    }

    /// Reads the files of a directory into memory and serves them from there. This is the fastest way;
    /// changes are seen after the next start. Names that start with a dot are left out.
    pub fn loaded(directory: impl AsRef<Path>) -> Self {
        let directory = directory.as_ref();
        let loaded = DirectoryStore::new(directory).and_then(|store| {
            let shown = directory.display();
            store
                .load()
                .map_err(|error| format!("`{shown}` cannot be read: {error}"))
        });
        match loaded {
            Ok(files) => {
                let (store, problems) = MemoryStore::new(files.into_iter());
                Self::new(Store::Memory(store), problems)
            }
            Err(problem) => Self::new(Store::Invalid, vec![problem]),
        }
    }

    /// Serves files from memory, given as paths and contents, usually from `include_bytes!`. A file
    /// whose name is that of another with `.br` or `.gz` added is its compressed variant.
    pub fn embedded<P, B>(files: impl IntoIterator<Item = (P, B)>) -> Self
    where
        P: Into<String>,
        B: Into<Bytes>,
    {
        let files = files.into_iter();
        let files = files.map(|(path, bytes)| LoadedFile {
            path: path.into(),
            bytes: bytes.into(),
            modified: None,
        });
        let (store, problems) = MemoryStore::new(files);
        Self::new(Store::Memory(store), problems)
    }

    fn new(store: Store, problems: Vec<String>) -> Self {
        Self {
            store,
            index: Some("index.html".to_owned()),
            fallback: None,
            cache_control: Vec::new(),
            content_types: Vec::new(),
            precompressed: false,
            hidden: false,
            follow_links: false,
            problems,
        }
    }

    /// Sets the file that is sent for a directory; `None` for no file. The default is `index.html`.
    #[must_use]
    pub fn index(mut self, name: impl Into<Option<&'static str>>) -> Self {
        self.index = name.into().map(str::to_owned);
        self
    }

    /// Sets the file that is sent, with 200, for paths without an extension at which there is no file.
    /// For single-page applications, which route in the browser.
    #[must_use]
    pub fn fallback(self, path: impl Into<String>) -> Self {
        self.with_fallback(&path.into(), false)
    }

    /// Sets the file that is sent, with 200, for all paths at which there is no file, whatever their
    /// extension. For a page that serves many paths, such as those of articles.
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

    /// Sets the `Cache-Control` of all files. The default is `no-cache`: caches revalidate each time.
    #[must_use]
    pub fn cache_control(self, directives: &str) -> Self {
        self.cache_control_below("", directives)
    }

    /// Sets the `Cache-Control` of the files below a directory.
    #[must_use]
    pub fn cache_control_below(mut self, directory: &str, directives: &str) -> Self {
        match HeaderValue::from_str(directives) {
            Ok(value) => {
                let directory = directory.trim_matches('/').to_owned();
                self.cache_control.push((directory, value));
            }
            Err(_) => self.invalid_value("Cache-Control", directives),
        }
        self
    }

    /// Lets caches keep the files below a directory for a year without revalidation: for names that
    /// change with the content.
    #[must_use]
    pub fn immutable_below(self, directory: &str) -> Self {
        self.cache_control_below(directory, IMMUTABLE)
    }

    /// Sets the content type of an extension, instead of the built-in one.
    #[must_use]
    pub fn content_type(mut self, extension: &str, media_type: &str) -> Self {
        match HeaderValue::from_str(media_type) {
            Ok(value) => {
                let extension = extension.trim_start_matches('.').to_owned();
                self.content_types.push((extension, value));
            }
            Err(_) => self.invalid_value("Content-Type", media_type),
        }
        self
    }

    /// Answers a GET or HEAD request with the file at a path, as a mount of these files does. For
    /// handlers that decide which files are served.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use innkeeper_rest::{Files, Request, Response, resource};
    ///
    /// struct Pictures {
    ///     files: Arc<Files>,
    /// }
    ///
    /// #[resource("/pictures")]
    /// impl Pictures {
    ///     #[get("/{name}")]
    ///     async fn show(&self, name: String, #[request] request: &Request) -> Response {
    ///         self.files.respond_to(request, &name).await
    ///     }
    /// }
    /// ```
    pub async fn respond_to(self: &Arc<Self>, request: &Request, path: &str) -> Response {
        let Some(path) = RequestedPath::of_file(path, self.hidden) else {
            return Response::not_found();
        };
        if let Some(response) = self.try_respond(&path, request.head()) {
            return response;
        }
        let (files, head) = (Arc::clone(self), request.head().clone());
        let task = tokio::task::spawn_blocking(move || files.respond(&path, &head));
        let joined = task.await;
        joined.unwrap_or_else(|error| Response::rejected(Rejection::internal(error)))
    }

    fn invalid_value(&mut self, header: &str, value: &str) {
        let value = value.escape_debug();
        self.problems
            .push(format!("`{value}` is not a valid `{header}`"));
    }

    /// Sends `name.br` or `name.gz` instead of `name`, if it exists, to clients that accept it. The
    /// build that makes the files compresses them. Files in memory do this without being asked.
    #[must_use]
    pub fn precompressed(mut self) -> Self {
        self.precompressed = true;
        self
    }

    /// Serves files and directories whose names start with a dot.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Follows symbolic links that lead out of the directory.
    #[must_use]
    pub fn follow_links(mut self) -> Self {
        self.follow_links = true;
        self
    }
}

/// Opens a file below a directory for reading. Neither `..` nor a symbolic link leads out of the directory,
/// even if names are replaced by links while the file is opened. This blocks its thread.
///
/// ```
/// let directory = env!("CARGO_MANIFEST_DIR");
/// assert!(innkeeper_rest::open_beneath(directory, "Cargo.toml").is_ok());
/// assert!(innkeeper_rest::open_beneath(directory, "../../Cargo.toml").is_err());
/// ```
///
/// # Errors
///
/// Fails with [`NotFound`](io::ErrorKind::NotFound) if there is no such file in the directory, and if the
/// file cannot be opened.
pub fn open_beneath(directory: impl AsRef<Path>, path: &str) -> io::Result<File> {
    let directory = directory.as_ref();
    let Some(checked) = RequestedPath::of_file(path, true) else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let store = DirectoryStore::new(directory).map_err(io::Error::other)?;
    match store.find(&checked.path, false)? {
        Lookup::File(FileVariant {
            content: FileContent::File(file, _),
            ..
        }) => Ok(file),
        _ => Err(io::ErrorKind::NotFound.into()),
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
