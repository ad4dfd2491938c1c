//! Builds the filter and reports invalid settings.

use std::sync::Arc;

use super::types::{MediaRange, TypeFilter};
use super::{Compress, CompressSettings};
use crate::coding::{Coding, Levels};
use crate::filter::FilterError;

/// Builds a [`Compress`] filter.
#[derive(Debug, Clone)]
pub struct CompressBuilder {
    codings: Vec<Coding>,
    levels: Levels,
    smallest: u64,
    types: TypeFilter,
    problems: Vec<String>,
}

impl Compress {
    /// Compresses with gzip and Brotli, with the default settings of [`builder`](Self::builder).
    pub fn new() -> Self {
        Self(Arc::new(CompressBuilder::new().settings()))
    }

    /// Starts a filter with default settings.
    pub fn builder() -> CompressBuilder {
        CompressBuilder::new()
    }
}

impl Default for Compress {
    fn default() -> Self {
        Self::new()
    }
}

impl CompressBuilder {
    fn new() -> Self {
        Self {
            codings: Coding::ALL.to_vec(),
            levels: Levels { gzip: 5, brotli: 4 },
            smallest: 1024,
            types: TypeFilter::default(),
            problems: Vec::new(),
        }
    }

    /// Sets the size below which content is not compressed. The default is 1024 bytes.
    #[must_use]
    pub fn smallest(mut self, bytes: u64) -> Self {
        self.smallest = bytes;
        self
    }

    /// Sets the level of gzip, from 1 to 9. The default is 5.
    #[must_use]
    pub fn gzip_level(mut self, level: u32) -> Self {
        if !(1..=9).contains(&level) {
            self.problems
                .push(format!("gzip has the levels 1 to 9, not {level}"));
        }
        self.levels.gzip = level;
        self
    }

    /// Sets the level of Brotli, from 0 to 11. The default is 4: higher levels take too long while a client
    /// waits.
    #[must_use]
    pub fn brotli_level(mut self, level: u32) -> Self {
        if level > 11 {
            self.problems
                .push(format!("Brotli has the levels 0 to 11, not {level}"));
        }
        self.levels.brotli = level;
        self
    }

    /// Disables gzip.
    #[must_use]
    pub fn without_gzip(mut self) -> Self {
        self.codings.retain(|&coding| coding != Coding::Gzip);
        self
    }

    /// Disables Brotli.
    #[must_use]
    pub fn without_brotli(mut self) -> Self {
        self.codings.retain(|&coding| coding != Coding::Brotli);
        self
    }

    /// Also compresses these content types, such as `application/octet-stream` or `image/*`.
    #[must_use]
    pub fn types<T: AsRef<str>>(mut self, types: impl IntoIterator<Item = T>) -> Self {
        let types = self.ranges(types);
        self.types.included.extend(types);
        self
    }

    /// Never compresses these content types.
    #[must_use]
    pub fn except_types<T: AsRef<str>>(mut self, types: impl IntoIterator<Item = T>) -> Self {
        let types = self.ranges(types);
        self.types.excluded.extend(types);
        self
    }

    fn ranges<T: AsRef<str>>(&mut self, types: impl IntoIterator<Item = T>) -> Vec<MediaRange> {
        let mut ranges = Vec::new();
        for text in types {
            if let Some(range) = MediaRange::parse(text.as_ref()) {
                ranges.push(range);
            } else {
                let text = text.as_ref().escape_debug();
                self.problems.push(format!(
                    "`{text}` is not a content type such as `text/csv` or `text/*`"
                ));
            }
        }
        ranges
    }

    /// Makes the filter.
    ///
    /// # Errors
    ///
    /// Fails if settings are invalid or contradict each other; the error lists all problems.
    pub fn build(mut self) -> Result<Compress, FilterError> {
        if self.codings.is_empty() {
            self.problems
                .push("gzip and Brotli cannot both be disabled".to_owned());
        }
        for range in &self.types.included {
            if self.types.excluded.contains(range) {
                self.problems.push(format!(
                    "`{range}` cannot be compressed both always and never"
                ));
            }
        }
        let problems = std::mem::take(&mut self.problems);
        FilterError::unless(problems, self.settings()).map(|settings| Compress(Arc::new(settings)))
    }

    fn settings(self) -> CompressSettings {
        CompressSettings {
            codings: self.codings,
            levels: self.levels,
            smallest: self.smallest,
            types: self.types,
        }
    }
}
