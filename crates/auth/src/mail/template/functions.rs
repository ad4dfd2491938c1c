//! The functions that templates can call.

use std::cmp::Ordering;
use std::sync::Arc;

use super::value::Value;
use super::{escape, format};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
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
    Urlquery,
    Js,
}

impl Function {
    pub(super) fn find(name: &str) -> Option<Self> {
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
            "urlquery" => Self::Urlquery,
            "js" => Self::Js,
            _ => return None,
        })
    }

    /// Checks the number of its arguments.
    pub(super) fn check(self, name: &str, given: usize) -> Result<(), String> {
        let (least, most) = match self {
            Self::Not | Self::Len => (1, 1),
            Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge => (2, 2),
            Self::Eq => (2, usize::MAX),
            Self::Slice => (1, 3),
            Self::And | Self::Or | Self::Index | Self::Printf => (1, usize::MAX),
            Self::Print | Self::Println | Self::Html | Self::Urlquery | Self::Js => (0, usize::MAX),
        };
        if (least..=most).contains(&given) {
            return Ok(());
        }
        let wants = match (least, most) {
            (least, most) if least == most => format!("{least}"),
            (least, usize::MAX) => format!("at least {least}"),
            (least, most) => format!("{least} to {most}"),
        };
        Err(format!("`{name}` takes {wants} values, not {given}"))
    }

    /// Calls it. `and` and `or` are called with the values that decided.
    pub(super) fn call(self, arguments: &[Value]) -> Value {
        let first = arguments.first().unwrap_or(&Value::Nil);
        let second = arguments.get(1).unwrap_or(&Value::Nil);
        let rest = arguments.get(1..).unwrap_or_default();
        let order = || first.compare(second);
        match self {
            Self::And | Self::Or => arguments.last().cloned().unwrap_or(Value::Nil),
            Self::Not => Value::Bool(!first.is_true()),
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
                .fold(first.clone(), |value, index| value.at(index)),
            Self::Slice => slice(first, rest),
            Self::Print => Value::text(format::print(arguments)),
            Self::Println => Value::text(format::println(arguments)),
            Self::Printf => Value::text(format::printf(&format::text(first), rest)),
            Self::Html => match arguments {
                [done @ Value::Html(_)] => done.clone(),
                _ => Value::Html(escape::html(&format::print(arguments)).into()),
            },
            Self::Urlquery => match arguments {
                [done @ Value::Query(_)] => done.clone(),
                _ => Value::Query(escape::query(&format::print(arguments)).into()),
            },
            Self::Js => Value::text(escape::script_text(&format::print(arguments))),
        }
    }
}

/// A part of a text or list; what lies outside of it is left out.
fn slice(value: &Value, bounds: &[Value]) -> Value {
    let length = value.len();
    let bound = |place: usize, default: usize| match bounds.get(place) {
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
