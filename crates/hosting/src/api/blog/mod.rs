//! The blog.

mod article;
mod feed;
mod list;

pub(super) use article::Article;
pub(super) use feed::{FeedAtom, FeedJson};
pub(super) use list::List;
