//! The values of the attributes on a handler method, such as `#[security]` and `#[meta]`.

use super::type_info::TypeInfo;

/// A response that a handler may give, from `#[responds]`.
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
    /// The status code.
    pub status: u16,
    /// The type of the entity, if there is one.
    pub ty: Option<TypeInfo>,
    /// When the response is given.
    pub description: &'static str,
}

/// A security requirement of a handler, from `#[security]`.
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
    /// The scopes that the caller must have.
    pub scopes: &'static [&'static str],
}

/// A custom name and value of a handler, from `#[meta]`.
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
    /// The name, unique within the method.
    pub name: &'static str,
    /// The literal after the name.
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
    /// A string.
    Text(&'static str),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
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
