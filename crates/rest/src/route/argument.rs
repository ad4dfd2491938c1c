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
