//! The knowledge base.

mod article;
mod feedback;
mod list;

pub(super) use article::KbArticle;
pub(super) use feedback::KbFeedback;
pub(super) use list::KbList;
