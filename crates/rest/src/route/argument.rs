//! The parameters of a path and the arguments of a handler method.

use super::bounds::Bounds;
use super::source::Source;
use super::type_info::TypeInfo;

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
    /// The name between the braces.
    pub name: &'static str,
    /// The regular expression that all of its text must match.
    pub pattern: Option<&'static str>,
    /// Whether it takes the rest of the path.
    pub tail: bool,
}

/// An argument of a handler method.
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
    /// The part of the request it is read from.
    pub source: Source,
    /// The expression of the value of an absent parameter, as written.
    pub default: Option<&'static str>,
    /// The separator of `#[separated_by]`.
    pub separator: Option<&'static str>,
    /// Whether `#[convert]` changes the value before it gets its type.
    pub converted: bool,
    /// The doc comment before it.
    pub docs: &'static str,
    /// The declared type.
    pub ty: TypeInfo,
    /// Whether it has a `#[validate]`.
    pub validated: bool,
    /// The bounds that `#[validate]` sets, as far as a schema can express them.
    pub bounds: Bounds,
}

impl Argument {
    /// An argument with nothing declared, which generated code completes.
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
