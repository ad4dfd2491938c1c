//! What an operation is written from.

use super::json::Object;
use crate::api::MountSettings;
use crate::pipeline::Limits;
use crate::route::{Route, Schemas};

/// The route of an operation, its settings, and the schemas that the document collects.
pub(super) struct OperationContext<'c> {
    pub(super) schemas: &'c mut Schemas,
    /// Schemas that are not types of the application.
    pub(super) components: &'c mut Object,
    pub(super) settings: &'c MountSettings,
    pub(super) limits: Limits,
    pub(super) route: &'static Route,
}
