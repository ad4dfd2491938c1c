//! A request's way through a built application: filters, routing, the handler, and back.

mod core;
mod finish;
mod limits;
mod locate;
mod run;
mod service;
mod write;

pub(crate) use core::{Core, MountedRoute, PathTable, Scope, ServiceMount, Stage};
pub(crate) use finish::{Finished, bodiless_response, finish, into_http};
pub(crate) use limits::Limits;
pub(crate) use service::MountedService;
