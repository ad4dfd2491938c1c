//! One request on its way to a handler method, and what comes of it.

mod detached;
pub mod dispatch;
mod erased;

use std::sync::Arc;

pub(crate) use detached::DetachedCount;
pub use dispatch::Dispatch;
pub(crate) use dispatch::HandlerResult;
pub(crate) use erased::DynResource;
pub use erased::ErasedResource;

use crate::body::Body;
use crate::format::{Formats, Output};
use crate::request::Request;
use crate::route::Route;
use crate::syntax::QueryPairs;

/// One request on its way to a handler method.
#[derive(Debug)]
pub struct Call<'a> {
    pub(crate) request: &'a mut Request,
    pub(crate) route: &'static Route,
    /// The formats of the mount.
    pub(crate) formats: &'a Arc<Formats>,
    /// The detached handlers of the mount.
    pub(crate) detached: &'a DetachedCount,
    /// The negotiated format of the response.
    pub(crate) output: Output,
    /// The pairs of the query, if the route reads any.
    pub(crate) pairs: QueryPairs,
}

impl Call<'_> {
    /// Returns the number of the route within its resource.
    pub fn id(&self) -> u16 {
        self.route.id
    }

    /// Takes the body of the request.
    pub fn take_body(&mut self) -> Body {
        self.request.take_body()
    }

    /// Takes the whole request.
    pub fn take_request(&mut self) -> Request {
        self.request.take()
    }
}

/// A call that owns its request, for handlers that outlive their client.
#[derive(Debug)]
pub struct OwnedCall {
    request: Request,
    route: &'static Route,
    formats: Arc<Formats>,
    detached: DetachedCount,
    output: Output,
    pairs: QueryPairs,
}

impl OwnedCall {
    /// Takes the request of a call.
    fn take_from(call: &mut Call<'_>) -> Self {
        Self {
            request: call.request.take(),
            route: call.route,
            formats: Arc::clone(call.formats),
            detached: call.detached.clone(),
            output: call.output,
            pairs: call.pairs,
        }
    }

    /// Borrows the call.
    pub fn call(&mut self) -> Call<'_> {
        Call {
            request: &mut self.request,
            route: self.route,
            formats: &self.formats,
            detached: &self.detached,
            output: self.output,
            pairs: self.pairs,
        }
    }
}
