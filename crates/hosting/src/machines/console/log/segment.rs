//! The files of a log. A segment is called after the sequence number of its first line: `….log`, and `….log.gz` once it
//! is closed and compressed.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::record::{Record, RecordKind};
use super::state::LogState;

/// How much of a segment is read at once, in bytes.
const READ_BUFFER: usize = 16 * 1024;
/// The longest record, in bytes: a line of 4 KiB whose every byte was replaced, or the state with typed commands.
const MAX_RECORD: u64 = 64 * 1024;

/// Whether a segment exists as a plain file, as a compressed file, or both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SegmentFiles {
    pub(super) is_plain: bool,
    pub(super) is_compressed: bool,
}

pub(super) fn plain_path(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("{first:020}.log"))
}

pub(super) fn compressed_path(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("{first:020}.log.gz"))
}

/// Lists the segments of a log by the sequence number of their first line.
pub(super) fn list(folder: &Path) -> io::Result<BTreeMap<u64, SegmentFiles>> {
    let mut segments: BTreeMap<u64, SegmentFiles> = BTreeMap::new();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(segments),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let name = entry?.file_name();
        let Some((number, form)) = name.to_str().and_then(|name| name.split_once('.')) else {
            continue;
        };
        let Ok(first) = number.parse() else { continue };
        match form {
            "log" => segments.entry(first).or_default().is_plain = true,
            "log.gz" => segments.entry(first).or_default().is_compressed = true,
            _ => {}
        }
    }
    Ok(segments)
}

/// Makes a new segment, and the folder if it is missing.
pub(super) fn create(folder: &Path, first: u64) -> io::Result<File> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    // A file of this name has no line: one that could not be stored would have had this number.
    OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(plain_path(folder, first))?;
    open_to_append(folder, first)
}

/// Opens a segment to append to it.
pub(super) fn open_to_append(folder: &Path, first: u64) -> io::Result<File> {
    OpenOptions::new()
        .append(true)
        .open(plain_path(folder, first))
}

/// Opens a segment for reading, in whichever form it exists; `None` if it was deleted. A plain segment is read up to
/// `length`.
pub(super) fn open_to_read(
    folder: &Path,
    first: u64,
    length: u64,
) -> io::Result<Option<Box<dyn BufRead + Send + Sync>>> {
    match File::open(plain_path(folder, first)) {
        Ok(file) => {
            let file = BufReader::with_capacity(READ_BUFFER, file);
            return Ok(Some(Box::new(file.take(length))));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    match File::open(compressed_path(folder, first)) {
        Ok(file) => {
            let file = BufReader::with_capacity(READ_BUFFER, GzDecoder::new(file));
            Ok(Some(Box::new(file)))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the next record without its line feed into a buffer. Returns false at the end, and at a record that is
/// incomplete or too long.
pub(super) fn read_record(reader: &mut dyn BufRead, buffer: &mut Vec<u8>) -> io::Result<bool> {
    buffer.clear();
    reader.take(MAX_RECORD).read_until(b'\n', buffer)?;
    Ok(buffer.pop() == Some(b'\n'))
}

/// The state after the intact records of a segment.
#[derive(Debug)]
pub(super) struct ScannedSegment {
    pub(super) state: LogState,
    /// How many bytes the intact records have.
    pub(super) intact: u64,
}

/// Reads a segment; `None` if not even its first record is intact.
pub(super) fn scan(folder: &Path, first: u64) -> io::Result<Option<ScannedSegment>> {
    let Some(mut reader) = open_to_read(folder, first, u64::MAX)? else {
        return Ok(None);
    };
    let mut state = LogState::default();
    let mut intact = 0;
    let mut buffer = Vec::new();
    loop {
        match read_record(&mut *reader, &mut buffer) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) if is_damage(&error) => break,
            Err(error) => return Err(error),
        }
        let Some(record) = Record::parse(&buffer) else {
            break;
        };
        // A segment begins with a state, without which its other records mean nothing.
        if intact == 0 && record.kind != RecordKind::State || state.replay(&record).is_none() {
            break;
        }
        intact += buffer.len() as u64 + 1;
    }
    Ok((intact > 0).then_some(ScannedSegment { state, intact }))
}

/// Tells whether an error is about the content of a compressed file.
fn is_damage(error: &io::Error) -> bool {
    use ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

/// One compression at a time: it is never urgent, and takes a whole processor.
static COMPRESSING: Mutex<()> = Mutex::new(());

/// Compresses the closed segments of a log: all plain ones before the one that begins with `active`.
pub(super) fn compress_closed(folder: &Path, active: u64) {
    let _one = COMPRESSING.lock().unwrap_or_else(PoisonError::into_inner);
    let segments = match list(folder) {
        Ok(segments) => segments,
        Err(error) => {
            tracing::warn!(folder = %folder.display(), %error, "a console log cannot be listed");
            return;
        }
    };
    for (first, files) in segments.range(..active) {
        if !files.is_plain {
            continue;
        }
        let compressed = if files.is_compressed {
            Ok(())
        } else {
            compress(folder, *first)
        };
        let done = compressed.and_then(|()| fs::remove_file(plain_path(folder, *first)));
        match done {
            // Deleted meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(folder = %folder.display(), first, %error, "a segment of a console log was not compressed");
            }
            Ok(()) => {}
        }
    }
}

fn compress(folder: &Path, first: u64) -> io::Result<()> {
    let mut plain = File::open(plain_path(folder, first))?;
    let path = compressed_path(folder, first);
    let temporary = path.with_extension("gz.tmp");
    let written = (|| {
        let file = OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o600)
            .open(&temporary)?;
        let mut encoder = GzEncoder::new(file, Compression::default());
        io::copy(&mut plain, &mut encoder)?;
        encoder.finish()?.sync_all()?;
        fs::rename(&temporary, &path)
    })();
    if written.is_err() {
        // An incomplete file is of no use; if it cannot be deleted, the next attempt overwrites it.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Deletes a segment.
pub(super) fn remove(folder: &Path, first: u64) -> io::Result<()> {
    for path in [plain_path(folder, first), compressed_path(folder, first)] {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
