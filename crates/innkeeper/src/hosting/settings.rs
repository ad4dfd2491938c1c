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

impl Source {
    /// A reader of the places that the command line names.
    pub(super) fn reader(&self) -> anyhow::Result<Reader> {
        if let Some(folder) = &self.data_dir {
            return up::hosting_settings_of(folder);
        }
        let reader = config::reader().from_process(Path::new("."));
        Ok(match &self.config {
            Some(file) => reader.with_given_file(file),
            None => reader,
        })
    }
}

/// Reads and checks all settings.
pub(super) fn read(reader: &mut Reader) -> Result<Config, SettingFaults> {
    Config::read(reader).map_err(SettingFaults)
}
