//! What is known of a route before any request: constant data written by `#[resource]`.
//!
//! Filters and the trace read it through [`Request::route`](crate::Request::route). It is never
//! copied or computed for a request.

mod bounds;
mod table;
mod tree;

use std::borrow::Cow;
use std::fmt;

use http::Method;

pub use bounds::Bounds;
pub(crate) use table::{Conflict, Found, MethodTable, Params};
pub(crate) use tree::Tree;

use crate::response::ReplyKind;

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

/// An HTTP method.
///
/// ```
/// use innkeeper_rest::Verb;
///
/// assert_eq!(Verb::Get.as_str(), "GET");
/// assert_eq!(Verb::Other("QUERY").to_string(), "QUERY");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the methods")]
pub enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
    Head,
    Options,
    /// Any other method, declared with `#[route(method = "…")]`.
    Other(&'static str),
}

impl Verb {
    /// How many verbs have a place of their own.
    pub(crate) const COMMON: usize = 7;

    /// The place of a common verb in a table.
    pub(crate) fn index(self) -> Option<usize> {
        match self {
            Self::Get => Some(0),
            Self::Post => Some(1),
            Self::Put => Some(2),
            Self::Patch => Some(3),
            Self::Delete => Some(4),
            Self::Head => Some(5),
            Self::Options => Some(6),
            Self::Other(_) => None,
        }
    }

    /// The place of a method in a table.
    pub(crate) fn index_of(method: &Method) -> Option<usize> {
        Some(match *method {
            Method::GET => 0,
            Method::POST => 1,
            Method::PUT => 2,
            Method::PATCH => 3,
            Method::DELETE => 4,
            Method::HEAD => 5,
            Method::OPTIONS => 6,
            _ => return None,
        })
    }

    /// The method as it is sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Other(name) => name,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A parameter in a path.
///
/// ```
/// use innkeeper_rest::{Resource, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get("/files/{*path}")]
///     fn file(&self, path: &str) {
///         let _ = path;
///     }
/// }
///
/// let param = Users::ROUTES[0].params[0];
/// assert_eq!((param.name, param.pattern, param.tail), ("path", None, true));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "written by generated code")]
pub struct PathParam {
    /// Its name.
    pub name: &'static str,
    /// The regular expression it must match as a whole.
    pub pattern: Option<&'static str>,
    /// Whether it takes the rest of the path.
    pub tail: bool,
}

/// An argument of a handler.
///
/// ```
/// use innkeeper_rest::{Resource, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get]
///     fn list(&self, #[separated_by(",")] ids: Vec<u64>) {}
/// }
///
/// let argument = &Users::ROUTES[0].arguments[0];
/// assert_eq!((argument.name, argument.separator), ("ids", Some(",")));
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "written by generated code, completed by `..NONE`"
)]
pub struct Argument {
    /// Its name on the wire.
    pub name: &'static str,
    /// Where it comes from.
    pub source: Source,
    /// The expression that stands in when it is absent, as it was written.
    pub default: Option<&'static str>,
    /// What `#[separated_by]` splits at.
    pub separator: Option<&'static str>,
    /// Whether `#[convert]` stands between what is sent and the type.
    pub converted: bool,
    /// The doc comment before it.
    pub docs: &'static str,
    /// Its type.
    pub ty: TypeInfo,
    /// Whether `#[validate]` stands before it.
    pub validated: bool,
    /// What `#[validate]` allows, as far as a schema can say it.
    pub bounds: Bounds,
}

impl Argument {
    /// Nothing declared.
    pub const NONE: Self = Self {
        name: "",
        source: Source::Param,
        default: None,
        separator: None,
        converted: false,
        docs: "",
        ty: TypeInfo::NONE,
        validated: false,
        bounds: Bounds::NONE,
    };
}

/// Where an argument comes from.
///
/// ```
/// use innkeeper_rest::{Resource, Source, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get("/{id}")]
///     fn get(&self, id: u64, #[header("accept")] accept: String) {}
/// }
///
/// let [id, accept] = Users::ROUTES[0].arguments else { unreachable!() };
/// assert_eq!((id.source, accept.source), (Source::Path, Source::Header));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A segment of the path.
    Path,
    /// `name=value` entries within a segment of the path.
    Matrix,
    /// A request parameter: the query, or a form field.
    Param,
    /// A request header.
    Header,
    /// A cookie.
    Cookie,
    /// A value set by a filter.
    Value,
    /// The deserialized body.
    Entity,
    /// The body as text.
    Body,
    /// The body as a stream.
    Stream,
    /// The request itself.
    Request,
    /// The connection, to speak another protocol on.
    Upgrade,
}

impl Source {
    /// How messages call it.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Path => "path parameter",
            Self::Matrix => "matrix parameter",
            Self::Param => "parameter",
            Self::Header => "header",
            Self::Cookie => "cookie",
            Self::Value => "request value",
            Self::Entity | Self::Body | Self::Stream => "body",
            Self::Request | Self::Upgrade => "request",
        }
    }

    /// How errors call the place it is in, with the words of OpenAPI where it has one. A form field
    /// is in the query too.
    pub(crate) fn place(self) -> &'static str {
        match self {
            Self::Path | Self::Matrix => "path",
            Self::Param => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
            Self::Value => "value",
            Self::Entity | Self::Body | Self::Stream => "body",
            Self::Request | Self::Upgrade => "request",
        }
    }
}

/// A type named in a signature.
///
/// ```
/// use innkeeper_rest::{Resource, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get("/{id}")]
///     fn get(&self, id: u64) {}
/// }
///
/// assert_eq!((Users::ROUTES[0].arguments[0].ty.name)(), "u64");
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "written by `describe_type!`")]
pub struct TypeInfo {
    /// Its full name.
    pub name: fn() -> &'static str,
    /// What a document says of it.
    #[cfg(feature = "openapi")]
    #[doc(hidden)]
    pub describe: fn(&mut crate::openapi::Schemas) -> crate::openapi::Described,
}

impl TypeInfo {
    /// Nothing known.
    pub const NONE: Self = Self {
        name: || "",
        #[cfg(feature = "openapi")]
        describe: |_| crate::openapi::Described::unknown(),
    };
}

/// The return type of a handler.
///
/// ```
/// use innkeeper_rest::{ReplyKind, Resource, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get]
///     fn list(&self) {}
/// }
///
/// assert_eq!((Users::ROUTES[0].returns.kind)(), ReplyKind::Empty);
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "written by `describe_return!`")]
pub struct Returns {
    /// The type.
    pub ty: TypeInfo,
    /// What may come out of it.
    pub kind: fn() -> ReplyKind,
    /// What a document says of the value and of the error.
    #[cfg(feature = "openapi")]
    #[doc(hidden)]
    pub outcome: fn(&mut crate::openapi::Schemas) -> crate::openapi::Outcome,
}

impl Returns {
    /// Nothing known.
    pub const NONE: Self = Self {
        ty: TypeInfo::NONE,
        kind: || ReplyKind::Any,
        #[cfg(feature = "openapi")]
        outcome: |_| crate::openapi::Outcome::unknown(),
    };
}

/// A status that a handler answers with, from `#[responds]`.
///
/// ```
/// use innkeeper_rest::{Resource, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get]
///     #[responds(409, String, "still in use")]
///     fn list(&self) {}
/// }
///
/// let responds = Users::ROUTES[0].responds[0];
/// assert_eq!((responds.status, responds.description), (409, "still in use"));
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "written by generated code")]
pub struct Responds {
    /// The status.
    pub status: u16,
    /// The type of the entity.
    pub ty: Option<TypeInfo>,
    /// When this happens.
    pub description: &'static str,
}

/// What a handler asks of its caller, from `#[security]`.
///
/// ```
/// use innkeeper_rest::{Resource, Security, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get]
///     #[security(bearer("admin"))]
///     fn list(&self) {}
/// }
///
/// assert_eq!(Users::ROUTES[0].security, [Security { scheme: "bearer", scopes: &["admin"] }]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "written by generated code")]
pub struct Security {
    /// The name of the scheme.
    pub scheme: &'static str,
    /// What the caller must be allowed to do.
    pub scopes: &'static [&'static str],
}

/// A custom attribute of a handler, from `#[meta]`.
///
/// ```
/// use innkeeper_rest::{Resource, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get]
///     #[meta(cached = 60)]
///     fn list(&self) {}
/// }
///
/// assert_eq!(Users::ROUTES[0].meta[0].name, "cached");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "written by generated code")]
pub struct Meta {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: MetaValue,
}

/// The value of a [`Meta`] entry.
///
/// ```
/// use innkeeper_rest::{MetaValue, Resource, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get]
///     #[meta(cached = 60, hot = true)]
///     fn list(&self) {}
/// }
///
/// assert_eq!(Users::ROUTES[0].meta("cached"), Some(MetaValue::Int(60)));
/// assert_eq!(Users::ROUTES[0].meta("hot"), Some(MetaValue::Bool(true)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MetaValue {
    /// Text.
    Text(&'static str),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// True or false.
    Bool(bool),
}

/// A limit declared on a method.
///
/// ```
/// use innkeeper_rest::{Limit, Resource, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get]
///     #[timeout(5)]
///     #[body_limit(none)]
///     fn list(&self) {}
/// }
///
/// assert_eq!(Users::ROUTES[0].timeout, Some(Limit::At(5)));
/// assert_eq!(Users::ROUTES[0].body_limit, Some(Limit::Off));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// No limit.
    Off,
    /// This many bytes or seconds.
    At(u64),
}
