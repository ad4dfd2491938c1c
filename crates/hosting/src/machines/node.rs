//! The node: what runs machines on this host. A process is one if it has a folder for them.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use innkeeper_service::clock::Clock;
use rustix::fs::{Access, access};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::config::MachinesConfig;
use crate::machines::console::hub::ConsoleHub;
use crate::machines::engine::Engines;
use crate::machines::power::PowerControl;
use crate::machines::worker::{QuotaCheck, Reconciler, Worker, WorkerContext, WorkerSettings};
use crate::store::database::ServerDatabase;

/// Where the kernel says which boot this is.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Why machines cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// The folder cannot be used.
    #[error("{}: {error}", path.display())]
    Folder {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Another process runs the machines of the folder.
    #[error("{} is in use by another process", .0.display())]
    InUse(PathBuf),
}

/// What runs machines on this host.
#[derive(Debug)]
pub(crate) struct Node {
    hub: Arc<ConsoleHub>,
    engines: Engines,
    worker: Arc<Worker>,
    reconciler: Arc<Reconciler>,
    quota: Arc<QuotaCheck>,
    folder: MachinesFolder,
}

/// The folder for disks and logs of machines, which only one process uses at a time.
#[derive(Debug)]
struct MachinesFolder {
    path: PathBuf,
    /// Who works on actions, also after a restart of the process.
    holder: Uuid,
    /// Locked as long as it is open. The lock ends with the process, in whichever way that ends.
    _lock: File,
}

/// What a node is made from.
#[derive(Debug)]
pub(crate) struct NodeParts {
    pub(crate) database: Arc<ServerDatabase>,
    pub(crate) clock: Clock,
    pub(crate) power: PowerControl,
    pub(crate) engines: Engines,
    /// The current boot of the host; `None` asks the kernel.
    pub(crate) host_boot: Option<String>,
}

impl Node {
    /// Takes the folder and assembles the node, which does nothing by itself.
    pub(crate) fn open(
        path: &Path,
        config: &MachinesConfig,
        parts: NodeParts,
    ) -> Result<Self, NodeError> {
        let folder = MachinesFolder::open(path)?;
        let settings = WorkerSettings {
            holder: folder.holder,
            lease: config.action_lease,
            engine_timeout: config.engine_timeout,
            host_boot: match parts.host_boot {
                Some(host_boot) => host_boot,
                None => read(Path::new(BOOT_ID))?,
            },
        };
        let clock = parts.clock.clone();
        let log_size = config.console_log_size.bytes();
        let hub = ConsoleHub::new(folder.path.clone(), log_size, clock);
        let context = Arc::new(WorkerContext::new(
            parts.database,
            parts.clock,
            parts.engines.clone(),
            Arc::clone(&hub),
            parts.power,
            settings,
        ));
        Ok(Self {
            hub,
            engines: parts.engines,
            worker: Arc::new(Worker::new(Arc::clone(&context))),
            reconciler: Arc::new(Reconciler::new(Arc::clone(&context))),
            quota: Arc::new(QuotaCheck::new(context)),
            folder,
        })
    }

    /// Returns the consoles of game servers.
    pub(crate) fn hub(&self) -> &Arc<ConsoleHub> {
        &self.hub
    }

    /// Returns the engines of this host.
    pub(crate) fn engines(&self) -> &Engines {
        &self.engines
    }

    /// Starts the tasks that run machines. They do not end by themselves.
    pub(crate) fn spawn(&self, tasks: &mut JoinSet<()>) {
        tracing::info!(
            folder = %self.folder.path.display(),
            holder = %self.folder.holder,
            "this process runs machines"
        );
        tasks.spawn(Arc::clone(&self.worker).run());
        let reconciler = Arc::clone(&self.reconciler);
        tasks.spawn(async move { reconciler.run().await });
        let quota = Arc::clone(&self.quota);
        tasks.spawn(async move { quota.run().await });
    }

    /// Does what is due, once.
    pub(crate) async fn tick(&self) {
        self.reconciler.tick().await;
        self.worker.tick().await;
        self.quota.tick().await;
    }

    /// Lets others continue with what this process has not finished.
    pub(crate) async fn release(&self) {
        self.worker.release().await;
    }
}

/// Checks that a folder can be used for machines, and creates nothing. One that is in use is fine.
pub(crate) fn check_folder(path: &Path) -> Result<(), NodeError> {
    let existing = path.ancestors().find(|path| path.exists());
    let existing = existing.unwrap_or(Path::new("."));
    let checked = if existing.is_dir() {
        access(existing, Access::WRITE_OK | Access::EXEC_OK).map_err(io::Error::from)
    } else {
        Err(io::Error::from(io::ErrorKind::NotADirectory))
    };
    checked.map_err(|error| NodeError::Folder {
        path: existing.to_owned(),
        error,
    })
}

impl MachinesFolder {
    fn open(path: &Path) -> Result<Self, NodeError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |error| NodeError::Folder { path, error }
        };
        // Machines run as users of their own and have to reach their files.
        let mut folder = DirBuilder::new();
        let made = folder.recursive(true).mode(0o711).create(path);
        made.map_err(at(path))?;
        let lock_path = path.join("lock");
        let mut options = OpenOptions::new();
        let lock = options.create(true).write(true).truncate(false);
        let lock = lock.open(&lock_path).map_err(at(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(NodeError::InUse(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(at(&lock_path)(error)),
        }
        Ok(Self {
            holder: read_holder(path)?,
            path: path.to_owned(),
            _lock: lock,
        })
    }
}

/// Returns the id in the file `holder`, which is created if it is missing or damaged.
fn read_holder(folder: &Path) -> Result<Uuid, NodeError> {
    let path = folder.join("holder");
    if let Ok(text) = fs::read_to_string(&path)
        && let Ok(holder) = text.trim().parse()
    {
        return Ok(holder);
    }
    let holder = Uuid::new_v4();
    // Replaced as a whole, so that a kill at any moment leaves an old or a new file.
    let new = folder.join("holder.new");
    let written = fs::write(&new, format!("{holder}\n")).and_then(|()| fs::rename(&new, &path));
    match written {
        Ok(()) => Ok(holder),
        Err(error) => Err(NodeError::Folder { path, error }),
    }
}

fn read(path: &Path) -> Result<String, NodeError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text.trim().to_owned()),
        Err(error) => Err(NodeError::Folder {
            path: path.to_owned(),
            error,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{MachinesFolder, NodeError};

    #[test]
    fn a_folder_is_used_by_one_process_and_remembers_who_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("machines");
        let first = MachinesFolder::open(&path).unwrap();
        let second = MachinesFolder::open(&path);
        assert!(matches!(second, Err(NodeError::InUse(_))), "{second:?}");
        let holder = first.holder;
        drop(first);
        assert_eq!(MachinesFolder::open(&path).unwrap().holder, holder);
        std::fs::write(path.join("holder"), "damaged").unwrap();
        assert_ne!(MachinesFolder::open(&path).unwrap().holder, holder);
    }
}
