//! Files of a directory, read off the runtime.

use std::fs::{self, File, Metadata};
use std::future::Future as _;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_core::Stream;
use tokio::task::JoinHandle;

use super::beneath::{self, Opened};
use super::path::join;
use super::{Content, Item, Lookup};
use crate::conditional::ETag;

/// How much is read at a time.
const CHUNK: u64 = 128 * 1024;

/// A file that was read: its path, its content, and when it was modified.
pub(super) type Loaded = (String, Bytes, Option<SystemTime>);

/// A directory.
#[derive(Debug)]
pub(super) struct Disk {
    /// Looked up for each request: it may be replaced by another while it is served.
    root: PathBuf,
}

impl Disk {
    /// The directory, or why it is none.
    pub(super) fn new(directory: &Path) -> Result<Self, String> {
        let shown = directory.display();
        match std::path::absolute(directory).and_then(|root| Ok((fs::metadata(&root)?, root))) {
            Ok((known, root)) if known.is_dir() => Ok(Self { root }),
            Ok(_) => Err(format!("`{shown}` is no directory")),
            Err(error) => Err(format!("`{shown}` cannot be served: {error}")),
        }
    }

    /// What is at a path. Symbolic links are followed to the inside of the directory, and out of it
    /// only if that was asked for.
    pub(super) fn find(&self, path: &str, links: bool) -> io::Result<Lookup> {
        if links {
            return self.find_slowly(path, links);
        }
        match self.open_beneath(path) {
            Opened::File(file) => looked_at(file),
            Opened::Nothing | Opened::Out => Ok(Lookup::Missing),
            Opened::Failed(error) => Err(error),
            Opened::Unknown => self.find_slowly(path, links),
        }
    }

    /// The same, if the kernel knows without asking the disk; otherwise an error that says so.
    pub(super) fn find_cached(&self, path: &str, links: bool) -> io::Result<Lookup> {
        if links {
            return Err(ErrorKind::WouldBlock.into());
        }
        match beneath::open_cached(&self.root, path) {
            Opened::File(file) => looked_at(file),
            Opened::Nothing => Ok(Lookup::Missing),
            _ => Err(ErrorKind::WouldBlock.into()),
        }
    }

    /// Opens a path that stays inside, by way of absolute links too.
    fn open_beneath(&self, path: &str) -> Opened {
        let opened = beneath::open(&self.root, path);
        if !matches!(opened, Opened::Out) {
            return opened;
        }
        match self.real_inside(path) {
            Some(inside) => beneath::open(&self.root, &inside),
            None => Opened::Out,
        }
    }

    /// The same path without links, if it is inside.
    fn real_inside(&self, path: &str) -> Option<String> {
        let root = fs::canonicalize(&self.root).ok()?;
        let real = fs::canonicalize(root.join(path)).ok()?;
        let inside = real.strip_prefix(&root).ok()?;
        inside.to_str().map(str::to_owned)
    }

    fn find_slowly(&self, path: &str, links: bool) -> io::Result<Lookup> {
        let found = self.real(path, links);
        match found.and_then(|(path, known)| open(&path, &known)) {
            Err(error) if is_absence(&error) || !self.leads_somewhere(path) => Ok(Lookup::Missing),
            found => found,
        }
    }

    /// Whether a path can be followed to its end at all; links in a circle cannot.
    fn leads_somewhere(&self, path: &str) -> bool {
        fs::canonicalize(self.root.join(path)).is_ok()
    }

    /// The path on disk and what is there, if all of it is inside.
    ///
    /// A link that takes the place of a name after it was looked at is followed: directories that
    /// are served are not for strangers to write into.
    fn real(&self, path: &str, links: bool) -> io::Result<(PathBuf, Metadata)> {
        let mut real = self.root.clone();
        if links || path.is_empty() {
            real.push(path);
            return fs::metadata(&real).map(|known| (real, known));
        }
        let mut last = None;
        for name in path.split('/') {
            real.push(name);
            let known = fs::symlink_metadata(&real)?;
            if known.is_symlink() {
                // Whatever is wrong with a link, there is nothing behind it.
                let inside = self.real_inside(path).ok_or(ErrorKind::NotFound)?;
                let real = self.root.join(inside);
                return fs::metadata(&real).map(|known| (real, known));
            }
            last = Some(known);
        }
        last.map(|known| (real, known))
            .ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// All files whose names do not start with a dot, with their contents.
    pub(super) fn load(&self) -> io::Result<Vec<Loaded>> {
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
                // Directories are entered by their own names only: links could lead in a circle.
                let linked = fs::symlink_metadata(self.root.join(&path))?.is_symlink();
                match self.find(&path, false)? {
                    Lookup::Directory if !linked => directories.push(path),
                    Lookup::File(Item {
                        modified,
                        content: Content::File(file, size),
                        ..
                    }) => all.push((path, read_whole(file, size)?, modified)),
                    _ => {}
                }
            }
        }
        Ok(all)
    }
}

/// Whether an error says no more than that there is nothing to be had.
fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::PermissionDenied
            | ErrorKind::InvalidInput
            | ErrorKind::InvalidFilename
    )
}

fn open(path: &Path, found: &Metadata) -> io::Result<Lookup> {
    if found.is_dir() {
        return Ok(Lookup::Directory);
    }
    // Opening a pipe would wait for somebody to write into it.
    if !found.is_file() {
        return Ok(Lookup::Missing);
    }
    looked_at(File::open(path)?)
}

/// A file or directory that is open.
fn looked_at(file: File) -> io::Result<Lookup> {
    let known = file.metadata()?;
    if !known.is_file() {
        return Ok(if known.is_dir() {
            Lookup::Directory
        } else {
            Lookup::Missing
        });
    }
    let modified = known.modified().ok();
    let age = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanoseconds = age.unwrap_or_default().as_nanos();
    Ok(Lookup::File(Item {
        etag: ETag::strong(format_args!("{nanoseconds:x}-{:x}", known.len())),
        modified,
        content: Content::File(file, known.len()),
        coding: None,
        varies: false,
    }))
}

/// The whole of a small file.
pub(super) fn read_whole(file: File, size: u64) -> io::Result<Bytes> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.take(size).read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

/// The whole of a small file, if the kernel has it in memory; otherwise an error that says so.
pub(super) fn read_cached(file: &File, size: u64) -> io::Result<Bytes> {
    let size = usize::try_from(size).ok();
    let bytes = size.and_then(|size| beneath::read_cached(file, size));
    bytes
        .map(Bytes::from)
        .ok_or_else(|| ErrorKind::WouldBlock.into())
}

/// A part of a file, read on threads that may wait.
#[derive(Debug)]
pub(super) struct Chunks {
    file: Arc<File>,
    left: Range<u64>,
    reading: Option<JoinHandle<io::Result<Bytes>>>,
}

impl Chunks {
    pub(super) fn new(file: Arc<File>, range: Range<u64>) -> Self {
        Self {
            file,
            left: range,
            reading: None,
        }
    }

    fn read_next(&self) -> JoinHandle<io::Result<Bytes>> {
        let file = Arc::clone(&self.file);
        let start = self.left.start;
        let length = (self.left.end - start).min(CHUNK);
        tokio::task::spawn_blocking(move || {
            let mut file = &*file;
            file.seek(SeekFrom::Start(start))?;
            let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
            file.take(length).read_to_end(&mut bytes)?;
            if bytes.is_empty() {
                let problem = "the file has become shorter";
                return Err(io::Error::new(ErrorKind::UnexpectedEof, problem));
            }
            Ok(bytes.into())
        })
    }
}

impl Stream for Chunks {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.left.is_empty() {
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
            Ok(bytes) => self.left.start += bytes.len() as u64,
            Err(_) => self.left.end = self.left.start,
        }
        Poll::Ready(Some(read))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn both_ways_of_looking_find_the_same() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("inner");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(outer.path().join("secret"), "secret").unwrap();
        fs::write(root.join("sub/a.txt"), "a").unwrap();
        symlink("sub/a.txt", root.join("inside")).unwrap();
        symlink(root.join("sub"), root.join("absolute")).unwrap();
        symlink("../secret", root.join("out")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let disk = Disk::new(&root).unwrap();
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
            for found in [disk.find(path, false), disk.find_slowly(path, false)] {
                let found = match found.unwrap() {
                    Lookup::File(_) => "file",
                    Lookup::Directory => "directory",
                    Lookup::Missing => "nothing",
                };
                assert_eq!(found, expected, "{path}");
            }
            // What the kernel says without the disk is the same, or nothing.
            if let Ok(found) = disk.find_cached(path, false) {
                let is_file = matches!(found, Lookup::File(_));
                assert_eq!(is_file, expected == "file", "{path}");
            }
        }
    }
}
