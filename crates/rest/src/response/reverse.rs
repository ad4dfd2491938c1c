//! Reverse paths: from the arguments of a handler to the path that leads to it.

use std::borrow::Cow;
use std::fmt::Display;
use std::sync::OnceLock;

use percent_encoding::{AsciiSet, utf8_percent_encode};
use regex::Regex;

use super::location::{Location, TEXT, VALUE};

/// A tail keeps its slashes.
const TAIL: &AsciiSet = &VALUE.remove(b'/');

/// Matrix parameters keep what separates them.
const MATRIX: &AsciiSet = &VALUE.remove(b';').remove(b'=').remove(b',');

/// A value that stands for a handler's argument of type `T` in a path such as `Users::get_path(7)`.
///
/// That is a value of that type, or a reference to one, if it implements [`Display`]. Text stands for
/// any type of text, and what an `Option` holds for the option. Implement it to have a type of your
/// own stand for another.
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
    message = "`{Self}` cannot stand for `{T}` in a path",
    label = "the path wants a `{T}`",
    note = "give a value of the type of the handler's argument, which must implement \
        `std::fmt::Display`, or implement `innkeeper_rest::PathValue<{T}>`"
)]
pub trait PathValue<T> {
    /// The text that stands in the path, before it is percent-encoded.
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

/// A regular expression that is compiled when it is first asked.
#[derive(Debug)]
pub struct Pattern {
    text: &'static str,
    whole: bool,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Matches all of a text, as the expressions of paths do.
    pub const fn whole(text: &'static str) -> Self {
        Self {
            text,
            whole: true,
            regex: OnceLock::new(),
        }
    }

    /// Matches anywhere in a text, as the rules of validation do.
    pub const fn anywhere(text: &'static str) -> Self {
        Self {
            text,
            whole: false,
            regex: OnceLock::new(),
        }
    }

    /// Whether a text matches. An expression too large to be compiled matches nothing.
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

    /// The expression as it was written.
    pub fn as_str(&self) -> &'static str {
        self.text
    }
}

/// A part of a path: fixed text, or a parameter with its name and value.
pub enum Step<'a> {
    /// Sent as it is.
    Text(&'static str),
    /// One segment or a part of one, and the expression it must match.
    One(&'static str, &'a dyn Display, Option<&'static Pattern>),
    /// The rest of the path.
    Tail(&'static str, &'a dyn Display),
    /// `name=value` entries.
    Matrix(&'static str, &'a dyn Display),
}

impl std::fmt::Debug for Step<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Self::One(name, ..) => f.debug_tuple("One").field(name).finish(),
            Self::Tail(name, ..) => f.debug_tuple("Tail").field(name).finish(),
            Self::Matrix(name, ..) => f.debug_tuple("Matrix").field(name).finish(),
        }
    }
}

/// The path of these steps. What would lead elsewhere is noted in the location.
pub fn reverse(steps: &[Step<'_>]) -> Location {
    let mut path = String::new();
    let mut fault = None;
    for step in steps {
        let (name, value, set, pattern) = match step {
            Step::Text(text) => {
                path.extend(utf8_percent_encode(text, TEXT));
                continue;
            }
            Step::One(name, value, pattern) => (name, value, VALUE, *pattern),
            Step::Tail(name, value) => (name, value, TAIL, None),
            Step::Matrix(name, value) => (name, value, MATRIX, None),
        };
        let text = value.to_string();
        fault = fault.or_else(|| unfit(name, &text, pattern));
        path.extend(utf8_percent_encode(&text, set));
    }
    if fault.is_none() && path.split('/').any(|segment| matches!(segment, "." | "..")) {
        fault = Some(format!(
            "`{path}` leads elsewhere: no segment can be `.` or `..`"
        ));
    }
    Location::reversed(path, fault)
}

/// Why the route would not be found by this text.
fn unfit(name: &str, text: &str, pattern: Option<&Pattern>) -> Option<String> {
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
