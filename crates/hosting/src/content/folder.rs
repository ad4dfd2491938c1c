//! Where content comes from: a folder, or the demo content that is part of the program.

use std::collections::HashSet;
use std::fs::{self, File, Metadata as FileMetadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::Kind;
use super::problem::{Effect, Problem};

/// How deep folders may stand in each other; links can make them endless.
const DEEPEST: usize = 32;
/// File names that end so are images, which are served as assets.
const IMAGES: &[(&str, &str)] = &[
    ("avif", "image/avif"),
    ("gif", "image/gif"),
    ("ico", "image/x-icon"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("webp", "image/webp"),
];

/// A file that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddedFile {
    /// Its name relative to the content folder.
    pub name: &'static str,
    /// What is in it.
    pub bytes: &'static [u8],
}

/// Where content comes from.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A folder on this machine.
    Folder(PathBuf),
    /// Files that are part of the program.
    Embedded(&'static [EmbeddedFile]),
}

/// What a file is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Article(Kind),
    /// An image, with its media type.
    Asset(&'static str),
    Plans,
    Status,
}

/// Tells versions of a file apart without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: Timestamp,
    length: u64,
    inode: u64,
}

impl Stamp {
    fn of(metadata: &FileMetadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let inode = 0;
        let modified = metadata.modified().ok();
        Self {
            modified: modified
                .and_then(|time| Timestamp::try_from(time).ok())
                .unwrap_or(Timestamp::UNIX_EPOCH),
            length: metadata.len(),
            inode,
        }
    }

    pub(crate) fn modified(self) -> Timestamp {
        self.modified
    }
}

/// A file that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Relative to the folder, with slashes.
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) stamp: Stamp,
}

/// All files that were found, and what could not be taken.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Sorted by name.
    pub(crate) files: Vec<Found>,
    pub(crate) problems: Vec<Problem>,
}

impl Origin {
    /// Finds all files.
    pub(crate) fn list(&self) -> io::Result<Listing> {
        let mut listing = match self {
            Self::Folder(folder) => Walk::through(&folder.canonicalize()?)?,
            Self::Embedded(files) => embedded(files),
        };
        listing.files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listing)
    }

    /// What is in a file, or nothing when it is larger than allowed.
    pub(crate) fn read(&self, name: &str, largest: u64) -> io::Result<Vec<u8>> {
        match self {
            Self::Folder(folder) => {
                let root = folder.canonicalize()?;
                // Between finding and reading, a file may have become a link.
                let path = root.join(name).canonicalize()?;
                if !path.starts_with(&root) {
                    return Err(io::Error::other("a symbolic link out of the folder"));
                }
                let file = File::open(path)?;
                let mut bytes = Vec::new();
                file.take(largest.saturating_add(1))
                    .read_to_end(&mut bytes)?;
                Ok(bytes)
            }
            Self::Embedded(files) => {
                let file = files.iter().find(|file| file.name == name);
                let file = file.ok_or(io::ErrorKind::NotFound)?;
                Ok(file.bytes.to_vec())
            }
        }
    }
}

fn embedded(files: &[EmbeddedFile]) -> Listing {
    let found = files.iter().filter_map(|file| {
        Some(Found {
            name: file.name.to_owned(),
            role: role(file.name)?,
            stamp: Stamp {
                modified: Timestamp::UNIX_EPOCH,
                length: file.bytes.len() as u64,
                inode: 0,
            },
        })
    });
    Listing {
        files: found.collect(),
        problems: Vec::new(),
    }
}

/// What a file is by its name, if it is anything.
fn role(name: &str) -> Option<Role> {
    match name {
        "plans.toml" => return Some(Role::Plans),
        "status.toml" => return Some(Role::Status),
        _ => {}
    }
    let (_, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    if ending == "md" {
        return match name.split('/').next()? {
            "blog" => Some(Role::Article(Kind::Blog)),
            "kb" => Some(Role::Article(Kind::Kb)),
            _ => None,
        };
    }
    let image = IMAGES.iter().find(|(known, _)| *known == ending)?;
    Some(Role::Asset(image.1))
}

/// A walk through a folder.
struct Walk {
    /// Without links in it.
    root: PathBuf,
    listing: Listing,
    /// Folders that were walked through, each once: links can lead in circles.
    seen: HashSet<PathBuf>,
    /// Links to folders, which come after the folders themselves.
    links: Vec<(PathBuf, String)>,
}

impl Walk {
    fn through(root: &Path) -> io::Result<Listing> {
        let mut walk = Self {
            root: root.to_owned(),
            listing: Listing::default(),
            seen: HashSet::new(),
            links: Vec::new(),
        };
        walk.folder(root, "", 0)?;
        while let Some((path, name)) = walk.links.pop() {
            let depth = name.matches('/').count();
            if let Err(error) = walk.folder(&path, &name, depth) {
                walk.refuse(&name, format!("cannot be read: {error}"));
            }
        }
        Ok(walk.listing)
    }

    fn folder(&mut self, folder: &Path, name: &str, depth: usize) -> io::Result<()> {
        if depth > DEEPEST {
            self.refuse(name, format!("more than {DEEPEST} folders in each other"));
            return Ok(());
        }
        if !self.seen.insert(folder.canonicalize()?) {
            self.refuse(name, "a symbolic link to a folder that is here already");
            return Ok(());
        }
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let Some(own) = entry.file_name().to_str().map(str::to_owned) else {
                let shown = entry.file_name().to_string_lossy().into_owned();
                self.refuse(&joined(name, &shown), "a name that is not UTF-8");
                continue;
            };
            // Hidden files belong to editors, repositories and our own cache.
            if !own.starts_with('.') {
                self.entry(&entry.path(), joined(name, &own), depth);
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, name: String, depth: usize) {
        if name.chars().any(char::is_control) {
            return self.refuse(&name, "a name with a control character");
        }
        let is_link = path.is_symlink();
        if is_link {
            match path.canonicalize() {
                Ok(target) if target.starts_with(&self.root) => {}
                Ok(_) => return self.refuse(&name, "a symbolic link out of the folder"),
                Err(_) => return self.refuse(&name, "a symbolic link to nothing"),
            }
        }
        // Files may go while we look; then there is nothing to say about them.
        let Ok(metadata) = fs::metadata(path) else {
            return;
        };
        if metadata.is_dir() && is_link {
            self.links.push((path.to_owned(), name));
        } else if metadata.is_dir() {
            if let Err(error) = self.folder(path, &name, depth + 1) {
                self.refuse(&name, format!("cannot be read: {error}"));
            }
        } else if metadata.is_file()
            && let Some(role) = role(&name)
        {
            let stamp = Stamp::of(&metadata);
            self.listing.files.push(Found { name, role, stamp });
        }
    }

    fn refuse(&mut self, name: &str, message: impl Into<String>) {
        self.listing.problems.push(Problem {
            file: name.to_owned(),
            line: None,
            message: message.into(),
            effect: Effect::NotShown,
        });
    }
}

fn joined(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::{Origin, Role};
    use crate::content::Kind;

    #[test]
    fn files_are_known_by_folder_and_name() {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            "blog/a.md",
            "blog/2026/b.MD",
            "kb/c.md",
            "about/d.md",
            "e.md",
            "images/f.PNG",
            "blog/g.svg",
            "plans.toml",
            "status.toml",
            "kb/plans.toml",
            ".git/h.md",
            "blog/.i.md",
            "notes.txt",
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let listing = Origin::Folder(folder.path().to_owned()).list().unwrap();
        let found: Vec<_> = listing
            .files
            .iter()
            .map(|file| (file.name.as_str(), file.role))
            .collect();
        assert_eq!(
            found,
            [
                ("blog/2026/b.MD", Role::Article(Kind::Blog)),
                ("blog/a.md", Role::Article(Kind::Blog)),
                ("blog/g.svg", Role::Asset("image/svg+xml")),
                ("images/f.PNG", Role::Asset("image/png")),
                ("kb/c.md", Role::Article(Kind::Kb)),
                ("plans.toml", Role::Plans),
                ("status.toml", Role::Status),
            ]
        );
    }

    #[test]
    fn links_may_stay_in_the_folder_and_not_leave_it() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret.md"), "x").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let blog = folder.path().join("blog");
        fs::create_dir(&blog).unwrap();
        fs::create_dir(folder.path().join("..data")).unwrap();
        fs::write(folder.path().join("..data/a.md"), "x").unwrap();
        symlink("../..data/a.md", blog.join("inside.md")).unwrap();
        symlink(outside.path().join("secret.md"), blog.join("outside.md")).unwrap();
        symlink(outside.path(), folder.path().join("kb")).unwrap();
        symlink("nowhere", blog.join("broken.md")).unwrap();
        symlink(&blog, blog.join("endless")).unwrap();

        let origin = Origin::Folder(folder.path().to_owned());
        let listing = origin.list().unwrap();
        let found: Vec<_> = listing
            .files
            .iter()
            .map(|file| file.name.as_str())
            .collect();
        assert_eq!(found, ["blog/inside.md"]);
        let mut refused: Vec<_> = listing
            .problems
            .iter()
            .map(|problem| (problem.file.as_str(), problem.message.as_str()))
            .collect();
        refused.sort_unstable();
        assert_eq!(
            refused,
            [
                ("blog/broken.md", "a symbolic link to nothing"),
                (
                    "blog/endless",
                    "a symbolic link to a folder that is here already"
                ),
                ("blog/outside.md", "a symbolic link out of the folder"),
                ("kb", "a symbolic link out of the folder"),
            ]
        );
        assert!(origin.read("blog/outside.md", 10).is_err());
        assert_eq!(origin.read("blog/inside.md", 10).unwrap(), b"x");
    }
}
