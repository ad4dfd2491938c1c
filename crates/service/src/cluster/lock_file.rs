//! The lock file of a server, and waiting for an earlier server to end.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use tokio::time::{Instant, sleep};

use super::error::ClusterError;
use super::folder::ClusterFolder;

/// How long a server may take to notice that its owner was killed.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(3);

/// How long a server that is stopping may take.
const STOP_TIMEOUT: Duration = Duration::from_mins(1);

/// The pause between two looks at an earlier server.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The file `postmaster.pid`, by which a server shows that it uses a folder.
#[derive(Debug)]
pub(super) struct LockFile {
    pub(super) pid: Pid,
    is_marked_ready: bool,
}

impl LockFile {
    pub(super) fn read(folder: &ClusterFolder) -> Option<Self> {
        let text = fs::read_to_string(folder.lock_file()).ok()?;
        let mut lines = text.lines();
        Some(Self {
            pid: Pid::from_raw(lines.next()?.trim().parse().ok()?)?,
            is_marked_ready: lines.nth(6).is_some_and(|status| status.trim() == "ready"),
        })
    }

    /// Whether the server that wrote the file is alive and accepts connections.
    pub(super) fn is_ready(&self) -> bool {
        self.is_marked_ready && is_alive(self.pid)
    }
}

/// Waits for an earlier server of this folder to end. Removes its lock file if another process has its
/// process id by now. A lock file whose process does not exist is left alone, because the next server
/// takes it over.
pub(super) async fn wait_for_previous_server(folder: &ClusterFolder) -> Result<(), ClusterError> {
    let start = Instant::now();
    while let Some(lock) = LockFile::read(folder) {
        let Some(user) = process_using(folder, lock.pid) else {
            return remove_if_stale(folder, lock.pid);
        };
        // After a kill of the main process, the others live on for a moment.
        let timeout = if lock.is_ready() {
            NOTICE_TIMEOUT
        } else {
            STOP_TIMEOUT
        };
        if start.elapsed() > timeout {
            return Err(ClusterError::Running {
                folder: folder.root().to_owned(),
                pid: user.as_raw_nonzero().get(),
            });
        }
        sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

/// Waits for an earlier `initdb` whose owner was killed, which stops by itself. Does not wait long,
/// because another process may have the folder as its working directory.
pub(super) async fn wait_for_previous_initdb(folder: &ClusterFolder) {
    let start = Instant::now();
    let folders = [folder.root().to_owned(), folder.unfinished()];
    while folder.unfinished().exists()
        && process_in(&folders).is_some()
        && start.elapsed() < NOTICE_TIMEOUT
    {
        sleep(POLL_INTERVAL).await;
    }
}

fn remove_if_stale(folder: &ClusterFolder, pid: Pid) -> Result<(), ClusterError> {
    if !is_alive(pid) {
        return Ok(());
    }
    let path = folder.lock_file();
    tracing::warn!(path = %path.display(), "removing a stale lock file");
    match fs::remove_file(&path) {
        // The server has removed it itself: it ended a moment ago, and its process still exists.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(|error| ClusterError::File { path, error }),
    }
}

/// Finds a process that uses the folder's data. All processes of a server have it as their working
/// directory, also those that outlive the main process for a moment. Where the system has no `/proc`,
/// the lock file decides: two servers on the same data would destroy it.
fn process_using(folder: &ClusterFolder, recorded: Pid) -> Option<Pid> {
    if !Path::new("/proc/self/cwd").exists() {
        return is_alive(recorded).then_some(recorded);
    }
    process_in(&[folder.data()])
}

/// Finds a process whose working directory is one of these folders.
fn process_in(folders: &[PathBuf]) -> Option<Pid> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|process| {
            fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| folders.contains(&cwd))
        })
        .find_map(|process| Pid::from_raw(process.file_name().to_str()?.parse().ok()?))
}

/// Whether a process exists, whoever owns it.
fn is_alive(pid: Pid) -> bool {
    !matches!(test_kill_process(pid), Err(Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use rustix::process::{Pid, getpid};

    use super::{remove_if_stale, wait_for_previous_server};
    use crate::cluster::folder::ClusterFolder;

    #[test]
    fn a_lock_file_is_removed_only_if_another_process_has_its_id() {
        let root = tempfile::tempdir().unwrap();
        let folder = ClusterFolder::existing(root.path()).unwrap();
        fs::create_dir(folder.data()).unwrap();
        let mut ended = Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let ended = Pid::from_raw(i32::try_from(ended.id()).unwrap()).unwrap();
        fs::write(folder.lock_file(), "").unwrap();
        remove_if_stale(&folder, ended).unwrap();
        assert!(folder.lock_file().exists(), "the next server takes it over");
        remove_if_stale(&folder, getpid()).unwrap();
        assert!(!folder.lock_file().exists());
        // A server that is ending removes it first.
        remove_if_stale(&folder, getpid()).unwrap();
    }

    #[tokio::test]
    async fn nobody_waits_for_a_server_whose_process_id_belongs_to_another_process() {
        let root = tempfile::tempdir().unwrap();
        let folder = ClusterFolder::existing(root.path()).unwrap();
        fs::create_dir(folder.data()).unwrap();
        let own = getpid().as_raw_nonzero();
        fs::write(folder.lock_file(), format!("{own}\n")).unwrap();
        wait_for_previous_server(&folder).await.unwrap();
        assert!(!folder.lock_file().exists());
    }
}
