//! What an earlier server left behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use tokio::time::{Instant, sleep};

use super::ClusterError;
use super::folder::Folder;

/// How long a server whose owner was killed may take to notice.
const NOTICE: Duration = Duration::from_secs(3);

/// How long it may take to end once it has.
const ENDING: Duration = Duration::from_mins(1);

/// How often it is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// The file by which a server shows that it uses a folder.
#[derive(Debug)]
pub(super) struct LockFile {
    pub(super) pid: Pid,
    ready: bool,
}

impl LockFile {
    pub(super) fn read(folder: &Folder) -> Option<Self> {
        let text = fs::read_to_string(folder.lock_file()).ok()?;
        let mut lines = text.lines();
        Some(Self {
            pid: Pid::from_raw(lines.next()?.trim().parse().ok()?)?,
            ready: lines.nth(6).is_some_and(|status| status.trim() == "ready"),
        })
    }

    /// Whether the server that wrote this answers.
    pub(super) fn is_ready(&self) -> bool {
        self.ready && is_alive(self.pid)
    }
}

/// Waits for an earlier server of this folder to end, and removes its lock file if its number went to
/// another process. A lock file whose process does not exist is left alone: the server knows best how
/// to take it over.
pub(super) async fn make_way(folder: &Folder) -> Result<(), ClusterError> {
    let start = Instant::now();
    while let Some(lock) = LockFile::read(folder) {
        let Some(user) = user(folder, lock.pid) else {
            return remove_if_stale(folder, lock.pid);
        };
        // Of a server that was killed some processes go on for a moment; it will not come back.
        let patience = if lock.is_ready() { NOTICE } else { ENDING };
        if start.elapsed() > patience {
            return Err(ClusterError::Running {
                folder: folder.root().to_owned(),
                pid: user.as_raw_nonzero().get(),
            });
        }
        sleep(LOOK).await;
    }
    Ok(())
}

/// Waits for the work of an owner who was killed while the data was being created: it stops by
/// itself. Somebody else who stands in the folder is not waited for long.
pub(super) async fn unfinished_work_ends(folder: &Folder) {
    let start = Instant::now();
    let root = folder.root();
    let places = [root.to_owned(), folder.unfinished()];
    while folder.unfinished().exists() && process_in(&places).is_some() && start.elapsed() < NOTICE
    {
        sleep(LOOK).await;
    }
}

fn remove_if_stale(folder: &Folder, pid: Pid) -> Result<(), ClusterError> {
    if !is_alive(pid) {
        return Ok(());
    }
    let path = folder.lock_file();
    tracing::warn!(path = %path.display(), "removing a lock file that nobody holds");
    fs::remove_file(&path).map_err(|error| ClusterError::File { path, error })
}

/// A process that uses the folder's data. All processes of a server work in that folder, also those
/// that outlive the first one for a moment. Where the system does not tell, the lock file's word
/// counts: two servers on the same data would be worst.
fn user(folder: &Folder, recorded: Pid) -> Option<Pid> {
    if !Path::new("/proc/self/cwd").exists() {
        return is_alive(recorded).then_some(recorded);
    }
    process_in(&[folder.data()])
}

/// A process that works in one of these folders.
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

/// Whether a process exists, ours or not.
fn is_alive(pid: Pid) -> bool {
    !matches!(test_kill_process(pid), Err(Errno::SRCH))
}
