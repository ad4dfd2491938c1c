//! The blog.

mod article;
mod feed;
mod list;

pub(super) use article::BlogArticle;
pub(super) use feed::{FeedAtom, FeedJson};
pub(super) use list::BlogList;
