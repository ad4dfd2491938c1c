//! Opens paths that cannot lead out of a directory, even if it is changed at the same time: the kernel
//! checks names and links while it opens the file (`openat2`).

use std::fs::File;
use std::io;

/// The result of opening a path below a directory.
pub(super) enum OpenResult {
    File(File),
    /// There is no file, or it cannot be read.
    Missing,
    /// A link leads out of the directory, or is absolute and may lead in again.
    Escapes,
    Failed(io::Error),
    /// The kernel cannot tell.
    Unsupported,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::IoSliceMut;
    use std::path::Path;

    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::{Errno, ReadWriteFlags, preadv2};

    use super::OpenResult;

    /// `NONBLOCK`, because opening a pipe would wait for a writer.
    const READ: OFlags = OFlags::RDONLY
        .union(OFlags::CLOEXEC)
        .union(OFlags::NOCTTY)
        .union(OFlags::NONBLOCK);

    const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    const BENEATH: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

    fn non_empty(path: &str) -> &str {
        if path.is_empty() { "." } else { path }
    }

    /// Opens a path. May block on the disk.
    pub(in super::super) fn open(root: &Path, path: &str) -> OpenResult {
        let Ok(root) = rustix::fs::open(root, DIRECTORY, Mode::empty()) else {
            return OpenResult::Unsupported;
        };
        let mut error = Errno::AGAIN;
        // The kernel gives up with `EAGAIN` when something is renamed meanwhile.
        for _ in 0..16 {
            error = match openat2(&root, non_empty(path), READ, Mode::empty(), BENEATH) {
                Ok(file) => return OpenResult::File(file.into()),
                Err(Errno::AGAIN) => continue,
                Err(error) => error,
            };
            break;
        }
        match error {
            Errno::XDEV => OpenResult::Escapes,
            Errno::NOENT
            | Errno::NOTDIR
            | Errno::ACCESS
            | Errno::LOOP
            | Errno::NAMETOOLONG
            | Errno::INVAL
            | Errno::NXIO => OpenResult::Missing,
            // Older kernels, and containers that forbid unknown system calls.
            Errno::NOSYS | Errno::PERM => OpenResult::Unsupported,
            other => OpenResult::Failed(other.into()),
        }
    }

    /// Opens a path if the kernel has all of its directories in memory.
    pub(in super::super) fn open_cached(root: &Path, path: &str) -> OpenResult {
        let cached = ResolveFlags::CACHED;
        let Ok(root) = openat2(CWD, root, DIRECTORY, Mode::empty(), cached) else {
            return OpenResult::Unsupported;
        };
        match openat2(
            &root,
            non_empty(path),
            READ,
            Mode::empty(),
            BENEATH | cached,
        ) {
            Ok(file) => OpenResult::File(file.into()),
            Err(Errno::NOENT | Errno::NOTDIR) => OpenResult::Missing,
            Err(_) => OpenResult::Unsupported,
        }
    }

    /// Reads a whole file if the kernel has it in memory.
    pub(in super::super) fn read_cached(file: &File, size: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; size];
        let mut buffers = [IoSliceMut::new(&mut bytes)];
        let read = preadv2(file, &mut buffers, 0, ReadWriteFlags::NOWAIT);
        (read == Ok(size)).then_some(bytes)
    }
}

/// Returns the path of an open file without links; `None` where the system does not tell.
pub(super) fn path_of(file: &File) -> Option<std::path::PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd as _;
        std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        None
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::{open, open_cached, read_cached};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::fs::File;
    use std::path::Path;

    use super::OpenResult;

    pub(in super::super) fn open(_: &Path, _: &str) -> OpenResult {
        OpenResult::Unsupported
    }

    pub(in super::super) fn open_cached(_: &Path, _: &str) -> OpenResult {
        OpenResult::Unsupported
    }

    pub(in super::super) fn read_cached(_: &File, _: usize) -> Option<Vec<u8>> {
        None
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{open, open_cached, read_cached};
