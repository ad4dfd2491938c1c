//! The settings that are set, as `innkeeper auth settings` and `innkeeper hosting settings` show them.

use innkeeper_service::settings::{Reader, Section, Setting};
use serde_json::{Value, json};

/// A setting that is set, under the name the operator used.
pub(crate) struct ShownSetting {
    name: String,
    /// `None` for a secret.
    value: Option<String>,
}

impl ShownSetting {
    /// Returns the settings of a table that are set.
    pub(crate) fn all(reader: &mut Reader, table: &[Section]) -> Vec<Self> {
        let mut shown = Vec::new();
        for setting in table.iter().flat_map(|section| section.settings) {
            for name in names(reader, setting) {
                if !reader.is_set(&name) {
                    continue;
                }
                let value = reader.optional::<String>(&name);
                shown.push(Self {
                    name: reader.shown_name(&name),
                    value: value.filter(|_| !setting.secret),
                });
            }
        }
        shown
    }

    /// Returns the name and the value for a table.
    pub(crate) fn row(&self) -> (&str, String) {
        let value = self.value.clone();
        let value = value.unwrap_or_else(|| "(set, not shown)".to_owned());
        (&self.name, value)
    }

    /// Returns the setting for programs.
    pub(crate) fn document(&self) -> Value {
        json!({ "name": self.name, "value": self.value, "secret": self.value.is_none() })
    }
}

/// Returns the setting's name or, for a pattern, the names that are set.
fn names(reader: &mut Reader, setting: &Setting) -> Vec<String> {
    match setting.name.split_once('<') {
        None => vec![setting.name.to_owned()],
        Some((before, rest)) => {
            let after = rest.split_once('>').map_or("", |(_, after)| after);
            let words = reader.words_of(setting.name).into_iter();
            words.map(|word| format!("{before}{word}{after}")).collect()
        }
    }
}
