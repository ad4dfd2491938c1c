//! The content of a mail: subject, text and HTML.
//!
//! With a template of the operator the mail is rendered from it, and the missing parts are filled in: the
//! subject from the settings, the text from the HTML. Without one, or if it fails, the mail has the built-in
//! text.

mod data;
mod english;
mod german;
mod layout;
mod locale;
mod plain_text;
mod rendered;
mod words;
mod writer;

pub(super) use data::sample_data;
pub(super) use rendered::render_template;
#[cfg(test)]
pub(super) use writer::Content;
pub(super) use writer::Writer;
