//! The settings of both servers, read from a file, `.env` and the environment, and the errors in them.

use std::fmt;
use std::path::Path;

use anyhow::anyhow;
use innkeeper_auth::config as auth;
use innkeeper_hosting::config as hosting;
use innkeeper_service::settings::{Faults, Reader};

/// Returns a reader of `.env`, the environment and, above both, a file.
pub(crate) fn auth_reader(file: Option<&Path>) -> anyhow::Result<Reader> {
    with_sources(auth::reader(), file)
}

/// Returns a reader of `.env`, the environment and, above both, a file.
pub(crate) fn hosting_reader(file: Option<&Path>) -> anyhow::Result<Reader> {
    with_sources(hosting::reader(), file)
}

fn with_sources(reader: Reader, file: Option<&Path>) -> anyhow::Result<Reader> {
    let reader = reader.from_process(Path::new("."));
    let Some(file) = file else {
        return Ok(reader);
    };
    let read = reader.with_given_file(file);
    read.map_err(|error| anyhow!("cannot read the settings file {}: {error}", file.display()))
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
