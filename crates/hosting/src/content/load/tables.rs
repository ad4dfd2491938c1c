//! Reads `plans.toml` and `status.toml`.

use std::sync::Arc;

use crate::base::parse::Fault;
use crate::content::file::ContentFile;
use crate::content::index::ContentIndex;
use crate::content::last_good_files::LastGoodFiles;
use crate::content::plans::{self, Catalog};
use crate::content::problem::{Effect, Problem};
use crate::content::source::ContentSource;
use crate::content::status_definition::{self, Definition};

/// The largest `plans.toml` and `status.toml`, in bytes.
const LARGEST_TABLE: u64 = 1024 * 1024;

/// Reads the TOML files of a content folder.
pub(super) struct TableLoader<'l> {
    pub(super) source: &'l ContentSource,
    pub(super) last_good: &'l LastGoodFiles,
    pub(super) previous: &'l ContentIndex,
}

impl TableLoader<'_> {
    /// Reads `plans.toml`. If it is invalid, the last good catalog is returned with the problems.
    pub(super) fn plans(&self, file: &ContentFile) -> (Arc<Catalog>, Vec<Problem>) {
        let shown = Some(self.previous.plans()).filter(|plans| plans.updated_at.is_some());
        let modified = file.stamp.modified();
        self.table(file, shown, |text| plans::parse(text, modified))
    }

    /// Reads `status.toml`. If it is invalid, the last good definition is returned with the problems.
    pub(super) fn status(&self, file: &ContentFile) -> (Arc<Definition>, Vec<Problem>) {
        let shown = Some(self.previous.status()).filter(|status| !status.components.is_empty());
        self.table(file, shown, status_definition::parse)
    }

    /// Reads a file. If it is invalid, the last good version stays: the one that is shown, or the one
    /// that was saved before a restart.
    fn table<T: Default>(
        &self,
        file: &ContentFile,
        shown: Option<&Arc<T>>,
        parse: impl Fn(&str) -> Result<T, Vec<Fault>>,
    ) -> (Arc<T>, Vec<Problem>) {
        let faults = match self.text(file) {
            Err(message) => vec![(None, message)],
            Ok(text) => match parse(&text) {
                Ok(table) => {
                    self.last_good.put(&file.name, text.as_bytes());
                    return (Arc::new(table), Vec::new());
                }
                Err(faults) => {
                    let faults = faults.into_iter();
                    faults
                        .map(|fault| (Some(fault.line), fault.message))
                        .collect()
                }
            },
        };
        let saved = || {
            let text = String::from_utf8(self.last_good.get(&file.name)?).ok()?;
            parse(&text).ok().map(Arc::new)
        };
        let last_good = shown.map(Arc::clone).or_else(saved);
        let effect = match last_good {
            Some(_) => Effect::LastGood,
            None => Effect::NotShown,
        };
        let problems = faults.into_iter().map(|(line, message)| Problem {
            file: file.name.clone(),
            line,
            message,
            effect,
        });
        (last_good.unwrap_or_default(), problems.collect())
    }

    fn text(&self, file: &ContentFile) -> Result<String, String> {
        let bytes = self.source.read(&file.name, LARGEST_TABLE);
        let bytes = bytes.map_err(|error| format!("cannot be read: {error}"))?;
        if bytes.len() as u64 > LARGEST_TABLE {
            return Err(format!("larger than {} KiB", LARGEST_TABLE / 1024));
        }
        String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())
    }
}
