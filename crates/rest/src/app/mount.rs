//! The parts of an application, each under a prefix.

use crate::api::RestApi;
use crate::pipeline::MountedService;
use crate::resource::Local;

/// One part of an application.
pub(super) enum Mount {
    Api(RestApi<Local>),
    Service(Box<dyn MountedService>),
    /// A document of the other mounts.
    #[cfg(feature = "openapi")]
    Document(Box<crate::openapi::OpenApi>),
}
