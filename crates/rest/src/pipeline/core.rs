//! A built application: its routing table, scopes, filters and limits.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::filter::DynFilter;
use super::limits::Limits;
use super::service::MountedService;
use crate::call::{DetachedCount, ErasedResource};
use crate::error_format::ErrorFormat;
use crate::format::{Formats, Offers};
use crate::route::{MethodTable, Route, Tree};
use crate::runtime::Stop;

/// A built application.
pub(crate) struct Core {
    pub(crate) tree: Tree,
    /// One table per path.
    pub(crate) tables: Vec<PathTable>,
    pub(crate) routes: Vec<MountedRoute>,
    /// The first scope is the application itself.
    pub(crate) scopes: Vec<Arc<Scope>>,
    pub(crate) application: Arc<Scope>,
    /// Longest prefix first.
    pub(crate) services: Vec<ServiceMount>,
    pub(crate) filters: Vec<Arc<dyn DynFilter>>,
    pub(crate) limits: Limits,
    /// Triggered when the server that serves this application stops.
    pub(crate) ending: Stop,
}

/// The settings and resources that the routes of one mount share.
pub(crate) struct Scope {
    pub(crate) prefix: String,
    pub(crate) formats: Arc<Formats>,
    pub(crate) errors: Arc<dyn ErrorFormat>,
    pub(crate) filters: Vec<Arc<dyn DynFilter>>,
    pub(crate) resources: Vec<ErasedResource>,
    pub(crate) detached: DetachedCount,
}

/// A route with the settings that were decided for it when it was mounted.
pub(crate) struct MountedRoute {
    pub(crate) route: &'static Route,
    pub(crate) scope: u16,
    /// The index of the resource in its scope.
    pub(crate) resource: usize,
    pub(crate) filters: Vec<Arc<dyn DynFilter>>,
    pub(crate) offers: Offers,
    pub(crate) body_limit: u64,
    pub(crate) reads_query: bool,
    pub(crate) timeout: Option<Duration>,
}

/// The routes at one path.
pub(crate) struct PathTable {
    pub(crate) scope: u16,
    pub(crate) methods: MethodTable<u32>,
    /// Whether paths that lead here may belong to a service or to a mount inside this one.
    pub(crate) overlaps: bool,
}

pub(crate) struct ServiceMount {
    pub(crate) prefix: String,
    pub(crate) service: Box<dyn MountedService>,
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
