//! Reads settings from files and the environment, and collects the errors.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::value::Value;
use super::{Fault, Faults, Section, Setting, names};

/// Reads settings. Errors are collected and returned by [`Reader::finish`].
pub struct Reader {
    table: &'static [Section],
    prefixes: &'static [&'static str],
    /// The sources; the first one that has a value wins.
    pub(super) layers: Vec<SourceLayer>,
    column: usize,
    faults: Vec<Fault>,
    warnings: Vec<String>,
    old_names: BTreeSet<String>,
    asked: BTreeSet<&'static str>,
}

/// The values of one source.
pub(super) struct SourceLayer {
    pub(super) rank: SourceRank,
    pub(super) values: BTreeMap<String, String>,
}

/// The kinds of sources; the first one wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SourceRank {
    GivenFile,
    Environment,
    EnvFile,
}

/// The value of a setting, and the name it has in its source.
struct NamedValue {
    name: String,
    value: String,
}

// The values may be secrets.
impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("prefixes", &self.prefixes)
            .field("faults", &self.faults)
            .finish_non_exhaustive()
    }
}

impl Reader {
    /// Creates a reader without sources.
    ///
    /// A setting is looked up under each prefix in turn, then without one if [`Setting::bare`] is set.
    pub fn new(table: &'static [Section], prefixes: &'static [&'static str]) -> Self {
        Self {
            table,
            prefixes,
            layers: Vec::new(),
            column: 0,
            faults: Vec::new(),
            warnings: Vec::new(),
            old_names: BTreeSet::new(),
            asked: BTreeSet::new(),
        }
    }

    pub(super) fn push_fault(&mut self, name: String, problem: String) {
        let fault = Fault { name, problem };
        // A setting may be read twice.
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// Chooses the column of defaults for all following reads.
    pub fn use_column(&mut self, column: usize) {
        self.column = column;
    }

    /// Returns the value or its default, or the type's default if there is neither or an error.
    pub fn get<T: Value + Default>(&mut self, name: &str) -> T {
        self.optional(name).unwrap_or_default()
    }

    /// Returns the value or its default; `None` if there is neither.
    pub fn optional<T: Value>(&mut self, name: &str) -> Option<T> {
        self.parsed(name, |text, setting| {
            T::parse(text, setting.kind)
                .ok_or_else(|| format!("expected {}", setting.kind.expects()))
        })
    }

    /// Returns the value or its default; having neither is an error.
    pub fn required<T: Value>(&mut self, name: &str) -> Option<T> {
        let value = self.optional(name);
        // A value that is set but wrong has been reported already.
        if value.is_none() && !self.is_set(name) {
            self.fault(name, "is required");
        }
        value
    }

    /// Returns the value or its default, parsed by a function.
    ///
    /// For a secret, the message names only the expected kind, because the function's error may repeat the
    /// value.
    pub fn parsed<T>(
        &mut self,
        name: &str,
        parse: impl Fn(&str, &Setting) -> Result<T, String>,
    ) -> Option<T> {
        let Some(setting) = self.look_up(name) else {
            self.push_fault(
                name.to_owned(),
                "is not in the table of settings".to_owned(),
            );
            return None;
        };
        let Some(named) = self.find(name, setting) else {
            return self.parsed_default(name, setting, parse);
        };
        match parse(&named.value, setting) {
            Ok(value) => Some(value),
            Err(problem) => {
                let problem = if setting.secret {
                    format!("expected {}", setting.kind.expects())
                } else {
                    format!("{problem}, found `{}`", shortened(&named.value))
                };
                self.push_fault(named.name, problem);
                self.parsed_default(name, setting, parse)
            }
        }
    }

    fn parsed_default<T>(
        &mut self,
        name: &str,
        setting: &Setting,
        parse: impl Fn(&str, &Setting) -> Result<T, String>,
    ) -> Option<T> {
        let default = setting.default_in(self.column);
        if default.is_empty() {
            return None;
        }
        match parse(default, setting) {
            Ok(value) => Some(value),
            Err(problem) => {
                self.push_fault(name.to_owned(), format!("the default is wrong: {problem}"));
                None
            }
        }
    }

    /// Returns the default, whether or not a value is set.
    pub fn default_of<T: Value>(&mut self, name: &str) -> Option<T> {
        let setting = self.look_up(name)?;
        T::parse(setting.default_in(self.column), setting.kind)
    }

    /// Returns the text of the default; empty if there is none.
    pub fn default_text(&mut self, name: &str) -> &'static str {
        let setting = self.look_up(name);
        setting.map_or("", |setting| setting.default_in(self.column))
    }

    /// Whether a source has a value.
    pub fn is_set(&mut self, name: &str) -> bool {
        let setting = self.look_up(name);
        setting.is_some_and(|setting| self.find(name, setting).is_some())
    }

    /// Adds an error about a setting.
    pub fn fault(&mut self, name: &str, problem: &str) {
        let shown = self.shown_name(name);
        self.push_fault(shown, problem.to_owned());
    }

    /// Adds a warning about a setting.
    pub fn warn(&mut self, name: &str, problem: &str) {
        let shown = self.shown_name(name);
        self.warnings.push(format!("{shown}: {problem}"));
    }

    /// Returns the full name that the operator used or, if the setting is not set, should use.
    pub fn shown_name(&mut self, name: &str) -> String {
        let named = self
            .look_up(name)
            .and_then(|setting| self.find(name, setting));
        match named {
            Some(named) => named.name,
            None => format!("{}{name}", self.prefixes.first().unwrap_or(&"")),
        }
    }

    /// Returns the words that stand for a pattern's part in angle brackets in the names that are set, such
    /// as `SB` in `SECURITY_SB_FORWARDED_FOR_ENABLED`. A name that another setting of the table comes first for does
    /// not count.
    pub fn words_of(&mut self, pattern: &str) -> BTreeSet<String> {
        let Some(setting) = self.look_up(pattern) else {
            return BTreeSet::new();
        };
        let is_of = |name: &str| {
            let found = names::find(self.table, name);
            found.is_some_and(|found| found.name == setting.name)
        };
        self.own_names()
            .filter(|(_, name)| is_of(name))
            .filter_map(|(_, name)| names::word_in(setting, name))
            .map(str::to_owned)
            .collect()
    }

    /// Returns the full name of a known setting that is set under this prefix.
    pub fn any_with_prefix(&self, prefix: &str) -> Option<String> {
        let mut known = self
            .own_names()
            .filter(|(used, name)| *used == prefix && names::find(self.table, name).is_some());
        known.next().map(|(prefix, name)| format!("{prefix}{name}"))
    }

    /// Returns the names that were read under a prefix other than the first.
    pub fn old_names(&self) -> Vec<String> {
        self.old_names.iter().cloned().collect()
    }

    /// Returns a message for each unknown name under the first prefix, with the nearest known name.
    pub fn unknown_names(&self) -> Vec<String> {
        let first = self.prefixes.first().copied().unwrap_or_default();
        let unknown: BTreeSet<&str> = self
            .own_names()
            .filter(|(prefix, name)| *prefix == first && names::find(self.table, name).is_none())
            .map(|(_, name)| name)
            .collect();
        unknown
            .into_iter()
            .map(|name| match names::nearest(self.table, name) {
                Some(near) => {
                    format!("{first}{name} is not a setting; did you mean {first}{near}?")
                }
                None => format!("{first}{name} is not a setting"),
            })
            .collect()
    }

    /// Returns the settings of the table that have not been read.
    pub fn never_asked(&self) -> Vec<&'static str> {
        let settings = self.table.iter().flat_map(|section| section.settings);
        settings
            .map(|setting| setting.name)
            .filter(|name| !self.asked.contains(name))
            .collect()
    }

    /// Takes the warnings collected so far.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Returns all errors, if there are any, and forgets them.
    pub fn finish(&mut self) -> Result<(), Faults> {
        let faults = std::mem::take(&mut self.faults);
        if faults.is_empty() {
            Ok(())
        } else {
            Err(Faults(faults))
        }
    }

    fn look_up(&mut self, name: &str) -> Option<&'static Setting> {
        let setting = names::find(self.table, name)?;
        self.asked.insert(setting.name);
        Some(setting)
    }

    /// Returns the names with a non-empty value under one of the prefixes, split into prefix and name.
    fn own_names(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let names = self.layers.iter().flat_map(|layer| &layer.values);
        let set = names.filter(|(_, value)| !value.is_empty());
        set.filter_map(|(name, _)| self.without_prefix(name))
    }

    fn without_prefix<'n>(&self, name: &'n str) -> Option<(&'static str, &'n str)> {
        let split = |prefix: &&'static str| Some((*prefix, name.strip_prefix(*prefix)?));
        self.prefixes.iter().find_map(split)
    }

    /// Whether a full name, with its prefix or as it may be written without one, is that of a setting.
    pub fn knows(&self, name: &str) -> bool {
        let own = self.without_prefix(name);
        own.is_some_and(|(_, name)| names::find(self.table, name).is_some())
            || names::find(self.table, name).is_some_and(|setting| setting.bare)
    }

    /// Finds the first value that is not empty.
    fn find(&mut self, name: &str, setting: &Setting) -> Option<NamedValue> {
        let candidates = self.candidates(name, setting);
        let mut hidden = BTreeSet::new();
        for layer in &self.layers {
            for (prefix, candidate) in &candidates {
                let Some(value) = layer.values.get(candidate) else {
                    continue;
                };
                // An empty value means unset, and hides the value in weaker sources.
                if value.is_empty() || hidden.contains(candidate) {
                    hidden.insert(candidate);
                    continue;
                }
                if prefix.is_some_and(|prefix| prefix > 0) {
                    self.old_names.insert(candidate.clone());
                }
                return Some(NamedValue {
                    name: candidate.clone(),
                    value: value.clone(),
                });
            }
        }
        None
    }

    /// Returns all names that a setting may have, best first, with the index of their prefix.
    fn candidates(&self, name: &str, setting: &Setting) -> Vec<(Option<usize>, String)> {
        let mut candidates = Vec::new();
        for (number, prefix) in self.prefixes.iter().enumerate() {
            for known in std::iter::once(name).chain(setting.aliases.iter().copied()) {
                candidates.push((Some(number), format!("{prefix}{known}")));
            }
        }
        if setting.bare {
            candidates.push((None, name.to_owned()));
        }
        candidates
    }
}

/// Returns the start of a value, without control characters, for a message.
fn shortened(value: &str) -> String {
    let mut letters = value.chars().map(|letter| match letter {
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    });
    let mut shown: String = letters.by_ref().take(60).collect();
    if letters.next().is_some() {
        shown.push('…');
    }
    shown
}
