//! Where the settings of the hosting server come from.

use std::path::{Path, PathBuf};

use clap::Args;
use innkeeper_hosting::config::{self, Config};
use innkeeper_service::settings::Reader;

use crate::auth::SettingFaults;
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
            return up::hosting_settings_of(folder);
        }
        Ok(reader(self.config.as_deref()))
    }
}

/// Reads and checks all settings.
pub(super) fn read(reader: &mut Reader) -> Result<Config, SettingFaults> {
    Config::read(reader).map_err(SettingFaults)
}
