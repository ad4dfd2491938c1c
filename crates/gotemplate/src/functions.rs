//! The functions that templates can call.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::value::Value;
use crate::{escape, format};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    And,
    Or,
    Not,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Len,
    Index,
    Slice,
    Print,
    Println,
    Printf,
    Html,
    UrlQuery,
    Js,
}

impl Function {
    pub(crate) fn find(name: &str) -> Option<Self> {
        Some(match name {
            "and" => Self::And,
            "or" => Self::Or,
            "not" => Self::Not,
            "eq" => Self::Eq,
            "ne" => Self::Ne,
            "lt" => Self::Lt,
            "le" => Self::Le,
            "gt" => Self::Gt,
            "ge" => Self::Ge,
            "len" => Self::Len,
            "index" => Self::Index,
            "slice" => Self::Slice,
            "print" => Self::Print,
            "println" => Self::Println,
            "printf" => Self::Printf,
            "html" => Self::Html,
            "urlquery" => Self::UrlQuery,
            "js" => Self::Js,
            _ => return None,
        })
    }

    /// Checks the number of arguments.
    pub(crate) fn check_arity(self, name: &str, given: usize) -> Result<(), String> {
        let (least, most) = match self {
            Self::Not | Self::Len => (1, 1),
            Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge => (2, 2),
            Self::Eq => (2, usize::MAX),
            Self::Slice => (1, 3),
            Self::And | Self::Or | Self::Index | Self::Printf => (1, usize::MAX),
            Self::Print | Self::Println | Self::Html | Self::UrlQuery | Self::Js => (0, usize::MAX),
        };
        if (least..=most).contains(&given) {
            return Ok(());
        }
        let expected = match (least, most) {
            (least, most) if least == most => format!("{least}"),
            (least, usize::MAX) => format!("at least {least}"),
            (least, most) => format!("{least} to {most}"),
        };
        Err(format!("`{name}` takes {expected} values, not {given}"))
    }

    /// Calls the function. `and` and `or` are called with the arguments up to the one that decided.
    pub(crate) fn call(self, arguments: &[Value]) -> Value {
        let first = arguments.first().unwrap_or(&Value::Nil);
        let second = arguments.get(1).unwrap_or(&Value::Nil);
        let rest = arguments.get(1..).unwrap_or_default();
        let order = || first.compare(second);
        match self {
            Self::And | Self::Or => arguments.last().cloned().unwrap_or(Value::Nil),
            Self::Not => Value::Bool(!first.is_truthy()),
            Self::Eq => Value::Bool(
                rest.iter()
                    .any(|other| first.compare(other) == Some(Ordering::Equal)),
            ),
            Self::Ne => Value::Bool(order() != Some(Ordering::Equal)),
            Self::Lt => Value::Bool(order().is_some_and(Ordering::is_lt)),
            Self::Le => Value::Bool(order().is_some_and(Ordering::is_le)),
            Self::Gt => Value::Bool(order().is_some_and(Ordering::is_gt)),
            Self::Ge => Value::Bool(order().is_some_and(Ordering::is_ge)),
            Self::Len => Value::Int(i64::try_from(first.len()).unwrap_or(i64::MAX)),
            Self::Index => rest
                .iter()
                .fold(first.clone(), |value, index| value.index(index)),
            Self::Slice => slice(first, rest),
            Self::Print => Value::text(format::print(arguments)),
            Self::Println => Value::text(format::println(arguments)),
            Self::Printf => Value::text(format::printf(&format::to_text(first), rest)),
            Self::Html => match arguments {
                [escaped @ Value::Html(_)] => escaped.clone(),
                _ => Value::Html(escape::html(&format::print(arguments)).into()),
            },
            Self::UrlQuery => match arguments {
                [escaped @ Value::UrlQuery(_)] => escaped.clone(),
                _ => Value::UrlQuery(escape::url_query(&format::print(arguments)).into()),
            },
            Self::Js => Value::text(escape::script_string(&format::print(arguments))),
        }
    }
}

/// Returns a part of a text or list; bounds outside of it are moved inside.
fn slice(value: &Value, bounds: &[Value]) -> Value {
    let length = value.len();
    let bound = |position: usize, default: usize| match bounds.get(position) {
        Some(Value::Int(bound)) => usize::try_from(*bound).unwrap_or(0).min(length),
        _ => default,
    };
    let (from, to) = (bound(0, 0), bound(1, length));
    if let Value::List(values) = value {
        return Value::List(Arc::from(values.get(from..to).unwrap_or_default()));
    }
    let text = value.as_text().unwrap_or_default();
    let from = text.ceil_char_boundary(from);
    let to = text.floor_char_boundary(to);
    Value::text(text.get(from..to).unwrap_or_default())
}
