//! The settings of `innkeeper up`: generated at the first start, then the user's to change.

use std::path::Path;

use anyhow::bail;
use innkeeper_auth::config as auth;
use innkeeper_hosting::config as hosting;
use innkeeper_service::settings::{Faults, Reader};
use url::{Host, Url};

use super::address::{LOOPBACK, external_url};
use super::arguments::Arguments;
use super::demo_provider::{self, ProviderAccess};
use super::env_file::{generate, key_settings};
use super::folder::DataFolder;
use super::portal_settings;
use super::sources::{auth_reader, hosting_reader, with_sources};
use crate::settings::SettingsError;

/// Settings of the auth server for which `innkeeper up` provides a value, unless the user set one.
const AUTH_PROVIDED: [&str; 4] = [
    "AUTH_DATABASE_URL",
    "AUTH_SMTP_HOST",
    "AUTH_API_EXTERNAL_URL",
    "AUTH_SITE_URL",
];
/// Settings of the auth server that decide how text messages are sent. If the user set one of them, `innkeeper up`
/// provides none.
const SMS_SETTINGS: [&str; 3] = [
    "AUTH_EXTERNAL_PHONE_ENABLED",
    "AUTH_SMS_PROVIDER",
    "AUTH_HOOK_SEND_SMS_ENABLED",
];
/// Settings of the auth server that decide about passkeys. If the user set one of them, `innkeeper up` provides none.
const PASSKEY_SETTINGS: [&str; 3] = [
    "AUTH_PASSKEY_ENABLED",
    "AUTH_WEBAUTHN_RP_ID",
    "AUTH_WEBAUTHN_RP_ORIGINS",
];
/// Settings of the auth server that switch security keys on, each of which the user may set.
const KEY_SETTINGS: [&str; 2] = [
    "AUTH_MFA_WEB_AUTHN_ENROLL_ENABLED",
    "AUTH_MFA_WEB_AUTHN_VERIFY_ENABLED",
];
/// The name of the site on the pages of the auth server, which `innkeeper up` provides if the site is the start page.
const SITE_NAME: &str = "AUTH_PAGES_SITE_NAME";
/// Settings of the hosting server for which `innkeeper up` provides a value, unless the user set one.
const HOSTING_PROVIDED: [&str; 4] = [
    "HOSTING_DATABASE_URL",
    "HOSTING_CONTENT_DIR",
    "HOSTING_SITE_URL",
    "HOSTING_MACHINES_DIR",
];

/// The settings of a data folder and the values that `innkeeper up` provides. Holds secrets.
pub(super) struct Settings<'f> {
    folder: &'f DataFolder,
    /// What is to be added to the `.env`: all of it for a new folder, or what a folder of an earlier release
    /// lacks.
    generated: Option<String>,
    /// Values that override every other source.
    overrides: Vec<(String, String)>,
    /// Names of [`AUTH_PROVIDED`], [`SMS_SETTINGS`], [`PASSKEY_SETTINGS`], [`KEY_SETTINGS`], [`SITE_NAME`] and
    /// [`HOSTING_PROVIDED`] that the user has set.
    user_set: Vec<&'static str>,
    /// Whether the user has set a provider in the place of the demo provider.
    has_own_provider: bool,
}

/// The checked settings of both servers and the portal.
pub(super) struct Configs {
    pub(super) auth: auth::Config,
    pub(super) hosting: hosting::Config,
    pub(super) portal_port: u16,
}

impl<'f> Settings<'f> {
    /// Finds out which settings the user has set, in any source.
    pub(super) fn load(folder: &'f DataFolder, arguments: &Arguments) -> anyhow::Result<Self> {
        let generated = if folder.settings().exists() {
            let has_keys = hosting_reader(folder.root(), None, &[]).is_set("KEY_PEPPERS");
            (!has_keys).then(key_settings)
        } else {
            Some(generate(arguments))
        };
        let mut auth = auth_reader(folder.root(), generated.as_deref(), &[]);
        let mut hosting = hosting_reader(folder.root(), generated.as_deref(), &[]);
        let is_ambiguous = |argument: Option<u16>, reader: &mut Reader| {
            argument.is_none() && reader.shown_name("PORT") == "PORT"
        };
        if is_ambiguous(arguments.auth_port, &mut auth)
            || is_ambiguous(arguments.hosting_port, &mut hosting)
        {
            bail!(
                "PORT is set, but `innkeeper up` has several ports: unset it, or set the ports with \
                 --auth-port and --hosting-port, or with AUTH_PORT and HOSTING_PORT"
            );
        }
        let mut settings = Self {
            folder,
            generated,
            overrides: Vec::new(),
            user_set: Vec::new(),
            has_own_provider: demo_provider::setting_names().any(|name| auth.is_set(&name)),
        };
        let auth_names = [
            &AUTH_PROVIDED[..],
            &SMS_SETTINGS[..],
            &PASSKEY_SETTINGS[..],
            &KEY_SETTINGS[..],
            &[SITE_NAME][..],
        ];
        let auth_names = auth_names.concat();
        for (reader, prefix, names) in [
            (&mut auth, "AUTH_", &auth_names[..]),
            (&mut hosting, "HOSTING_", &HOSTING_PROVIDED[..]),
        ] {
            let names = names.iter().filter(|name| {
                let bare = name.strip_prefix(prefix).unwrap_or(name);
                reader.is_set(bare)
            });
            settings.user_set.extend(names);
        }
        for (name, port) in [
            ("HOSTING_PORT", arguments.hosting_port),
            ("AUTH_PORT", arguments.auth_port),
            ("PORTAL_PORT", arguments.portal_port),
            ("AUTH_SMTP_PORT", arguments.mail_port),
        ] {
            if let Some(port) = port {
                settings.set(name, port.to_string());
            }
        }
        Ok(settings)
    }

    /// Writes the `.env` of a new folder, or adds what it lacks.
    pub(super) fn save(&self) -> anyhow::Result<()> {
        match &self.generated {
            Some(text) => self.folder.append(".env", text),
            None => Ok(()),
        }
    }

    fn is_user_set(&self, name: &str) -> bool {
        self.user_set.contains(&name)
    }

    /// Whether the user named a database, so that no private PostgreSQL is started.
    pub(super) fn has_database(&self) -> bool {
        self.is_user_set("AUTH_DATABASE_URL")
    }

    /// Whether the user named a mail server, so that no mailbox is started.
    pub(super) fn has_mail_server(&self) -> bool {
        self.is_user_set("AUTH_SMTP_HOST")
    }

    /// Whether the user named a content folder, so that no demo content is written.
    pub(super) fn has_content(&self) -> bool {
        self.is_user_set("HOSTING_CONTENT_DIR")
    }

    /// Makes the auth server know the demo provider; `None` if the user has a provider of that name.
    pub(super) fn add_demo_provider(
        &mut self,
        portal_url: &str,
    ) -> anyhow::Result<Option<ProviderAccess>> {
        if self.has_own_provider {
            return Ok(None);
        }
        let auth_url = self.read()?.auth.api.external_url;
        let access = ProviderAccess::register(portal_url, auth_url.as_str());
        self.overrides.extend(access.settings());
        Ok(Some(access))
    }

    fn set(&mut self, name: &str, value: String) {
        self.overrides.push((name.to_owned(), value));
    }

    /// Sets the folder of the content.
    pub(super) fn set_content(&mut self, content: &Path) {
        self.set("HOSTING_CONTENT_DIR", content.display().to_string());
    }

    /// Sets the folder of machines, unless the user set one.
    pub(super) fn set_machines(&mut self, machines: &Path) {
        if !self.is_user_set("HOSTING_MACHINES_DIR") {
            self.set("HOSTING_MACHINES_DIR", machines.display().to_string());
        }
    }

    /// Sets the port on which the auth server listens, and its URL unless the user set one. Passkeys work on its pages
    /// at `localhost`.
    pub(super) fn set_auth_address(&mut self, host: &str, port: u16) {
        self.set("AUTH_PORT", port.to_string());
        if self.is_user_set("AUTH_API_EXTERNAL_URL") {
            return;
        }
        let url = external_url(host, port);
        let passkeys = passkey_settings(&url, |name| self.is_user_set(name));
        self.overrides.extend(passkeys);
        self.set("AUTH_API_EXTERNAL_URL", url);
    }

    /// Makes the start page the site of each server for which the user named no other.
    pub(super) fn set_portal(&mut self, portal_url: &str) {
        if !self.is_user_set("AUTH_SITE_URL") && !self.is_user_set(SITE_NAME) {
            self.set(SITE_NAME, "Innkeeper".to_owned());
        }
        for name in ["AUTH_SITE_URL", "HOSTING_SITE_URL"] {
            if !self.is_user_set(name) {
                self.set(name, portal_url.to_owned());
            }
        }
    }

    /// Sends mail to the mailbox on this port, and text messages too unless the user set how they are sent.
    pub(super) fn set_mailbox(&mut self, port: u16) {
        self.set("AUTH_SMTP_HOST", LOOPBACK.to_owned());
        self.set("AUTH_SMTP_PORT", port.to_string());
        if !SMS_SETTINGS.into_iter().any(|name| self.is_user_set(name)) {
            self.set("AUTH_EXTERNAL_PHONE_ENABLED", "true".to_owned());
            self.set("AUTH_SMS_PROVIDER", "mailbox".to_owned());
        }
    }

    /// Sets the URL of the private PostgreSQL.
    pub(super) fn set_database(&mut self, database_url: String) {
        self.set("AUTH_DATABASE_URL", database_url);
    }

    /// Reads and checks all settings. Placeholders stand in for values that are not known yet, so that
    /// every error is found before anything is started.
    pub(super) fn read(&self) -> anyhow::Result<Configs> {
        let auth = self.read_auth();
        let database = auth.as_ref().ok();
        let hosting = self.read_hosting(database.map(|auth| auth.database.url.reveal().clone()));
        match (auth, hosting, self.read_portal_port()) {
            (Ok(auth), Ok(hosting), Ok(portal_port)) => Ok(Configs {
                auth,
                hosting,
                portal_port,
            }),
            (auth, hosting, portal) => {
                let faults = [auth.err(), hosting.err(), portal.err()]
                    .into_iter()
                    .flatten();
                let mut faults: Vec<_> = faults.flat_map(|Faults(faults)| faults).collect();
                // Both servers read some of the settings.
                faults.dedup_by_key(|fault| fault.to_string());
                let (error, file) = (SettingsError(Faults(faults)), self.folder.settings());
                let file = file.display();
                bail!("{error}\nSettings come from {file} and the environment.")
            }
        }
    }

    fn read_portal_port(&self) -> Result<u16, Faults> {
        portal_settings::port(&mut with_sources(
            portal_settings::reader(),
            self.folder.root(),
            self.generated.as_deref(),
            &self.overrides,
        ))
    }

    /// Reads the hosting server's settings. It shares the auth server's database unless the user named
    /// another for it.
    fn read_hosting(&self, database: Option<String>) -> Result<hosting::Config, Faults> {
        let mut overrides = self.overrides.clone();
        let database = database.filter(|_| !self.is_user_set("HOSTING_DATABASE_URL"));
        overrides.extend(database.map(|url| ("HOSTING_DATABASE_URL".to_owned(), url)));
        let mut reader = hosting_reader(self.folder.root(), self.generated.as_deref(), &overrides);
        hosting::Config::read(&mut reader)
    }

    fn read_auth(&self) -> Result<auth::Config, Faults> {
        let mut overrides = self.overrides.clone();
        let is_known = |name: &str| self.overrides.iter().any(|(known, _)| known == name);
        let url = "http://localhost";
        let placeholders = ["postgres://localhost", LOOPBACK, url, url];
        for (name, placeholder) in AUTH_PROVIDED.into_iter().zip(placeholders) {
            if !self.is_user_set(name) && !is_known(name) {
                overrides.push((name.to_owned(), placeholder.to_owned()));
            }
        }
        // The mailbox will take the text messages, too.
        let sets_sms = SMS_SETTINGS.into_iter().any(|name| self.is_user_set(name));
        if !self.has_mail_server() && !sets_sms && !is_known("AUTH_SMS_PROVIDER") {
            overrides.push(("AUTH_SMS_PROVIDER".to_owned(), "mailbox".to_owned()));
        }
        let mut reader = auth_reader(self.folder.root(), self.generated.as_deref(), &overrides);
        auth::Config::read(&mut reader)
    }
}

/// Returns the settings with which passkeys and security keys work on the pages of an auth server that is reachable at
/// this URL. There are none for another machine than this one, because browsers offer passkeys at `localhost` and over
/// HTTPS only, and none in the place of the user's.
pub(super) fn passkey_settings(
    auth_url: &str,
    mut is_user_set: impl FnMut(&str) -> bool,
) -> Vec<(String, String)> {
    let url = Url::parse(auth_url).ok().filter(is_this_machine);
    let sets_passkeys = PASSKEY_SETTINGS.into_iter().any(&mut is_user_set);
    let Some(url) = url.filter(|_| !sets_passkeys) else {
        return Vec::new();
    };
    let port = url.port().map(|port| format!(":{port}"));
    let origin = format!("http://localhost{}", port.unwrap_or_default());
    let passkeys = PASSKEY_SETTINGS
        .into_iter()
        .zip(["true", "localhost", &origin]);
    let keys = KEY_SETTINGS.into_iter().filter(|name| !is_user_set(name));
    let settings = passkeys.chain(keys.map(|name| (name, "true")));
    settings
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::passkey_settings;

    #[test]
    fn passkeys_are_for_the_name_of_this_machine() {
        for url in [
            "http://127.0.0.1:8081",
            "http://localhost:8081",
            "http://[::1]:8081",
        ] {
            let settings = passkey_settings(url, |_| false);
            let origins = (
                "AUTH_WEBAUTHN_RP_ORIGINS".to_owned(),
                "http://localhost:8081".to_owned(),
            );
            assert_eq!(settings.len(), 5);
            assert!(settings.contains(&origins), "{settings:?}");
        }
        for url in ["http://inn.example:8081", "http://10.0.0.1:8081"] {
            assert!(passkey_settings(url, |_| false).is_empty(), "{url}");
        }
    }

    #[test]
    fn what_the_user_has_set_about_passkeys_stays() {
        let url = "http://127.0.0.1:8081";
        let set = |own: &'static str| passkey_settings(url, move |name| name == own);
        assert!(set("AUTH_WEBAUTHN_RP_ORIGINS").is_empty());
        let settings = set("AUTH_MFA_WEB_AUTHN_VERIFY_ENABLED");
        assert_eq!(settings.len(), 4, "{settings:?}");
    }
}
