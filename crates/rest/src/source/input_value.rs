//! What a source found under a name.

use std::borrow::Cow;

use serde_json::Value;

use crate::syntax::decode::Malformed;

/// What a source found under a name.
#[derive(Debug, Clone)]
pub(crate) enum InputValue<'r> {
    Absent,
    One(Cow<'r, str>),
    /// Several values, or a list that has any number of items.
    Many(Vec<Cow<'r, str>>),
    /// A list in one text, and the separator of its items.
    Separated(Cow<'r, str>, &'static str),
    /// Matrix parameters, in their order.
    Entries(Vec<(String, Value)>),
    /// Set by a conversion, a filter or the body.
    Json(Value),
    /// A path segment that is not percent-encoded text. Types refuse it, unless they have a value for it.
    Undecodable(Malformed),
}

impl<'r> InputValue<'r> {
    pub(crate) fn push(&mut self, text: Cow<'r, str>) {
        match std::mem::replace(self, Self::Absent) {
            Self::Absent
            | Self::Separated(..)
            | Self::Entries(_)
            | Self::Json(_)
            | Self::Undecodable(_) => *self = Self::One(text),
            Self::One(first) => *self = Self::Many(vec![first, text]),
            Self::Many(mut all) => {
                all.push(text);
                *self = Self::Many(all);
            }
        }
    }

    /// Adds an item of a list: the value is a list even if this is the only one.
    pub(crate) fn push_item(&mut self, text: Cow<'r, str>) {
        match self {
            Self::Absent => *self = Self::Many(vec![text]),
            _ => self.push(text),
        }
    }

    /// Converts it to JSON, for conversions: absent becomes null, several become an array.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Absent | Self::Undecodable(_) => Value::Null,
            Self::One(text) => Value::String(text.into_owned()),
            Self::Many(all) => all
                .into_iter()
                .map(|text| Value::String(text.into_owned()))
                .collect(),
            Self::Separated(text, separator) => text.split(separator).map(Value::from).collect(),
            Self::Entries(entries) => Value::Object(entries.into_iter().collect()),
            Self::Json(value) => value,
        }
    }
}
