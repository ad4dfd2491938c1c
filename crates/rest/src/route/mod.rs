//! What is known of a route before any request: constant data written by `#[resource]`.
//!
//! Filters and the trace read it through [`Request::route`](crate::Request::route). It is never
//! copied or computed for a request.

mod argument;
mod attributes;
mod bounds;
mod returns;
mod source;
mod table;
mod tree;
mod type_info;
mod verb;

use std::borrow::Cow;

pub use argument::{Argument, PathParam};
pub use attributes::{Limit, Meta, MetaValue, Responds, Security};
pub use bounds::Bounds;
pub use returns::Returns;
pub use source::Source;
pub(crate) use table::{Conflict, MethodTable, Params, RouteMatch};
pub(crate) use tree::Tree;
pub use type_info::TypeInfo;
pub use verb::Verb;

/// One handler method under one verb.
///
/// Values of this type are written by `#[resource]`; read them, do not make them.
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
    /// Number of the route within its resource.
    pub id: u16,
    /// The HTTP method.
    pub verb: Verb,
    /// Base path and path as they were declared: `/users/{id:[0-9]+}`.
    pub template: &'static str,
    /// The template as the router knows it: `/users/{p0}`.
    pub matcher: &'static str,
    /// The parameters in the path, in order.
    pub params: &'static [PathParam],
    /// The name of the handler method.
    pub operation: &'static str,
    /// The name of the resource type.
    pub resource: &'static str,
    /// Where it was declared: file, line and column.
    pub place: &'static str,
    /// The doc comment of the method.
    pub docs: &'static str,
    /// The arguments of the method.
    pub arguments: &'static [Argument],
    /// The return type of the method.
    pub returns: Returns,
    /// Declared with `#[responds]`.
    pub responds: &'static [Responds],
    /// Declared with `#[security]`.
    pub security: &'static [Security],
    /// Declared with `#[consumes]`: the media types it reads; empty for all the API can read.
    pub consumes: &'static [&'static str],
    /// Declared with `#[produces]`: the media types it sends; empty for all the API can write.
    pub produces: &'static [&'static str],
    /// Declared with `#[meta]`.
    pub meta: &'static [Meta],
    /// Declared with `#[body_limit]`, in bytes.
    pub body_limit: Option<Limit>,
    /// Declared with `#[timeout]`, in seconds.
    pub timeout: Option<Limit>,
    /// Whether it runs to its end when the client leaves.
    pub detached: bool,
    /// Whether the method is marked `#[deprecated]`.
    pub deprecated: bool,
}

impl Route {
    /// Nothing declared.
    pub const NONE: Self = Self {
        id: 0,
        verb: Verb::Get,
        template: "",
        matcher: "",
        params: &[],
        operation: "",
        resource: "",
        place: "",
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

    /// The value of a `#[meta]` entry.
    pub fn meta(&self, name: &str) -> Option<MetaValue> {
        self.meta
            .iter()
            .find(|meta| meta.name == name)
            .map(|meta| meta.value)
    }
}

/// A route and where it is mounted, from [`Next::route_of`](crate::Next::route_of).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RouteAt<'a> {
    /// The path of the mount, without a slash at its end.
    pub mount: &'a str,
    /// The route.
    pub route: &'static Route,
}

impl<'a> RouteAt<'a> {
    /// The whole path with the names of its parameters, without their patterns: `/admin/users/{id}`.
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
