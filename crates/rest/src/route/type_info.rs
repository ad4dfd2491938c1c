//! The types named in the signature of a handler method.

/// A type in the signature of a handler method.
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
    /// Returns the full name of the type.
    pub name: fn() -> &'static str,
    /// Returns its schema.
    #[cfg(feature = "openapi")]
    #[doc(hidden)]
    pub describe: fn(&mut super::schemas::Schemas) -> super::schemas::TypeSchema,
}

impl TypeInfo {
    /// A type of which nothing is known.
    pub const NONE: Self = Self {
        name: || "",
        #[cfg(feature = "openapi")]
        describe: |_| super::schemas::TypeSchema::unknown(),
    };
}
