//! The sources of settings.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::reader::{SourceLayer, SourceRank};
use super::{EnvFile, Reader, names};

impl Reader {
    /// Adds the environment of this process and, if it exists, the file `.env` in a folder.
    #[must_use]
    pub fn from_process(self, folder: &Path) -> Self {
        let path = folder.join(".env");
        let mut reader = self.with_os_environment(std::env::vars_os());
        match std::fs::read_to_string(&path) {
            Ok(text) => reader.add_file(SourceRank::EnvFile, ".env", &text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => reader.push_fault(".env".to_owned(), format!("cannot be read: {error}")),
        }
        reader
    }

    /// Adds a file that the operator named, whose values override the environment.
    pub fn with_given_file(mut self, path: &Path) -> io::Result<Self> {
        let text = std::fs::read_to_string(path)?;
        self.add_file(SourceRank::GivenFile, &path.display().to_string(), &text);
        Ok(self)
    }

    /// Adds environment variables.
    #[must_use]
    pub fn with_environment(
        mut self,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let values = variables
            .into_iter()
            .filter(|(name, value)| !names::is_service_link(name, value))
            .collect();
        self.add_layer(SourceRank::Environment, values);
        self
    }

    pub(super) fn with_os_environment(
        mut self,
        variables: impl Iterator<Item = (OsString, OsString)>,
    ) -> Self {
        let mut readable = Vec::new();
        for (name, value) in variables {
            let Ok(name) = name.into_string() else {
                continue;
            };
            match value.into_string() {
                Ok(value) => readable.push((name, value)),
                Err(_) if self.knows(&name) => {
                    self.push_fault(name, "is not valid UTF-8".to_owned());
                }
                Err(_) => {}
            }
        }
        self.with_environment(readable)
    }

    /// Adds the text of a `.env` file, which the environment overrides.
    #[must_use]
    pub fn with_env_file(mut self, text: &str) -> Self {
        self.add_file(SourceRank::EnvFile, ".env", text);
        self
    }

    fn add_file(&mut self, rank: SourceRank, name: &str, text: &str) {
        let file = EnvFile::parse(text);
        for fault in file.faults {
            self.push_fault(
                format!("{name} line {}", fault.line),
                fault.problem.to_owned(),
            );
        }
        self.add_layer(rank, file.values);
    }

    fn add_layer(&mut self, rank: SourceRank, values: BTreeMap<String, String>) {
        // Of two sources of the same rank, the later one wins.
        let at = self.layers.partition_point(|layer| layer.rank < rank);
        self.layers.insert(at, SourceLayer { rank, values });
    }
}
