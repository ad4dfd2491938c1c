//! Opening a path that cannot lead out of a directory, whoever changes it meanwhile: the kernel looks
//! at names and links while it opens, not we before.

use std::fs::File;
use std::io;
use std::path::Path;

/// What the kernel says about a path below a directory.
pub(super) enum Opened {
    File(File),
    /// It is not there, or it is nothing that can be read.
    Nothing,
    /// A link leads out, or is absolute and may lead in again.
    Out,
    Failed(io::Error),
    /// It does not know how.
    Unknown,
}

#[cfg(target_os = "linux")]
pub(super) fn open(root: &Path, path: &str) -> Opened {
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    let place = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(root) = rustix::fs::open(root, place, Mode::empty()) else {
        return Opened::Unknown;
    };
    let path = if path.is_empty() { "." } else { path };
    // A pipe would wait for somebody to write into it.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let mut error = Errno::AGAIN;
    // It gives up when something is renamed under its feet.
    for _ in 0..16 {
        error = match openat2(&root, path, flags, Mode::empty(), resolve) {
            Ok(file) => return Opened::File(file.into()),
            Err(Errno::AGAIN) => continue,
            Err(error) => error,
        };
        break;
    }
    match error {
        Errno::XDEV => Opened::Out,
        Errno::NOENT
        | Errno::NOTDIR
        | Errno::ACCESS
        | Errno::LOOP
        | Errno::NAMETOOLONG
        | Errno::INVAL
        | Errno::NXIO => Opened::Nothing,
        // Older kernels and containers that forbid what they have not heard of.
        Errno::NOSYS | Errno::PERM => Opened::Unknown,
        other => Opened::Failed(other.into()),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn open(_: &Path, _: &str) -> Opened {
    Opened::Unknown
}
