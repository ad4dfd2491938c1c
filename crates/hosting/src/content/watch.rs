//! Watches the content folder and loads changes.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, sleep, timeout};

use super::load::{ReloadReport, ReloadScope};
use super::markdown::forget_grammars;
use super::source::ContentSource;
use super::store::ContentStore;

/// Changes that follow each other within this time are loaded together.
const QUIET: Duration = Duration::from_millis(40);
/// After this time changes are loaded even if more follow.
const MAX_DELAY: Duration = Duration::from_millis(400);
/// How often to check whether the path still leads to the same folder, for which there is no event.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// How often to look for changes if the folder cannot be watched.
const POLL_INTERVAL: Duration = Duration::from_millis(700);

/// Loads changes as they happen, until the future is dropped. Embedded content never changes.
pub async fn watch(content: Arc<ContentStore>) {
    let ContentSource::Folder(folder) = content.source().clone() else {
        return std::future::pending().await;
    };
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let mut watched = FolderWatcher::new(&folder, &sender);
    // Files may have changed since the first load.
    reload_in_background(&content, ReloadScope::Changed(HashSet::new())).await;
    loop {
        let Some(watching) = &watched else {
            sleep(POLL_INTERVAL).await;
            reload_in_background(&content, ReloadScope::Changed(HashSet::new())).await;
            continue;
        };
        match timeout(CHECK_INTERVAL, receiver.recv()).await {
            Ok(Some(first)) => {
                let scope = collect(first, &mut receiver, &watching.root).await;
                if let Some(scope) = scope {
                    reload_in_background(&content, scope).await;
                }
            }
            Ok(None) => return,
            Err(_) => {
                if folder.canonicalize().ok().as_ref() != Some(&watching.root) {
                    tracing::info!("the path of the content folder leads to another folder now");
                    watched = FolderWatcher::new(&folder, &sender);
                    reload_in_background(&content, ReloadScope::All).await;
                }
            }
        }
    }
}

/// A folder that the operating system reports changes of.
struct FolderWatcher {
    root: PathBuf,
    _watcher: RecommendedWatcher,
}

impl FolderWatcher {
    fn new(folder: &Path, sender: &UnboundedSender<notify::Result<Event>>) -> Option<Self> {
        let sender = sender.clone();
        let begin = || -> Result<Self, Box<dyn std::error::Error>> {
            let root = folder.canonicalize()?;
            let mut watcher = notify::recommended_watcher(move |event| {
                // The receiver is gone when the server stops.
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
                tracing::warn!(%error, "the content folder cannot be watched; it is polled instead");
            })
            .ok()
    }
}

/// Collects a burst of events; `None` if none of them is a change.
async fn collect(
    first: notify::Result<Event>,
    receiver: &mut UnboundedReceiver<notify::Result<Event>>,
    root: &Path,
) -> Option<ReloadScope> {
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
                tracing::warn!(%error, "watching the content folder failed; all files are read");
                all = true;
            }
        }
        if start.elapsed() > MAX_DELAY {
            break;
        }
        next = timeout(QUIET, receiver.recv()).await.ok().flatten();
    }
    match (all, names.is_empty()) {
        (true, _) => Some(ReloadScope::All),
        (false, true) => None,
        (false, false) => Some(ReloadScope::Changed(names)),
    }
}

fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

/// Returns the name of a file relative to the content folder; `None` if it is hidden.
fn name_of(path: &Path, root: &Path) -> Option<String> {
    let own = path.strip_prefix(root).ok()?;
    let mut parts = Vec::new();
    for part in own.components() {
        let Component::Normal(part) = part else {
            return None;
        };
        let part = part.to_str()?;
        // Kubernetes replaces `..data` when a mounted volume changes; the links to it have other names.
        if part.starts_with('.') && !part.starts_with("..") {
            return None;
        }
        parts.push(part);
    }
    Some(parts.join("/"))
}

/// Reloads without blocking the runtime, and logs the result.
pub(crate) async fn reload_in_background(content: &Arc<ContentStore>, scope: ReloadScope) {
    let content = Arc::clone(content);
    let loaded = tokio::task::spawn_blocking(move || {
        let report = content.reload(&scope);
        // Grammars take much memory, and the next change may be days away.
        forget_grammars();
        report
    })
    .await;
    match loaded {
        Ok(Ok(report)) if report.read > 0 => log_reload(&report),
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            tracing::error!(%error, "content could not be reloaded and stays as it was");
        }
        Err(error) => tracing::error!(%error, "the reload of content failed"),
    }
}

/// Logs a reload.
fn log_reload(report: &ReloadReport) {
    tracing::info!(
        articles = report.articles,
        read = report.read,
        rendered = report.rendered,
        problems = report.problems,
        "content reloaded"
    );
}
