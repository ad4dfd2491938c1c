//! A request's way through a built application: filters, routing, the handler, and back.

mod core;
mod filter;
mod finish;
mod limits;
mod locate;
mod preflight;
mod run;
mod service;
mod write;

pub(crate) use core::{Core, MountedRoute, PathTable, Scope, ServiceMount, Stage};
pub use filter::{DynFilter, Filter, Next};
pub(crate) use finish::{Finished, bodiless_response, finish, into_http};
pub(crate) use limits::Limits;
pub(crate) use preflight::is_preflight;
pub(crate) use service::MountedService;
