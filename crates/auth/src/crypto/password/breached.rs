//! The list of leaked passwords.
//!
//! The list is a local file, a local folder, or a service. A service learns only the first five digits
//! of the password's SHA-1 hash, which hundreds of other passwords share.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use innkeeper_service::outbound::{Outbound, OutboundError, OutboundOptions};
use reqwest::Method;
use url::Url;

/// How many hexadecimal digits of the hash a service is told.
const PREFIX_LENGTH: usize = 5;
const HASH_LENGTH: usize = 40;

/// The largest answer or file for one prefix. A normal one has some ten kilobytes.
const MAX_RANGE: usize = 2 * 1024 * 1024;
const TIMEOUT: Duration = Duration::from_secs(5);

/// The longest line of a list: a hash, a colon, a count.
const MAX_LINE: u64 = 128;

/// The list could not be opened or searched.
#[derive(Debug, thiserror::Error)]
pub enum BreachedError {
    /// The file or folder cannot be read.
    #[error("the list of leaked passwords cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file is not a sorted list of hashes.
    #[error("the list of leaked passwords does not consist of sorted lines `SHA1:count`")]
    Format,
    /// The address of the service is not an http or https URL.
    #[error("the address of the service for leaked passwords must start with http or https")]
    Address,
    /// The service cannot be reached.
    #[error("the service for leaked passwords cannot be reached: {0}")]
    Service(#[from] OutboundError),
    /// The service answered with another status than 200.
    #[error("the service for leaked passwords answered with status {0}")]
    Status(u16),
}

/// A list of leaked passwords.
#[derive(Debug)]
pub struct BreachedList {
    source: Source,
    fail_closed: bool,
}

#[derive(Debug)]
enum Source {
    /// A sorted file of lines `SHA1:count`.
    File(PathBuf),
    /// A folder of files `ABCDE` or `ABCDE.txt`, named after the first five digits of the hashes, with
    /// lines `rest of SHA1:count`.
    Folder(PathBuf),
    /// A service that answers a request for a prefix with such lines.
    Service { outbound: Outbound, address: Url },
}

impl BreachedList {
    /// Opens a sorted file, or a folder of files that are named after the first five digits.
    pub fn local(path: &Path) -> Result<Self, BreachedError> {
        let source = if fs::metadata(path)?.is_dir() {
            Source::Folder(path.to_owned())
        } else {
            check_first_line(path)?;
            Source::File(path.to_owned())
        };
        Ok(Self {
            source,
            fail_closed: false,
        })
    }

    /// Uses a service; the first five digits of the hash are appended to its address.
    pub fn service(address: &Url, user_agent: &str) -> Result<Self, BreachedError> {
        if !matches!(address.scheme(), "http" | "https") {
            return Err(BreachedError::Address);
        }
        let outbound = Outbound::new(OutboundOptions {
            user_agent: user_agent.to_owned(),
            timeout: TIMEOUT,
            max_response: MAX_RANGE,
            ..OutboundOptions::default()
        })?;
        let address = address.clone();
        Ok(Self {
            source: Source::Service { outbound, address },
            fail_closed: false,
        })
    }

    /// Sets whether every password is refused while the list is unavailable. By default none is.
    #[must_use]
    pub fn fail_closed(mut self, fail_closed: bool) -> Self {
        self.fail_closed = fail_closed;
        self
    }

    /// Returns whether a password is on the list. While the list is unavailable, this is an error if the
    /// list fails closed, and `false` otherwise.
    pub(super) async fn contains(&self, password: &str) -> Result<bool, BreachedError> {
        match self.find(&sha1_hex(password)).await {
            Ok(is_listed) => Ok(is_listed),
            Err(error) => {
                tracing::warn!(%error, refused = self.fail_closed, "a password was not checked against the list of leaked passwords");
                if self.fail_closed {
                    Err(error)
                } else {
                    Ok(false)
                }
            }
        }
    }

    async fn find(&self, hash: &str) -> Result<bool, BreachedError> {
        match &self.source {
            Source::File(path) => {
                let (path, hash) = (path.clone(), hash.to_owned());
                read_blocking(move || find_in_file(&path, &hash)).await
            }
            Source::Folder(path) => {
                let (path, hash) = (path.clone(), hash.to_owned());
                read_blocking(move || find_in_folder(&path, &hash)).await
            }
            Source::Service { outbound, address } => find_in_service(outbound, address, hash).await,
        }
    }
}

async fn read_blocking<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, BreachedError> + Send + 'static,
) -> Result<T, BreachedError> {
    let done = tokio::task::spawn_blocking(read).await;
    done.unwrap_or_else(|error| Err(io::Error::other(error).into()))
}

fn sha1_hex(password: &str) -> String {
    let digest = digest(&SHA1_FOR_LEGACY_USE_ONLY, password.as_bytes());
    let mut digits = String::with_capacity(HASH_LENGTH);
    for byte in digest.as_ref() {
        // Writing to a `String` cannot fail.
        let _ = write!(digits, "{byte:02X}");
    }
    digits
}

/// Returns whether a line lists this hash. Services add lines with a count of zero, to hide how many
/// there are.
fn line_lists(line: &[u8], hash: &str) -> bool {
    let line = line.trim_ascii();
    let mut parts = line.splitn(2, |byte| *byte == b':');
    let same = parts
        .next()
        .is_some_and(|name| name.eq_ignore_ascii_case(hash.as_bytes()));
    same && parts.next() != Some(b"0")
}

fn any_line_lists(lines: &[u8], hash: &str) -> bool {
    lines
        .split(|byte| *byte == b'\n')
        .any(|line| line_lists(line, hash))
}

fn check_first_line(path: &Path) -> Result<(), BreachedError> {
    let mut start = Vec::new();
    File::open(path)?.take(MAX_LINE).read_to_end(&mut start)?;
    let line = start
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    parse_hash(line.trim_ascii_end()).map(drop)
}

/// Parses the hash at the start of a line, and returns it in upper case.
fn parse_hash(line: &[u8]) -> Result<[u8; HASH_LENGTH], BreachedError> {
    let (hash, rest) = line
        .split_first_chunk::<HASH_LENGTH>()
        .ok_or(BreachedError::Format)?;
    let ended = matches!(rest.first(), None | Some(b':' | b'\r' | b'\n'));
    if !ended || !hash.iter().all(u8::is_ascii_hexdigit) {
        return Err(BreachedError::Format);
    }
    Ok(hash.map(|digit| digit.to_ascii_uppercase()))
}

fn read_at(file: &mut File, start: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Searches a sorted file: halves it until a few lines are left, then reads those.
fn find_in_file(path: &Path, hash: &str) -> Result<bool, BreachedError> {
    let mut file = File::open(path)?;
    // The line of the hash starts at or after `low`, which is the start of a line, and before `high`.
    let (mut low, mut high) = (0, file.metadata()?.len());
    while high - low > 4 * MAX_LINE {
        let middle = low + (high - low) / 2;
        let bytes = read_at(&mut file, middle, 2 * MAX_LINE)?;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let line = end.and_then(|end| bytes.get(end + 1..));
        let (Some(end), Some(line)) = (end.and_then(|end| u64::try_from(end).ok()), line) else {
            return Err(BreachedError::Format);
        };
        let start = middle + end + 1;
        if start >= high {
            high = middle;
        } else if parse_hash(line)?.as_slice() <= hash.as_bytes() {
            low = start;
        } else {
            high = start;
        }
    }
    let lines = read_at(&mut file, low, high - low + MAX_LINE)?;
    Ok(any_line_lists(&lines, hash))
}

fn find_in_folder(path: &Path, hash: &str) -> Result<bool, BreachedError> {
    let (prefix, rest) = hash
        .split_at_checked(PREFIX_LENGTH)
        .ok_or(BreachedError::Format)?;
    let bare = path.join(prefix);
    let file = File::open(&bare).or_else(|_| File::open(bare.with_extension("txt")))?;
    let mut lines = Vec::new();
    file.take(MAX_RANGE as u64).read_to_end(&mut lines)?;
    Ok(any_line_lists(&lines, rest))
}

async fn find_in_service(
    outbound: &Outbound,
    address: &Url,
    hash: &str,
) -> Result<bool, BreachedError> {
    let (prefix, rest) = hash
        .split_at_checked(PREFIX_LENGTH)
        .ok_or(BreachedError::Format)?;
    let mut address = address.clone();
    address
        .path_segments_mut()
        .map_err(|()| BreachedError::Address)?
        .pop_if_empty()
        .push(prefix);
    let request = outbound.request(Method::GET, &address)?;
    let answer = outbound.send(request.header("add-padding", "true")).await?;
    if answer.status != 200 {
        return Err(BreachedError::Status(answer.status));
    }
    Ok(any_line_lists(&answer.body, rest))
}

#[cfg(test)]
mod tests;
