//! A built application: its routing table, scopes, filters and limits.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::limits::Limits;
use super::service::MountedService;
use crate::call::{DetachedCount, ErasedResource};
use crate::error_format::ErrorFormat;
use crate::filter::DynFilter;
use crate::format::{Formats, Offers};
use crate::route::{MethodTable, Route, Tree};
use crate::runtime::Stop;

/// A built application.
pub(crate) struct Core {
    pub(super) tree: Tree,
    /// One table per path.
    pub(super) tables: Vec<PathTable>,
    pub(super) routes: Vec<MountedRoute>,
    /// The first scope is the application itself.
    pub(super) scopes: Vec<Arc<Scope>>,
    pub(super) application: Arc<Scope>,
    /// Longest prefix first.
    pub(super) services: Vec<ServiceMount>,
    pub(super) filters: Vec<Arc<dyn DynFilter>>,
    pub(super) limits: Limits,
    /// Triggered when the server that serves this application stops.
    pub(crate) ending: Stop,
}

/// The settings and resources that the routes of one mount share.
pub(crate) struct Scope {
    pub(super) prefix: String,
    pub(super) formats: Arc<Formats>,
    pub(super) errors: Arc<dyn ErrorFormat>,
    pub(super) filters: Vec<Arc<dyn DynFilter>>,
    pub(super) resources: Vec<ErasedResource>,
    pub(super) detached: DetachedCount,
}

/// A route with the settings that were decided for it when it was mounted.
pub(crate) struct MountedRoute {
    pub(super) route: &'static Route,
    pub(super) scope: u16,
    /// The index of the resource in its scope.
    pub(super) resource: usize,
    pub(super) filters: Vec<Arc<dyn DynFilter>>,
    pub(super) offers: Offers,
    pub(super) body_limit: u64,
    pub(super) reads_query: bool,
    pub(super) timeout: Option<Duration>,
}

/// The routes at one path.
pub(super) struct PathTable {
    pub(super) scope: u16,
    pub(super) methods: MethodTable<u32>,
    /// Whether paths that lead here may belong to a service or to a mount inside this one.
    pub(super) overlaps: bool,
}

pub(super) struct ServiceMount {
    pub(super) prefix: String,
    pub(super) service: Box<dyn MountedService>,
}

/// The position of a request on its way: the index of the next filter, or the end of a list of filters.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stage {
    App(u16),
    Mount(Target, u16),
    /// A preflight, at the filters of the route that it is about.
    Preflight(u32, u16),
    Route(u32, u16),
}

/// The result of looking up a path. Numbers are indices into the lists of [`Core`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// A table of routes, and its scope.
    Table(u32, u16),
    Service(u16),
    /// No route of this scope.
    Nothing(u16),
}

impl Target {
    pub(super) fn scope(self) -> u16 {
        match self {
            Self::Table(_, scope) | Self::Nothing(scope) => scope,
            Self::Service(_) => 0,
        }
    }
}

impl Core {
    pub(super) fn scope(&self, number: u16) -> &Arc<Scope> {
        self.scopes
            .get(usize::from(number))
            .unwrap_or(&self.application)
    }

    /// Waits until no detached handler runs.
    pub(crate) async fn detached_ended(&self) {
        for scope in &self.scopes {
            scope.detached.wait_for_zero().await;
        }
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core")
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}
