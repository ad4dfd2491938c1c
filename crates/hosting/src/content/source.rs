//! The source of content: a folder, or the demo content that is part of the program.

use std::io::{self, Read};
use std::path::PathBuf;

use super::change_detector::ChangeDetector;
use super::file::{ContentFile, FileKind, FileListing, FileStamp};
use super::{demo, folder_walk};
use crate::config::ContentConfig;

/// A content file that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddedFile {
    /// The path relative to the content folder.
    pub name: &'static str,
    /// The content of the file.
    pub bytes: &'static [u8],
}

/// The source of content.
#[derive(Debug, Clone)]
pub enum ContentSource {
    /// A folder on this machine.
    Folder(PathBuf),
    /// Files that are part of the program.
    Embedded(&'static [EmbeddedFile]),
}

impl ContentSource {
    /// Lists all files, sorted by name.
    pub(super) fn list(&self, detector: Option<&ChangeDetector>) -> io::Result<FileListing> {
        let mut listing = match self {
            Self::Folder(folder) => folder_walk::list(&folder.canonicalize()?, detector)?,
            Self::Embedded(files) => embedded(files),
        };
        listing.files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listing)
    }

    /// Reads a file, at most one byte more than the limit: the caller can tell that it is too large.
    pub(crate) fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        match self {
            Self::Folder(folder) => {
                // A file may become a link at any time, also while it is opened.
                let file = innkeeper_rest::open_beneath(folder, name)?;
                let mut bytes = Vec::new();
                file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
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

fn embedded(files: &[EmbeddedFile]) -> FileListing {
    let files = files.iter().filter_map(|file| {
        Some(ContentFile {
            name: file.name.to_owned(),
            kind: FileKind::of(file.name)?,
            stamp: FileStamp::embedded(file.bytes),
        })
    });
    FileListing {
        files: files.collect(),
        ..FileListing::default()
    }
}

/// Returns the source of content that the settings name.
pub(crate) fn source_of(config: &ContentConfig) -> ContentSource {
    match &config.dir {
        Some(folder) => ContentSource::Folder(folder.clone()),
        None => ContentSource::Embedded(demo::FILES),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::ContentSource;
    use crate::content::file::FileKind;
    use crate::content::kind::ArticleKind;

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
        let listing = ContentSource::Folder(folder.path().to_owned())
            .list(None)
            .unwrap();
        let found: Vec<_> = listing
            .files
            .iter()
            .map(|file| (file.name.as_str(), file.kind))
            .collect();
        assert_eq!(
            found,
            [
                ("blog/2026/b.MD", FileKind::Article(ArticleKind::Blog)),
                ("blog/a.md", FileKind::Article(ArticleKind::Blog)),
                ("blog/g.svg", FileKind::Asset("image/svg+xml")),
                ("images/f.PNG", FileKind::Asset("image/png")),
                ("kb/c.md", FileKind::Article(ArticleKind::Kb)),
                ("plans.toml", FileKind::Plans),
                ("status.toml", FileKind::Status),
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

        let origin = ContentSource::Folder(folder.path().to_owned());
        let listing = origin.list(None).unwrap();
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
                (
                    "blog/broken.md",
                    "a symbolic link to a file that does not exist"
                ),
                (
                    "blog/endless",
                    "a symbolic link to a folder that is listed already"
                ),
                (
                    "blog/outside.md",
                    "a symbolic link that leads out of the content folder"
                ),
                ("kb", "a symbolic link that leads out of the content folder"),
            ]
        );
        assert!(origin.read("blog/outside.md", 10).is_err());
        assert!(origin.read("kb/secret.md", 10).is_err());
        assert!(origin.read("../secret.md", 10).is_err());
        assert_eq!(origin.read("blog/inside.md", 10).unwrap(), b"x");
    }
}
