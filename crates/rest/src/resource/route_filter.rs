//! Filters declared on a resource or on one of its methods.

use std::fmt;
use std::sync::Arc;

use crate::pipeline::{DynFilter, Filter};

/// A filter declared on a resource or on one of its methods.
pub struct RouteFilter {
    /// The id of the route; `None` means all routes of the resource.
    pub(crate) route: Option<u16>,
    pub(crate) filter: Arc<dyn DynFilter>,
}

impl RouteFilter {
    /// Makes a filter for all routes of the resource.
    pub fn resource(filter: impl Filter) -> Self {
        Self {
            route: None,
            filter: Arc::new(filter),
        }
    }

    /// Makes a filter for one route.
    pub fn route(id: u16, filter: impl Filter) -> Self {
        Self {
            route: Some(id),
            filter: Arc::new(filter),
        }
    }
}

impl fmt::Debug for RouteFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RouteFilter")
            .field("route", &self.route)
            .finish_non_exhaustive()
    }
}
