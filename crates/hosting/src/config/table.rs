//! The table of all settings, and the page generated from it.

use innkeeper_service::settings::{Reader, Section, markdown};

use super::{containers, content, database, game, http, keys, limits, log, machines, metrics, vps};

/// The prefixes of settings.
pub const PREFIXES: &[&str] = &["HOSTING_"];

/// Every setting.
pub const TABLE: &[Section] = &[
    Section {
        title: "Listening",
        settings: http::SETTINGS,
    },
    Section {
        title: "Content",
        settings: content::SETTINGS,
    },
    Section {
        title: "Database and status",
        settings: database::SETTINGS,
    },
    Section {
        title: "Game servers",
        settings: game::SETTINGS,
    },
    Section {
        title: "Containers of game servers",
        settings: containers::SETTINGS,
    },
    Section {
        title: "Virtual private servers",
        settings: vps::SETTINGS,
    },
    Section {
        title: "API keys",
        settings: keys::SETTINGS,
    },
    Section {
        title: "Machines",
        settings: machines::SETTINGS,
    },
    Section {
        title: "Limits",
        settings: limits::SETTINGS,
    },
    Section {
        title: "Logs",
        settings: log::SETTINGS,
    },
    Section {
        title: "Metrics",
        settings: metrics::SETTINGS,
    },
];

/// Returns a reader for these settings, without any source yet.
pub fn reader() -> Reader {
    Reader::new(TABLE, PREFIXES)
}

/// Returns the part of this server in `docs/settings.md`.
pub fn settings_markdown() -> String {
    let tables = markdown(TABLE, &[""]);
    // One level below the heading of the part.
    format!(
        "{INTRODUCTION}{}",
        tables.replace("\n## ", "\n## Hosting: ")
    )
}

const INTRODUCTION: &str = "
# Settings of the hosting server

They are read from the same sources as those of the auth server, by the same rules. A setting `X` is
written `HOSTING_X`. Rate limits count the requests of one client address unless they say otherwise;
`120:40` means 120 per minute, of which 40 may be sent at once.
";
