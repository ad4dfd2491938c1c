//! What `innkeeper up` reports once everything runs: a banner for people, JSON for programs.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::output::Colours;

/// The addresses and tokens of a running `innkeeper up`. Holds secrets.
pub(super) struct ConnectionInfo {
    pub(super) auth_url: String,
    /// Ends in `/v1`.
    pub(super) hosting_url: String,
    pub(super) hosting_database_url: String,
    /// The URL of the start page; the mailbox is at `/mailbox`.
    pub(super) portal_url: String,
    pub(super) content_dir: PathBuf,
    pub(super) database_url: String,
    pub(super) service_role_token: String,
    pub(super) anon_token: String,
    /// The port of the mailbox; `None` if mail goes to another server.
    pub(super) mail_port: Option<u16>,
    /// Whether the database is the private PostgreSQL.
    pub(super) has_cluster: bool,
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
            "mail_port": self.mail_port,
            "service_role_token": self.service_role_token,
            "anon_token": self.anon_token,
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
            "pid": std::process::id(),
        })
    }

    /// Returns the text for a terminal, without secrets.
    pub(super) fn banner(&self, folder: &Path, colours: Colours) -> String {
        let url = &self.auth_url;
        let (hosting, portal) = (&self.hosting_url, &self.portal_url);
        let content = self.content_dir.display();
        let folder = folder.display();
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
        format!(
            "
{title}

  start     {portal}, the page to open in your browser
  auth      {url}
  hosting   {hosting}; API documentation at /v1/docs
  mail      {mail}
  database  {database}
  content   {content}
            articles, plans and status checks; changes take effect at once
  data      {folder}
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

Press Ctrl-C to stop everything; the data is kept.
",
            title = colours.bold("Innkeeper is up."),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::ConnectionInfo;
    use crate::output::Colours;

    fn info(mail_port: Option<u16>, has_cluster: bool) -> ConnectionInfo {
        ConnectionInfo {
            auth_url: "http://127.0.0.1:65535".to_owned(),
            hosting_url: "http://127.0.0.1:65534/v1".to_owned(),
            hosting_database_url: "postgres://postgres:pass@127.0.0.1:1/innkeeper".to_owned(),
            portal_url: "http://127.0.0.1:65533".to_owned(),
            content_dir: "/home/ada/projects/inn/.innkeeper/content".into(),
            database_url: "postgres://postgres:pass@127.0.0.1:1/innkeeper".to_owned(),
            service_role_token: "service".to_owned(),
            anon_token: "anon".to_owned(),
            mail_port,
            has_cluster,
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
            for secret in ["pass@", "service", "anon"] {
                assert!(!banner.contains(secret), "{banner}");
                let event = info.event(Path::new("up.json")).to_string();
                assert!(!event.contains(secret), "{event}");
            }
        }
    }
}
