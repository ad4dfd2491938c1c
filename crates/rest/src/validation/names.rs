//! Translates the names of fields to those on the wire, which serde may have renamed.
//!
//! garde reports the path of a violation with the names of the program: `first_name`. The client sent
//! `firstName`. serde passes the names on the wire to the deserializer; so the type is deserialized
//! from nothing, along the path of the violation. This is done for violations only.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// A segment of the path of a violation.
#[derive(Debug, Clone)]
pub(super) struct PathSegment {
    pub(super) name: String,
    /// Whether it is the index of a list.
    pub(super) index: bool,
}

/// How many newtypes and options may wrap each other without a name in between: a type can wrap
/// itself.
const MAX_WRAPPERS: u8 = 32;

/// Replaces the names of the program by those on the wire, as far as the type tells them.
pub(super) fn rename_to_wire<T: DeserializeOwned>(path: &mut [PathSegment]) {
    let probe = NameProbe {
        path,
        wrappers: MAX_WRAPPERS,
    };
    // It always ends in an error, because there is nothing to read.
    drop(T::deserialize(probe));
}

/// The error that ends a probe.
#[derive(Debug)]
struct ProbeEnd;

impl fmt::Display for ProbeEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing to read")
    }
}

impl std::error::Error for ProbeEnd {}

impl Error for ProbeEnd {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// A deserializer that follows the rest of a path.
struct NameProbe<'p> {
    path: &'p mut [PathSegment],
    wrappers: u8,
}

impl<'p> NameProbe<'p> {
    fn unwrap_layer(self) -> Result<Self, ProbeEnd> {
        let wrappers = self.wrappers.checked_sub(1).ok_or(ProbeEnd)?;
        Ok(Self { wrappers, ..self })
    }

    /// Descends to the next segment.
    fn step(self) -> Result<SingleEntry<'p>, ProbeEnd> {
        match self.path.split_first_mut() {
            Some((segment, rest)) if !rest.is_empty() => Ok(SingleEntry {
                segment: Some(segment),
                rest: Some(rest),
            }),
            _ => Err(ProbeEnd),
        }
    }
}

impl<'de> Deserializer<'de> for NameProbe<'_> {
    type Error = ProbeEnd;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ProbeEnd> {
        let index = self.path.first().is_some_and(|segment| segment.index);
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
    ) -> Result<V::Value, ProbeEnd> {
        if let Some(segment) = self.path.first_mut()
            && let Some(name) = renamed(&segment.name, fields)
        {
            name.clone_into(&mut segment.name);
        }
        visitor.visit_map(self.step()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ProbeEnd> {
        visitor.visit_some(self.unwrap_layer()?)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ProbeEnd> {
        visitor.visit_newtype_struct(self.unwrap_layer()?)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Returns the name on the wire for the name of a field: the same, or the same in another case.
fn renamed<'f>(name: &str, fields: &[&'f str]) -> Option<&'f str> {
    let same = |field: &&&str| **field == name;
    let spelled = |field: &&&str| plain(field).eq(plain(name));
    let found = fields.iter().find(same);
    found.or_else(|| fields.iter().find(spelled)).copied()
}

/// Removes what the naming conventions differ in.
fn plain(name: &str) -> impl Iterator<Item = char> {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let letters = name.chars().filter(|letter| !matches!(letter, '_' | '-'));
    letters.flat_map(char::to_lowercase)
}

/// A map or list with one entry.
struct SingleEntry<'p> {
    segment: Option<&'p mut PathSegment>,
    rest: Option<&'p mut [PathSegment]>,
}

impl SingleEntry<'_> {
    fn next<'de, T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ProbeEnd> {
        let path = self.rest.take().ok_or(ProbeEnd)?;
        seed.deserialize(NameProbe {
            path,
            wrappers: MAX_WRAPPERS,
        })
    }
}

impl<'de> MapAccess<'de> for SingleEntry<'_> {
    type Error = ProbeEnd;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ProbeEnd> {
        let Some(segment) = self.segment.take() else {
            return Ok(None);
        };
        let name: StrDeserializer<'_, ProbeEnd> = StrDeserializer::new(&segment.name);
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ProbeEnd> {
        self.next(seed)
    }
}

impl<'de> SeqAccess<'de> for SingleEntry<'_> {
    type Error = ProbeEnd;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ProbeEnd> {
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
            let mut segments: Vec<PathSegment> = path
                .split('.')
                .map(|name| PathSegment {
                    name: name.to_owned(),
                    index: name.parse::<usize>().is_ok(),
                })
                .collect();
            rename_to_wire::<Person>(&mut segments);
            let names: Vec<&str> = segments
                .iter()
                .map(|segment| segment.name.as_str())
                .collect();
            assert_eq!(names.join("."), expected);
        }
    }
}
