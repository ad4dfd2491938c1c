//! Reads `up.json`, the file by which a running `innkeeper up` announces itself to other commands.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use innkeeper_service::settings::Reader;
use serde_json::Value;

use super::address::LOOPBACK;
use super::demo_provider::ProviderAccess;
use super::sources::{auth_reader, hosting_reader};

/// The content of an `up.json`.
struct Announcement {
    path: PathBuf,
    document: Value,
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
        Ok(Self { path, document })
    }

    fn text(&self, name: &str) -> anyhow::Result<String> {
        match self.document.get(name).and_then(Value::as_str) {
            Some(text) => Ok(text.to_owned()),
            None => bail!(
                "{} was not written by `innkeeper up`: it has no `{name}`",
                self.path.display()
            ),
        }
    }
}

/// Returns a reader of the auth server's settings, as the `innkeeper up` that runs in this folder has
/// them.
pub(crate) fn auth_settings_of(folder: &Path) -> anyhow::Result<Reader> {
    let announcement = Announcement::read(folder)?;
    let mut overrides = vec![
        (
            "AUTH_DATABASE_URL".to_owned(),
            announcement.text("database_url")?,
        ),
        (
            "AUTH_API_EXTERNAL_URL".to_owned(),
            announcement.text("auth_url")?,
        ),
    ];
    let mut reader = auth_reader(folder, None, &[]);
    if !reader.is_set("SITE_URL") {
        let site = announcement.text("portal_url")?;
        overrides.push(("AUTH_SITE_URL".to_owned(), site));
    }
    if !reader.is_set("SMTP_HOST") {
        overrides.push(("AUTH_SMTP_HOST".to_owned(), LOOPBACK.to_owned()));
        let port = announcement.document.get("mail_port");
        if let Some(port) = port.and_then(Value::as_u64) {
            overrides.push(("AUTH_SMTP_PORT".to_owned(), port.to_string()));
        }
    }
    let provider = announcement.document.get("demo_provider");
    if let Some(provider) = provider.filter(|provider| !provider.is_null()) {
        let auth_url = announcement.text("auth_url")?;
        overrides.extend(ProviderAccess::from_document(provider, &auth_url)?.settings());
    }
    Ok(auth_reader(folder, None, &overrides))
}

/// Returns a reader of the hosting server's settings, as the `innkeeper up` that runs in this folder
/// has them.
pub(crate) fn hosting_settings_of(folder: &Path) -> anyhow::Result<Reader> {
    let announcement = Announcement::read(folder)?;
    let mut overrides = vec![
        (
            "HOSTING_DATABASE_URL".to_owned(),
            announcement.text("hosting_database_url")?,
        ),
        (
            "HOSTING_CONTENT_DIR".to_owned(),
            announcement.text("content_dir")?,
        ),
    ];
    if !hosting_reader(folder, None, &[]).is_set("SITE_URL") {
        let site = announcement.text("portal_url")?;
        overrides.push(("HOSTING_SITE_URL".to_owned(), site));
    }
    Ok(hosting_reader(folder, None, &overrides))
}
