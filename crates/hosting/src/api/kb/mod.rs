//! The knowledge base.

mod article;
mod feedback;
mod list;

pub(super) use article::Article;
pub(super) use feedback::Feedback;
pub(super) use list::List;
