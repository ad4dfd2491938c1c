//! The options that say which server's settings a command uses: those of a file, or of a running `innkeeper up`.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use innkeeper_auth::config as auth;
use innkeeper_hosting::config as hosting;
use innkeeper_service::settings::Reader;

use crate::output;
use crate::settings::{auth_reader, hosting_reader, read_auth, read_hosting};
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
    /// Returns a reader of the settings that an auth server is started with.
    pub(crate) fn auth_server_reader(&self) -> anyhow::Result<Reader> {
        match &self.data_dir {
            Some(folder) => up::auth_settings_of(folder),
            None => auth_reader(self.config.as_deref()),
        }
    }

    /// Reads and checks the settings that an auth server is started with.
    pub(crate) fn auth_server_config(&self) -> anyhow::Result<auth::Config> {
        Ok(read_auth(&mut self.auth_server_reader()?)?)
    }

    /// Returns a reader of the settings of the auth server to act on: if no option and no setting names one, those
    /// of the `innkeeper up` that runs here.
    pub(crate) fn auth_reader(&self) -> anyhow::Result<Reader> {
        let mut reader = self.auth_server_reader()?;
        if self.is_given() || has_own_auth(&mut reader) {
            return Ok(reader);
        }
        let folder = Path::new(up::DATA_DIR);
        match up::find_running(folder) {
            Some(announcement) => {
                tell_of(folder);
                announcement.auth_settings()
            }
            None if folder.exists() => bail!(
                "the settings name no auth server, and no `innkeeper up` runs in {}; start it, or pass a \
                 settings file with -c",
                folder.display()
            ),
            None => Ok(reader),
        }
    }

    /// Reads and checks the settings of the auth server to act on.
    pub(crate) fn auth_config(&self) -> anyhow::Result<auth::Config> {
        Ok(read_auth(&mut self.auth_reader()?)?)
    }

    /// Returns a reader of the settings that a hosting server is started with.
    pub(crate) fn hosting_server_reader(&self) -> anyhow::Result<Reader> {
        match &self.data_dir {
            Some(folder) => up::hosting_settings_of(folder),
            None => hosting_reader(self.config.as_deref()),
        }
    }

    /// Returns a reader of the settings of the hosting server to act on; see [`auth_reader`](Self::auth_reader).
    pub(crate) fn hosting_reader(&self) -> anyhow::Result<Reader> {
        let mut reader = self.hosting_server_reader()?;
        if self.is_given() || has_own_hosting(&mut reader) {
            return Ok(reader);
        }
        let folder = Path::new(up::DATA_DIR);
        match up::find_running(folder) {
            Some(announcement) => {
                tell_of(folder);
                announcement.hosting_settings()
            }
            None => Ok(reader),
        }
    }

    /// Reads and checks the settings of the hosting server to act on.
    pub(crate) fn hosting_config(&self) -> anyhow::Result<hosting::Config> {
        Ok(read_hosting(&mut self.hosting_reader()?)?)
    }

    /// Whether an option names the source.
    fn is_given(&self) -> bool {
        self.config.is_some() || self.data_dir.is_some()
    }
}

/// Whether settings are meant for an auth server of their own: one needs a secret, and `innkeeper up` has one in its
/// folder.
pub(crate) fn has_own_auth(reader: &mut Reader) -> bool {
    reader.is_set("JWT_SECRET")
}

/// Whether settings are meant for a hosting server of their own. A bare `DATABASE_URL` may be that of the `innkeeper
/// up`.
fn has_own_hosting(reader: &mut Reader) -> bool {
    let database = "DATABASE_URL";
    let has_database = reader.is_set(database) && reader.shown_name(database) != database;
    has_database || reader.is_set("CONTENT_DIR") || reader.is_set("KEY_PEPPERS")
}

fn tell_of(folder: &Path) {
    let folder = folder.display();
    output::tell(&format!("Using the `innkeeper up` in {folder}."));
}
