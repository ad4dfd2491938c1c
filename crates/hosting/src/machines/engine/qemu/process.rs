//! Processes of emulators, which are not our children and outlive us.
//!
//! A number alone does not identify a process: it may belong to another one by now, or to a zombie, which
//! the init process of some machines leaves for a while.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How often it is checked whether a process that was told to end has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A process, told apart from all others that had or will have its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ProcessIdentity {
    pid: i32,
    /// When it started, in ticks since the boot of the machine.
    start_ticks: u64,
    /// The boot of the machine.
    boot: String,
}

/// A handle of a process, which never means another one.
#[derive(Debug)]
pub(super) struct ProcessHandle {
    identity: ProcessIdentity,
    descriptor: OwnedFd,
}

impl ProcessIdentity {
    /// Returns the living process with a number.
    pub(super) fn of(pid: i32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        Some(Self {
            pid,
            start_ticks: start_of_living(&stat)?,
            boot: boot_id().to_owned(),
        })
    }

    /// Returns the living emulator of a machine, if this is its number. Its command line has the UUID of the
    /// machine.
    pub(super) fn of_emulator(pid: i32, machine: Uuid) -> Option<Self> {
        let identity = Self::of(pid)?;
        let command_line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let uuid = machine.to_string();
        let mut arguments = command_line.split(|byte| *byte == 0);
        arguments.find(|argument| *argument == b"-uuid")?;
        (arguments.next()? == uuid.as_bytes()).then_some(identity)
    }

    pub(super) fn is_alive(&self) -> bool {
        Self::of(self.pid).as_ref() == Some(self)
    }

    /// Returns a name that no other process has.
    pub(super) fn run_id(&self) -> String {
        let boot = self.boot.get(..8).unwrap_or(&self.boot);
        format!("{}-{}-{boot}", self.pid, self.start_ticks)
    }

    /// Opens a handle; `None` if the process has ended.
    pub(super) fn open(&self) -> io::Result<Option<ProcessHandle>> {
        let Some(pid) = Pid::from_raw(self.pid) else {
            return Ok(None);
        };
        let descriptor = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(descriptor) => descriptor,
            Err(rustix::io::Errno::SRCH) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        // The number may have been given to another process before the handle was opened, but not since.
        if !self.is_alive() {
            return Ok(None);
        }
        Ok(Some(ProcessHandle {
            identity: self.clone(),
            descriptor,
        }))
    }
}

impl ProcessHandle {
    /// Ends the process at once. Does nothing if it has ended.
    pub(super) fn kill(&self) -> io::Result<()> {
        match pidfd_send_signal(&self.descriptor, Signal::KILL) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns once the process has ended.
    pub(super) async fn ended(&self) {
        while self.identity.is_alive() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

/// Parses the start time in `/proc/PID/stat`; `None` for a process that has ended. Fields are numbered as in
/// `proc_pid_stat(5)`.
fn start_of_living(stat: &str) -> Option<u64> {
    // The name in parentheses may contain anything. The third field follows it.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X" | "x") {
        return None;
    }
    fields.nth(22 - 4)?.parse().ok()
}

/// Returns the id of this boot of the machine.
fn boot_id() -> &'static str {
    static BOOT: OnceLock<String> = OnceLock::new();
    BOOT.get_or_init(|| {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        id.trim().to_owned()
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// A process that waits for input until it is dropped.
    struct Sleeper(Child);

    impl Drop for Sleeper {
        fn drop(&mut self) {
            self.0.kill().unwrap();
            self.0.wait().unwrap();
        }
    }

    fn sleeper(arguments: &[&str]) -> Sleeper {
        // `sh` keeps what follows the script among its arguments.
        let mut command = Command::new("sh");
        command.args(["-c", "echo; read line"]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut started = [0];
        let output = child.stdout.as_mut().unwrap();
        io::Read::read_exact(output, &mut started).unwrap();
        Sleeper(child)
    }

    fn pid(sleeper: &Sleeper) -> i32 {
        sleeper.0.id().try_into().unwrap()
    }

    #[test]
    fn a_name_with_parentheses_does_not_move_the_fields() {
        let fields = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 1391255 20";
        for name in ["vps", "a) Z (b", ""] {
            let stat = format!("20293 ({name}) {fields}");
            assert_eq!(start_of_living(&stat), Some(1_391_255), "{stat}");
        }
        let zombie = format!("20293 (vps) {}", fields.replacen('S', "Z", 1));
        assert_eq!(start_of_living(&zombie), None);
        assert_eq!(start_of_living("20293 (vps"), None);
    }

    #[tokio::test]
    async fn a_zombie_has_ended() {
        let child = sleeper(&[]);
        let identity = ProcessIdentity::of(pid(&child)).unwrap();
        assert!(identity.is_alive());
        let handle = identity.open().unwrap().unwrap();
        handle.kill().unwrap();
        handle.ended().await;
        // Nobody has waited for it yet.
        assert!(!identity.is_alive());
        assert!(identity.open().unwrap().is_none());
        handle.kill().unwrap();
        drop(child);
        assert!(identity.open().unwrap().is_none());
    }

    #[test]
    fn another_process_with_the_same_number_is_not_the_same() {
        let child = sleeper(&[]);
        let identity = ProcessIdentity::of(pid(&child)).unwrap();
        let mut earlier = identity.clone();
        earlier.start_ticks -= 1;
        let mut other_boot = identity.clone();
        other_boot.boot = "another".to_owned();
        for other in [earlier, other_boot] {
            assert!(!other.is_alive());
            assert_ne!(other.run_id(), identity.run_id());
        }
    }

    #[test]
    fn an_emulator_is_known_by_the_uuid_of_its_machine() {
        let machine = Uuid::from_u128(7);
        let child = sleeper(&["-uuid", &machine.to_string()]);
        let found = ProcessIdentity::of_emulator(pid(&child), machine);
        assert_eq!(found, ProcessIdentity::of(pid(&child)));
        let other = ProcessIdentity::of_emulator(pid(&child), Uuid::from_u128(8));
        assert_eq!(other, None);
    }
}
