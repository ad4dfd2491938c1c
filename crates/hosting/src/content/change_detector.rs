//! Tells at once whether files of the content folder have changed.
//!
//! The kernel reports a change before the program that made it goes on, so a request that is sent after it finds
//! the report. The watcher is slower: it waits for more changes, and has a thread of its own.

use std::collections::{HashMap, HashSet};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use rustix::io::ioctl_fionread;

/// Reports of the kernel about folders.
#[derive(Debug)]
pub(super) struct ChangeDetector {
    inotify: OwnedFd,
    reports: Mutex<Reports>,
    /// How often reports were read.
    noted: AtomicU64,
    /// The last of those times whose changes have been loaded.
    loaded: AtomicU64,
}

#[derive(Debug, Default)]
struct Reports {
    /// The names of folders, by the numbers of their watches.
    folders: HashMap<i32, String>,
    /// The names of files that have changed and are not loaded yet.
    changed: HashSet<String>,
}

impl ChangeDetector {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            inotify: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
            reports: Mutex::default(),
            noted: AtomicU64::new(0),
            loaded: AtomicU64::new(0),
        })
    }

    /// Watches a folder from now on. Watch it before it is listed, so that no change is missed.
    pub(super) fn watch(&self, path: &Path, name: &str) {
        let changes = WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::ONLYDIR;
        // Without a watch, the slower watcher notices changes.
        if let Ok(number) = inotify::add_watch(&self.inotify, path, changes) {
            let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
            reports.folders.insert(number, name.to_owned());
        }
    }

    /// Tells whether there are changes that are not loaded. This is one system call.
    pub(super) fn has_changes(&self) -> bool {
        let waiting = ioctl_fionread(&self.inotify).unwrap_or(0);
        waiting > 0 || self.loaded.load(Ordering::SeqCst) < self.noted.load(Ordering::SeqCst)
    }

    /// Reads the reports so far, and returns the number of this time.
    pub(super) fn note(&self) -> u64 {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        // Counted before they are read: whoever finds no report waiting finds this.
        let number = self.noted.fetch_add(1, Ordering::SeqCst) + 1;
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        while let Ok(report) = reader.next() {
            let folder = reports.folders.get(&report.wd());
            let name = report.file_name().and_then(|name| name.to_str().ok());
            if let (Some(folder), Some(name)) = (folder, name) {
                let name = match folder.as_str() {
                    "" => name.to_owned(),
                    folder => format!("{folder}/{name}"),
                };
                reports.changed.insert(name);
            }
        }
        number
    }

    /// Tells whether the changes that were noted at a time have been loaded.
    pub(super) fn is_loaded(&self, number: u64) -> bool {
        self.loaded.load(Ordering::SeqCst) >= number
    }

    /// Returns the names of the files to load, and the number to tell when they are.
    pub(super) fn take(&self) -> (u64, HashSet<String>) {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        let number = self.noted.load(Ordering::SeqCst);
        (number, std::mem::take(&mut reports.changed))
    }

    /// Remembers that everything that was noted up to a time is loaded.
    pub(super) fn set_loaded(&self, number: u64) {
        self.loaded.fetch_max(number, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::ChangeDetector;

    #[test]
    fn a_change_is_seen_at_once_and_until_it_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let detector = ChangeDetector::new().unwrap();
        detector.watch(folder.path(), "kb");
        assert!(!detector.has_changes());
        fs::write(folder.path().join("a.md"), "a").unwrap();
        assert!(detector.has_changes());
        let number = detector.note();
        assert!(detector.has_changes(), "it is not loaded yet");
        fs::remove_file(folder.path().join("a.md")).unwrap();
        let (taken, names) = detector.take();
        assert_eq!((taken, names.len()), (number, 1));
        assert!(names.contains("kb/a.md"), "{names:?}");
        detector.set_loaded(taken);
        assert!(detector.is_loaded(number));
        assert!(detector.has_changes(), "of the file that was removed");
        let number = detector.note();
        detector.set_loaded(number);
        assert!(!detector.has_changes());
    }
}
