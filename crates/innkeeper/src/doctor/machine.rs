//! The machine: programs, files, room.

use std::path::Path;

use innkeeper_service::cluster::installed_version;
use rustix::fs::statvfs;
use rustix::process::{Resource, getrlimit};

use super::findings::Findings;

const PART: &str = "machine";
/// A server with fewer runs out of them before anything else is full.
const FEW_FILES: u64 = 4096;
const MEBIBYTE: u64 = 1024 * 1024;
/// PostgreSQL stops when its disk is full.
const LITTLE_ROOM: u64 = 1024;
const NO_ROOM: u64 = 100;

pub(super) fn look(findings: &mut Findings, data: Option<&Path>) {
    look_at_postgresql(findings);
    look_at_files(findings);
    look_at_room(findings, data.unwrap_or(Path::new(".")));
}

/// Only `innkeeper up` needs it here.
fn look_at_postgresql(findings: &mut Findings) {
    match installed_version() {
        Some(version) => findings.ok(PART, format!("PostgreSQL {version} is installed")),
        None => findings.note(
            PART,
            "PostgreSQL is not installed here; `innkeeper up` would need it",
        ),
    }
}

fn look_at_files(findings: &mut Findings) {
    match getrlimit(Resource::Nofile).current {
        Some(number) if number < FEW_FILES => findings.warn(
            PART,
            format!("a server may have {number} files and connections open"),
            "raise it with `ulimit -n 65536` or, in a unit, with LimitNOFILE=65536",
        ),
        Some(number) => findings.ok(PART, format!("a server may have {number} connections open")),
        None => findings.ok(PART, "a server may have any number of connections open"),
    }
}

fn look_at_room(findings: &mut Findings, folder: &Path) {
    let there = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let shown = there.display();
    let Ok(disk) = statvfs(&there) else {
        findings.note(
            PART,
            format!("how much room there is in {shown} cannot be told"),
        );
        return;
    };
    let room = disk.f_bavail.saturating_mul(disk.f_frsize) / MEBIBYTE;
    let what = format!("{room} MiB are free in {shown}");
    match room {
        0..NO_ROOM => findings.wrong(PART, what, "make room: a full disk stops PostgreSQL"),
        NO_ROOM..LITTLE_ROOM => findings.warn(PART, what, "make room before the disk is full"),
        _ => findings.ok(PART, what),
    }
}
