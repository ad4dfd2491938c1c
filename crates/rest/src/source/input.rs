//! The value of an argument before it gets its type.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::input_value::InputValue;
use crate::rejection::{Invalid, Rejection};
use crate::route::Source;
use crate::syntax::{FOUND_LIST, ValueDeserializer, single_char};

/// The value that a source found for an argument, with its source and name for messages.
#[derive(Debug, Clone)]
pub struct Input<'r> {
    source: Source,
    name: &'static str,
    value: InputValue<'r>,
    /// Numbers and booleans in the JSON as text, for types that are parsed from text.
    texts: Vec<String>,
}

/// A type that is read from the text of a parameter, header, cookie or path segment.
///
/// Types that implement `FromStr` or `Deserialize` need no implementation; implement it for a
/// message of your own about what was expected.
///
/// ```
/// use innkeeper_rest::{FromParam, Invalid};
///
/// struct Colour(u8, u8, u8);
///
/// impl FromParam<'_> for Colour {
///     fn from_param(text: &str) -> Result<Self, Invalid> {
///         let expected = || Invalid::expected("a colour such as `ff8800`");
///         let number = u32::from_str_radix(text, 16).map_err(|_| expected())?;
///         let [zero, red, green, blue] = number.to_be_bytes();
///         if zero == 0 && text.len() == 6 { Ok(Self(red, green, blue)) } else { Err(expected()) }
///     }
/// }
/// assert!(Colour::from_param("ff8800").is_ok());
/// ```
pub trait FromParam<'r>: Sized {
    /// Parses the text.
    fn from_param(text: &'r str) -> Result<Self, Invalid>;

    /// Makes a value of a path segment that is not text: with `%zz`, with bytes that are not UTF-8, or with NUL.
    ///
    /// By default the segment is refused with 400. Implement it to treat such a segment like text that
    /// identifies nothing, so that a client cannot tell the two apart:
    ///
    /// ```
    /// use innkeeper_rest::{FromParam, Invalid};
    ///
    /// struct DoorName<'r>(&'r str);
    ///
    /// impl<'r> FromParam<'r> for DoorName<'r> {
    ///     fn from_param(text: &'r str) -> Result<Self, Invalid> {
    ///         Ok(Self(text))
    ///     }
    ///
    ///     fn from_undecodable(_: Invalid) -> Result<Self, Invalid> {
    ///         // No door has this name.
    ///         Ok(Self(""))
    ///     }
    /// }
    /// ```
    fn from_undecodable(problem: Invalid) -> Result<Self, Invalid> {
        Err(problem)
    }
}

impl<'r> Input<'r> {
    pub(crate) fn new(source: Source, name: &'static str, value: InputValue<'r>) -> Self {
        let texts = match &value {
            InputValue::Json(value) => texts(value),
            InputValue::Absent
            | InputValue::One(_)
            | InputValue::Many(_)
            | InputValue::Separated(..)
            | InputValue::Entries(_)
            | InputValue::Undecodable(_) => Vec::new(),
        };
        Self {
            source,
            name,
            value,
            texts,
        }
    }

    /// Whether nothing was found.
    pub fn is_absent(&self) -> bool {
        matches!(
            self.value,
            InputValue::Absent | InputValue::Json(Value::Null)
        )
    }

    /// Refuses a path segment that is not text.
    pub(crate) fn check_text(&self) -> Result<(), Rejection> {
        match self.value {
            InputValue::Undecodable(problem) => Err(self.malformed(&problem.as_str())),
            _ => Ok(()),
        }
    }

    pub(crate) fn into_parts(self) -> (Source, &'static str, InputValue<'r>) {
        (self.source, self.name, self.value)
    }

    pub(crate) fn malformed(&self, problem: &dyn fmt::Display) -> Rejection {
        Rejection::malformed_parameter(self.source.noun(), self.name, &problem.to_string())
    }

    /// The rejection of an absent value. A value that a filter should have set is an internal error:
    /// the client has no part in it.
    fn missing(&self) -> Rejection {
        if self.source == Source::Value {
            return Rejection::internal(format!(
                "no filter has set text or JSON for the argument `{}`",
                self.name
            ));
        }
        Rejection::missing_parameter(self.source.noun(), self.name)
    }

    fn malformed_item(&self, index: usize, problem: &dyn fmt::Display) -> Rejection {
        self.malformed(&format_args!("item {index}: {problem}"))
    }

    /// Returns the text, if there is exactly one.
    pub(crate) fn single(&self) -> Result<&str, Rejection> {
        match &self.value {
            InputValue::One(text) => Ok(text),
            InputValue::Json(Value::String(text)) => Ok(text),
            InputValue::Absent | InputValue::Json(Value::Null) => Err(self.missing()),
            InputValue::Many(all) if all.len() == 1 => Err(self.malformed(&FOUND_LIST)),
            InputValue::Many(_) | InputValue::Separated(..) => {
                Err(self.malformed(&"expected one value, found several"))
            }
            InputValue::Json(Value::Array(_)) => Err(self.malformed(&FOUND_LIST)),
            InputValue::Json(Value::Number(_) | Value::Bool(_)) => self.text(0),
            InputValue::Entries(_) | InputValue::Json(Value::Object(_)) => {
                Err(self.malformed(&"expected text"))
            }
            InputValue::Undecodable(problem) => Err(self.malformed(&problem.as_str())),
        }
    }

    fn text(&self, index: usize) -> Result<&str, Rejection> {
        match self.texts.get(index) {
            Some(text) => Ok(text),
            None => Err(self.malformed(&"expected text")),
        }
    }

    /// Parses one value.
    pub fn one<T>(
        &'r self,
        parse: impl FnOnce(&'r str) -> Result<T, Invalid>,
    ) -> Result<T, Rejection> {
        parse(self.single()?).map_err(|problem| self.malformed(&problem))
    }

    /// Parses one value of a type that may have a value for what is not text.
    pub fn one_param<T: FromParam<'r>>(&'r self) -> Result<T, Rejection> {
        let InputValue::Undecodable(problem) = self.value else {
            return self.one(T::from_param);
        };
        let read = T::from_undecodable(Invalid::because(problem.as_str()));
        read.map_err(|problem| self.malformed(&problem))
    }

    /// Parses a value that may be absent.
    pub fn optional<T>(
        &'r self,
        parse: impl FnOnce(&'r str) -> Result<T, Invalid>,
    ) -> Result<Option<T>, Rejection> {
        if self.is_absent() {
            Ok(None)
        } else {
            self.one(parse).map(Some)
        }
    }

    /// Parses every value; an absent one is an empty list.
    pub fn list<T>(
        &'r self,
        parse: impl Fn(&'r str) -> Result<T, Invalid>,
    ) -> Result<Vec<T>, Rejection> {
        let read = |(index, text): (usize, &'r str)| {
            parse(text).map_err(|problem| self.malformed_item(index, &problem))
        };
        match &self.value {
            InputValue::Absent if self.source == Source::Value => Err(self.missing()),
            InputValue::Absent | InputValue::Json(Value::Null) => Ok(Vec::new()),
            InputValue::Many(all) => all
                .iter()
                .map(AsRef::as_ref)
                .enumerate()
                .map(read)
                .collect(),
            InputValue::Separated(text, separator) => match single_char(separator) {
                Some(char) => text.split(char).enumerate().map(read).collect(),
                None => text.split(separator).enumerate().map(read).collect(),
            },
            InputValue::Json(Value::Array(items)) => items
                .iter()
                .enumerate()
                .map(|(index, item)| match item {
                    Value::String(text) => read((index, text)),
                    Value::Number(_) | Value::Bool(_) => read((index, self.text(index)?)),
                    _ => Err(self.malformed_item(index, &"expected text")),
                })
                .collect(),
            InputValue::One(_)
            | InputValue::Entries(_)
            | InputValue::Json(_)
            | InputValue::Undecodable(_) => Ok(vec![self.one(parse)?]),
        }
    }

    /// Deserializes any type: numbers, booleans and enum names from text, lists and maps as they are.
    pub fn deserialized<T: Deserialize<'r>>(&'r self) -> Result<T, Rejection> {
        if self.is_absent() {
            return T::deserialize(ValueDeserializer::Absent).map_err(|_| self.missing());
        }
        let deserializer = match &self.value {
            InputValue::Absent => ValueDeserializer::Absent,
            InputValue::One(text) => ValueDeserializer::Text(text),
            InputValue::Many(all) => ValueDeserializer::Texts(all),
            InputValue::Separated(text, separator) => ValueDeserializer::Separated(text, separator),
            InputValue::Entries(entries) => ValueDeserializer::Entries(entries),
            InputValue::Json(value) => ValueDeserializer::Value(value),
            InputValue::Undecodable(problem) => return Err(self.malformed(&problem.as_str())),
        };
        T::deserialize(deserializer).map_err(|problem| self.malformed(&problem))
    }
}

/// Returns a number or boolean, or those in an array, as text.
fn texts(value: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => String::new(),
    };
    match value {
        Value::Number(_) | Value::Bool(_) => vec![text(value)],
        Value::Array(items)
            if items
                .iter()
                .any(|item| item.is_number() || item.is_boolean()) =>
        {
            items.iter().map(text).collect()
        }
        _ => Vec::new(),
    }
}

impl<'r> FromParam<'r> for &'r str {
    fn from_param(text: &'r str) -> Result<Self, Invalid> {
        Ok(text)
    }
}

impl<'r> FromParam<'r> for Cow<'r, str> {
    fn from_param(text: &'r str) -> Result<Self, Invalid> {
        Ok(Cow::Borrowed(text))
    }
}

impl FromParam<'_> for String {
    fn from_param(text: &str) -> Result<Self, Invalid> {
        Ok(text.to_owned())
    }
}

impl FromParam<'_> for bool {
    fn from_param(text: &str) -> Result<Self, Invalid> {
        text.parse()
            .map_err(|_| Invalid::expected("`true` or `false`"))
    }
}

impl FromParam<'_> for char {
    fn from_param(text: &str) -> Result<Self, Invalid> {
        text.parse()
            .map_err(|_| Invalid::expected("a single character"))
    }
}

macro_rules! whole_numbers {
    ($($type:ty)*) => {$(
        impl FromParam<'_> for $type {
            fn from_param(text: &str) -> Result<Self, Invalid> {
                text.parse().map_err(|_| {
                    let (least, most) = (Self::MIN, Self::MAX);
                    Invalid::expected(format_args!("a whole number between {least} and {most}"))
                })
            }
        }
    )*};
}
whole_numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl FromParam<'_> for $type {
            fn from_param(text: &str) -> Result<Self, Invalid> {
                match text.parse::<Self>() {
                    Ok(number) if number.is_finite() => Ok(number),
                    _ => Err(Invalid::expected("a number")),
                }
            }
        }
    )*};
}
numbers!(f32 f64);
