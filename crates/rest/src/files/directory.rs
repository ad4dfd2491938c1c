//! Files of a directory, read without blocking the runtime.

use std::fs::{self, File, Metadata};
use std::future::Future as _;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::UNIX_EPOCH;

use bytes::Bytes;
use futures_core::Stream;
use tokio::task::JoinHandle;

use super::lookup::{FileContent, FileVariant, LoadedFile, Lookup};
use super::open_beneath::{self, OpenResult};
use super::request_path::join;
use crate::conditional::ETag;

/// How many bytes of a large file are read at a time.
const CHUNK_SIZE: u64 = 128 * 1024;

/// The files of a directory on disk.
#[derive(Debug)]
pub(super) struct DirectoryStore {
    /// Opened for each request: it may be replaced by another directory while it is served.
    root: PathBuf,
}

impl DirectoryStore {
    /// Checks that the path is a directory.
    pub(super) fn new(directory: &Path) -> Result<Self, String> {
        let shown = directory.display();
        match std::path::absolute(directory).and_then(|root| Ok((fs::metadata(&root)?, root))) {
            Ok((metadata, root)) if metadata.is_dir() => Ok(Self { root }),
            Ok(_) => Err(format!("`{shown}` is not a directory")),
            Err(error) => Err(format!("`{shown}` cannot be served: {error}")),
        }
    }

    /// Looks up a path. Symbolic links are followed within the directory, and out of it only with
    /// `follow_links`.
    pub(super) fn find(&self, path: &str, follow_links: bool) -> io::Result<Lookup> {
        if follow_links {
            return self.find_portably(path, follow_links);
        }
        match self.open_beneath(path) {
            OpenResult::File(file) => inspect(file),
            OpenResult::Missing | OpenResult::Escapes => Ok(Lookup::Missing),
            OpenResult::Failed(error) => Err(error),
            OpenResult::Unsupported => self.find_portably(path, follow_links),
        }
    }

    /// Looks up a path in the kernel's caches. Fails with `WouldBlock` if the disk has to be read.
    pub(super) fn find_cached(&self, path: &str, follow_links: bool) -> io::Result<Lookup> {
        if follow_links {
            return Err(ErrorKind::WouldBlock.into());
        }
        match open_beneath::open_cached(&self.root, path) {
            OpenResult::File(file) => inspect(file),
            OpenResult::Missing => Ok(Lookup::Missing),
            _ => Err(ErrorKind::WouldBlock.into()),
        }
    }

    /// Opens a path that stays in the directory, through absolute links too.
    fn open_beneath(&self, path: &str) -> OpenResult {
        let result = open_beneath::open(&self.root, path);
        if !matches!(result, OpenResult::Escapes) {
            return result;
        }
        match self.resolve_links(path) {
            Some(resolved) => open_beneath::open(&self.root, &resolved),
            None => OpenResult::Escapes,
        }
    }

    /// Returns the path without links; `None` if it leads out of the directory.
    fn resolve_links(&self, path: &str) -> Option<String> {
        let root = fs::canonicalize(&self.root).ok()?;
        let resolved = fs::canonicalize(root.join(path)).ok()?;
        let relative = resolved.strip_prefix(&root).ok()?;
        relative.to_str().map(str::to_owned)
    }

    /// Looks up a path without the kernel's help.
    fn find_portably(&self, path: &str, follow_links: bool) -> io::Result<Lookup> {
        let located = self.locate(path, follow_links);
        let opened = located.and_then(|(path, metadata)| open(&path, &metadata));
        match opened.and_then(|found| self.check_handle(found, follow_links)) {
            Err(error) if is_missing(&error) || !self.is_resolvable(path) => Ok(Lookup::Missing),
            result => result,
        }
    }

    /// Checks that an open file is in the directory: a name may have been replaced by a link between the
    /// check of the path and its opening.
    fn check_handle(&self, found: Lookup, follow_links: bool) -> io::Result<Lookup> {
        if let Lookup::File(variant) = &found
            && let FileContent::File(file, _) = &variant.content
            && !follow_links
            && let Some(actual) = open_beneath::path_of(file)
            && !actual.starts_with(fs::canonicalize(&self.root)?)
        {
            return Ok(Lookup::Missing);
        }
        Ok(found)
    }

    /// Whether the links of a path can be resolved; links in a circle cannot.
    fn is_resolvable(&self, path: &str) -> bool {
        fs::canonicalize(self.root.join(path)).is_ok()
    }

    /// Returns the path on disk and its metadata, if it stays in the directory.
    ///
    /// A link that replaces a name after it was checked is noticed by [`Self::check_handle`], where the
    /// system tells the path of an open file.
    fn locate(&self, path: &str, follow_links: bool) -> io::Result<(PathBuf, Metadata)> {
        let mut located = self.root.clone();
        if follow_links || path.is_empty() {
            located.push(path);
            return fs::metadata(&located).map(|metadata| (located, metadata));
        }
        let mut last = None;
        for name in path.split('/') {
            located.push(name);
            let metadata = fs::symlink_metadata(&located)?;
            if metadata.is_symlink() {
                // A link that cannot be resolved counts as missing, whatever the reason.
                let resolved = self.resolve_links(path).ok_or(ErrorKind::NotFound)?;
                let located = self.root.join(resolved);
                return fs::metadata(&located).map(|metadata| (located, metadata));
            }
            last = Some(metadata);
        }
        last.map(|metadata| (located, metadata))
            .ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// Reads all files whose names do not start with a dot.
    pub(super) fn load(&self) -> io::Result<Vec<LoadedFile>> {
        let mut all = Vec::new();
        let mut directories = vec![String::new()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(self.root.join(&directory))? {
                let Ok(name) = entry?.file_name().into_string() else {
                    continue;
                };
                if name.starts_with('.') && name != ".well-known" {
                    continue;
                }
                let path = join(&directory, &name);
                // Links to directories are not followed: they could lead in a circle.
                let is_link = fs::symlink_metadata(self.root.join(&path))?.is_symlink();
                match self.find(&path, false)? {
                    Lookup::Directory if !is_link => directories.push(path),
                    Lookup::File(FileVariant {
                        modified,
                        content: FileContent::File(file, size),
                        ..
                    }) => all.push(LoadedFile {
                        path,
                        bytes: read_whole(file, size)?,
                        modified,
                    }),
                    _ => {}
                }
            }
        }
        Ok(all)
    }
}

/// Whether an error means that there is no file that can be served.
fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::PermissionDenied
            | ErrorKind::InvalidInput
            | ErrorKind::InvalidFilename
    )
}

fn open(path: &Path, metadata: &Metadata) -> io::Result<Lookup> {
    if metadata.is_dir() {
        return Ok(Lookup::Directory);
    }
    // Opening a pipe would wait for a writer.
    if !metadata.is_file() {
        return Ok(Lookup::Missing);
    }
    inspect(File::open(path)?)
}

/// Reads the metadata of an open file or directory.
fn inspect(file: File) -> io::Result<Lookup> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(if metadata.is_dir() {
            Lookup::Directory
        } else {
            Lookup::Missing
        });
    }
    let modified = metadata.modified().ok();
    let age = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanoseconds = age.unwrap_or_default().as_nanos();
    Ok(Lookup::File(FileVariant {
        etag: ETag::strong(format_args!("{nanoseconds:x}-{:x}", metadata.len())),
        modified,
        content: FileContent::File(file, metadata.len()),
        coding: None,
        varies: false,
    }))
}

/// Reads a whole file of this size.
pub(super) fn read_whole(file: File, size: u64) -> io::Result<Bytes> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.take(size).read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

/// Reads a whole file from the kernel's cache. Fails with `WouldBlock` if the disk has to be read.
pub(super) fn read_cached(file: &File, size: u64) -> io::Result<Bytes> {
    let size = usize::try_from(size).ok();
    let bytes = size.and_then(|size| open_beneath::read_cached(file, size));
    bytes
        .map(Bytes::from)
        .ok_or_else(|| ErrorKind::WouldBlock.into())
}

/// The chunks of a range of a file, read on threads that may block.
#[derive(Debug)]
pub(super) struct FileChunks {
    file: Arc<File>,
    remaining: Range<u64>,
    reading: Option<JoinHandle<io::Result<Bytes>>>,
}

impl FileChunks {
    pub(super) fn new(file: Arc<File>, range: Range<u64>) -> Self {
        Self {
            file,
            remaining: range,
            reading: None,
        }
    }

    fn read_next(&self) -> JoinHandle<io::Result<Bytes>> {
        let file = Arc::clone(&self.file);
        let start = self.remaining.start;
        let length = (self.remaining.end - start).min(CHUNK_SIZE);
        tokio::task::spawn_blocking(move || {
            let mut file = &*file;
            file.seek(SeekFrom::Start(start))?;
            let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
            file.take(length).read_to_end(&mut bytes)?;
            if bytes.is_empty() {
                let problem = "the file was truncated while it was sent";
                return Err(io::Error::new(ErrorKind::UnexpectedEof, problem));
            }
            Ok(bytes.into())
        })
    }
}

impl Stream for FileChunks {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.remaining.is_empty() {
            return Poll::Ready(None);
        }
        if self.reading.is_none() {
            self.reading = Some(self.read_next());
        }
        let Some(reading) = &mut self.reading else {
            return Poll::Ready(None);
        };
        let read = ready!(Pin::new(reading).poll(cx));
        self.reading = None;
        let read = read.map_err(io::Error::other).flatten();
        match &read {
            Ok(bytes) => self.remaining.start += bytes.len() as u64,
            Err(_) => self.remaining.end = self.remaining.start,
        }
        Poll::Ready(Some(read))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    use super::*;

    /// Opens a path many times while it is replaced by a link out of the directory and back.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_that_is_swapped_in_is_not_followed() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("inner");
        fs::create_dir_all(&root).unwrap();
        let secret = outer.path().join("secret");
        fs::write(&secret, "secret").unwrap();
        let (name, link, file) = (root.join("a"), root.join("link"), root.join("file"));
        fs::write(&name, "public").unwrap();
        let store = DirectoryStore::new(&root).unwrap();
        let is_over = AtomicBool::new(false);
        let read = |find: fn(&DirectoryStore, &str, bool) -> io::Result<Lookup>| {
            if let Ok(Lookup::File(variant)) = find(&store, "a", false)
                && let FileContent::File(mut file, _) = variant.content
            {
                let mut text = String::new();
                file.read_to_string(&mut text).unwrap();
                return text;
            }
            String::new()
        };
        let read_texts = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    symlink(&secret, &link).unwrap();
                    fs::rename(&link, &name).unwrap();
                    fs::write(&file, "public").unwrap();
                    fs::rename(&file, &name).unwrap();
                }
            });
            let mut texts = std::collections::BTreeSet::new();
            let start = Instant::now();
            let mut rounds = 0;
            // On a busy machine the other thread may stop for a while after it has put the link in place.
            while rounds < 3_000 || (!texts.contains("public") && start.elapsed().as_secs() < 60) {
                rounds += 1;
                texts.insert(read(DirectoryStore::find));
                texts.insert(read(DirectoryStore::find_portably));
            }
            is_over.store(true, Ordering::Relaxed);
            texts
        });
        assert!(read_texts.contains("public"));
        assert!(!read_texts.contains("secret"));
    }

    #[test]
    fn both_lookups_find_the_same() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("inner");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(outer.path().join("secret"), "secret").unwrap();
        fs::write(root.join("sub/a.txt"), "a").unwrap();
        symlink("sub/a.txt", root.join("inside")).unwrap();
        symlink(root.join("sub"), root.join("absolute")).unwrap();
        symlink("../secret", root.join("out")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let store = DirectoryStore::new(&root).unwrap();
        for (path, expected) in [
            ("", "directory"),
            ("sub", "directory"),
            ("sub/a.txt", "file"),
            ("sub/a.txt/b", "nothing"),
            ("inside", "file"),
            ("absolute", "directory"),
            ("absolute/a.txt", "file"),
            ("out", "nothing"),
            ("loop", "nothing"),
            ("loop/a", "nothing"),
            ("none", "nothing"),
        ] {
            for found in [store.find(path, false), store.find_portably(path, false)] {
                let found = match found.unwrap() {
                    Lookup::File(_) => "file",
                    Lookup::Directory => "directory",
                    Lookup::Missing => "nothing",
                };
                assert_eq!(found, expected, "{path}");
            }
            // The lookup in the caches finds the same, or would block.
            if let Ok(found) = store.find_cached(path, false) {
                let is_file = matches!(found, Lookup::File(_));
                assert_eq!(is_file, expected == "file", "{path}");
            }
        }
    }
}
