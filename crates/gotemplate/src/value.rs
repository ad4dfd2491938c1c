//! Values that templates compute with.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

/// A value of a template. Clones are cheap.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `nil`: null, or a field that does not exist.
    Nil,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text, which is escaped when it is written.
    Text(Arc<str>),
    /// Text that is escaped for HTML already.
    Html(Arc<str>),
    /// Text that is escaped for the query of a URL already.
    UrlQuery(Arc<str>),
    /// A list.
    List(Arc<[Value]>),
    /// A map with text keys.
    Map(Arc<BTreeMap<String, Value>>),
}

impl Value {
    /// Makes a text.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// Makes a map.
    ///
    /// ```
    /// use innkeeper_gotemplate::{Output, Template, Value};
    ///
    /// let data = Value::map([("Name", Value::text("Ada")), ("Age", Value::Int(36))]);
    /// let template = Template::parse("{{ .Name }} is {{ .Age }}")?;
    /// assert_eq!(template.render(&data, Output::Text)?, "Ada is 36");
    /// # Ok::<(), innkeeper_gotemplate::TemplateError>(())
    /// ```
    pub fn map<'a>(entries: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let entries = entries.into_iter();
        Self::Map(Arc::new(
            entries
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        ))
    }

    /// Converts a JSON value.
    pub fn from_json(json: &Json) -> Self {
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

    /// Converts a JSON object.
    pub fn from_object(members: &serde_json::Map<String, Json>) -> Self {
        let entries = members
            .iter()
            .map(|(name, value)| (name.clone(), Self::from_json(value)));
        Self::Map(Arc::new(entries.collect()))
    }

    /// Returns the text of a text of any kind.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Html(text) | Self::UrlQuery(text) => Some(text),
            _ => None,
        }
    }

    /// Whether `if` takes the value for true: it is neither zero nor empty.
    pub(crate) fn is_truthy(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(value) => *value,
            Self::Int(number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Text(text) | Self::Html(text) | Self::UrlQuery(text) => !text.is_empty(),
            Self::List(values) => !values.is_empty(),
            Self::Map(entries) => !entries.is_empty(),
        }
    }

    /// Returns a field of a map; nil if there is none, and of any other value.
    pub(crate) fn field(&self, name: &str) -> Self {
        match self {
            Self::Map(entries) => entries.get(name).cloned().unwrap_or(Self::Nil),
            _ => Self::Nil,
        }
    }

    /// Returns the element of a list or the field of a map; nil if there is none.
    pub(crate) fn index(&self, index: &Self) -> Self {
        match (self, index) {
            (Self::List(values), Self::Int(index)) => usize::try_from(*index)
                .ok()
                .and_then(|index| values.get(index).cloned())
                .unwrap_or(Self::Nil),
            (Self::Map(_), index) => match index.as_text() {
                Some(name) => self.field(name),
                None => Self::Nil,
            },
            _ => Self::Nil,
        }
    }

    /// Returns the bytes of a text or the elements of a list or map; zero for any other value.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text(text) | Self::Html(text) | Self::UrlQuery(text) => text.len(),
            Self::List(values) => values.len(),
            Self::Map(entries) => entries.len(),
            _ => 0,
        }
    }

    /// Compares two values; `None` if they cannot be compared.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a whole number and a fraction are compared as fractions"
    )]
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
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
