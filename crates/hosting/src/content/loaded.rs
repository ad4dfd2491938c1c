//! What was read from the files of a content folder.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::article::Article;
use super::file::FileStamp;
use super::problem::Problem;
use crate::base::parse::Fault;
use crate::content::plans::Catalog;
use crate::content::status_definition::Definition;

/// An image that is served as it is.
#[derive(Debug, Clone)]
pub struct Asset {
    pub(crate) media_type: &'static str,
}

/// An article's file after it was read.
#[derive(Debug, Clone)]
pub(crate) struct LoadedArticle {
    pub(crate) stamp: FileStamp,
    /// The last valid version.
    pub(crate) article: Option<Arc<Article>>,
    /// The faults of the current version.
    pub(crate) faults: Vec<Fault>,
    /// Probable mistakes in the current version, which is shown all the same.
    pub(crate) warnings: Vec<Fault>,
}

/// The content of all files, before it is indexed.
#[derive(Debug, Default)]
pub(crate) struct LoadedFiles {
    /// By the name of the file.
    pub(crate) articles: BTreeMap<String, LoadedArticle>,
    /// By the name of the file.
    pub(crate) assets: HashMap<String, Asset>,
    pub(crate) plans: Arc<Catalog>,
    pub(crate) status: Arc<Definition>,
    pub(crate) problems: Vec<Problem>,
}
