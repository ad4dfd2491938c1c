//! The complete request: head, body, and what filters and the router found out about it.

use std::borrow::Cow;
use std::net::SocketAddr;

use http::Method;

use crate::body::Body;
use crate::conditional::Preconditions;
use crate::head::Head;
use crate::route::{ParamSpans, Route, Tree};
use crate::source::decode;
use crate::values::Values;

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
    route: Option<&'static Route>,
    params: ParamSpans,
}

impl Request {
    /// A request made by hand.
    pub fn new(head: Head, body: impl Into<Body>) -> Self {
        Self {
            head,
            body: body.into(),
            values: Values::default(),
            peer: None,
            route: None,
            params: ParamSpans::default(),
        }
    }

    /// The method, path, query and headers.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The head, to be changed by a filter.
    pub fn head_mut(&mut self) -> &mut Head {
        &mut self.head
    }

    /// The method.
    pub fn method(&self) -> &Method {
        self.head.method()
    }

    /// The path, not decoded.
    pub fn path(&self) -> &str {
        self.head.path()
    }

    /// What filters have set.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// What filters have set, to be added to.
    pub fn values_mut(&mut self) -> &mut Values {
        &mut self.values
    }

    /// The address at the other end of the connection, which may be a proxy's.
    pub fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    pub(crate) fn set_peer(&mut self, peer: Option<SocketAddr>) {
        self.peer = peer;
    }

    /// The route that answers, known to filters of resources and methods and to handlers.
    pub fn route(&self) -> Option<&'static Route> {
        self.route
    }

    pub(crate) fn set_route(&mut self, route: &'static Route) {
        self.route = Some(route);
    }

    /// Looks the path up and remembers where its parameters are.
    pub(crate) fn locate(&mut self, tree: &Tree) -> Option<u32> {
        tree.find(self.head.path(), &mut self.params)
    }

    /// The conditions it makes, to be compared before something is changed.
    pub fn preconditions(&self) -> Preconditions<'_> {
        Preconditions::of(&self.head)
    }

    /// A path parameter by name, decoded.
    pub fn path_param(&self, name: &str) -> Option<Cow<'_, str>> {
        let index = self
            .route?
            .params
            .iter()
            .position(|param| param.name == name)?;
        decode::path(self.raw_param(index)?).ok()
    }

    /// A path parameter by number, as it stands in the path.
    pub(crate) fn raw_param(&self, index: usize) -> Option<&str> {
        self.params.get(self.head.path(), index)
    }

    /// Takes the body, leaving an empty one.
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

    /// The whole request, leaving its head behind for the error format.
    pub(crate) fn take(&mut self) -> Self {
        Self {
            head: self.head.clone(),
            body: self.take_body(),
            values: std::mem::take(&mut self.values),
            peer: self.peer,
            route: self.route,
            params: self.params.clone(),
        }
    }

    /// What a tower layer does not carry: everything but head, body and typed values.
    pub(crate) fn split_rest(&mut self) -> Self {
        Self {
            head: Head::new(Method::GET, ""),
            body: Body::empty(),
            values: self.values.split_named(),
            peer: self.peer,
            route: self.route,
            params: std::mem::take(&mut self.params),
        }
    }

    /// Takes back what [`split_rest`](Self::split_rest) has set aside.
    pub(crate) fn join_rest(&mut self, mut rest: Self) {
        rest.values.replace_typed(self.values.take_typed());
        self.values = rest.values;
        self.peer = rest.peer;
        self.route = rest.route;
        self.params = rest.params;
    }

    /// In the vocabulary of the `http` crate, for tower services and layers.
    pub(crate) fn into_http(mut self) -> http::Request<Body> {
        let mut parts = self.head.into_parts();
        parts.extensions = self.values.take_typed();
        http::Request::from_parts(parts, self.body)
    }

    /// From what a tower layer passes on.
    pub(crate) fn from_http(request: http::Request<Body>) -> Self {
        let (mut parts, body) = request.into_parts();
        let typed = std::mem::take(&mut parts.extensions);
        let mut request = Self::new(Head::from_hyper(parts), body);
        request.values.replace_typed(typed);
        request
    }
}
