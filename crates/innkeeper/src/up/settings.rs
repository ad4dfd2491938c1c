//! The settings of `innkeeper up`: made once, then the person's to change.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use innkeeper_auth::config::{self, Config};
use innkeeper_service::random;
use innkeeper_service::settings::Reader;
use serde_json::Value;

use super::Arguments;
use super::folder::DataFolder;
use crate::auth;

/// Where the auth server and the mailbox listen by themselves.
const AUTH_PORT: u16 = 8081;
const MAIL_PORT: u16 = 2525;

/// The host of everything that only this machine should reach.
pub(super) const LOOPBACK: &str = "127.0.0.1";

/// What holds when nobody says otherwise.
const DEFAULTS: &str = "\
AUTH_DB_DRIVER=postgres
AUTH_API_HOST=127.0.0.1
AUTH_PORT=8081
AUTH_SITE_URL=http://localhost:3000
AUTH_SMTP_PORT=2525
AUTH_SMTP_ADMIN_EMAIL=innkeeper@example.com
AUTH_SMTP_SENDER_NAME=Innkeeper
AUTH_RATE_LIMIT_EMAIL_SENT=10000
";

/// The settings of a new folder.
fn generate(arguments: &Arguments) -> String {
    let secret = format!(
        "{:032x}{:032x}",
        u128::from_le_bytes(random::bytes()),
        u128::from_le_bytes(random::bytes())
    );
    let auth_port = arguments.auth_port.unwrap_or(AUTH_PORT);
    let mail_port = arguments.mail_port.unwrap_or(MAIL_PORT);
    format!(
        "\
# The settings of `innkeeper up` in this folder, made at its first start. They hold from the next
# start on. The environment wins over this file. docs/settings.md lists all settings.

# Which column of defaults applies, std or gotrue.
AUTH_PROFILE=std

# Everything secret hangs on this: keep it. With another one the stored keys cannot be opened.
AUTH_JWT_SECRET={secret}

# The audience of new users and their tokens.
AUTH_JWT_AUD=authenticated

# Where the auth server listens. Without a host it listens on every address of this machine.
AUTH_API_HOST={LOOPBACK}
AUTH_PORT={auth_port}

# Where users land after following a link, and where else they may be sent.
AUTH_SITE_URL=http://localhost:3000
AUTH_URI_ALLOW_LIST=http://127.0.0.1:*,http://127.0.0.1:*/**

# Mail goes to the mailbox of `innkeeper up`, which listens on this port and prints what arrives. With
# AUTH_SMTP_HOST it goes to that server instead; AUTH_SMTP_USER and AUTH_SMTP_PASS sign in there.
AUTH_SMTP_PORT={mail_port}
AUTH_SMTP_ADMIN_EMAIL=innkeeper@example.com
AUTH_SMTP_SENDER_NAME=Innkeeper

# How long an address waits for its next mail. Short, for trying things out.
AUTH_SMTP_MAX_FREQUENCY=1s

# How many mails all addresses together get in an hour. Many, for the same reason.
AUTH_RATE_LIMIT_EMAIL_SENT=10000

# Another database than the private PostgreSQL in this folder:
# AUTH_DATABASE_URL=postgres://user:password@localhost:5432/innkeeper
"
    )
}

/// The settings, and what `innkeeper up` puts in where the person has not. Secrets are among them.
pub(super) struct Settings<'f> {
    folder: &'f DataFolder,
    /// What a new folder starts with.
    generated: Option<String>,
    /// Stronger than every other source.
    given: Vec<(String, String)>,
    has_database: bool,
    has_mail_server: bool,
    has_external_url: bool,
}

impl<'f> Settings<'f> {
    /// Looks at what is set, by whatever source.
    pub(super) fn look(folder: &'f DataFolder, arguments: &Arguments) -> anyhow::Result<Self> {
        let generated = (!folder.settings().exists()).then(|| generate(arguments));
        let mut reader = reader(folder.root(), generated.as_deref(), &[]);
        if arguments.auth_port.is_none() && reader.shown_name("PORT") == "PORT" {
            bail!(
                "PORT is set, and `innkeeper up` has several ports: use --auth-port or AUTH_PORT, \
                 or unset it"
            );
        }
        let mut settings = Self {
            folder,
            generated,
            given: Vec::new(),
            has_database: reader.is_set("DATABASE_URL"),
            has_mail_server: reader.is_set("SMTP_HOST"),
            has_external_url: reader.is_set("API_EXTERNAL_URL"),
        };
        if let Some(port) = arguments.auth_port {
            settings.give("AUTH_PORT", port.to_string());
        }
        if let Some(port) = arguments.mail_port {
            settings.give("AUTH_SMTP_PORT", port.to_string());
        }
        Ok(settings)
    }

    /// Writes down the settings of a new folder.
    pub(super) fn keep(&self) -> anyhow::Result<()> {
        match &self.generated {
            Some(text) => self.folder.write(".env", text),
            None => Ok(()),
        }
    }

    /// Whether a database is named, so that none is started.
    pub(super) fn has_database(&self) -> bool {
        self.has_database
    }

    /// Whether a mail server is named, so that the mailbox is not needed.
    pub(super) fn has_mail_server(&self) -> bool {
        self.has_mail_server
    }

    fn give(&mut self, name: &str, value: String) {
        self.given.push((name.to_owned(), value));
    }

    /// The auth server listens there.
    pub(super) fn listens(&mut self, host: &str, port: u16) {
        self.give("AUTH_PORT", port.to_string());
        if !self.has_external_url {
            self.give("AUTH_API_EXTERNAL_URL", external_url(host, port));
        }
    }

    /// The mailbox listens there.
    pub(super) fn takes_mail(&mut self, port: u16) {
        self.give("AUTH_SMTP_HOST", LOOPBACK.to_owned());
        self.give("AUTH_SMTP_PORT", port.to_string());
    }

    /// The private database is there.
    pub(super) fn keeps_data(&mut self, database_url: String) {
        self.give("AUTH_DATABASE_URL", database_url);
    }

    /// Reads all settings. What is not known yet is stood in for, so that every fault is found before
    /// anything is started.
    pub(super) fn read(&self) -> anyhow::Result<Config> {
        let mut given = self.given.clone();
        let is_given = |name: &str| self.given.iter().any(|(given, _)| given == name);
        for (is_set, name, stand_in) in [
            (
                self.has_database,
                "AUTH_DATABASE_URL",
                "postgres://localhost",
            ),
            (self.has_mail_server, "AUTH_SMTP_HOST", LOOPBACK),
            (
                self.has_external_url,
                "AUTH_API_EXTERNAL_URL",
                "http://localhost",
            ),
        ] {
            if !is_set && !is_given(name) {
                given.push((name.to_owned(), stand_in.to_owned()));
            }
        }
        let mut reader = reader(self.folder.root(), self.generated.as_deref(), &given);
        auth::read(&mut reader).map_err(|faults| {
            let file = self.folder.settings();
            anyhow!(
                "{faults}\nSettings come from {} and the environment.",
                file.display()
            )
        })
    }
}

/// The auth server's settings as an `innkeeper up` in this folder has them.
pub(crate) fn settings_of(folder: &Path) -> anyhow::Result<Reader> {
    let path = folder.join("up.json");
    let text = fs::read_to_string(&path).map_err(|error| {
        anyhow!(
            "no `innkeeper up` runs in {}: up.json: {error}",
            folder.display()
        )
    })?;
    let document: Value =
        serde_json::from_str(&text).with_context(|| format!("cannot read {}", path.display()))?;
    let text = |name: &str| {
        document
            .get(name)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let (Some(database), Some(url)) = (text("database_url"), text("auth_url")) else {
        bail!("{} is not one of `innkeeper up`", path.display());
    };
    let mut given = vec![
        ("AUTH_DATABASE_URL".to_owned(), database),
        ("AUTH_API_EXTERNAL_URL".to_owned(), url),
    ];
    if !reader(folder, None, &[]).is_set("SMTP_HOST") {
        given.push(("AUTH_SMTP_HOST".to_owned(), LOOPBACK.to_owned()));
    }
    Ok(reader(folder, None, &given))
}

fn reader(folder: &Path, generated: Option<&str>, given: &[(String, String)]) -> Reader {
    config::reader()
        .with_env_file(DEFAULTS)
        .with_env_file(generated.unwrap_or_default())
        .from_process(folder)
        .with_environment(given.iter().cloned())
}

/// How clients on this machine reach a server that listens there.
fn external_url(host: &str, port: u16) -> String {
    match host {
        "" | "0.0.0.0" | "::" | "[::]" => format!("http://localhost:{port}"),
        host if host.contains(':') && !host.starts_with('[') => format!("http://[{host}]:{port}"),
        host => format!("http://{host}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::external_url;

    #[test]
    fn the_address_follows_the_host() {
        for (host, url) in [
            ("127.0.0.1", "http://127.0.0.1:8081"),
            ("", "http://localhost:8081"),
            ("0.0.0.0", "http://localhost:8081"),
            ("::1", "http://[::1]:8081"),
            ("[::1]", "http://[::1]:8081"),
            ("inn.example", "http://inn.example:8081"),
        ] {
            assert_eq!(external_url(host, 8081), url);
        }
    }
}
