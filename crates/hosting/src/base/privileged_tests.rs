//! What tests need root for.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tells whether a test can do something that only root can. If it cannot, the reason is printed, although the test
/// passes; where tests run for everybody (`CI` is set), that is a failure.
pub(crate) fn has_root(purpose: &str) -> bool {
    if rustix::process::geteuid().is_root() {
        return true;
    }
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("a test");
    let reason = format!("{name} {purpose}, which needs root");
    assert!(std::env::var_os("CI").is_none(), "{reason}");
    // Unlike `eprintln`, this is not captured.
    writeln!(io::stderr(), "SKIPPED: {reason}").unwrap();
    false
}

/// A small file system on a folder, as long as it is not dropped.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts it; `None` without root.
    pub(crate) fn mount(folder: &Path, size: &str) -> Option<Self> {
        if !has_root("mounts a small file system") {
            return None;
        }
        fs::create_dir_all(folder).unwrap();
        let options = format!("size={size},mode=700");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]);
        assert!(mount.arg(folder).status().unwrap().success());
        Some(Self(folder.to_owned()))
    }

    /// Writes a file until there is no space.
    pub(crate) fn fill(&self) -> PathBuf {
        let file = self.0.join("filler");
        let written = fs::write(&file, vec![1; 4 << 20]);
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
        file
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: another process may still have files open.
        let status = Command::new("umount").arg("-l").arg(&self.0).status();
        assert!(status.is_ok_and(|status| status.success()));
    }
}
