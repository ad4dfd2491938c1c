//! Opening a path that cannot lead out of a directory, whoever changes it meanwhile: the kernel looks
//! at names and links while it opens, not we before.

use std::fs::File;
use std::io;

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
mod linux {
    use std::fs::File;
    use std::io::IoSliceMut;
    use std::path::Path;

    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::{Errno, ReadWriteFlags, preadv2};

    use super::Opened;

    /// A pipe would wait for somebody to write into it.
    const READ: OFlags = OFlags::RDONLY
        .union(OFlags::CLOEXEC)
        .union(OFlags::NOCTTY)
        .union(OFlags::NONBLOCK);

    const PLACE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    const BENEATH: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

    fn named(path: &str) -> &str {
        if path.is_empty() { "." } else { path }
    }

    /// Opens a path, and waits for the disk where that is needed.
    pub(in super::super) fn open(root: &Path, path: &str) -> Opened {
        let Ok(root) = rustix::fs::open(root, PLACE, Mode::empty()) else {
            return Opened::Unknown;
        };
        let mut error = Errno::AGAIN;
        // It gives up when something is renamed under its feet.
        for _ in 0..16 {
            error = match openat2(&root, named(path), READ, Mode::empty(), BENEATH) {
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

    /// Opens a path if the kernel has all of it in memory.
    pub(in super::super) fn open_cached(root: &Path, path: &str) -> Opened {
        let cached = ResolveFlags::CACHED;
        let Ok(root) = openat2(CWD, root, PLACE, Mode::empty(), cached) else {
            return Opened::Unknown;
        };
        match openat2(&root, named(path), READ, Mode::empty(), BENEATH | cached) {
            Ok(file) => Opened::File(file.into()),
            Err(Errno::NOENT | Errno::NOTDIR) => Opened::Nothing,
            Err(_) => Opened::Unknown,
        }
    }

    /// Reads the whole of a file if the kernel has it in memory.
    pub(in super::super) fn read_cached(file: &File, size: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; size];
        let mut place = [IoSliceMut::new(&mut bytes)];
        let read = preadv2(file, &mut place, 0, ReadWriteFlags::NOWAIT);
        (read == Ok(size)).then_some(bytes)
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::{open, open_cached, read_cached};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::fs::File;
    use std::path::Path;

    use super::Opened;

    pub(in super::super) fn open(_: &Path, _: &str) -> Opened {
        Opened::Unknown
    }

    pub(in super::super) fn open_cached(_: &Path, _: &str) -> Opened {
        Opened::Unknown
    }

    pub(in super::super) fn read_cached(_: &File, _: usize) -> Option<Vec<u8>> {
        None
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{open, open_cached, read_cached};
