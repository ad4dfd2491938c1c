//! OpenAPI 3.1: a document of an application, from what its routes already say.

mod body;
mod bounds;
mod builder;
mod components;
mod default;
mod form;
mod operation;
#[cfg(feature = "docs-page")]
mod page;
mod parameter;
mod response;
mod return_schema;
mod schemas;
mod security;
mod serve;
mod shape;

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::app::{App, Limits, Mount};
use crate::resource::Mode;
use builder::Builder;
#[cfg(feature = "docs-page")]
pub(crate) use page::DocsPage;
pub use return_schema::{ErrorResponses, ReplyConstants, ReturnSchema};
pub use schemas::{Described, Schemas};
pub use security::SecurityScheme;
pub(crate) use serve::written;

/// An object of the document.
type Object = Map<String, Value>;

/// An OpenAPI 3.1 document of an application, written from its routes without starting a server.
///
/// ```
/// use innkeeper_rest::{App, OpenApi, RestApi, resource};
///
/// struct Rooms;
///
/// #[resource("/rooms")]
/// impl Rooms {
///     /// One room.
///     #[get("/{number}")]
///     fn get(&self, number: u32) -> String {
///         format!("room {number}")
///     }
/// }
///
/// let app = App::new().mount("/api", RestApi::new(Rooms));
/// let document = OpenApi::new("Rooms", "1.0").document(&app);
/// let get = &document["paths"]["/api/rooms/{number}"]["get"];
/// assert_eq!(get["summary"], "One room.");
/// assert_eq!(get["parameters"][0]["schema"]["format"], "uint32");
/// ```
///
/// [`App::openapi`] serves it.
#[derive(Clone)]
pub struct OpenApi {
    info: Object,
    servers: Vec<Value>,
    schemes: Vec<(String, SecurityScheme)>,
    tags: Vec<(String, String)>,
    mounts: Vec<String>,
    changes: Vec<Change>,
}

/// A change to a finished document.
type Change = Arc<dyn Fn(&mut Value) + Send + Sync>;

impl OpenApi {
    /// A document with this title, of this version of the API.
    pub fn new(title: impl Into<String>, version: impl Into<String>) -> Self {
        let mut info = Object::new();
        info.insert("title".to_owned(), title.into().into());
        info.insert("version".to_owned(), version.into().into());
        Self {
            info,
            servers: Vec::new(),
            schemes: Vec::new(),
            tags: Vec::new(),
            mounts: Vec::new(),
            changes: Vec::new(),
        }
    }

    fn with_info(mut self, name: &str, value: Value) -> Self {
        self.info.insert(name.to_owned(), value);
        self
    }

    /// What the API is, in one line.
    #[must_use]
    pub fn summary(self, text: impl Into<String>) -> Self {
        self.with_info("summary", Value::String(text.into()))
    }

    /// What the API is, in Markdown.
    #[must_use]
    pub fn description(self, text: impl Into<String>) -> Self {
        self.with_info("description", Value::String(text.into()))
    }

    /// Whom to write to.
    #[must_use]
    pub fn contact(self, name: impl Into<String>, email: impl Into<String>) -> Self {
        let (name, email): (String, String) = (name.into(), email.into());
        self.with_info("contact", json!({ "name": name, "email": email }))
    }

    /// Under which licence the API is offered: its name and, if it has one, its SPDX identifier.
    #[must_use]
    pub fn license(self, name: impl Into<String>, identifier: Option<&str>) -> Self {
        let mut license = Object::new();
        license.insert("name".to_owned(), Value::String(name.into()));
        if let Some(identifier) = identifier {
            license.insert("identifier".to_owned(), identifier.into());
        }
        self.with_info("license", Value::Object(license))
    }

    /// Where the API can be reached.
    #[must_use]
    pub fn server(mut self, url: impl Into<String>, description: impl Into<String>) -> Self {
        let (url, description): (String, String) = (url.into(), description.into());
        self.servers
            .push(json!({ "url": url, "description": description }));
        self
    }

    /// Says what a name in `#[security]` stands for.
    #[must_use]
    pub fn security(mut self, name: impl Into<String>, scheme: SecurityScheme) -> Self {
        self.schemes.push((name.into(), scheme));
        self
    }

    /// Says what the routes of a resource are about, instead of the doc comment of its block.
    #[must_use]
    pub fn tag(mut self, resource: impl Into<String>, description: impl Into<String>) -> Self {
        self.tags.push((resource.into(), description.into()));
        self
    }

    /// Describes only what is mounted under this prefix. Several may be named.
    #[must_use]
    pub fn mount(mut self, prefix: impl Into<String>) -> Self {
        self.mounts.push(prefix.into());
        self
    }

    /// Changes the document when it is finished, for what annotations cannot say.
    ///
    /// ```
    /// # use innkeeper_rest::{App, OpenApi};
    /// let openapi = OpenApi::new("Rooms", "1.0")
    ///     .change(|document| document["info"]["x-audience"] = "public".into());
    /// assert_eq!(openapi.document(&App::new())["info"]["x-audience"], "public");
    /// ```
    #[must_use]
    pub fn change(mut self, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Self {
        self.changes.push(Arc::new(change));
        self
    }

    /// The document.
    pub fn document<M: Mode>(&self, app: &App<M>) -> Value {
        let (mounts, limits) = app.parts();
        self.written(mounts, limits)
    }

    /// The document as indented JSON, to be printed or kept in a file.
    ///
    /// ```
    /// # use innkeeper_rest::{App, OpenApi};
    /// let text = OpenApi::new("Rooms", "1.0").json(&App::new());
    /// assert!(text.contains("\"openapi\": \"3.1.0\""));
    /// ```
    pub fn json<M: Mode>(&self, app: &App<M>) -> String {
        format!("{:#}", self.document(app))
    }

    fn written(&self, mounts: &[(String, Mount)], limits: Limits) -> Value {
        let mut builder = Builder::new(self, limits);
        for (prefix, mount) in mounts {
            if let Mount::Api(api) = mount
                && self.describes(prefix)
            {
                builder.add_api(prefix.trim_end_matches('/'), api);
            }
        }
        let mut document = builder.finish();
        for change in &self.changes {
            change(&mut document);
        }
        document
    }

    fn describes(&self, prefix: &str) -> bool {
        let bare = |prefix: &str| prefix.trim_end_matches('/').to_owned();
        self.mounts.is_empty()
            || self
                .mounts
                .iter()
                .any(|wanted| bare(wanted) == bare(prefix))
    }
}

impl fmt::Debug for OpenApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenApi")
            .field("info", &self.info)
            .field("mounts", &self.mounts)
            .finish_non_exhaustive()
    }
}
