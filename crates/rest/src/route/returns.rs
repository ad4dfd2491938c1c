//! The return type of a handler method.

use super::type_info::TypeInfo;
use crate::response::ReplyKind;

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
    pub outcome: fn(&mut crate::openapi::Schemas) -> crate::openapi::ReturnSchema,
}

impl Returns {
    /// Nothing known.
    pub const NONE: Self = Self {
        ty: TypeInfo::NONE,
        kind: || ReplyKind::Any,
        #[cfg(feature = "openapi")]
        outcome: |_| crate::openapi::ReturnSchema::unknown(),
    };
}
