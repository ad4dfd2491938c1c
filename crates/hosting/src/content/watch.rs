//! Notices changes of the content folder and loads them.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, sleep, timeout};

use super::folder::Origin;
use super::markdown::forget_grammars;
use super::{Report, Reread, Shelves};

/// Changes that come so soon after each other are loaded together.
const QUIET: Duration = Duration::from_millis(40);
/// After this time they are loaded even if more come.
const LONGEST: Duration = Duration::from_millis(400);
/// How often we look whether the folder is still the same one, which nobody tells us.
const LOOK: Duration = Duration::from_secs(2);
/// How often we look for changes where the system does not tell about them.
const POLL: Duration = Duration::from_millis(700);

/// Loads changes as they happen, for as long as the future is polled. Demo content never changes.
pub async fn watch(shelves: Arc<Shelves>) {
    let Origin::Folder(folder) = shelves.origin().clone() else {
        return std::future::pending().await;
    };
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let mut watched = Watched::new(&folder, &sender);
    // Something may have changed between the first load and now.
    reload_in_background(&shelves, Reread::Changed(HashSet::new())).await;
    loop {
        let Some(watching) = &watched else {
            sleep(POLL).await;
            reload_in_background(&shelves, Reread::Changed(HashSet::new())).await;
            continue;
        };
        match timeout(LOOK, receiver.recv()).await {
            Ok(Some(first)) => {
                let reread = collect(first, &mut receiver, &watching.root).await;
                if let Some(reread) = reread {
                    reload_in_background(&shelves, reread).await;
                }
            }
            Ok(None) => return,
            Err(_) => {
                if folder.canonicalize().ok().as_ref() != Some(&watching.root) {
                    tracing::info!("the content folder is another one now");
                    watched = Watched::new(&folder, &sender);
                    reload_in_background(&shelves, Reread::All).await;
                }
            }
        }
    }
}

/// A folder that the system tells about.
struct Watched {
    root: PathBuf,
    _watcher: RecommendedWatcher,
}

impl Watched {
    fn new(folder: &Path, sender: &UnboundedSender<notify::Result<Event>>) -> Option<Self> {
        let sender = sender.clone();
        let begin = || -> Result<Self, Box<dyn std::error::Error>> {
            let root = folder.canonicalize()?;
            let mut watcher = notify::recommended_watcher(move |event| {
                // Nobody listens any more when the server stops.
                let _ = sender.send(event);
            })?;
            watcher.watch(&root, RecursiveMode::Recursive)?;
            Ok(Self {
                root,
                _watcher: watcher,
            })
        };
        begin()
            .inspect_err(|error| {
                tracing::warn!(%error, "the content folder cannot be watched, so it is looked at instead");
            })
            .ok()
    }
}

/// What a burst of events is about; `None` when it is none of our business.
async fn collect(
    first: notify::Result<Event>,
    receiver: &mut UnboundedReceiver<notify::Result<Event>>,
    root: &Path,
) -> Option<Reread> {
    let start = Instant::now();
    let mut names = HashSet::new();
    let mut all = false;
    let mut next = Some(first);
    while let Some(event) = next {
        match event {
            Ok(event) if event.need_rescan() => all = true,
            Ok(event) if is_change(event.kind) => {
                names.extend(event.paths.iter().filter_map(|path| name_of(path, root)));
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "watching the content folder failed, so all of it is read");
                all = true;
            }
        }
        if start.elapsed() > LONGEST {
            break;
        }
        next = timeout(QUIET, receiver.recv()).await.ok().flatten();
    }
    match (all, names.is_empty()) {
        (true, _) => Some(Reread::All),
        (false, true) => None,
        (false, false) => Some(Reread::Changed(names)),
    }
}

fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

/// The name of a file relative to the folder, unless it is hidden.
fn name_of(path: &Path, root: &Path) -> Option<String> {
    let own = path.strip_prefix(root).ok()?;
    let mut parts = Vec::new();
    for part in own.components() {
        let Component::Normal(part) = part else {
            return None;
        };
        let part = part.to_str()?;
        // `..data` is where mounted configuration changes; what links to it has other names.
        if part.starts_with('.') && !part.starts_with("..") {
            return None;
        }
        parts.push(part);
    }
    Some(parts.join("/"))
}

/// Loads without blocking the runtime, and logs what came of it.
pub(crate) async fn reload_in_background(shelves: &Arc<Shelves>, reread: Reread) {
    let shelves = Arc::clone(shelves);
    let loaded = tokio::task::spawn_blocking(move || {
        let report = shelves.reload(&reread);
        // They take much memory, and the next change may be days away.
        forget_grammars();
        report
    })
    .await;
    match loaded {
        Ok(Ok(report)) if report.read > 0 => announce(&report),
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::error!(%error, "content stays as it was"),
        Err(error) => tracing::error!(%error, "loading content failed"),
    }
}

/// Says what was loaded.
pub(crate) fn announce(report: &Report) {
    tracing::info!(
        articles = report.articles,
        read = report.read,
        rendered = report.rendered,
        problems = report.problems,
        "content was loaded"
    );
}
