//! The files of a content folder, before they are read.

use std::fs::Metadata as FileMetadata;

use jiff::Timestamp;

use super::kind::ArticleKind;
use super::problem::Problem;

/// The extensions of images, which are served as assets, with their media types.
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

/// What a file of the content folder contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    Article(ArticleKind),
    /// An image, with its media type.
    Asset(&'static str),
    /// `plans.toml`.
    Plans,
    /// `status.toml`.
    Status,
}

impl FileKind {
    /// Tells the kind of a file by its name; `None` for files that are not served.
    pub(crate) fn of(name: &str) -> Option<Self> {
        match name {
            "plans.toml" => return Some(Self::Plans),
            "status.toml" => return Some(Self::Status),
            _ => {}
        }
        let (_, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        if extension == "md" {
            return match name.split('/').next()? {
                "blog" => Some(Self::Article(ArticleKind::Blog)),
                "kb" => Some(Self::Article(ArticleKind::Kb)),
                _ => None,
            };
        }
        let image = IMAGES.iter().find(|(known, _)| *known == extension)?;
        Some(Self::Asset(image.1))
    }
}

/// Tells versions of a file apart without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    modified: Timestamp,
    length: u64,
    inode: u64,
}

impl FileStamp {
    pub(crate) fn of(metadata: &FileMetadata) -> Self {
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

    /// Returns the stamp of a file that is part of the program.
    pub(crate) fn embedded(bytes: &[u8]) -> Self {
        Self {
            modified: Timestamp::UNIX_EPOCH,
            length: bytes.len() as u64,
            inode: 0,
        }
    }

    pub(crate) fn modified(self) -> Timestamp {
        self.modified
    }
}

/// A file of the content folder.
#[derive(Debug, Clone)]
pub(crate) struct ContentFile {
    /// The path relative to the content folder, with slashes.
    pub(crate) name: String,
    pub(crate) kind: FileKind,
    pub(crate) stamp: FileStamp,
}

/// All files of a content folder that are served, and the problems of those that cannot be.
#[derive(Debug, Default)]
pub(crate) struct FileListing {
    /// Sorted by name.
    pub(crate) files: Vec<ContentFile>,
    pub(crate) problems: Vec<Problem>,
    /// The files and folders that exist and cannot be read, with the reasons.
    pub(crate) unreadable: Vec<(String, String)>,
}

impl FileListing {
    /// Whether it is not known what has become of a file, because it or a folder of it cannot be read.
    pub(crate) fn is_unreadable(&self, file: &str) -> bool {
        self.unreadable
            .iter()
            .any(|(name, _)| is_within(file, name))
    }
}

/// Whether a file is this one, or in this folder.
pub(crate) fn is_within(file: &str, name: &str) -> bool {
    let rest = file.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
