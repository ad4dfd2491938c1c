//! The bounds of the value of an argument.

/// The bounds of an argument, from `#[validate]`, in the terms of JSON Schema.
///
/// OpenAPI documents include them in the schema of the parameter. The length of a list is the
/// number of its items; the bounds of each item are in `items`. Rules that JSON Schema cannot
/// express are left out.
///
/// ```
/// # #[cfg(feature = "validation")] {
/// use innkeeper_rest::{Bounds, Resource, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get]
///     fn list(
///         &self,
///         #[validate(range(min = 1, max = 100))] limit: u32,
///         #[validate(length(max = 3), inner(pattern("^[a-z]+$")))] sort: Vec<String>,
///     ) {
///     }
/// }
///
/// let [limit, sort] = Users::ROUTES[0].arguments else { unreachable!() };
/// assert_eq!((limit.bounds.minimum, limit.bounds.maximum), (Some(1.0), Some(100.0)));
/// assert_eq!(sort.bounds.max_length, Some(3));
/// assert_eq!(sort.bounds.items.and_then(|item| item.pattern), Some("^[a-z]+$"));
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "written by generated code, completed by `..NONE`"
)]
pub struct Bounds {
    /// The least number, inclusive; exact up to 2⁵³, as numbers in JSON are.
    pub minimum: Option<f64>,
    /// The greatest number, inclusive; exact up to 2⁵³.
    pub maximum: Option<f64>,
    /// The least number of characters of a text or items of a list.
    pub min_length: Option<usize>,
    /// The greatest number of characters of a text or items of a list.
    pub max_length: Option<usize>,
    /// A regular expression that matches somewhere in the text.
    pub pattern: Option<&'static str>,
    /// `email`, `uri`, `ip`, `ipv4` or `ipv6`.
    pub format: Option<&'static str>,
    /// The bounds of each item of a list.
    pub items: Option<&'static Bounds>,
}

impl Bounds {
    /// No bounds.
    pub const NONE: Self = Self {
        minimum: None,
        maximum: None,
        min_length: None,
        max_length: None,
        pattern: None,
        format: None,
        items: None,
    };
}
