//! The OpenAPI documents among the mounts of an application.

use super::mount::Mount;
use crate::openapi::{DescribedApi, OpenApi, ServedDocument};
use crate::pipeline::Limits;

/// Returns the APIs among the mounts that a document describes.
pub(super) fn described_apis(mounts: &[(String, Mount)], openapi: &OpenApi) -> Vec<DescribedApi> {
    let apis = mounts.iter().filter_map(|(prefix, mount)| match mount {
        Mount::Api(api) if openapi.describes(prefix) => Some(DescribedApi::of(prefix, api)),
        _ => None,
    });
    apis.collect()
}

/// Replaces the documents among the mounts by services that send them.
pub(super) fn serve_documents(
    mounts: Vec<(String, Mount)>,
    limits: Limits,
) -> Vec<(String, Mount)> {
    let apis: Vec<Vec<DescribedApi>> = mounts
        .iter()
        .map(|(_, mount)| match mount {
            Mount::Document(openapi) => described_apis(&mounts, openapi),
            _ => Vec::new(),
        })
        .collect();
    let pairs = mounts.into_iter().zip(apis);
    pairs
        .map(|((prefix, mount), apis)| match mount {
            Mount::Document(openapi) => {
                let document = ServedDocument::new(openapi, apis, limits);
                (prefix, Mount::Service(Box::new(document)))
            }
            mount => (prefix, mount),
        })
        .collect()
}
