//! `#[separated_by(",")]`.

use serde_json::Value;

use super::{Conversion, ConversionInput};
use crate::rejection::Invalid;
use crate::source::InputValue;

/// Splits text at a separator: `A,B` becomes a list of two.
///
/// Repeated parameters are joined into one list, and empty text is an empty list.
///
/// ```
/// use innkeeper_rest::{Conversion, SeparatedBy};
///
/// let list = SeparatedBy(",").convert("a,b".into()).unwrap();
/// assert_eq!(list, serde_json::json!(["a", "b"]));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SeparatedBy(pub &'static str);

impl Conversion for SeparatedBy {
    fn convert(&self, value: Value) -> Result<Value, Invalid> {
        let mut items = Vec::new();
        match value {
            Value::String(text) => self.split(&text, &mut items),
            Value::Array(all) => {
                for one in all {
                    match one {
                        Value::String(text) => self.split(&text, &mut items),
                        other => items.push(other),
                    }
                }
            }
            other => items.push(other),
        }
        Ok(Value::Array(items))
    }

    fn convert_input<'r>(
        &self,
        input: ConversionInput<'r>,
    ) -> Result<ConversionInput<'r>, Invalid> {
        Ok(ConversionInput(match input.0 {
            InputValue::One(text) if text.is_empty() => InputValue::Many(Vec::new()),
            // Split when it is read, without a list in between.
            InputValue::One(text) => InputValue::Separated(text, self.0),
            value => InputValue::Json(self.convert(value.into_value())?),
        }))
    }
}

/// `#[separated_by]` on a header: HTTP allows spaces and tabs around the items of a list.
#[derive(Debug, Clone, Copy)]
pub struct HeaderList(pub &'static str);

impl Conversion for HeaderList {
    fn convert(&self, value: Value) -> Result<Value, Invalid> {
        let mut list = SeparatedBy(self.0).convert(value)?;
        for item in list.as_array_mut().into_iter().flatten() {
            if let Value::String(text) = item {
                *text = text.trim_matches([' ', '\t']).to_owned();
            }
        }
        Ok(list)
    }
}

impl SeparatedBy {
    fn split(self, text: &str, items: &mut Vec<Value>) {
        if !text.is_empty() {
            items.extend(
                text.split(self.0)
                    .map(|item| Value::String(item.to_owned())),
            );
        }
    }
}
