//! The knowledge base.

mod article;
mod list;

pub(super) use article::Article;
pub(super) use list::List;
