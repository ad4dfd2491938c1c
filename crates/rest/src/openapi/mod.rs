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

use serde_json::Value;

pub use options::OpenApi;
#[cfg(feature = "docs-page")]
pub(crate) use page::DocsPage;
pub use security::SecurityScheme;
pub(crate) use serve::serve_documents;

use self::described::DescribedApi;
use crate::app::App;
use crate::resource::Mode;

impl OpenApi {
    /// Writes the document of an application.
    pub fn document<M: Mode>(&self, app: &App<M>) -> Value {
        let (mounts, limits) = app.parts();
        builder::write(self, &DescribedApi::of(mounts, self), limits)
    }

    /// Writes the document as indented JSON.
    ///
    /// ```
    /// # use innkeeper_rest::{App, OpenApi};
    /// let text = OpenApi::new("Rooms", "1.0").json(&App::new());
    /// assert!(text.contains("\"openapi\": \"3.1.0\""));
    /// ```
    pub fn json<M: Mode>(&self, app: &App<M>) -> String {
        format!("{:#}", self.document(app))
    }
}
