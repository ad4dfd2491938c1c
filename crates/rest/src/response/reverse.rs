//! Reverse routing: from the arguments of a handler to its path.

use std::borrow::Cow;
use std::fmt::Display;
use std::sync::OnceLock;

use percent_encoding::{AsciiSet, utf8_percent_encode};
use regex::Regex;

use super::location::{Location, TEXT, VALUE};

/// Escaped in a tail, which keeps its slashes.
const TAIL: &AsciiSet = &VALUE.remove(b'/');

/// Escaped in matrix parameters, which keep their separators.
const MATRIX: &AsciiSet = &VALUE.remove(b';').remove(b'=').remove(b',');

/// A value that can be used for a handler's argument of type `T` in a path such as
/// `Users::get_path(7)`.
///
/// These are values of that type and references to one, if it implements [`Display`]. Any string type
/// can be used for another, and a `T` for an `Option<T>`. Implement it to use a type of your own for
/// another.
///
/// ```
/// use innkeeper_rest::{PathValue, resource};
/// use std::fmt::Display;
///
/// struct User {
///     id: u64,
/// }
///
/// impl PathValue<u64> for &User {
///     fn in_path(&self) -> &dyn Display {
///         &self.id
///     }
/// }
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get("/{id}")]
///     fn get(&self, id: u64) -> u64 {
///         id
///     }
/// }
///
/// assert_eq!(Users::get_path(7).as_str(), "/users/7");
/// assert_eq!(Users::get_path(&User { id: 8 }).as_str(), "/users/8");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used for `{T}` in a path",
    label = "the path needs a `{T}`",
    note = "give a value of the type of the handler's argument, which must implement \
        `std::fmt::Display`, or implement `innkeeper_rest::PathValue<{T}>`"
)]
pub trait PathValue<T> {
    /// Returns the text for the path, before it is percent-encoded.
    fn in_path(&self) -> &dyn Display;
}

impl<T: Display> PathValue<T> for T {
    fn in_path(&self) -> &dyn Display {
        self
    }
}

impl<T: Display> PathValue<T> for &T {
    fn in_path(&self) -> &dyn Display {
        self
    }
}

impl<T: Display> PathValue<Option<T>> for T {
    fn in_path(&self) -> &dyn Display {
        self
    }
}

macro_rules! texts {
    ($([$($life:lifetime)*] $given:ty => $wanted:ty;)*) => {$(
        impl<$($life),*> PathValue<$wanted> for $given {
            fn in_path(&self) -> &dyn Display {
                self
            }
        }
    )*};
}
texts! {
    ['g] &'g str => String;
    ['g] Cow<'g, str> => String;
    ['w] String => &'w str;
    ['g 'w] &'g String => &'w str;
    ['g 'w] Cow<'g, str> => &'w str;
    ['w] String => Cow<'w, str>;
    ['g 'w] &'g String => Cow<'w, str>;
    ['g 'w] &'g str => Cow<'w, str>;
}

/// A regular expression that is compiled on first use.
#[derive(Debug)]
pub struct LazyRegex {
    text: &'static str,
    whole: bool,
    regex: OnceLock<Option<Regex>>,
}

impl LazyRegex {
    /// Creates an expression that must match all of a text, as in paths.
    pub const fn whole(text: &'static str) -> Self {
        Self {
            text,
            whole: true,
            regex: OnceLock::new(),
        }
    }

    /// Creates an expression that may match anywhere in a text, as in validation.
    pub const fn anywhere(text: &'static str) -> Self {
        Self {
            text,
            whole: false,
            regex: OnceLock::new(),
        }
    }

    /// Whether a text matches. An expression that is too large to be compiled matches nothing.
    pub fn is_match(&self, text: &str) -> bool {
        let regex = self.regex.get_or_init(|| {
            if self.whole {
                Regex::new(&format!(r"\A(?:{})\z", self.text)).ok()
            } else {
                Regex::new(self.text).ok()
            }
        });
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }

    /// Returns the expression as written.
    pub fn as_str(&self) -> &'static str {
        self.text
    }
}

/// A part of a path: fixed text, or a parameter with its name and value.
pub enum PathPart<'a> {
    /// Fixed text.
    Text(&'static str),
    /// A segment or a part of one, and the expression it must match.
    One(&'static str, &'a dyn Display, Option<&'static LazyRegex>),
    /// The rest of the path.
    Tail(&'static str, &'a dyn Display),
    /// `name=value` entries.
    Matrix(&'static str, &'a dyn Display),
}

impl std::fmt::Debug for PathPart<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Self::One(name, ..) => f.debug_tuple("One").field(name).finish(),
            Self::Tail(name, ..) => f.debug_tuple("Tail").field(name).finish(),
            Self::Matrix(name, ..) => f.debug_tuple("Matrix").field(name).finish(),
        }
    }
}

/// Builds the path of these parts. If it does not lead to its route, the location says why.
pub fn reverse_path(parts: &[PathPart<'_>]) -> Location {
    let mut path = String::new();
    let mut fault = None;
    for part in parts {
        let (name, value, set, pattern) = match part {
            PathPart::Text(text) => {
                path.extend(utf8_percent_encode(text, TEXT));
                continue;
            }
            PathPart::One(name, value, pattern) => (name, value, VALUE, *pattern),
            PathPart::Tail(name, value) => (name, value, TAIL, None),
            PathPart::Matrix(name, value) => (name, value, MATRIX, None),
        };
        let text = value.to_string();
        fault = fault.or_else(|| unfit(name, &text, pattern));
        path.extend(utf8_percent_encode(&text, set));
    }
    if fault.is_none() && path.split('/').any(|segment| matches!(segment, "." | "..")) {
        fault = Some(format!(
            "`{path}` does not lead to its route: no segment can be `.` or `..`"
        ));
    }
    Location::reversed(path, fault)
}

/// Returns why the router would not accept this text for the parameter.
fn unfit(name: &str, text: &str, pattern: Option<&LazyRegex>) -> Option<String> {
    if text.is_empty() {
        return Some(format!("path parameter `{name}` is empty"));
    }
    if text.contains('\0') {
        return Some(format!("path parameter `{name}` has a NUL in it"));
    }
    let pattern = pattern.filter(|pattern| !pattern.is_match(text))?;
    Some(format!(
        "path parameter `{name}` does not match `{}`",
        pattern.as_str()
    ))
}
