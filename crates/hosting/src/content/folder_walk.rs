//! Lists the files of a content folder.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::change_detector::ChangeDetector;
use super::file::{ContentFile, FileKind, FileListing, FileStamp};
use super::problem::{Effect, Problem};

/// How deep folders may be nested; links can make them endless.
const MAX_DEPTH: usize = 32;

/// Lists the files below a folder, whose path must not have symbolic links in it. The detector watches its folders
/// from then on.
pub(super) fn list(root: &Path, detector: Option<&ChangeDetector>) -> io::Result<FileListing> {
    let mut walk = FolderWalk::new(root, detector);
    walk.folder(root, "", 0)?;
    while let Some((path, name)) = walk.links.pop() {
        let depth = name.matches('/').count();
        if let Err(error) = walk.folder(&path, &name, depth) {
            walk.unreadable(name, &error);
        }
    }
    Ok(walk.listing)
}

/// A recursive walk through the content folder.
struct FolderWalk<'d> {
    detector: Option<&'d ChangeDetector>,
    /// The folder's path, without symbolic links.
    root: PathBuf,
    listing: FileListing,
    /// The folders that were visited, each once: links can lead in circles.
    visited: HashSet<PathBuf>,
    /// Links to folders. They are followed last, so that a folder is listed under its own name.
    links: Vec<(PathBuf, String)>,
}

impl<'d> FolderWalk<'d> {
    fn new(root: &Path, detector: Option<&'d ChangeDetector>) -> Self {
        Self {
            detector,
            root: root.to_owned(),
            listing: FileListing::default(),
            visited: HashSet::new(),
            links: Vec::new(),
        }
    }

    fn folder(&mut self, folder: &Path, name: &str, depth: usize) -> io::Result<()> {
        if depth > MAX_DEPTH {
            self.refuse(name, format!("nested deeper than {MAX_DEPTH} folders"));
            return Ok(());
        }
        if !self.visited.insert(folder.canonicalize()?) {
            self.refuse(name, "a symbolic link to a folder that is listed already");
            return Ok(());
        }
        if let Some(detector) = self.detector {
            detector.watch(folder, name);
        }
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let Some(own) = entry.file_name().to_str().map(str::to_owned) else {
                let shown = entry.file_name().to_string_lossy().into_owned();
                self.refuse(&joined(name, &shown), "the name is not UTF-8");
                continue;
            };
            // Hidden files belong to editors, to version control and to the render cache.
            if !own.starts_with('.') {
                self.entry(&entry.path(), joined(name, &own), depth);
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, name: String, depth: usize) {
        if name.chars().any(char::is_control) {
            return self.refuse(&name, "the name has a control character");
        }
        let is_link = path.is_symlink();
        if is_link {
            match path.canonicalize() {
                Ok(target) if target.starts_with(&self.root) => {}
                Ok(_) => {
                    return self.refuse(
                        &name,
                        "a symbolic link that leads out of the content folder",
                    );
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return self.refuse(&name, "a symbolic link to a file that does not exist");
                }
                Err(error) => return self.unreadable(name, &error),
            }
        }
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => return self.unreadable(name, &error),
        };
        if metadata.is_dir() && is_link {
            self.links.push((path.to_owned(), name));
        } else if metadata.is_dir() {
            if let Err(error) = self.folder(path, &name, depth + 1) {
                self.unreadable(name, &error);
            }
        } else if metadata.is_file()
            && let Some(kind) = FileKind::of(&name)
        {
            let stamp = FileStamp::of(&metadata);
            self.listing.files.push(ContentFile { name, kind, stamp });
        }
    }

    /// Notes what exists and cannot be read. What was deleted meanwhile is not a problem.
    fn unreadable(&mut self, name: String, error: &io::Error) {
        if error.kind() != io::ErrorKind::NotFound {
            let message = format!("cannot be read: {error}");
            self.listing.unreadable.push((name, message));
        }
    }

    fn refuse(&mut self, name: &str, message: impl Into<String>) {
        let problem = Problem::with_file(name, message, Effect::NotShown);
        self.listing.problems.push(problem);
    }
}

/// Appends a name to the path of its folder.
fn joined(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}
