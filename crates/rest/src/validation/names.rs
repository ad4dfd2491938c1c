//! From the names of fields to those in documents, which serde may have renamed.
//!
//! garde says where a fault is in the words of the program: `first_name`. The client sent `firstName`.
//! serde knows the names in the document and tells whoever deserializes; so the type is deserialized
//! from nothing, along the way to the fault. This is done for faults only.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// One part of the way to a fault.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) name: String,
    /// Whether it is a place in a list.
    pub(super) index: bool,
}

/// How many types may be wrapped in each other before one has a name: a type can wrap itself.
const WRAPPED: u8 = 32;

/// Puts the names of the document in place of those of the program, as far as the type tells them.
pub(super) fn in_document<T: DeserializeOwned>(path: &mut [Part]) {
    let probe = Probe {
        path,
        wrapped: WRAPPED,
    };
    // It always ends in an error: there is nothing to read.
    drop(T::deserialize(probe));
}

/// The end of the way.
#[derive(Debug)]
struct Stop;

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing to read")
    }
}

impl std::error::Error for Stop {}

impl Error for Stop {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// Goes along the rest of a path.
struct Probe<'p> {
    path: &'p mut [Part],
    wrapped: u8,
}

impl<'p> Probe<'p> {
    fn wrapped(self) -> Result<Self, Stop> {
        let wrapped = self.wrapped.checked_sub(1).ok_or(Stop)?;
        Ok(Self { wrapped, ..self })
    }

    /// One step further.
    fn step(self) -> Result<Step<'p>, Stop> {
        match self.path.split_first_mut() {
            Some((part, rest)) if !rest.is_empty() => Ok(Step {
                part: Some(part),
                rest: Some(rest),
            }),
            _ => Err(Stop),
        }
    }
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Stop;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        let index = self.path.first().is_some_and(|part| part.index);
        if index {
            visitor.visit_seq(self.step()?)
        } else {
            visitor.visit_map(self.step()?)
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        if let Some(part) = self.path.first_mut()
            && let Some(name) = renamed(&part.name, fields)
        {
            name.clone_into(&mut part.name);
        }
        visitor.visit_map(self.step()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        visitor.visit_some(self.wrapped()?)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        visitor.visit_newtype_struct(self.wrapped()?)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The name in the document that is meant by the name of a field: the same, or the same in another
/// spelling.
fn renamed<'f>(name: &str, fields: &[&'f str]) -> Option<&'f str> {
    let same = |field: &&&str| **field == name;
    let spelled = |field: &&&str| plain(field).eq(plain(name));
    let found = fields.iter().find(same);
    found.or_else(|| fields.iter().find(spelled)).copied()
}

/// A name without what the spellings differ in.
fn plain(name: &str) -> impl Iterator<Item = char> {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let letters = name.chars().filter(|letter| !matches!(letter, '_' | '-'));
    letters.flat_map(char::to_lowercase)
}

/// A map or list of one.
struct Step<'p> {
    part: Option<&'p mut Part>,
    rest: Option<&'p mut [Part]>,
}

impl Step<'_> {
    fn next<'de, T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Stop> {
        let path = self.rest.take().ok_or(Stop)?;
        seed.deserialize(Probe {
            path,
            wrapped: WRAPPED,
        })
    }
}

impl<'de> MapAccess<'de> for Step<'_> {
    type Error = Stop;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Stop> {
        let Some(part) = self.part.take() else {
            return Ok(None);
        };
        let name: StrDeserializer<'_, Stop> = StrDeserializer::new(&part.name);
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Stop> {
        self.next(seed)
    }
}

impl<'de> SeqAccess<'de> for Step<'_> {
    type Error = Stop;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Stop> {
        self.next(seed).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[expect(dead_code, reason = "only their names are asked for")]
    struct Person {
        first_name: String,
        #[serde(rename = "type")]
        r#type: u8,
        home_addresses: Vec<Address>,
        main_address: Option<Box<Address>>,
        by_name: BTreeMap<String, Address>,
        wrapped: Wrapped,
        tree: Tree,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "SCREAMING-KEBAB-CASE")]
    #[expect(dead_code, reason = "only their names are asked for")]
    struct Address {
        zip_code: u32,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its shape matters")]
    struct Wrapped(Address);

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its shape matters")]
    struct Tree(Option<Box<Tree>>);

    #[test]
    fn names_are_those_of_the_document() {
        for (path, expected) in [
            ("first_name", "firstName"),
            ("type", "type"),
            ("r#type", "type"),
            ("home_addresses.0.zip_code", "homeAddresses.0.ZIP-CODE"),
            ("home_addresses.7.zip_code", "homeAddresses.7.ZIP-CODE"),
            ("main_address.zip_code", "mainAddress.ZIP-CODE"),
            ("by_name.zip_code.zip_code", "byName.zip_code.ZIP-CODE"),
            ("wrapped.zip_code", "wrapped.ZIP-CODE"),
            ("tree.zip_code", "tree.zip_code"),
            ("unknown.zip_code", "unknown.zip_code"),
        ] {
            let mut parts: Vec<Part> = path
                .split('.')
                .map(|name| Part {
                    name: name.to_owned(),
                    index: name.parse::<usize>().is_ok(),
                })
                .collect();
            in_document::<Person>(&mut parts);
            let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
            assert_eq!(names.join("."), expected);
        }
    }
}
