//! A TOML table that is read key by key and collects faults with their lines.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fault::{Fault, line_at};

/// A TOML table that is being read.
pub(crate) struct TomlTable<'t> {
    text: &'t str,
    /// The name in messages.
    name: String,
    line: usize,
    /// The keys that were not read yet, with their lines.
    unread: BTreeMap<&'t str, (usize, &'t DeValue<'t>)>,
    faults: Vec<Fault>,
}

impl<'t> TomlTable<'t> {
    pub(crate) fn new(
        text: &'t str,
        name: impl Into<String>,
        table: &'t DeTable<'t>,
        line: usize,
    ) -> Self {
        let unread = table
            .iter()
            .map(|(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
                let line = line_at(text, key.span().start);
                (&**key.get_ref(), (line, value.get_ref()))
            });
        Self {
            text,
            name: name.into(),
            line,
            unread: unread.collect(),
            faults: Vec::new(),
        }
    }

    pub(crate) fn line(&self) -> usize {
        self.line
    }

    pub(crate) fn fault(&mut self, line: usize, message: impl Into<String>) {
        self.faults.push(Fault::new(line, message));
    }

    /// Reports that a key is missing.
    pub(crate) fn missing(&mut self, key: &str) {
        let message = format!("{}: `{key}` is missing", self.name);
        self.fault(self.line, message);
    }

    /// Reads a value with a function that returns `None` for invalid ones.
    pub(crate) fn value<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl FnOnce(&'t DeValue<'t>) -> Option<T>,
    ) -> Option<T> {
        let (line, value) = self.unread.remove(key)?;
        let read = read(value);
        if read.is_none() {
            let message = format!("{}: `{key}`: expected {expected}", self.name);
            self.fault(line, message);
        }
        read
    }

    pub(crate) fn text(&mut self, key: &'static str) -> Option<String> {
        self.value(key, "text", |value| value.as_str().map(str::to_owned))
    }

    /// Reads a text that must be present and not empty.
    pub(crate) fn required_text(&mut self, key: &'static str) -> String {
        let is_present = self.unread.contains_key(key);
        let text = self.value(key, "text that is not empty", |value| {
            value
                .as_str()
                .filter(|text| !text.trim().is_empty())
                .map(str::to_owned)
        });
        if !is_present {
            self.missing(key);
        }
        text.unwrap_or_default()
    }

    pub(crate) fn whole(&mut self, key: &'static str) -> Option<u64> {
        self.value(key, "a whole number from 0", |value| {
            integer(value)?.try_into().ok()
        })
    }

    pub(crate) fn signed(&mut self, key: &'static str) -> Option<i64> {
        self.value(key, "a whole number", integer)
    }

    pub(crate) fn number(&mut self, key: &'static str) -> Option<f64> {
        self.value(key, "a number above 0", |value| {
            let number: f64 = match value {
                DeValue::Integer(number) => number.as_str().parse().ok()?,
                DeValue::Float(number) => number.as_str().parse().ok()?,
                _ => return None,
            };
            (number.is_finite() && number > 0.0).then_some(number)
        })
    }

    pub(crate) fn flag(&mut self, key: &'static str) -> Option<bool> {
        self.value(key, "true or false", DeValue::as_bool)
    }

    pub(crate) fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        self.value(key, "a list of texts", |value| {
            let items = value.as_array()?.iter();
            items
                .map(|item| item.get_ref().as_str().map(str::to_owned))
                .collect()
        })
    }

    /// Reads one of a few words.
    pub(crate) fn word<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.value(key, &format!("one of {}", names.join(", ")), |value| {
            let text = value.as_str()?;
            let known = words.iter().find(|(word, _)| *word == text);
            known.map(|(_, meaning)| *meaning)
        })
    }

    /// Reads a nested table.
    pub(crate) fn table(&mut self, key: &'static str) -> Option<TomlTable<'t>> {
        let name = format!("{}: {key}", self.name);
        let (text, line) = (
            self.text,
            self.unread.get(key).map_or(self.line, |(line, _)| *line),
        );
        let table = self.value(key, "a table", DeValue::as_table)?;
        Some(Self::new(text, name, table, line))
    }

    /// Reads an array of tables, as from `[[key]]`.
    pub(crate) fn tables(&mut self, key: &'static str) -> Vec<TomlTable<'t>> {
        let (text, name) = (self.text, self.name.clone());
        let tables = self.value(key, "a list of tables", |value| {
            let items = value.as_array()?.iter();
            let tables = items.zip(1..).map(|(item, number)| {
                let line = line_at(text, item.span().start);
                let name = match name.as_str() {
                    "" => format!("{key} {number}"),
                    name => format!("{name}: {key} {number}"),
                };
                Some(Self::new(text, name, item.get_ref().as_table()?, line))
            });
            tables.collect::<Option<Vec<_>>>()
        });
        tables.unwrap_or_default()
    }

    /// Reads all remaining keys as tables.
    pub(crate) fn named_tables(&mut self) -> Vec<(&'t str, TomlTable<'t>)> {
        let unread = std::mem::take(&mut self.unread);
        let mut tables = Vec::new();
        for (key, (line, value)) in unread {
            if let Some(table) = value.as_table() {
                let name = format!("{}: {key}", self.name);
                tables.push((key, Self::new(self.text, name, table, line)));
            } else {
                let message = format!("{}: `{key}`: expected a table", self.name);
                self.fault(line, message);
            }
        }
        tables
    }

    /// Reads all remaining keys as texts, with their lines.
    pub(crate) fn remaining_texts(&mut self) -> Vec<(&'t str, usize, &'t str)> {
        let mut texts = Vec::new();
        for (key, (line, value)) in std::mem::take(&mut self.unread) {
            if let Some(text) = value.as_str() {
                texts.push((key, line, text));
            } else {
                let message = format!("{}: `{key}`: expected text", self.name);
                self.fault(line, message);
            }
        }
        texts
    }

    /// Reports unknown keys and appends all faults to the list.
    pub(crate) fn finish(mut self, faults: &mut Vec<Fault>) {
        for (key, (line, _)) in std::mem::take(&mut self.unread) {
            let message = match self.name.as_str() {
                "" => format!("`{key}` is not a known key"),
                name => format!("{name}: `{key}` is not a known key"),
            };
            self.fault(line, message);
        }
        faults.append(&mut self.faults);
    }

    /// Appends the faults so far to the list, without reporting unknown keys.
    pub(crate) fn abandon(mut self, faults: &mut Vec<Fault>) {
        faults.append(&mut self.faults);
    }

    /// Tells whether a fault of a key was reported, so that it is not reported as missing too.
    pub(crate) fn has_fault_about(&self, key: &str) -> bool {
        let quoted = format!("`{key}`");
        self.faults
            .iter()
            .any(|fault| fault.message.contains(&quoted))
    }

    /// Changes the name in messages.
    pub(crate) fn rename(&mut self, name: String) {
        self.name = name;
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let number = value.as_integer()?;
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}
