//! The files of a machine: `<machines dir>/<uuid>/`.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::fs;
use uuid::Uuid;

use super::disk;
use super::process::ProcessIdentity;
use crate::model::Exit;

/// The longest path of a Unix socket, in bytes.
pub(super) const MAX_SOCKET_PATH: usize = 107;

/// The folder of a machine.
#[derive(Debug, Clone)]
pub(super) struct MachineFolder(PathBuf);

/// What is kept about the current or last run of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunRecord {
    /// The emulator.
    pub(super) process: ProcessIdentity,
    /// When it was started.
    pub(super) started_at: Timestamp,
    /// Whether the guest was told to begin.
    pub(super) has_begun: bool,
    /// How the run ended, if the emulator was told to end. It counts only once the emulator has ended.
    pub(super) exit: Option<Exit>,
}

impl MachineFolder {
    pub(super) fn new(machines_dir: &Path, machine: Uuid) -> Self {
        Self(machines_dir.join(machine.to_string()))
    }

    /// The disk, an overlay of an image.
    pub(super) fn disk(&self) -> PathBuf {
        self.0.join("disk.qcow2")
    }

    /// The number of the emulator's process. The emulator writes the file and keeps it locked, so that a
    /// machine never has two; nobody else may delete it.
    pub(super) fn pid_file(&self) -> PathBuf {
        self.0.join("qemu.pid")
    }

    /// The monitor that we use.
    pub(super) fn monitor(&self) -> PathBuf {
        self.0.join("qmp.sock")
    }

    /// A second monitor, for operators.
    pub(super) fn spare_monitor(&self) -> PathBuf {
        self.0.join("qmp-spare.sock")
    }

    /// The serial console.
    pub(super) fn serial_socket(&self) -> PathBuf {
        self.0.join("serial.sock")
    }

    /// What the guest wrote to the serial console in this run.
    pub(super) fn serial_log(&self) -> PathBuf {
        self.0.join("serial.log")
    }

    /// What the guest wrote in the run before.
    pub(super) fn previous_serial_log(&self) -> PathBuf {
        self.0.join("serial.previous.log")
    }

    fn run_file(&self) -> PathBuf {
        self.0.join("run.json")
    }

    /// Creates the folder if it is missing. Only its owner can open it.
    pub(super) async fn make(&self) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(&self.0).await
    }

    pub(super) async fn has_disk(&self) -> io::Result<bool> {
        fs::try_exists(self.disk()).await
    }

    /// Deletes the files of attempts to make a disk that died.
    pub(super) async fn delete_disk_attempts(&self) -> io::Result<()> {
        disk::delete_attempts(&self.0).await
    }

    /// Returns the number in the file of the emulator.
    async fn pid(&self) -> Option<i32> {
        let text = fs::read_to_string(self.pid_file()).await.ok()?;
        text.trim().parse().ok()
    }

    /// Returns the process that wrote its number, if it is the living emulator of a machine.
    pub(super) async fn emulator_process(&self, machine: Uuid) -> Option<ProcessIdentity> {
        ProcessIdentity::of_emulator(self.pid().await?, machine)
    }

    /// Returns what is kept about the last run. A file that cannot be read is as good as none: the emulator
    /// is found by the file with its number.
    pub(super) async fn run(&self) -> io::Result<Option<RunRecord>> {
        match fs::read(self.run_file()).await {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn write_run(&self, record: &RunRecord) -> io::Result<()> {
        let new = self.0.join("run.json.new");
        fs::write(&new, serde_json::to_vec(record)?).await?;
        fs::rename(new, self.run_file()).await
    }

    /// Forgets the last run.
    pub(super) async fn remove_run(&self) -> io::Result<()> {
        absent_is_fine(fs::remove_file(self.run_file()).await)
    }

    /// Keeps the serial log of the last run under another name.
    pub(super) async fn rotate_serial_log(&self) -> io::Result<()> {
        absent_is_fine(fs::rename(self.serial_log(), self.previous_serial_log()).await)
    }

    /// Deletes the folder if nothing is in it.
    pub(super) async fn delete_if_empty(&self) {
        // It fails if something is in it.
        fs::remove_dir(&self.0).await.ok();
    }

    /// Deletes the folder and everything in it.
    pub(super) async fn delete(&self) -> io::Result<()> {
        absent_is_fine(fs::remove_dir_all(&self.0).await)
    }

    /// Returns when the emulator wrote its number.
    pub(super) async fn pid_written_at(&self) -> io::Result<Timestamp> {
        let time = fs::metadata(self.pid_file()).await?.modified()?;
        Timestamp::try_from(time).map_err(io::Error::other)
    }
}

/// Returns the machines that have a folder, whatever is in it.
pub(super) async fn machines_in(machines_dir: &Path) -> io::Result<Vec<Uuid>> {
    let mut entries = match fs::read_dir(machines_dir).await {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut machines = Vec::new();
    while let Some(entry) = entries.next_entry().await? {
        let name = entry.file_name();
        // Only the spelling that `MachineFolder` uses.
        let machine = name.to_str().and_then(|name| name.parse::<Uuid>().ok());
        machines.extend(machine.filter(|machine| machine.to_string().as_str() == name));
    }
    Ok(machines)
}

fn absent_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
