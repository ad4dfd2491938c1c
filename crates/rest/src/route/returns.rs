//! The return type of a handler method.

use super::reply_kind::ReplyKind;
use super::type_info::TypeInfo;

/// The return type of a handler method.
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
    /// The declared type.
    pub ty: TypeInfo,
    /// Returns the kind of response it becomes.
    pub kind: fn() -> ReplyKind,
    /// Returns the schemas of the value and of the errors.
    #[cfg(feature = "openapi")]
    #[doc(hidden)]
    pub outcome: fn(&mut super::schemas::Schemas) -> super::return_schema::ReturnSchema,
}

impl Returns {
    /// A return type of which nothing is known.
    pub const NONE: Self = Self {
        ty: TypeInfo::NONE,
        kind: || ReplyKind::Any,
        #[cfg(feature = "openapi")]
        outcome: |_| super::return_schema::ReturnSchema::unknown(),
    };
}
