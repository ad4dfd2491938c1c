//! What a store finds at a path.

use std::fs::File;
use std::time::SystemTime;

use bytes::Bytes;

use crate::coding::Coding;
use crate::conditional::ETag;

/// The result of looking up a path.
pub(super) enum Lookup {
    File(FileVariant),
    Directory,
    Missing,
}

/// A file, plain or compressed.
pub(super) struct FileVariant {
    pub(super) etag: ETag,
    pub(super) modified: Option<SystemTime>,
    pub(super) content: FileContent,
    /// How the content is compressed.
    pub(super) coding: Option<Coding>,
    /// Whether the variant depends on what the client accepts.
    pub(super) varies: bool,
}

pub(super) enum FileContent {
    Bytes(Bytes),
    /// An open file and its size.
    File(File, u64),
}

/// A file that was read into memory.
pub(super) struct LoadedFile {
    pub(super) path: String,
    pub(super) bytes: Bytes,
    pub(super) modified: Option<SystemTime>,
}

/// Returns the name of the compressed variant of a file.
pub(super) fn variant_name(path: &str, coding: Coding) -> String {
    let extension = match coding {
        Coding::Brotli => "br",
        Coding::Gzip => "gz",
    };
    format!("{path}.{extension}")
}
