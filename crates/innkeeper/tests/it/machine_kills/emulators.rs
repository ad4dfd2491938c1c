//! The programs of virtual private servers, and their processes.
//!
//! The server runs small scripts instead of `qemu-system-x86_64` and `qemu-img`. They run the real programs,
//! stop at gates, which are files, and let the emulator listen behind a proxy.

use innkeeper_service::testing::eventually;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::host::end_process;

/// Stops at a gate if it is closed. Only the first who comes stops there.
const GATE: &str = r#"#!/bin/sh
gate() {
    if mv "$0.$1.closed" "$0.$1.reached" 2>/dev/null; then
        while [ -e "$0.$1.reached" ]; do sleep 0.02; done
    fi
}
"#;

/// Runs the emulator, whose monitor is a socket with another name.
const EMULATOR: &str = r#"
case $1 in --version) exec qemu-system-x86_64 --version;; esac
for argument; do
    shift
    case $argument in
    socket,id=qmp0,*) argument=$(printf %s "$argument" | sed 's/qmp\.sock/qmp-engine.sock/') ;;
    esac
    set -- "$@" "$argument"
done
gate before
qemu-system-x86_64 "$@" || exit
gate after
"#;

const DISK_TOOL: &str = r#"
[ "$1" = create ] || exec qemu-img "$@"
gate before
qemu-img "$@" || exit
gate after
"#;

/// Writes the programs into a folder.
pub(super) fn write_programs(folder: &Path) {
    fs::create_dir(folder).unwrap();
    for (name, text) in [("emulator", EMULATOR), ("qemu-img", DISK_TOOL)] {
        let path = folder.join(name);
        fs::write(&path, format!("{GATE}{text}")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// A place where a program waits.
#[derive(Debug)]
pub(super) struct Gate(PathBuf);

impl Gate {
    /// Closes a gate of a program: `before` or `after` it does its work.
    pub(super) fn close(programs: &Path, program: &str, moment: &str) -> Self {
        let gate = Self(programs.join(format!("{program}.{moment}")));
        fs::write(gate.file("closed"), "").unwrap();
        gate
    }

    /// Waits until a program has come.
    pub(super) async fn reached(&self) {
        eventually("a program comes to the gate", async || {
            self.file("reached").exists()
        })
        .await;
    }

    /// Lets the program go on.
    pub(super) fn open(self) {
        fs::remove_file(self.file("reached")).unwrap();
    }

    fn file(&self, ending: &str) -> PathBuf {
        PathBuf::from(format!("{}.{ending}", self.0.display()))
    }
}

/// Returns the numbers of the living emulators of a machine.
pub(super) fn emulators_of(machine: &str) -> Vec<i32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| is_emulator(*pid, machine)).collect()
}

/// Tells whether a process is the emulator of a machine, by the argument that names it.
fn is_emulator(pid: i32, machine: &str) -> bool {
    let command_line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let mut arguments = command_line.split(|byte| *byte == 0);
    let program = arguments.next().unwrap_or_default();
    program.ends_with(b"qemu-system-x86_64")
        && arguments.any(|argument| argument == b"-uuid")
        && arguments.next() == Some(machine.as_bytes())
}

/// Ends all emulators of the machines in a folder.
pub(super) fn end_all(machines: &Path) {
    for entry in fs::read_dir(machines).into_iter().flatten().flatten() {
        let name = entry.file_name();
        for pid in emulators_of(&name.to_string_lossy()) {
            end_process(pid);
        }
    }
}
