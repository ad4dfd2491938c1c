//! Ending the machines of a store, and erasing one with everything in it: machines, images, volumes.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use rustix::mount::{UnmountFlags, unmount};
use tokio::process::Command;
use tokio::time::{Instant, sleep};

use super::host_facts::HostFacts;
use super::service::ServiceFolder;
use super::{PodmanEngine, PodmanUnavailable};
use crate::machines::engine::EngineError;

/// How long Podman may take to tidy up after its containers.
const TIDY_TIMEOUT: Duration = Duration::from_secs(10);
/// The pause between two looks.
const TIDY_INTERVAL: Duration = Duration::from_millis(20);

/// What becomes of machines that are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndedMachines {
    Kept,
    Deleted,
}

/// Ends all machines of a service of our own, and the service. Their data stays; the folder can be moved.
pub async fn end(store: &Path) -> Result<(), PodmanUnavailable> {
    if !store.exists() {
        return Ok(());
    }
    let facts = HostFacts::read();
    end_service(&facts, store, EndedMachines::Kept).await?;
    if facts.is_root() {
        unmount_overlay(store);
    }
    Ok(())
}

/// Ends and deletes all machines of a service of our own, ends the service and deletes its folder.
pub async fn erase(store: &Path) -> Result<(), PodmanUnavailable> {
    if !store.exists() {
        return Ok(());
    }
    let facts = HostFacts::read();
    let podman = end_service(&facts, store, EndedMachines::Deleted).await?;
    let erased = if facts.is_root() {
        erase_as_root(store)
    } else {
        erase_as_user(podman, store).await
    };
    erased.map_err(|error| problem(format!("{}: {error}", store.display())))
}

fn problem(text: String) -> PodmanUnavailable {
    PodmanUnavailable {
        problems: vec![text],
    }
}

/// Ends the machines and the service, and returns the path of Podman.
async fn end_service<'f>(
    facts: &'f HostFacts,
    store: &Path,
    machines: EndedMachines,
) -> Result<&'f Path, PodmanUnavailable> {
    let (Some(podman), Some(conmon)) = (facts.program("podman"), facts.program("conmon")) else {
        return Err(PodmanUnavailable {
            problems: facts.missing(),
        });
    };
    let folder = ServiceFolder::prepare(store, podman.clone(), conmon)
        .map_err(|error| problem(error.to_string()))?;
    if let Some(choice) = folder.last_choice() {
        if folder.find().await.is_none() {
            folder.start(&choice).await.map_err(problem)?;
        }
        let engine = PodmanEngine::untried(&folder.socket());
        let ended = engine.end_all(machines).await;
        folder.stop().await;
        wait_until_unused(folder.path()).await;
        ended.map_err(|error| problem(error.to_string()))?;
    }
    Ok(podman)
}

impl PodmanEngine {
    async fn end_all(&self, machines: EndedMachines) -> Result<(), EngineError> {
        for observation in self.observe_list().await? {
            self.kill_run(observation.machine).await?;
            if machines == EndedMachines::Deleted {
                self.delete_machine(observation.machine).await?;
            }
        }
        Ok(())
    }
}

/// Waits until no process uses a store. Podman tidies up after each container in a process of its own, which would
/// create a folder again that is gone.
async fn wait_until_unused(store: &Path) {
    let deadline = Instant::now() + TIDY_TIMEOUT;
    while is_used(store) {
        if Instant::now() > deadline {
            tracing::warn!(store = %store.display(), "processes of containers do not end");
            return;
        }
        sleep(TIDY_INTERVAL).await;
    }
}

/// Tells whether the command line of another process names a store, by its absolute path, or something in it.
pub(super) fn is_used(store: &Path) -> bool {
    let own = std::process::id().to_string();
    let name = store.as_os_str().as_bytes();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut others = processes.filter(|process| process.file_name() != own.as_str());
    others.any(|process| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let mut parts = line.windows(name.len() + 1);
        parts.any(|part| matches!(part.strip_prefix(name), Some([0 | b'/'])))
    })
}

fn erase_as_root(store: &Path) -> io::Result<()> {
    unmount_overlay(store);
    fs::remove_dir_all(store)
}

/// Podman mounts this folder on itself. Where it does not, there is nothing to unmount.
fn unmount_overlay(store: &Path) {
    let _ = unmount(store.join("root/overlay"), UnmountFlags::DETACH);
}

/// Files of containers belong to users of a range, which only a namespace of users reaches.
async fn erase_as_user(podman: &Path, store: &Path) -> io::Result<()> {
    let mut command = Command::new(podman);
    let status = command
        .args(["unshare", "rm", "-rf"])
        .arg(store)
        .status()
        .await?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other("some files could not be deleted"))
    }
}
