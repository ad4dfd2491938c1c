//! The kinds of articles.

/// The part of the site that an article belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArticleKind {
    /// The blog.
    Blog,
    /// The knowledge base.
    Kb,
}

impl ArticleKind {
    /// Returns the kind's name in paths and folders.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blog => "blog",
            Self::Kb => "kb",
        }
    }
}
