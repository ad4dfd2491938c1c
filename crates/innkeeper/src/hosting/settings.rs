//! Where the settings of the hosting server come from.

use std::path::{Path, PathBuf};

use clap::Args;
use innkeeper_hosting::config::{self, Config};
use innkeeper_service::settings::Reader;

use crate::auth::SettingFaults;

#[derive(Debug, Args)]
pub(super) struct Source {
    /// Settings in FILE win over .env and environment
    #[arg(short, long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
}

impl Source {
    /// A reader of the places that the command line names.
    pub(super) fn reader(&self) -> Reader {
        let reader = config::reader().from_process(Path::new("."));
        match &self.config {
            Some(file) => reader.with_given_file(file),
            None => reader,
        }
    }
}

/// Reads and checks all settings.
pub(super) fn read(reader: &mut Reader) -> Result<Config, SettingFaults> {
    Config::read(reader).map_err(SettingFaults)
}
