//! Reads `up.json`, the file by which a running `innkeeper up` announces itself to other commands.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use innkeeper_service::settings::Reader;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use serde_json::Value;

use super::address::LOOPBACK;
use super::demo_provider::ProviderAccess;
use super::folder;
use super::settings::passkey_settings;
use super::sources::{auth_reader, hosting_reader};

/// The content of an `up.json`. Holds secrets.
pub(crate) struct Announcement {
    folder: PathBuf,
    document: Value,
}

/// Returns the announcement of the `innkeeper up` that runs in a folder. One that was killed leaves its file behind,
/// which does not count.
pub(crate) fn find_running(folder: &Path) -> Option<Announcement> {
    let announcement = Announcement::read(folder).ok()?;
    announcement.is_running().then_some(announcement)
}

impl Announcement {
    fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join("up.json");
        let text = fs::read_to_string(&path).map_err(|error| {
            anyhow!(
                "no `innkeeper up` runs in {}: up.json: {error}",
                folder.display()
            )
        })?;
        let document = serde_json::from_str(&text)
            .with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self {
            folder: folder.to_owned(),
            document,
        })
    }

    /// Returns a text of the file, which must have it.
    pub(crate) fn text(&self, name: &str) -> anyhow::Result<String> {
        match self.optional_text(name) {
            Some(text) => Ok(text.to_owned()),
            None => bail!(
                "{} was not written by `innkeeper up`: it has no `{name}`",
                self.folder.join("up.json").display()
            ),
        }
    }

    /// Returns a text of the file, if it has it.
    pub(crate) fn optional_text(&self, name: &str) -> Option<&str> {
        self.document.get(name).and_then(Value::as_str)
    }

    /// Returns a whole number of the file, if it has it.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.document.get(name).and_then(Value::as_u64)
    }

    /// Whether the process that wrote the file still runs.
    fn is_running(&self) -> bool {
        let pid = self.number("pid").and_then(|pid| i32::try_from(pid).ok());
        let Some(pid) = pid.and_then(Pid::from_raw) else {
            return false;
        };
        // Another process may have the id by now, but not the lock. The lock is tried last, because the attempt
        // could keep a new `innkeeper up` from starting.
        let is_alive = !matches!(test_kill_process(pid), Err(Errno::SRCH));
        is_alive && folder::is_locked(&self.folder)
    }

    /// Returns a reader of the auth server's settings, as the `innkeeper up` has them.
    pub(crate) fn auth_settings(&self) -> anyhow::Result<Reader> {
        let folder = &self.folder;
        let mut overrides = vec![
            ("AUTH_DATABASE_URL".to_owned(), self.text("database_url")?),
            ("AUTH_API_EXTERNAL_URL".to_owned(), self.text("auth_url")?),
        ];
        let mut reader = auth_reader(folder, None, &[]);
        if !reader.is_set("SITE_URL") {
            let site = self.text("portal_url")?;
            overrides.push(("AUTH_SITE_URL".to_owned(), site));
        }
        let auth_url = self.text("auth_url")?;
        if !reader.is_set("API_EXTERNAL_URL") {
            overrides.extend(passkey_settings(&auth_url, |name| {
                reader.is_set(name.strip_prefix("AUTH_").unwrap_or(name))
            }));
        }
        if !reader.is_set("SMTP_HOST") {
            overrides.push(("AUTH_SMTP_HOST".to_owned(), LOOPBACK.to_owned()));
            if let Some(port) = self.number("mail_port") {
                overrides.push(("AUTH_SMTP_PORT".to_owned(), port.to_string()));
            }
        }
        let provider = self.document.get("demo_provider");
        if let Some(provider) = provider.filter(|provider| !provider.is_null()) {
            overrides.extend(ProviderAccess::from_document(provider, &auth_url)?.settings());
        }
        Ok(auth_reader(folder, None, &overrides))
    }

    /// Returns a reader of the hosting server's settings, as the `innkeeper up` has them.
    pub(crate) fn hosting_settings(&self) -> anyhow::Result<Reader> {
        let folder = &self.folder;
        let mut overrides = vec![
            (
                "HOSTING_DATABASE_URL".to_owned(),
                self.text("hosting_database_url")?,
            ),
            ("HOSTING_CONTENT_DIR".to_owned(), self.text("content_dir")?),
        ];
        if let Some(machines) = self.optional_text("machines_dir") {
            overrides.push(("HOSTING_MACHINES_DIR".to_owned(), machines.to_owned()));
        }
        if !hosting_reader(folder, None, &[]).is_set("SITE_URL") {
            let site = self.text("portal_url")?;
            overrides.push(("HOSTING_SITE_URL".to_owned(), site));
        }
        Ok(hosting_reader(folder, None, &overrides))
    }
}

/// Returns a reader of the auth server's settings, as the `innkeeper up` of this folder has or had them.
pub(crate) fn auth_settings_of(folder: &Path) -> anyhow::Result<Reader> {
    Announcement::read(folder)?.auth_settings()
}

/// Returns a reader of the hosting server's settings, as the `innkeeper up` of this folder has or had them.
pub(crate) fn hosting_settings_of(folder: &Path) -> anyhow::Result<Reader> {
    Announcement::read(folder)?.hosting_settings()
}
