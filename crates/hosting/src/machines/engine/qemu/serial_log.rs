//! Keeps the log of a serial console small. A guest can write as much as it wants.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;

/// How much of the disk a log may use before it is cut, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How much of the end is kept, in bytes.
const KEPT_BYTES: u64 = 8 * 1024 * 1024;

/// Cuts a log that is too large. The emulator goes on writing to it meanwhile.
pub(super) async fn cut(log: &Path) -> io::Result<()> {
    let metadata = match tokio::fs::metadata(log).await {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if metadata.blocks() * 512 <= MAX_BYTES {
        return Ok(());
    }
    let log = log.to_owned();
    let cutting = tokio::task::spawn_blocking(move || {
        let file = OpenOptions::new().write(true).open(log)?;
        free_beginning(&file)
    });
    cutting.await.map_err(io::Error::other)?
}

/// Gives the space of the beginning back to the file system. The beginning then reads as zeros; what is kept
/// stays at its offset, and nothing that is written meanwhile is lost.
fn free_beginning(file: &File) -> io::Result<()> {
    let freed = file.metadata()?.len().saturating_sub(KEPT_BYTES);
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    match fallocate(file, flags, 0, freed) {
        // The emulator appends, so that it continues at the new end.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => file.set_len(0),
        result => Ok(result?),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, SeekFrom, Write};

    use super::*;

    #[tokio::test]
    async fn a_large_log_keeps_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("serial.log");
        cut(&path).await.unwrap();
        let mut log = OpenOptions::new();
        let mut log = log.append(true).create(true).open(&path).unwrap();
        log.write_all(&vec![b'a'; 10 << 20]).unwrap();
        cut(&path).await.unwrap();
        assert!(path.metadata().unwrap().blocks() * 512 >= 10 << 20);

        log.write_all(&vec![b'b'; 10 << 20]).unwrap();
        cut(&path).await.unwrap();
        log.write_all(b"end").unwrap();
        assert!(path.metadata().unwrap().blocks() * 512 < 9 << 20);
        let mut end = String::new();
        let mut file = File::open(&path).unwrap();
        file.seek(SeekFrom::End(-5)).unwrap();
        file.read_to_string(&mut end).unwrap();
        assert_eq!(end, "bbend");
    }
}
