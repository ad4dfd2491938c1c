//! Checks the machine: PostgreSQL, the limit of open files, disk space.

use std::path::Path;

use innkeeper_service::cluster::installed_version;
use rustix::fs::statvfs;
use rustix::process::{Resource, getrlimit};

use super::findings::Findings;

const PART: &str = "machine";
/// With a lower limit, a server runs out of files before any other resource.
const MIN_OPEN_FILES: u64 = 4096;
const MEBIBYTE: u64 = 1024 * 1024;
/// Free disk space in MiB below which a warning is given. PostgreSQL stops when its disk is full.
const LOW_SPACE: u64 = 1024;
/// Free disk space in MiB below which a problem is reported.
const NO_SPACE: u64 = 100;

pub(super) fn check(findings: &mut Findings, data: Option<&Path>) {
    check_postgresql(findings);
    check_open_files(findings);
    check_disk_space(findings, data.unwrap_or(Path::new(".")));
}

/// Checks for an installed PostgreSQL, which only `innkeeper up` needs.
fn check_postgresql(findings: &mut Findings) {
    match installed_version() {
        Some(version) => findings.ok(PART, format!("PostgreSQL {version} is installed")),
        None => findings.note(
            PART,
            "PostgreSQL is not installed; only `innkeeper up` needs it",
        ),
    }
}

fn check_open_files(findings: &mut Findings) {
    match getrlimit(Resource::Nofile).current {
        Some(number) if number < MIN_OPEN_FILES => findings.warn(
            PART,
            format!("a server can have only {number} files and connections open"),
            "raise the limit with `ulimit -n 65536`, or in a unit with LimitNOFILE=65536",
        ),
        Some(number) => findings.ok(PART, format!("a server can have {number} connections open")),
        None => findings.ok(PART, "the number of open connections is not limited"),
    }
}

fn check_disk_space(findings: &mut Findings, folder: &Path) {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let shown = folder.display();
    let Ok(disk) = statvfs(&folder) else {
        findings.note(
            PART,
            format!("cannot determine the free disk space in {shown}"),
        );
        return;
    };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize) / MEBIBYTE;
    let what = format!("{free} MiB are free in {shown}");
    match free {
        0..NO_SPACE => {
            findings.problem(
                PART,
                what,
                "free some space: PostgreSQL stops on a full disk",
            );
        }
        NO_SPACE..LOW_SPACE => findings.warn(PART, what, "free some space before the disk is full"),
        _ => findings.ok(PART, what),
    }
}
