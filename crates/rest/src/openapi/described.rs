//! What a document is written from, apart from the application that it describes.

use crate::api::{MountSettings, MountedResource, RestApi};
use crate::resource::Local;
use crate::route::Route;

/// A mounted API.
pub(crate) struct DescribedApi {
    /// Without a trailing slash.
    pub(super) prefix: String,
    pub(super) resources: Vec<DescribedResource>,
    /// Without filters, about which documents say nothing.
    pub(super) settings: MountSettings,
}

/// A resource of an API.
pub(super) struct DescribedResource {
    pub(super) name: &'static str,
    pub(super) docs: &'static str,
    pub(super) routes: &'static [Route],
}

impl DescribedApi {
    /// Returns what a document says about an API that is mounted under a prefix.
    pub(crate) fn of(prefix: &str, api: &RestApi<Local>) -> Self {
        Self {
            prefix: prefix.trim_end_matches('/').to_owned(),
            resources: api.resources.iter().map(DescribedResource::of).collect(),
            settings: MountSettings {
                filters: Vec::new(),
                ..api.settings.clone()
            },
        }
    }
}

impl DescribedResource {
    fn of(resource: &MountedResource) -> Self {
        Self {
            name: resource.name,
            docs: resource.docs,
            routes: resource.routes,
        }
    }
}
