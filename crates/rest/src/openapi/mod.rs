//! OpenAPI 3.1 documents of applications, written from their routes.

mod argument;
mod body;
mod bounds;
mod builder;
mod components;
mod context;
mod default;
mod described;
mod form;
mod json;
mod operation;
mod options;
#[cfg(feature = "docs-page")]
mod page;
mod parameter;
mod response;
mod security;
mod serve;
mod shape;

pub(crate) use builder::write_document;
pub(crate) use described::DescribedApi;
pub use options::OpenApi;
#[cfg(feature = "docs-page")]
pub(crate) use page::DocsPage;
pub use security::SecurityScheme;
pub(crate) use serve::ServedDocument;
