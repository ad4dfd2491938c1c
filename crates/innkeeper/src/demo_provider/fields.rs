//! The parameters of requests.

use std::collections::BTreeMap;

use url::form_urlencoded;

/// The parameters of a query or a form.
#[derive(Debug)]
pub(super) struct Fields(BTreeMap<String, String>);

/// A parameter occurs twice, which OAuth does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RepeatedField;

impl Fields {
    pub(super) fn parse(encoded: &[u8]) -> Result<Self, RepeatedField> {
        let mut fields = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(encoded).into_owned() {
            if fields.insert(name, value).is_some() {
                return Err(RepeatedField);
            }
        }
        Ok(Self(fields))
    }

    /// Returns a parameter that is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.get(name)?;
        (!value.is_empty()).then_some(value)
    }

    pub(super) fn owned(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }
}
