//! A serde deserializer for text: numbers and booleans are parsed, lists and maps taken as they are.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::SeqDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::Value;

/// The value that a type is deserialized from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ValueDeserializer<'de> {
    Absent,
    Text(&'de str),
    Texts(&'de [Cow<'de, str>]),
    /// Texts that are not split yet, and their separator.
    Separated(&'de str, &'static str),
    /// A map whose entries keep their order, or a list of pairs.
    Entries(&'de [(String, Value)]),
    /// A name and its value.
    Entry(&'de (String, Value)),
    Value(&'de Value),
}

/// Why the text could not be read, in words for the client.
#[derive(Debug)]
pub(crate) struct TextError(String);

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TextError {}

impl de::Error for TextError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl<'de> ValueDeserializer<'de> {
    /// Returns the text, if it is a single one.
    fn text(self) -> Option<&'de str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Value(Value::String(text)) => Some(text),
            Self::Absent
            | Self::Texts(_)
            | Self::Separated(..)
            | Self::Entries(_)
            | Self::Entry(_)
            | Self::Value(_) => None,
        }
    }

    fn is_absent(self) -> bool {
        matches!(self, Self::Absent | Self::Value(Value::Null))
    }

    /// Deserializes a type that takes one value only.
    fn deserialize_one<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        match self {
            Self::Texts([_]) => Err(TextError(FOUND_LIST.to_owned())),
            Self::Texts([_, _, ..]) | Self::Separated(..) => Err(several()),
            other => other.deserialize_any(visitor),
        }
    }
}

/// Returns the character of a text that has only one: a search for it is faster than one for a text.
pub(crate) fn single_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// The problem of a list where one value is expected.
pub(crate) const FOUND_LIST: &str = "expected one value, found a list";

fn several() -> TextError {
    TextError("expected one value, found several".to_owned())
}

macro_rules! parsed {
    ($($method:ident $visit:ident $type:ty, $expected:literal;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
            match self.text() {
                Some(text) => match text.parse::<$type>() {
                    Ok(value) => visitor.$visit(value.into()),
                    Err(_) => Err(TextError(concat!("expected ", $expected).to_owned())),
                },
                None => self.deserialize_one(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for ValueDeserializer<'de> {
    type Error = TextError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        match self {
            Self::Absent | Self::Value(Value::Null) => visitor.visit_none(),
            Self::Text(text) => visitor.visit_borrowed_str(text),
            Self::Value(Value::String(text)) => visitor.visit_borrowed_str(text),
            Self::Texts(all) => {
                visitor.visit_seq(ListAccess::new(all.iter().map(|text| Self::Text(text))))
            }
            Self::Separated(text, separator) => match single_char(separator) {
                Some(char) => visitor.visit_seq(ListAccess::new(text.split(char).map(Self::Text))),
                None => visitor.visit_seq(ListAccess::new(text.split(separator).map(Self::Text))),
            },
            Self::Value(Value::Bool(value)) => visitor.visit_bool(*value),
            Self::Value(Value::Array(items)) => {
                visitor.visit_seq(ListAccess::new(items.iter().map(Self::Value)))
            }
            Self::Value(Value::Object(entries)) => visitor.visit_map(EntryAccess {
                entries: entries.iter(),
                current: None,
            }),
            Self::Entries(entries) => visitor.visit_map(EntryAccess {
                entries: entries.iter().map(|(name, value)| (name, value)),
                current: None,
            }),
            Self::Entry((name, value)) => {
                let pair = [Self::Text(name), Self::Value(value)];
                visitor.visit_seq(SeqDeserializer::new(pair.into_iter()))
            }
            Self::Value(Value::Number(number)) => {
                if let Some(whole) = number.as_u64() {
                    visitor.visit_u64(whole)
                } else if let Some(whole) = number.as_i64() {
                    visitor.visit_i64(whole)
                } else {
                    visitor.visit_f64(number.as_f64().unwrap_or_default())
                }
            }
        }
    }

    parsed! {
        deserialize_bool visit_bool bool, "`true` or `false`";
        deserialize_i8 visit_i8 i8, "a whole number between -128 and 127";
        deserialize_i16 visit_i16 i16, "a whole number between -32768 and 32767";
        deserialize_i32 visit_i32 i32, "a whole number of 32 bits";
        deserialize_i64 visit_i64 i64, "a whole number of 64 bits";
        deserialize_i128 visit_i128 i128, "a whole number of 128 bits";
        deserialize_u8 visit_u8 u8, "a whole number between 0 and 255";
        deserialize_u16 visit_u16 u16, "a whole number between 0 and 65535";
        deserialize_u32 visit_u32 u32, "a whole number between 0 and 4294967295";
        deserialize_u64 visit_u64 u64, "a whole number of 64 bits, not negative";
        deserialize_u128 visit_u128 u128, "a whole number of 128 bits, not negative";
        deserialize_f32 visit_f32 Finite<f32>, "a number";
        deserialize_f64 visit_f64 Finite<f64>, "a number";
        deserialize_char visit_char char, "a single character";
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        if self.is_absent() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    /// A single text is a list of one; an absent value is an empty list.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        match self {
            Self::Text(_) | Self::Value(Value::String(_)) => {
                visitor.visit_seq(SeqDeserializer::new(std::iter::once(self)))
            }
            Self::Absent | Self::Value(Value::Null) => {
                visitor.visit_seq(SeqDeserializer::new(std::iter::empty::<Self>()))
            }
            Self::Entries(entries) => {
                visitor.visit_seq(ListAccess::new(entries.iter().map(Self::Entry)))
            }
            Self::Texts(_) | Self::Separated(..) | Self::Entry(_) | Self::Value(_) => {
                self.deserialize_any(visitor)
            }
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TextError> {
        match self.text() {
            Some(text) if variants.contains(&text) => visitor.visit_enum(text.into_deserializer()),
            Some(_) => Err(TextError(format!("expected one of {}", listed(variants)))),
            None => match self {
                Self::Value(value) => value
                    .deserialize_enum(name, variants, visitor)
                    .map_err(|problem| TextError(problem.to_string())),
                other => other.deserialize_one(visitor),
            },
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        self.deserialize_one(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        self.deserialize_one(visitor)
    }

    forward_to_deserialize_any! {
        bytes byte_buf unit unit_struct tuple tuple_struct map struct identifier ignored_any
    }
}

/// The items of a list; errors include the index.
struct ListAccess<I> {
    items: std::iter::Enumerate<I>,
}

impl<I: Iterator> ListAccess<I> {
    fn new(items: I) -> Self {
        Self {
            items: items.enumerate(),
        }
    }
}

impl<'de, I: Iterator<Item = ValueDeserializer<'de>>> SeqAccess<'de> for ListAccess<I> {
    type Error = TextError;

    fn next_element_seed<T>(&mut self, seed: T) -> Result<Option<T::Value>, TextError>
    where
        T: DeserializeSeed<'de>,
    {
        let Some((index, item)) = self.items.next() else {
            return Ok(None);
        };
        let read = seed.deserialize(item);
        read.map(Some)
            .map_err(|problem| TextError(format!("item {index}: {problem}")))
    }
}

/// The entries of a map; errors include the key.
struct EntryAccess<'de, I> {
    entries: I,
    current: Option<(&'de str, &'de Value)>,
}

impl<'de, I: Iterator<Item = (&'de String, &'de Value)>> MapAccess<'de> for EntryAccess<'de, I> {
    type Error = TextError;

    fn next_key_seed<K>(&mut self, seed: K) -> Result<Option<K::Value>, TextError>
    where
        K: DeserializeSeed<'de>,
    {
        let Some((name, value)) = self.entries.next() else {
            return Ok(None);
        };
        self.current = Some((name, value));
        seed.deserialize(ValueDeserializer::Text(name)).map(Some)
    }

    fn next_value_seed<V>(&mut self, seed: V) -> Result<V::Value, TextError>
    where
        V: DeserializeSeed<'de>,
    {
        let Some((name, value)) = self.current.take() else {
            return Err(TextError("a value was read before its key".to_owned()));
        };
        seed.deserialize(ValueDeserializer::Value(value))
            .map_err(|problem| TextError(format!("`{name}`: {problem}")))
    }
}

/// A finite number: `f64` also parses infinity and NaN.
struct Finite<T>(T);

macro_rules! finite {
    ($($type:ty)*) => {$(
        impl std::str::FromStr for Finite<$type> {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, ()> {
                text.parse().ok().filter(|number: &$type| number.is_finite()).map(Self).ok_or(())
            }
        }

        impl From<Finite<$type>> for $type {
            fn from(number: Finite<$type>) -> Self {
                number.0
            }
        }
    )*};
}
finite!(f32 f64);

fn listed(variants: &[&str]) -> String {
    variants
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

impl<'de> IntoDeserializer<'de, TextError> for ValueDeserializer<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
