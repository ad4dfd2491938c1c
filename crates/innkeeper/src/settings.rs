//! Where the settings of both servers come from, and the errors in them.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;
use innkeeper_auth::config as auth;
use innkeeper_hosting::config as hosting;
use innkeeper_service::settings::{Faults, Reader};

use crate::up;

/// The options that name the source of a server's settings.
#[derive(Debug, Args)]
pub(crate) struct SettingsSource {
    /// Settings file; overrides .env and the environment
    #[arg(short, long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Act on the `innkeeper up` that runs in DIR
    #[arg(long, value_name = "DIR", global = true, conflicts_with = "config")]
    data_dir: Option<PathBuf>,
}

impl SettingsSource {
    /// Returns a reader of the auth server's settings.
    pub(crate) fn auth_reader(&self) -> anyhow::Result<Reader> {
        match &self.data_dir {
            Some(folder) => up::auth_settings_of(folder),
            None => Ok(auth_reader(self.config.as_deref())),
        }
    }

    /// Reads and checks the auth server's settings.
    pub(crate) fn auth_config(&self) -> anyhow::Result<auth::Config> {
        Ok(read_auth(&mut self.auth_reader()?)?)
    }

    /// Returns a reader of the hosting server's settings.
    pub(crate) fn hosting_reader(&self) -> anyhow::Result<Reader> {
        match &self.data_dir {
            Some(folder) => up::hosting_settings_of(folder),
            None => Ok(hosting_reader(self.config.as_deref())),
        }
    }

    /// Reads and checks the hosting server's settings.
    pub(crate) fn hosting_config(&self) -> anyhow::Result<hosting::Config> {
        Ok(read_hosting(&mut self.hosting_reader()?)?)
    }
}

/// Returns a reader of `.env`, the environment and, above both, a file.
pub(crate) fn auth_reader(file: Option<&Path>) -> Reader {
    with_sources(auth::reader(), file)
}

/// Returns a reader of `.env`, the environment and, above both, a file.
pub(crate) fn hosting_reader(file: Option<&Path>) -> Reader {
    with_sources(hosting::reader(), file)
}

fn with_sources(reader: Reader, file: Option<&Path>) -> Reader {
    let reader = reader.from_process(Path::new("."));
    match file {
        Some(file) => reader.with_given_file(file),
        None => reader,
    }
}

/// Reads and checks the auth server's settings.
pub(crate) fn read_auth(reader: &mut Reader) -> Result<auth::Config, SettingsError> {
    auth::Config::read(reader).map_err(SettingsError)
}

/// Reads and checks the hosting server's settings.
pub(crate) fn read_hosting(reader: &mut Reader) -> Result<hosting::Config, SettingsError> {
    hosting::Config::read(reader).map_err(SettingsError)
}

/// All settings that are wrong, listed below a headline.
#[derive(Debug)]
pub(crate) struct SettingsError(pub(crate) Faults);

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Faults(faults)) = self;
        match faults.len() {
            1 => f.write_str("one setting is wrong:")?,
            number => write!(f, "{number} settings are wrong:")?,
        }
        for fault in faults {
            write!(f, "\n  {fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SettingsError {}
