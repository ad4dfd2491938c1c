//! What `innkeeper up` reports once everything runs: a banner for people, JSON for programs.

use std::path::{Path, PathBuf};

use innkeeper_hosting::model::MachineKind;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::demo::Demo;
use super::demo_provider::ProviderAccess;
use crate::output::Colours;

/// The width of the texts of the banner, beside their names.
const TEXT_WIDTH: usize = 68;

/// The addresses and tokens of a running `innkeeper up`. Holds secrets.
pub(super) struct ConnectionInfo {
    pub(super) auth_url: String,
    /// Ends in `/v1`.
    pub(super) hosting_url: String,
    pub(super) hosting_database_url: String,
    /// The URL of the start page; the mailbox is at `/mailbox`.
    pub(super) portal_url: String,
    pub(super) content_dir: PathBuf,
    /// The folder of machines; `None` without them.
    pub(super) machines_dir: Option<PathBuf>,
    pub(super) log_file: PathBuf,
    pub(super) started_at: Timestamp,
    pub(super) database_url: String,
    pub(super) service_role_token: String,
    pub(super) anon_token: String,
    /// The port of the mailbox; `None` if mail goes to another server.
    pub(super) mail_port: Option<u16>,
    /// Whether the database is the private PostgreSQL.
    pub(super) has_cluster: bool,
    /// The demo customer and machines; `None` without machines.
    pub(super) demo: Option<Demo>,
    /// The demo provider; `None` if the settings have another one in its place.
    pub(super) provider: Option<ProviderAccess>,
    /// Whether the auth server has pages for people.
    pub(super) has_pages: bool,
}

impl ConnectionInfo {
    /// Returns the text of `up.json`, which holds secrets.
    pub(super) fn document(&self) -> String {
        let document = json!({
            "auth_url": self.auth_url,
            "hosting_url": self.hosting_url,
            "portal_url": self.portal_url,
            "mailbox_url": self.mail_port.map(|_| format!("{}/mailbox", self.portal_url)),
            "database_url": self.database_url,
            "hosting_database_url": self.hosting_database_url,
            "content_dir": self.content_dir,
            "machines_dir": self.machines_dir,
            "log_file": self.log_file,
            "started_at": self.started_at.to_string(),
            "mail_port": self.mail_port,
            "service_role_token": self.service_role_token,
            "anon_token": self.anon_token,
            "demo": self.demo.as_ref().map(|demo| json!({
                "customer": demo.customer,
                "api_key": demo.api_key,
                "vps_id": demo.vps,
                "game_server_id": demo.game,
            })),
            "demo_provider": self.provider.as_ref().map(ProviderAccess::document),
            "pid": std::process::id(),
        });
        format!("{document:#}\n")
    }

    /// Returns the JSON event for standard output, which names the file of the secrets but holds none.
    pub(super) fn event(&self, announcement: &Path) -> Value {
        json!({
            "event": "ready",
            "auth_url": self.auth_url,
            "hosting_url": self.hosting_url,
            "portal_url": self.portal_url,
            "mail_port": self.mail_port,
            "up_json": announcement,
            "vps_id": self.demo.as_ref().and_then(|demo| demo.vps),
            "game_server_id": self.demo.as_ref().and_then(|demo| demo.game),
            "machine_problems": self.machine_problems(),
            "pid": std::process::id(),
        })
    }

    /// Returns the text for a terminal, without secrets.
    pub(super) fn banner(&self, folder: &Path, colours: Colours) -> String {
        let url = &self.auth_url;
        let pages = if self.has_pages {
            "; pages for people at /account"
        } else {
            ""
        };
        let (hosting, portal) = (&self.hosting_url, &self.portal_url);
        let content = self.content_dir.display();
        let mail = match self.mail_port {
            Some(port) => format!("{}/mailbox (SMTP on 127.0.0.1:{port})", self.portal_url),
            None => "sent to the mail server in the settings".to_owned(),
        };
        let database = if self.has_cluster {
            "a private PostgreSQL; its URL is in up.json"
        } else {
            "the one in DATABASE_URL"
        };
        let build = if cfg!(debug_assertions) {
            "\n  build     compiled quickly and not optimised; see `make build`"
        } else {
            ""
        };
        let machines = self.machines_text();
        let provider = self.provider.as_ref().map_or_else(String::new, |provider| {
            format!("  provider  {}, to try out sign-in\n", provider.issuer())
        });
        let power = self.power_text(&folder.join("up.json"));
        let folder = folder.display();
        format!(
            "
{title}

  start     {portal}, the page to open in your browser
  auth      {url}{pages}
  hosting   {hosting}; API documentation at /v1/docs
  mail      {mail}
  database  {database}
  content   {content}
            articles, plans and status checks; changes take effect at once
{provider}{machines}  data      {folder}
            .env has the settings, up.json the addresses and tokens{build}

In another terminal, sign up:

  curl {url}/signup -H 'Content-Type: application/json' \\
    -d '{{\"email\":\"ada@example.com\",\"password\":\"correct-horse-9\"}}'

and sign in with the code from the mail:

  curl {url}/verify -H 'Content-Type: application/json' \\
    -d '{{\"type\":\"signup\",\"email\":\"ada@example.com\",\"token\":\"CODE\"}}'

List the articles and the status of the demo:

  curl {hosting}/kb/list
  curl {hosting}/status
{power}
Press Ctrl-C to stop everything; the data is kept.
",
            title = colours.bold("Innkeeper is up."),
        )
    }

    /// Returns why machines cannot run here, one sentence each.
    pub(super) fn machine_problems(&self) -> Vec<String> {
        let problems = self.demo.iter().flat_map(|demo| &demo.problems);
        let sentence = |(kind, problem): &(MachineKind, String)| match kind {
            MachineKind::Vps => format!("virtual private servers cannot run: {problem}"),
            MachineKind::Game => format!("game servers cannot run: {problem}"),
        };
        problems.map(sentence).collect()
    }

    /// Returns the lines of the banner about machines.
    fn machines_text(&self) -> String {
        let Some(demo) = &self.demo else {
            return String::new();
        };
        let machines: Vec<&str> = [demo.vps, demo.game].into_iter().flatten().collect();
        let mut texts = self.machine_problems();
        if !machines.is_empty() {
            texts.insert(
                0,
                format!("{}, controlled by an API key", machines.join(" and ")),
            );
        }
        let lines = texts.iter().flat_map(|text| wrapped(text, TEXT_WIDTH));
        let lines: Vec<String> = lines.collect();
        format!("  machines  {}\n", lines.join("\n            "))
    }

    /// Returns the part of the banner that uses the API key.
    fn power_text(&self, announcement: &Path) -> String {
        let Some(game) = self.demo.as_ref().and_then(|demo| demo.game) else {
            return String::new();
        };
        let (hosting, announcement) = (&self.hosting_url, announcement.display());
        format!(
            "
Restart the game server with the API key; its console is on the start page:

  KEY=$(jq -r .demo.api_key {announcement})
  curl -X POST -H \"X-API-Key: $KEY\" \\
    {hosting}/hosting/game/power/{game}/restart
"
        )
    }
}

/// Breaks a text into lines of at most this many characters, unless a word is longer.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use innkeeper_hosting::model::MachineKind;
    use jiff::Timestamp;
    use serde_json::json;

    use super::{ConnectionInfo, Demo, ProviderAccess};
    use crate::output::Colours;

    fn provider() -> ProviderAccess {
        let document = json!({
            "issuer": "http://127.0.0.1:65533/demo-provider",
            "client_id": "innkeeper",
            "client_secret": "client-secret",
        });
        ProviderAccess::from_document(&document, "http://127.0.0.1:65535").unwrap()
    }

    fn info(mail_port: Option<u16>, has_cluster: bool) -> ConnectionInfo {
        ConnectionInfo {
            auth_url: "http://127.0.0.1:65535".to_owned(),
            hosting_url: "http://127.0.0.1:65534/v1".to_owned(),
            hosting_database_url: "postgres://postgres:pass@127.0.0.1:1/innkeeper".to_owned(),
            portal_url: "http://127.0.0.1:65533".to_owned(),
            content_dir: "/home/ada/projects/inn/.innkeeper/content".into(),
            machines_dir: None,
            log_file: "/home/ada/projects/inn/.innkeeper/innkeeper.log".into(),
            started_at: Timestamp::UNIX_EPOCH,
            database_url: "postgres://postgres:pass@127.0.0.1:1/innkeeper".to_owned(),
            service_role_token: "service".to_owned(),
            anon_token: "anon".to_owned(),
            mail_port,
            has_cluster,
            demo: Some(Demo {
                customer: "demo",
                api_key: "ink_live_secret".to_owned(),
                vps: None,
                game: Some("demo-game"),
                problems: vec![(MachineKind::Vps, "qemu is away ".repeat(20))],
                added: Vec::new(),
            }),
            provider: Some(provider()),
            has_pages: true,
        }
    }

    #[test]
    fn the_banner_fits_a_terminal_and_tells_no_secret() {
        for info in [info(Some(65535), true), info(None, false)] {
            let banner = info.banner(
                Path::new("/home/ada/projects/inn/.innkeeper"),
                Colours::none(),
            );
            for line in banner.lines() {
                assert!(line.chars().count() <= 80, "{line}");
            }
            for secret in ["pass@", "service", "anon", "ink_live", "client-secret"] {
                assert!(!banner.contains(secret), "{banner}");
                let event = info.event(Path::new("up.json")).to_string();
                assert!(!event.contains(secret), "{event}");
            }
        }
    }
}
