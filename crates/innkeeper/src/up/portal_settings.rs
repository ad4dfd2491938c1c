//! The one setting of the portal, `PORTAL_PORT`.

use innkeeper_service::settings::{Faults, Kind, Reader, Section, Setting};

const TABLE: &[Section] = &[Section {
    title: "Portal",
    settings: &[Setting::new(
        "PORT",
        Kind::Port,
        "The port of the start page and the mailbox.",
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
