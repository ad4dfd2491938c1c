//! Routes: the constant data that `#[resource]` writes for each handler method, and their matching.
//!
//! Filters and the trace read a route through [`Request::route`](crate::Request::route). It is
//! never copied or computed for a request.

mod argument;
mod attributes;
mod bounds;
mod reply_kind;
#[cfg(feature = "openapi")]
mod return_schema;
mod returns;
#[cfg(feature = "openapi")]
pub(crate) mod schemas;
mod source;
mod table;
mod tree;
mod type_info;
mod verb;

use std::borrow::Cow;

pub use argument::{Argument, PathParam};
pub use attributes::{Limit, Meta, MetaValue, Responds, Security};
pub use bounds::Bounds;
pub use reply_kind::ReplyKind;
#[cfg(feature = "openapi")]
pub use return_schema::{ErrorResponses, ReplyConstants, ReturnSchema};
pub use returns::Returns;
#[cfg(feature = "openapi")]
pub use schemas::{Schemas, TypeSchema};
pub use source::Source;
pub(crate) use table::{Conflict, MethodTable, ParamSpans, RouteMatch};
pub(crate) use tree::Tree;
pub use type_info::TypeInfo;
pub use verb::Verb;

/// A handler method under one verb.
///
/// `#[resource]` writes values of this type; read them, do not construct them.
///
/// ```
/// use innkeeper_rest::{Resource, Source, Verb, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     /// One user.
///     #[get("/{id:[0-9]+}")]
///     fn get(&self, id: u64, #[param(default = false)] full: bool) -> String {
///         format!("{id} {full}")
///     }
/// }
///
/// let route = &Users::ROUTES[0];
/// assert_eq!((route.verb, route.template), (Verb::Get, "/users/{id:[0-9]+}"));
/// assert_eq!((route.resource, route.operation, route.docs), ("Users", "get", "One user."));
/// assert_eq!(route.params[0].pattern, Some("[0-9]+"));
/// assert_eq!(route.arguments[1].source, Source::Param);
/// assert_eq!(route.arguments[1].default, Some("false"));
/// assert_eq!((route.arguments[0].ty.name)(), "u64");
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "written by generated code, completed by `..NONE`"
)]
pub struct Route {
    /// The number of the route within its resource.
    pub id: u16,
    /// The HTTP method.
    pub verb: Verb,
    /// The base path and the path as declared: `/users/{id:[0-9]+}`.
    pub template: &'static str,
    /// The template as the router matches it: `/users/{p0}`.
    pub matcher: &'static str,
    /// The parameters in the path, in order.
    pub params: &'static [PathParam],
    /// The name of the handler method.
    pub operation: &'static str,
    /// The name of the resource type.
    pub resource: &'static str,
    /// The file, line and column of its declaration.
    pub declared_at: &'static str,
    /// The doc comment of the method.
    pub docs: &'static str,
    /// The arguments of the method.
    pub arguments: &'static [Argument],
    /// The return type of the method.
    pub returns: Returns,
    /// The responses declared with `#[responds]`.
    pub responds: &'static [Responds],
    /// The security requirements declared with `#[security]`.
    pub security: &'static [Security],
    /// The media types it reads, declared with `#[consumes]`; empty for all that the API can read.
    pub consumes: &'static [&'static str],
    /// The media types it sends, declared with `#[produces]`; empty for all that the API can write.
    pub produces: &'static [&'static str],
    /// The entries declared with `#[meta]`.
    pub meta: &'static [Meta],
    /// The largest body in bytes, declared with `#[body_limit]`.
    pub body_limit: Option<Limit>,
    /// The longest time in seconds, declared with `#[timeout]`.
    pub timeout: Option<Limit>,
    /// Whether it runs to its end when the client disconnects.
    pub detached: bool,
    /// Whether the method is marked `#[deprecated]`.
    pub deprecated: bool,
}

impl Route {
    /// A route with nothing declared, which generated code completes.
    pub const NONE: Self = Self {
        id: 0,
        verb: Verb::Get,
        template: "",
        matcher: "",
        params: &[],
        operation: "",
        resource: "",
        declared_at: "",
        docs: "",
        arguments: &[],
        returns: Returns::NONE,
        responds: &[],
        security: &[],
        consumes: &[],
        produces: &[],
        meta: &[],
        body_limit: None,
        timeout: None,
        detached: false,
        deprecated: false,
    };

    /// Returns the value of a `#[meta]` entry.
    pub fn meta(&self, name: &str) -> Option<MetaValue> {
        self.meta
            .iter()
            .find(|meta| meta.name == name)
            .map(|meta| meta.value)
    }
}

/// A route and the path it is mounted at, from [`Next::route_of`](crate::Next::route_of).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RouteAt<'a> {
    /// The path of the mount, without a trailing slash.
    pub mount: &'a str,
    /// The route, as its resource declares it.
    pub route: &'static Route,
}

impl<'a> RouteAt<'a> {
    /// Returns the whole path with the names of its parameters but without their patterns:
    /// `/admin/users/{id}`.
    pub fn template(&self) -> Cow<'a, str> {
        let Route {
            matcher, params, ..
        } = self.route;
        if params.is_empty() && self.mount.is_empty() {
            return Cow::Borrowed(matcher);
        }
        let mut template = format!("{}{matcher}", self.mount);
        for (number, param) in params.iter().enumerate() {
            for mark in ["", "*"] {
                let placeholder = format!("{{{mark}p{number}}}");
                template = template.replace(&placeholder, &format!("{{{}}}", param.name));
            }
        }
        if template.len() > 1 && template.ends_with('/') {
            template.pop();
        }
        Cow::Owned(template)
    }
}
