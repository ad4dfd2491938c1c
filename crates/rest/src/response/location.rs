//! Locations with placeholders: `/users/{id}`.

use std::borrow::Cow;
use std::fmt::{self, Display};

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::rejection::Invalid;

/// All characters except the unreserved ones of RFC 3986: escaped in a filled-in value.
pub(super) const VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The characters that are always escaped in a `Location` header.
pub(super) const TEXT: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\');

/// The path or URL of a resource, possibly with `{placeholders}` still to be filled.
///
/// | Written as | Sent as |
/// |---|---|
/// | a path that begins with one `/` | that path below the mount of the handler |
/// | a URL, `//host/…`, or a reference such as `users/7` or `?page=2` | unchanged |
/// | [`Location::literal`], or a path after [`under`](Self::under) | unchanged |
///
/// Which routes exist makes no difference.
///
/// ```
/// use innkeeper_rest::{Location, Response, location};
///
/// let to_be_filled = Location::from("/users/{id}");
/// assert_eq!(Response::see_at(to_be_filled, 7).location(), Some("/users/7"));
/// assert_eq!(location!("/users/{id}", 7).as_str(), "/users/7");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    text: String,
    /// Whether all placeholders are filled: braces are part of the text.
    complete: bool,
    /// Whether the prefix of the mount is not added.
    literal: bool,
    /// Why the path does not lead to its route.
    problem: Option<Box<str>>,
}

/// A value for a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocationValue {
    name: Option<Cow<'static, str>>,
    text: String,
}

/// A part of a location whose placeholders were checked at compile time.
#[derive(Clone, Copy)]
pub enum LocationPart<'a> {
    /// Fixed text.
    Text(&'a str),
    /// The value of a placeholder, which is percent-encoded.
    Value(&'a dyn Display),
}

impl fmt::Debug for LocationPart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Self::Value(value) => f.debug_tuple("Value").field(&value.to_string()).finish(),
        }
    }
}

impl Location {
    /// Returns the path or URL.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Creates a location that is sent as it is: braces are not placeholders, and the prefix of the mount
    /// is not added. Characters that a header cannot have are escaped.
    ///
    /// Use it for paths of other mounts, and for text that is not a template, such as that of a client.
    ///
    /// ```
    /// use innkeeper_rest::{Location, Response};
    ///
    /// let sign_in = Response::see(Location::literal("/sign-in?next={page}"));
    /// assert_eq!(sign_in.location(), Some("/sign-in?next={page}"));
    /// ```
    pub fn literal(text: impl AsRef<str>) -> Self {
        Self {
            text: utf8_percent_encode(text.as_ref(), TEXT).collect(),
            complete: true,
            literal: true,
            problem: None,
        }
    }

    /// Whether it is a path below the mount of the handler.
    pub(crate) fn is_below_mount(&self) -> bool {
        !self.literal && self.text.starts_with('/') && !self.text.starts_with("//")
    }

    /// Creates a location of checked parts, for `location!`.
    pub(crate) fn of(parts: &[LocationPart<'_>]) -> Self {
        let mut text = String::new();
        for part in parts {
            match part {
                LocationPart::Text(fixed) => text.extend(utf8_percent_encode(fixed, TEXT)),
                LocationPart::Value(value) => {
                    text.extend(utf8_percent_encode(&value.to_string(), VALUE));
                }
            }
        }
        Self {
            text,
            complete: true,
            literal: false,
            problem: None,
        }
    }

    /// Creates a location from the path of a handler and its arguments.
    pub(crate) fn reversed(text: String, problem: Option<String>) -> Self {
        Self {
            text,
            complete: true,
            literal: false,
            problem: problem.map(Into::into),
        }
    }

    /// Checks a path that was made from untrusted values, such as `Users::get_path(name)`.
    ///
    /// A path does not lead to its route if a value is empty, is `.` or `..`, contains a NUL or does not
    /// match the expression of its parameter. A response with such a location is an error, logged and
    /// answered with 500.
    ///
    /// ```
    /// use innkeeper_rest::resource;
    ///
    /// struct Pages;
    ///
    /// #[resource("/pages")]
    /// impl Pages {
    ///     #[get("/{name}")]
    ///     fn get(&self, name: &str) -> String {
    ///         name.to_owned()
    ///     }
    /// }
    ///
    /// assert_eq!(Pages::get_path("a/b").checked().unwrap().as_str(), "/pages/a%2Fb");
    /// assert!(Pages::get_path("..").checked().is_err());
    /// assert!(Pages::get_path("").checked().is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// Why the path does not lead to its route.
    pub fn checked(self) -> Result<Self, Invalid> {
        match &self.problem {
            Some(problem) => Err(Invalid::because(problem)),
            None => Ok(self),
        }
    }

    /// Adds a prefix to a path, such as that of a mount. A response adds no other.
    ///
    /// Responses add the prefix of their own mount; use this for links in bodies and to other mounts.
    ///
    /// ```
    /// use innkeeper_rest::location;
    ///
    /// assert_eq!(location!("/users/{id}", 7).under("/api").as_str(), "/api/users/7");
    /// assert_eq!(location!("/users/{id}", 7).under("/").as_str(), "/users/7");
    /// ```
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Self {
        let prefix = prefix.trim_end_matches('/');
        let encoded: String = utf8_percent_encode(prefix, TEXT).collect();
        self.text.insert_str(0, &encoded);
        self.literal = true;
        self
    }

    /// Fills the placeholders, by name where values have names, otherwise in order.
    pub(crate) fn fill(self, values: &[LocationValue]) -> Result<Self, String> {
        if let Some(problem) = self.problem {
            return Err(problem.into());
        }
        if self.complete {
            return if values.is_empty() {
                Ok(self)
            } else {
                Err(format!(
                    "location `{}` has no placeholder left to fill",
                    self.text
                ))
            };
        }
        let mut text = String::with_capacity(self.text.len() + 16);
        let mut rest = self.text.as_str();
        let mut in_order = values.iter().filter(|value| value.name.is_none());
        let mut used = 0;
        while let Some((fixed, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                return Err(format!("location `{}` has an unclosed brace", self.text));
            };
            let named = values
                .iter()
                .find(|value| value.name.as_deref() == Some(name));
            let Some(value) = named.or_else(|| in_order.next()) else {
                return Err(format!(
                    "location `{}`: no value for `{{{name}}}`",
                    self.text
                ));
            };
            text.extend(utf8_percent_encode(fixed, TEXT));
            text.extend(utf8_percent_encode(&value.text, VALUE));
            used += 1;
            rest = after;
        }
        if used != values.len() {
            return Err(format!(
                "location `{}` has {used} placeholders for {} values",
                self.text,
                values.len()
            ));
        }
        text.extend(utf8_percent_encode(rest, TEXT));
        Ok(Self {
            text,
            complete: true,
            literal: self.literal,
            problem: None,
        })
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<&str> for Location {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            complete: false,
            literal: false,
            problem: None,
        }
    }
}

impl From<String> for Location {
    fn from(text: String) -> Self {
        Self {
            text,
            complete: false,
            literal: false,
            problem: None,
        }
    }
}

/// Values for the placeholders of a [`Location`]: none, one value, a tuple in the order of the
/// placeholders, or an array of names with values.
///
/// ```
/// use innkeeper_rest::Response;
///
/// for response in [
///     Response::created_at("/a", ()),
///     Response::created_at("/{x}", "a"),
///     Response::created_at("/{x}", ("a",)),
///     Response::created_at("/{x}", [("x", "a")]),
/// ] {
///     assert_eq!(response.location(), Some("/a"));
/// }
/// ```
pub trait LocationArgs {
    /// Returns the values in order.
    fn into_values(self) -> Vec<LocationValue>;
}

fn in_order(value: &impl Display) -> LocationValue {
    LocationValue {
        name: None,
        text: value.to_string(),
    }
}

impl LocationArgs for () {
    fn into_values(self) -> Vec<LocationValue> {
        Vec::new()
    }
}

macro_rules! single_values {
    ($($type:ty)*) => {$(
        impl LocationArgs for $type {
            fn into_values(self) -> Vec<LocationValue> {
                vec![in_order(&self)]
            }
        }
    )*};
}
single_values!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize char bool &str String &String);

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: Display),*> LocationArgs for ($($name,)*) {
            #[expect(non_snake_case, reason = "the type parameters name the fields")]
            fn into_values(self) -> Vec<LocationValue> {
                let ($($name,)*) = self;
                vec![$(in_order(&$name)),*]
            }
        }
    };
}
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);

impl<N: Into<Cow<'static, str>>, T: Display, const LEN: usize> LocationArgs for [(N, T); LEN] {
    fn into_values(self) -> Vec<LocationValue> {
        self.into_iter()
            .map(|(name, value)| LocationValue {
                name: Some(name.into()),
                text: value.to_string(),
            })
            .collect()
    }
}
