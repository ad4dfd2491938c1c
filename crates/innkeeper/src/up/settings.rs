//! The settings of `innkeeper up`: made once, then the person's to change.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use innkeeper_auth::config::{self, Config};
use innkeeper_hosting::config as hosting;
use innkeeper_service::random;
use innkeeper_service::settings::{Faults, Reader};
use serde_json::Value;

use super::Arguments;
use super::folder::DataFolder;
use crate::auth::SettingFaults;

/// Where the servers and the mailbox listen by themselves.
const AUTH_PORT: u16 = 8081;
const HOSTING_PORT: u16 = 8080;
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
HOSTING_HOST=127.0.0.1
HOSTING_PORT=8080
HOSTING_SITE_URL=http://localhost:3000
HOSTING_DRAIN_DELAY=0s
";

/// What is given to the servers where the person has not set it.
const AUTH_GIVEN: [&str; 3] = [
    "AUTH_DATABASE_URL",
    "AUTH_SMTP_HOST",
    "AUTH_API_EXTERNAL_URL",
];
const HOSTING_GIVEN: [&str; 2] = ["HOSTING_DATABASE_URL", "HOSTING_CONTENT_DIR"];

/// The settings of a new folder.
fn generate(arguments: &Arguments) -> String {
    let secret = format!(
        "{:032x}{:032x}",
        u128::from_le_bytes(random::bytes()),
        u128::from_le_bytes(random::bytes())
    );
    let auth_port = arguments.auth_port.unwrap_or(AUTH_PORT);
    let hosting_port = arguments.hosting_port.unwrap_or(HOSTING_PORT);
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

# Where the hosting server listens.
HOSTING_HOST={LOOPBACK}
HOSTING_PORT={hosting_port}

# The site that shows the articles, and whose pages may call the hosting server.
HOSTING_SITE_URL=http://localhost:3000
HOSTING_CORS_ORIGINS=http://localhost:*,http://127.0.0.1:*

# Another folder of articles than content/ beside this file:
# HOSTING_CONTENT_DIR=/srv/site

# Another database than the private PostgreSQL in this folder, for both servers:
# DATABASE_URL=postgres://user:password@localhost:5432/innkeeper
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
    /// What the person has set of what is otherwise given here.
    set: Vec<&'static str>,
}

/// The settings of both servers.
pub(super) struct Configs {
    pub(super) auth: Config,
    pub(super) hosting: hosting::Config,
}

impl<'f> Settings<'f> {
    /// Looks at what is set, by whatever source.
    pub(super) fn look(folder: &'f DataFolder, arguments: &Arguments) -> anyhow::Result<Self> {
        let generated = (!folder.settings().exists()).then(|| generate(arguments));
        let mut reader = auth_reader(folder.root(), generated.as_deref(), &[]);
        let mut hosting = hosting_reader(folder.root(), generated.as_deref(), &[]);
        let is_bare = |given: Option<u16>, reader: &mut Reader| {
            given.is_none() && reader.shown_name("PORT") == "PORT"
        };
        if is_bare(arguments.auth_port, &mut reader)
            || is_bare(arguments.hosting_port, &mut hosting)
        {
            bail!(
                "PORT is set, and `innkeeper up` has several ports: use --auth-port and \
                 --hosting-port, or AUTH_PORT and HOSTING_PORT, or unset it"
            );
        }
        let mut settings = Self {
            folder,
            generated,
            given: Vec::new(),
            set: Vec::new(),
        };
        for (reader, prefix, names) in [
            (&mut reader, "AUTH_", &AUTH_GIVEN[..]),
            (&mut hosting, "HOSTING_", &HOSTING_GIVEN[..]),
        ] {
            let names = names.iter().filter(|name| {
                let bare = name.strip_prefix(prefix).unwrap_or(name);
                reader.is_set(bare)
            });
            settings.set.extend(names);
        }
        if let Some(port) = arguments.hosting_port {
            settings.give("HOSTING_PORT", port.to_string());
        }
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

    fn has(&self, name: &str) -> bool {
        self.set.contains(&name)
    }

    /// Whether a database is named, so that none is started.
    pub(super) fn has_database(&self) -> bool {
        self.has("AUTH_DATABASE_URL")
    }

    /// Whether a mail server is named, so that the mailbox is not needed.
    pub(super) fn has_mail_server(&self) -> bool {
        self.has("AUTH_SMTP_HOST")
    }

    /// Whether a folder of articles is named, so that none is made.
    pub(super) fn has_content(&self) -> bool {
        self.has("HOSTING_CONTENT_DIR")
    }

    /// Articles are in this folder.
    pub(super) fn shows(&mut self, content: &Path) {
        self.give("HOSTING_CONTENT_DIR", content.display().to_string());
    }

    fn give(&mut self, name: &str, value: String) {
        self.given.push((name.to_owned(), value));
    }

    /// The auth server listens there.
    pub(super) fn listens(&mut self, host: &str, port: u16) {
        self.give("AUTH_PORT", port.to_string());
        if !self.has("AUTH_API_EXTERNAL_URL") {
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
    pub(super) fn read(&self) -> anyhow::Result<Configs> {
        let auth = self.read_auth();
        let database = auth.as_ref().ok();
        let hosting = self.read_hosting(database.map(|auth| auth.database.url.reveal().clone()));
        match (auth, hosting) {
            (Ok(auth), Ok(hosting)) => Ok(Configs { auth, hosting }),
            (auth, hosting) => {
                let faults = [auth.err(), hosting.err()].into_iter().flatten();
                let mut faults: Vec<_> = faults.flat_map(|Faults(faults)| faults).collect();
                // Both servers read some of them.
                faults.dedup_by_key(|fault| fault.to_string());
                let (faults, file) = (SettingFaults(Faults(faults)), self.folder.settings());
                let file = file.display();
                bail!("{faults}\nSettings come from {file} and the environment.")
            }
        }
    }

    /// One database for both servers, where no other is named for this one.
    fn read_hosting(&self, database: Option<String>) -> Result<hosting::Config, Faults> {
        let mut given = self.given.clone();
        let database = database.filter(|_| !self.has("HOSTING_DATABASE_URL"));
        given.extend(database.map(|url| ("HOSTING_DATABASE_URL".to_owned(), url)));
        let mut reader = hosting_reader(self.folder.root(), self.generated.as_deref(), &given);
        hosting::Config::read(&mut reader)
    }

    fn read_auth(&self) -> Result<Config, Faults> {
        let mut given = self.given.clone();
        let is_given = |name: &str| self.given.iter().any(|(given, _)| given == name);
        let stand_ins = ["postgres://localhost", LOOPBACK, "http://localhost"];
        for (name, stand_in) in AUTH_GIVEN.into_iter().zip(stand_ins) {
            if !self.has(name) && !is_given(name) {
                given.push((name.to_owned(), stand_in.to_owned()));
            }
        }
        let mut reader = auth_reader(self.folder.root(), self.generated.as_deref(), &given);
        Config::read(&mut reader)
    }
}

/// What a running `innkeeper up` says of itself.
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
            None => bail!("{} is not one of `innkeeper up`", self.path.display()),
        }
    }
}

/// The auth server's settings as an `innkeeper up` in this folder has them.
pub(crate) fn settings_of(folder: &Path) -> anyhow::Result<Reader> {
    let announced = Announcement::read(folder)?;
    let mut given = vec![
        (
            "AUTH_DATABASE_URL".to_owned(),
            announced.text("database_url")?,
        ),
        (
            "AUTH_API_EXTERNAL_URL".to_owned(),
            announced.text("auth_url")?,
        ),
    ];
    if !auth_reader(folder, None, &[]).is_set("SMTP_HOST") {
        given.push(("AUTH_SMTP_HOST".to_owned(), LOOPBACK.to_owned()));
        if let Some(port) = announced.document.get("mail_port").and_then(Value::as_u64) {
            given.push(("AUTH_SMTP_PORT".to_owned(), port.to_string()));
        }
    }
    Ok(auth_reader(folder, None, &given))
}

/// The same for the hosting server.
pub(crate) fn hosting_settings_of(folder: &Path) -> anyhow::Result<Reader> {
    let announced = Announcement::read(folder)?;
    let given = [
        (
            "HOSTING_DATABASE_URL".to_owned(),
            announced.text("hosting_database_url")?,
        ),
        (
            "HOSTING_CONTENT_DIR".to_owned(),
            announced.text("content_dir")?,
        ),
    ];
    Ok(hosting_reader(folder, None, &given))
}

fn auth_reader(folder: &Path, generated: Option<&str>, given: &[(String, String)]) -> Reader {
    sourced(config::reader(), folder, generated, given)
}

fn hosting_reader(folder: &Path, generated: Option<&str>, given: &[(String, String)]) -> Reader {
    sourced(hosting::reader(), folder, generated, given)
}

/// A reader of everything that holds under `innkeeper up`.
fn sourced(
    reader: Reader,
    folder: &Path,
    generated: Option<&str>,
    given: &[(String, String)],
) -> Reader {
    reader
        .with_env_file(DEFAULTS)
        .with_env_file(generated.unwrap_or_default())
        .from_process(folder)
        .with_environment(given.iter().cloned())
}

/// How clients on this machine reach a server that listens there.
pub(super) fn external_url(host: &str, port: u16) -> String {
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
