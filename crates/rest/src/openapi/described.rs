//! What a document is written from, apart from the application that it describes.

use super::options::OpenApi;
use crate::api::{MountSettings, MountedResource};
use crate::app::Mount;
use crate::route::Route;

/// A mounted API.
pub(super) struct DescribedApi {
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
    /// Returns the APIs among the mounts that a document describes.
    pub(super) fn of(mounts: &[(String, Mount)], openapi: &OpenApi) -> Vec<Self> {
        let apis = mounts.iter().filter_map(|(prefix, mount)| match mount {
            Mount::Api(api) if openapi.describes(prefix) => Some(Self {
                prefix: prefix.trim_end_matches('/').to_owned(),
                resources: api.resources.iter().map(DescribedResource::of).collect(),
                settings: MountSettings {
                    filters: Vec::new(),
                    ..api.settings.clone()
                },
            }),
            _ => None,
        });
        apis.collect()
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
