//! How the filter is put together, and what is wrong with it.

use std::sync::Arc;

use super::types::{Range, Types};
use super::{Compress, Settings};
use crate::coding::{Coding, Levels};
use crate::filter::FilterError;

/// Puts a [`Compress`] filter together: see there.
#[derive(Debug, Clone)]
pub struct CompressBuilder {
    codings: Vec<Coding>,
    levels: Levels,
    smallest: u64,
    types: Types,
    problems: Vec<String>,
}

impl CompressBuilder {
    pub(super) fn new() -> Self {
        Self {
            codings: Coding::ALL.to_vec(),
            levels: Levels { gzip: 5, brotli: 4 },
            smallest: 1024,
            types: Types::default(),
            problems: Vec::new(),
        }
    }

    /// Leaves content alone that has fewer bytes. Without this it is 1024.
    #[must_use]
    pub fn smallest(mut self, bytes: u64) -> Self {
        self.smallest = bytes;
        self
    }

    /// How hard gzip tries, from 1 to 9. Without this it is 5.
    #[must_use]
    pub fn gzip_level(mut self, level: u32) -> Self {
        if !(1..=9).contains(&level) {
            self.problems
                .push(format!("gzip has levels from 1 to 9, and not {level}"));
        }
        self.levels.gzip = level;
        self
    }

    /// How hard Brotli tries, from 0 to 11. Without this it is 4: more takes too long while a client
    /// waits.
    #[must_use]
    pub fn brotli_level(mut self, level: u32) -> Self {
        if level > 11 {
            self.problems
                .push(format!("Brotli has levels from 0 to 11, and not {level}"));
        }
        self.levels.brotli = level;
        self
    }

    /// Does not use gzip.
    #[must_use]
    pub fn without_gzip(mut self) -> Self {
        self.codings.retain(|&coding| coding != Coding::Gzip);
        self
    }

    /// Does not use Brotli.
    #[must_use]
    pub fn without_brotli(mut self) -> Self {
        self.codings.retain(|&coding| coding != Coding::Brotli);
        self
    }

    /// Compresses these content types too, such as `application/octet-stream` or `image/*`.
    #[must_use]
    pub fn types<T: AsRef<str>>(mut self, types: impl IntoIterator<Item = T>) -> Self {
        let types = self.ranges(types);
        self.types.also.extend(types);
        self
    }

    /// Never compresses these content types.
    #[must_use]
    pub fn except_types<T: AsRef<str>>(mut self, types: impl IntoIterator<Item = T>) -> Self {
        let types = self.ranges(types);
        self.types.never.extend(types);
        self
    }

    fn ranges<T: AsRef<str>>(&mut self, types: impl IntoIterator<Item = T>) -> Vec<Range> {
        let mut ranges = Vec::new();
        for text in types {
            if let Some(range) = Range::parse(text.as_ref()) {
                ranges.push(range);
            } else {
                let text = text.as_ref().escape_debug();
                self.problems.push(format!(
                    "`{text}` is no content type such as `text/csv` or `text/*`"
                ));
            }
        }
        ranges
    }

    /// The filter, or everything that is wrong.
    pub fn build(mut self) -> Result<Compress, FilterError> {
        if self.codings.is_empty() {
            self.problems
                .push("without gzip and Brotli nothing is left to compress with".to_owned());
        }
        for range in &self.types.also {
            if self.types.never.contains(range) {
                self.problems.push(format!(
                    "`{range}` cannot be compressed both always and never"
                ));
            }
        }
        let problems = std::mem::take(&mut self.problems);
        FilterError::unless(problems, self.settings()).map(|settings| Compress(Arc::new(settings)))
    }

    pub(super) fn settings(self) -> Settings {
        Settings {
            codings: self.codings,
            levels: self.levels,
            smallest: self.smallest,
            types: self.types,
        }
    }
}
