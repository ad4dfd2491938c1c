//! The complete request: head, body, and the values that filters and the router attached to it.

mod client_address;
mod id;
mod values;

use std::borrow::Cow;
use std::net::SocketAddr;

use http::Method;

use crate::body::Body;
use crate::head::Head;
use crate::route::{ParamSpans, Route, Tree};
use crate::syntax::decode;

pub use client_address::ClientAddress;
pub use id::RequestId;
pub use values::Values;

/// A request, as filters and `#[request]` arguments see it.
///
/// ```
/// use innkeeper_rest::{Head, Method, Request};
///
/// let mut request = Request::new(Head::new(Method::POST, "/notes"), "remember the milk");
/// request.values_mut().set(7_u64);
/// assert_eq!(request.head().path(), "/notes");
/// assert_eq!(request.values().get::<u64>(), Some(&7));
/// ```
#[derive(Debug)]
pub struct Request {
    head: Head,
    body: Body,
    values: Values,
    peer: Option<SocketAddr>,
    is_encrypted: bool,
    route: Option<&'static Route>,
    params: ParamSpans,
}

impl Request {
    /// Makes a request by hand.
    pub fn new(head: Head, body: impl Into<Body>) -> Self {
        Self {
            head,
            body: body.into(),
            values: Values::default(),
            peer: None,
            is_encrypted: false,
            route: None,
            params: ParamSpans::default(),
        }
    }

    /// Returns the method, path, query and headers.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Returns the head for a filter to change.
    pub fn head_mut(&mut self) -> &mut Head {
        &mut self.head
    }

    /// Returns the method.
    pub fn method(&self) -> &Method {
        self.head.method()
    }

    /// Returns the path as it was sent, not percent-decoded.
    pub fn path(&self) -> &str {
        self.head.path()
    }

    /// Returns the values that filters have set.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Returns the values for a filter to add to.
    pub fn values_mut(&mut self) -> &mut Values {
        &mut self.values
    }

    /// Returns the address of the connection's peer, which may be a proxy.
    pub fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    pub(crate) fn set_peer(&mut self, peer: Option<SocketAddr>) {
        self.peer = peer;
    }

    /// Returns whether the request came through a TLS listener of this server. It is `false` behind a proxy that
    /// terminates TLS.
    pub fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    pub(crate) fn set_encrypted(&mut self, is_encrypted: bool) {
        self.is_encrypted = is_encrypted;
    }

    /// Returns the route that answers. Handlers and the filters of resources and methods know it.
    pub fn route(&self) -> Option<&'static Route> {
        self.route
    }

    pub(crate) fn set_route(&mut self, route: &'static Route) {
        self.route = Some(route);
    }

    /// Looks the path up in a tree of routes and remembers the spans of its parameters.
    pub(crate) fn locate(&mut self, tree: &Tree) -> Option<u32> {
        tree.find(self.head.path(), &mut self.params)
    }

    /// Returns a path parameter by name, percent-decoded.
    pub fn path_param(&self, name: &str) -> Option<Cow<'_, str>> {
        let index = self
            .route?
            .params
            .iter()
            .position(|param| param.name == name)?;
        decode::path(self.raw_param(index)?).ok()
    }

    /// Returns a path parameter by index, as it was sent.
    pub(crate) fn raw_param(&self, index: usize) -> Option<&str> {
        self.params.get(self.head.path(), index)
    }

    /// Takes the body and leaves an empty one.
    pub fn take_body(&mut self) -> Body {
        std::mem::take(&mut self.body)
    }

    /// Replaces the body.
    pub fn set_body(&mut self, body: impl Into<Body>) {
        self.body = body.into();
    }

    pub(crate) fn body_mut(&mut self) -> &mut Body {
        &mut self.body
    }

    /// Takes the whole request and leaves a copy of its head for the error format.
    pub(crate) fn take(&mut self) -> Self {
        Self {
            head: self.head.clone(),
            body: self.take_body(),
            values: std::mem::take(&mut self.values),
            peer: self.peer,
            is_encrypted: self.is_encrypted,
            route: self.route,
            params: self.params.clone(),
        }
    }

    /// Splits off the parts that a tower layer does not carry: all but head, body and typed values.
    pub(crate) fn split_rest(&mut self) -> Self {
        Self {
            head: Head::new(Method::GET, ""),
            body: Body::empty(),
            values: self.values.split_named(),
            peer: self.peer,
            is_encrypted: self.is_encrypted,
            route: self.route,
            params: std::mem::take(&mut self.params),
        }
    }

    /// Puts the parts back that [`split_rest`](Self::split_rest) split off.
    pub(crate) fn join_rest(&mut self, mut rest: Self) {
        rest.values.set_extensions(self.values.take_extensions());
        self.values = rest.values;
        self.peer = rest.peer;
        self.is_encrypted = rest.is_encrypted;
        self.route = rest.route;
        self.params = rest.params;
    }

    /// Converts the request to the type of the `http` crate, for tower services and layers.
    pub(crate) fn into_http(mut self) -> http::Request<Body> {
        let mut parts = self.head.into_parts();
        parts.extensions = self.values.take_extensions();
        http::Request::from_parts(parts, self.body)
    }

    /// Makes a request of the one that a tower layer passes on.
    pub(crate) fn from_http(request: http::Request<Body>) -> Self {
        let (mut parts, body) = request.into_parts();
        let extensions = std::mem::take(&mut parts.extensions);
        let mut request = Self::new(Head::from_hyper(parts), body);
        request.values.set_extensions(extensions);
        request
    }
}
