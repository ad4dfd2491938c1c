//! What templates compute with.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

/// A value. Copies are cheap.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Arc<str>),
    /// Text that was escaped for HTML.
    Html(Arc<str>),
    /// Text that was escaped for the query of an address.
    Query(Arc<str>),
    List(Arc<[Value]>),
    Map(Arc<BTreeMap<String, Value>>),
}

impl Value {
    pub(crate) fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// A map of these members.
    pub(crate) fn map<'a>(members: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let members = members.into_iter();
        Self::Map(Arc::new(
            members
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        ))
    }

    /// The same as JSON has it.
    pub(crate) fn from_json(json: &Json) -> Self {
        match json {
            Json::Null => Self::Nil,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => match number.as_i64() {
                Some(integer) => Self::Int(integer),
                None => number.as_f64().map_or(Self::Nil, Self::Float),
            },
            Json::String(text) => Self::text(text.as_str()),
            Json::Array(values) => Self::List(values.iter().map(Self::from_json).collect()),
            Json::Object(members) => Self::from_object(members),
        }
    }

    /// The same as a JSON object has it.
    pub(crate) fn from_object(members: &serde_json::Map<String, Json>) -> Self {
        let members = members
            .iter()
            .map(|(name, value)| (name.clone(), Self::from_json(value)));
        Self::Map(Arc::new(members.collect()))
    }

    /// The text, if it is one of any kind.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Html(text) | Self::Query(text) => Some(text),
            _ => None,
        }
    }

    /// What conditions go by.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(value) => *value,
            Self::Int(number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Text(text) | Self::Html(text) | Self::Query(text) => !text.is_empty(),
            Self::List(values) => !values.is_empty(),
            Self::Map(members) => !members.is_empty(),
        }
    }

    /// The member of that name. What has no members has none of that name.
    pub(super) fn member(&self, name: &str) -> Self {
        match self {
            Self::Map(members) => members.get(name).cloned().unwrap_or(Self::Nil),
            _ => Self::Nil,
        }
    }

    /// The member at an index.
    pub(super) fn at(&self, index: &Self) -> Self {
        match (self, index) {
            (Self::List(values), Self::Int(index)) => usize::try_from(*index)
                .ok()
                .and_then(|index| values.get(index).cloned())
                .unwrap_or(Self::Nil),
            (Self::Map(_), index) => match index.as_text() {
                Some(name) => self.member(name),
                None => Self::Nil,
            },
            _ => Self::Nil,
        }
    }

    /// How many bytes or members there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Text(text) | Self::Html(text) | Self::Query(text) => text.len(),
            Self::List(values) => values.len(),
            Self::Map(members) => members.len(),
            _ => 0,
        }
    }

    /// How two values stand to each other; nothing if they cannot be compared.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a whole number and a fraction are compared as fractions"
    )]
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Nil, Self::Nil) => Some(Ordering::Equal),
            (Self::Bool(one), Self::Bool(two)) => (one == two).then_some(Ordering::Equal),
            (Self::Int(one), Self::Int(two)) => Some(one.cmp(two)),
            (Self::Float(one), Self::Float(two)) => one.partial_cmp(two),
            (Self::Int(one), Self::Float(two)) => (*one as f64).partial_cmp(two),
            (Self::Float(one), Self::Int(two)) => one.partial_cmp(&(*two as f64)),
            _ => Some(self.as_text()?.cmp(other.as_text()?)),
        }
    }
}
