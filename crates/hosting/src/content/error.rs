//! Errors of loading content.

use std::io;
use std::path::PathBuf;

use tantivy::TantivyError;

/// Why content could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// The content folder does not exist or cannot be read.
    #[error("the content folder {} cannot be read: {error}", folder.display())]
    Folder {
        /// The path of the folder.
        folder: PathBuf,
        /// The error of the file system.
        #[source]
        error: io::Error,
    },
    /// The search index could not be updated.
    #[error("the search index could not be updated: {0}")]
    Search(#[from] TantivyError),
}
