//! `OpenApi`: the title, tags and security schemes of a document.

use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use super::json::Object;
use super::security::SecurityScheme;

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
/// [`App::openapi`](crate::App::openapi) serves it.
#[derive(Clone)]
pub struct OpenApi {
    pub(super) info: Object,
    pub(super) servers: Vec<Value>,
    pub(super) schemes: Vec<(String, SecurityScheme)>,
    pub(super) tags: Vec<(String, String)>,
    /// The prefixes of the mounts that are described; all if it is empty.
    mounts: Vec<String>,
    pub(super) changes: Vec<DocumentChange>,
}

/// A change to a finished document.
type DocumentChange = Arc<dyn Fn(&mut Value) + Send + Sync>;

impl OpenApi {
    /// Makes a document with this title, of this version of the API.
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

    /// Sets the summary of the API, in one line.
    #[must_use]
    pub fn summary(self, text: impl Into<String>) -> Self {
        self.with_info("summary", Value::String(text.into()))
    }

    /// Sets the description of the API, in Markdown.
    #[must_use]
    pub fn description(self, text: impl Into<String>) -> Self {
        self.with_info("description", Value::String(text.into()))
    }

    /// Sets the contact for questions about the API.
    #[must_use]
    pub fn contact(self, name: impl Into<String>, email: impl Into<String>) -> Self {
        let (name, email): (String, String) = (name.into(), email.into());
        self.with_info("contact", json!({ "name": name, "email": email }))
    }

    /// Sets the licence of the API: its name and, if it has one, its SPDX identifier.
    #[must_use]
    pub fn license(self, name: impl Into<String>, identifier: Option<&str>) -> Self {
        let mut license = Object::new();
        license.insert("name".to_owned(), Value::String(name.into()));
        if let Some(identifier) = identifier {
            license.insert("identifier".to_owned(), identifier.into());
        }
        self.with_info("license", Value::Object(license))
    }

    /// Adds a server on which the API is available.
    #[must_use]
    pub fn server(mut self, url: impl Into<String>, description: impl Into<String>) -> Self {
        let (url, description): (String, String) = (url.into(), description.into());
        self.servers
            .push(json!({ "url": url, "description": description }));
        self
    }

    /// Defines the scheme that a name in `#[security]` stands for.
    #[must_use]
    pub fn security(mut self, name: impl Into<String>, scheme: SecurityScheme) -> Self {
        self.schemes.push((name.into(), scheme));
        self
    }

    /// Describes the routes of a resource, instead of the doc comment of its `impl` block.
    #[must_use]
    pub fn tag(mut self, resource: impl Into<String>, description: impl Into<String>) -> Self {
        self.tags.push((resource.into(), description.into()));
        self
    }

    /// Describes only the mount with this prefix. Repeat it for several mounts.
    #[must_use]
    pub fn mount(mut self, prefix: impl Into<String>) -> Self {
        self.mounts.push(prefix.into());
        self
    }

    /// Changes the finished document, for parts that no annotation can express.
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

    /// Returns whether the document describes the mount with this prefix.
    pub(crate) fn describes(&self, prefix: &str) -> bool {
        let bare = |prefix: &str| prefix.trim_end_matches('/').to_owned();
        self.mounts.is_empty()
            || self
                .mounts
                .iter()
                .any(|described| bare(described) == bare(prefix))
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
