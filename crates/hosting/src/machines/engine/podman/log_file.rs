//! The log file of a container, read at offsets of the bytes that the container wrote.
//!
//! conmon appends to the file as long as the container runs, and its own limit would cut everything at once.
//! So the beginning of a long file is freed here, block by block, and an attribute of the file says where
//! it now begins. A file lives and dies with its container.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use rustix::fs::{FallocateFlags, XattrFlags, fallocate, fgetxattr, fsetxattr};

use super::decode::LogDecoder;

/// How much of a file is kept when its beginning is freed, in bytes.
const KEPT: u64 = 128 * 1024 * 1024;
/// How much longer a file may become before its beginning is freed, in bytes.
const SLACK: u64 = 32 * 1024 * 1024;
/// How many bytes are read at once.
const BLOCK: usize = 64 * 1024;
/// Space is freed in multiples of this, in bytes.
const PAGE: u64 = 4096;
/// The attribute with the offsets at which a file begins.
const START_ATTRIBUTE: &str = "user.innkeeper.start";

/// Reading holds this shared, freeing holds it alone, so that nobody reads zeros.
static FREEING: RwLock<()> = RwLock::new(());

/// A place in a log file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LogOffset {
    /// In bytes of the file.
    file: u64,
    /// In bytes that the container wrote.
    pub(super) output: u64,
}

/// Reads a log file from its beginning, or from where it now begins.
#[derive(Debug)]
pub(super) struct LogReader {
    file: File,
    decoder: LogDecoder,
    at: LogOffset,
    block: Vec<u8>,
}

impl LogReader {
    /// Opens a file. It begins at an output offset above zero if its beginning was freed.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let at = start_of(&file)?;
        Ok(Self {
            file,
            decoder: LogDecoder::default(),
            at,
            block: vec![0; BLOCK],
        })
    }

    /// The place up to which the file was read.
    pub(super) fn offset(&self) -> LogOffset {
        self.at
    }

    /// Reads the next block, at most up to `end` of the file. Returns the output in it, or `None` if there is
    /// nothing to read. A block can be without output.
    pub(super) fn next_block(&mut self, end: u64) -> io::Result<Option<Vec<u8>>> {
        let mut output = Vec::new();
        let read = self.read(end, |piece| output.extend_from_slice(piece))?;
        Ok((read > 0).then_some(output))
    }

    /// Reads to the end without keeping anything.
    pub(super) fn skip_to_end(&mut self) -> io::Result<()> {
        let end = self.length()?;
        while self.read(end, |_| ())? > 0 {}
        Ok(())
    }

    /// The length of the file, in bytes.
    pub(super) fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read(&mut self, end: u64, mut output: impl FnMut(&[u8])) -> io::Result<usize> {
        let wanted = usize::try_from(end.saturating_sub(self.at.file)).unwrap_or(BLOCK);
        let (block, _) = self.block.split_at_mut(wanted.min(BLOCK));
        let read = {
            let _guard = FREEING.read().unwrap_or_else(PoisonError::into_inner);
            if self.at.file < start_of(&self.file)?.file {
                return Err(io::Error::other("this part of the log was freed"));
            }
            self.file.read_at(block, self.at.file)?
        };
        let (bytes, _) = block.split_at(read);
        let mut count = 0;
        self.decoder.decode(bytes, |piece| {
            count += piece.len() as u64;
            output(piece);
        });
        self.at.file += read as u64;
        self.at.output += count;
        Ok(read)
    }
}

/// Frees the beginning of a file that has become long.
pub(super) fn free_beginning(path: &Path) -> io::Result<()> {
    free_before(path, KEPT, SLACK)
}

fn free_before(path: &Path, kept: u64, slack: u64) -> io::Result<()> {
    let mut reader = LogReader::open(path)?;
    let start = reader.at.file;
    let length = reader.length()?;
    if length.saturating_sub(start) <= kept + slack {
        return Ok(());
    }
    // The new beginning must be the beginning of a line, which a block seldom ends with.
    let target = length - kept;
    while reader.at.file + PAGE < target && reader.read(target - PAGE, |_| ())? > 0 {}
    while !reader.decoder.is_at_line_start() {
        if reader.read(reader.at.file + 1, |_| ())? == 0 {
            return Ok(());
        }
    }
    let file = File::options().write(true).open(path)?;
    let _guard = FREEING.write().unwrap_or_else(PoisonError::into_inner);
    let value = format!("{} {}", reader.at.file, reader.at.output);
    fsetxattr(
        &file,
        START_ATTRIBUTE,
        value.as_bytes(),
        XattrFlags::empty(),
    )?;
    let from = start - start % PAGE;
    let until = reader.at.file - reader.at.file % PAGE;
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    fallocate(&file, flags, from, until.saturating_sub(from))?;
    Ok(())
}

/// Returns the place where a file begins.
fn start_of(file: &File) -> io::Result<LogOffset> {
    let mut value = [0; 64];
    let length = match fgetxattr(file, START_ATTRIBUTE, &mut value[..]) {
        Ok(length) => length,
        Err(rustix::io::Errno::NODATA | rustix::io::Errno::NOTSUP) => {
            return Ok(LogOffset::default());
        }
        Err(error) => return Err(error.into()),
    };
    let text = std::str::from_utf8(value.get(..length).unwrap_or_default()).unwrap_or_default();
    let numbers = text.split_once(' ').and_then(|(file, output)| {
        Some(LogOffset {
            file: file.parse().ok()?,
            output: output.parse().ok()?,
        })
    });
    numbers.ok_or_else(|| io::Error::other("the attribute of the log file is damaged"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::MetadataExt;

    use super::{LogReader, free_before};

    /// Writes numbered lines, each in two pieces.
    fn write_lines(path: &std::path::Path, numbers: std::ops::Range<u32>) {
        let mut file = fs::File::options()
            .create(true)
            .append(true)
            .open(path)
            .unwrap();
        for number in numbers {
            writeln!(file, "2026-11-16T13:47:44.161606024+00:00 stdout P line ").unwrap();
            writeln!(
                file,
                "2026-11-16T13:47:44.161606024+00:00 stdout F {number:08}"
            )
            .unwrap();
        }
    }

    fn read_all(reader: &mut LogReader) -> String {
        let end = reader.length().unwrap();
        let mut output = Vec::new();
        while let Some(block) = reader.next_block(end).unwrap() {
            output.extend(block);
        }
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn offsets_stay_true_when_the_beginning_is_freed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ctr.log");
        write_lines(&path, 0..100_000);
        let blocks = fs::metadata(&path).unwrap().blocks();
        free_before(&path, 1_000_000, 500_000).unwrap();
        assert!(fs::metadata(&path).unwrap().blocks() < blocks / 5);

        let mut reader = LogReader::open(&path).unwrap();
        let start = reader.offset().output;
        let text = read_all(&mut reader);
        // A line has 14 bytes, so an offset says which line it is.
        assert!(start > 0 && text.len() > 100_000);
        let (_, rest) = text.split_at(usize::try_from((14 - start % 14) % 14).unwrap());
        let first = start.div_ceil(14);
        assert!(
            rest.starts_with(&format!("line {first:08}\n")),
            "{first}: {}",
            &rest[..40]
        );
        assert!(text.ends_with("line 00099999\n"));
        assert_eq!(reader.offset().output, 100_000 * 14);

        // Lines that are written later continue where the file ended, also after the next time.
        write_lines(&path, 100_000..200_000);
        free_before(&path, 1_000_000, 500_000).unwrap();
        assert!(read_all(&mut LogReader::open(&path).unwrap()).ends_with("line 00199999\n"));
        let mut reader = LogReader::open(&path).unwrap();
        reader.skip_to_end().unwrap();
        assert_eq!(reader.offset().output, 200_000 * 14);
    }

    #[test]
    fn a_short_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ctr.log");
        write_lines(&path, 0..1000);
        free_before(&path, 1_000_000, 500_000).unwrap();
        assert_eq!(LogReader::open(&path).unwrap().offset().output, 0);
    }

    #[test]
    fn a_reader_notices_that_its_part_was_freed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ctr.log");
        write_lines(&path, 0..100_000);
        let mut reader = LogReader::open(&path).unwrap();
        free_before(&path, 1_000_000, 500_000).unwrap();
        assert!(reader.next_block(u64::MAX).is_err());
    }
}
