//! Where the settings of the auth server come from, and what is wrong with them.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;
use innkeeper_auth::config::{self, Config};
use innkeeper_service::settings::{Faults, Reader};

use crate::up;

#[derive(Debug, Args)]
pub(super) struct Source {
    /// Settings in FILE win over .env and environment
    #[arg(short, long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Act on the `innkeeper up` that runs in DIR
    #[arg(long, value_name = "DIR", global = true, conflicts_with = "config")]
    data_dir: Option<PathBuf>,
}

/// Settings that are wrong, all of them.
#[derive(Debug)]
pub(crate) struct SettingFaults(pub(crate) Faults);

impl fmt::Display for SettingFaults {
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

impl std::error::Error for SettingFaults {}

/// Reads and checks all settings.
pub(crate) fn read(reader: &mut Reader) -> Result<Config, SettingFaults> {
    Config::read(reader).map_err(SettingFaults)
}

/// A reader of .env, of the environment and of the file that is named, which wins.
pub(crate) fn reader(file: Option<&Path>) -> Reader {
    let reader = config::reader().from_process(Path::new("."));
    match file {
        Some(file) => reader.with_given_file(file),
        None => reader,
    }
}

impl Source {
    /// A reader of the places that the command line names.
    pub(super) fn reader(&self) -> anyhow::Result<Reader> {
        if let Some(folder) = &self.data_dir {
            return up::settings_of(folder);
        }
        Ok(reader(self.config.as_deref()))
    }

    pub(super) fn read(&self) -> anyhow::Result<Config> {
        Ok(read(&mut self.reader()?)?)
    }
}
