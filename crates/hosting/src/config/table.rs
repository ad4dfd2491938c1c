//! The one table of settings, and the page made from it.

use innkeeper_service::settings::{Reader, Section, markdown};

use super::{content, database, http, limits, log, metrics};

/// Under which prefix settings stand.
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

/// A reader for this server's settings, without any source yet.
pub fn reader() -> Reader {
    Reader::new(TABLE, PREFIXES)
}

/// This server's part of the page `docs/settings.md`.
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

They come from the same places as those of the auth server, with the same rules. A setting `X` is
written `HOSTING_X`. Limits count the requests of one client address; `120:40` means 120 a minute, of
which 40 may come at once.
";
