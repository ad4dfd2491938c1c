//! The settings of `innkeeper up` itself. There is one, `PORTAL_PORT`.

use innkeeper_service::settings::{Faults, Kind, Reader, Section, Setting};

const TABLE: &[Section] = &[Section {
    title: "Portal",
    settings: &[Setting::new(
        "PORT",
        Kind::Port,
        "The port of the start page and the mailbox, which are reachable only from this machine.",
    )
    .default(&["8082"])],
}];

/// Returns a reader without sources.
pub(super) fn reader() -> Reader {
    Reader::new(TABLE, &["PORTAL_"])
}

/// Reads the portal's port.
pub(super) fn port(reader: &mut Reader) -> Result<u16, Faults> {
    let port = reader.get("PORT");
    reader.finish()?;
    Ok(port)
}

/// Returns the part of `innkeeper up` in `docs/settings.md`.
#[cfg(test)]
pub(crate) fn settings_markdown() -> String {
    use super::env_file::DEFAULTS;

    let tables = innkeeper_service::settings::markdown(TABLE, &[""]);
    let tables = tables.replace("`PORT`", "`PORTAL_PORT`");
    format!("{INTRODUCTION}{tables}\n## Defaults under `innkeeper up`\n\n```ini\n{DEFAULTS}```\n")
}

#[cfg(test)]
const INTRODUCTION: &str = "
# Settings of `innkeeper up`

`innkeeper up` reads the settings of both servers from the environment and from `.env` in its data folder, which
its first start writes. It has one setting of its own, and other defaults for some settings of the servers.
";
