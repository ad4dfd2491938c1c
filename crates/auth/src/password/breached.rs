//! Whether a password is known from a leak.
//!
//! The list is a local file, a local folder, or a service. A service learns five letters of the
//! password's SHA-1, which hundreds of other passwords share, and nothing else.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use innkeeper_service::outbound::{Outbound, OutboundError, OutboundOptions};
use reqwest::Method;
use url::Url;

use super::policy::PolicyError;

/// How many letters of the hash a service is told.
const PREFIX_LENGTH: usize = 5;
const HASH_LENGTH: usize = 40;

/// A part of the list is some ten kilobytes; more than this is something else.
const MAX_PART: usize = 2 * 1024 * 1024;
const TIMEOUT: Duration = Duration::from_secs(5);

/// No line of a list is longer: a hash, a colon, a count.
const MAX_LINE: u64 = 128;

/// Why the list could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum BreachedError {
    /// The file cannot be read.
    #[error("the list of leaked passwords cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file is something else.
    #[error("the list of leaked passwords does not consist of sorted lines `SHA1:count`")]
    Format,
    /// The address is not one of a web service.
    #[error("the service for leaked passwords needs an address with http or https")]
    Address,
    /// The service cannot be reached.
    #[error("the service for leaked passwords cannot be asked: {0}")]
    Service(#[from] OutboundError),
    /// The service refuses.
    #[error("the service for leaked passwords answers {0}")]
    Status(u16),
}

/// A list of leaked passwords.
#[derive(Debug)]
pub struct Breached {
    list: List,
    fail_closed: bool,
}

#[derive(Debug)]
enum List {
    /// Lines `SHA1:count`, sorted.
    File(PathBuf),
    /// Files `ABCDE` or `ABCDE.txt` with lines `rest of SHA1:count`.
    Folder(PathBuf),
    /// A service that answers to the first letters with such lines.
    Service { outbound: Outbound, address: Url },
}

impl Breached {
    /// A sorted file, or a folder of files that are named after the first five letters.
    pub fn local(path: &Path) -> Result<Self, BreachedError> {
        let list = if fs::metadata(path)?.is_dir() {
            List::Folder(path.to_owned())
        } else {
            check_first_line(path)?;
            List::File(path.to_owned())
        };
        let fail_closed = false;
        Ok(Self { list, fail_closed })
    }

    /// A service; the first five letters of the hash are appended to its address.
    pub fn service(address: &Url, user_agent: &str) -> Result<Self, BreachedError> {
        if !matches!(address.scheme(), "http" | "https") {
            return Err(BreachedError::Address);
        }
        let outbound = Outbound::new(OutboundOptions {
            user_agent: user_agent.to_owned(),
            timeout: TIMEOUT,
            max_answer: MAX_PART,
            ..OutboundOptions::default()
        })?;
        let address = address.clone();
        Ok(Self {
            list: List::Service { outbound, address },
            fail_closed: false,
        })
    }

    /// Whether a list that cannot be asked refuses every password. By default it refuses none.
    #[must_use]
    pub fn fail_closed(mut self, fail_closed: bool) -> Self {
        self.fail_closed = fail_closed;
        self
    }

    /// Whether a password is on the list.
    pub(super) async fn contains(&self, password: &str) -> Result<bool, PolicyError> {
        let hash = sha1_letters(password);
        match self.find(&hash).await {
            Ok(found) => Ok(found),
            Err(error) => {
                tracing::warn!(%error, refused = self.fail_closed, "a password was not checked");
                if self.fail_closed {
                    Err(PolicyError::Unavailable)
                } else {
                    Ok(false)
                }
            }
        }
    }

    async fn find(&self, hash: &str) -> Result<bool, BreachedError> {
        match &self.list {
            List::File(path) => {
                let (path, hash) = (path.clone(), hash.to_owned());
                off_the_runtime(move || find_in_file(&path, &hash)).await
            }
            List::Folder(path) => {
                let (path, hash) = (path.clone(), hash.to_owned());
                off_the_runtime(move || find_in_folder(&path, &hash)).await
            }
            List::Service { outbound, address } => find_by_service(outbound, address, hash).await,
        }
    }
}

async fn off_the_runtime<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, BreachedError> + Send + 'static,
) -> Result<T, BreachedError> {
    let done = tokio::task::spawn_blocking(read).await;
    done.unwrap_or_else(|error| Err(io::Error::other(error).into()))
}

fn sha1_letters(password: &str) -> String {
    let digest = digest(&SHA1_FOR_LEGACY_USE_ONLY, password.as_bytes());
    let mut letters = String::with_capacity(HASH_LENGTH);
    for byte in digest.as_ref() {
        // Writing to a text cannot fail.
        let _ = write!(letters, "{byte:02X}");
    }
    letters
}

/// Whether a line names this hash. Services add lines with a count of zero, to hide how many there are.
fn is_line_of(line: &[u8], hash: &str) -> bool {
    let line = line.trim_ascii();
    let mut parts = line.splitn(2, |byte| *byte == b':');
    let same = parts
        .next()
        .is_some_and(|name| name.eq_ignore_ascii_case(hash.as_bytes()));
    same && parts.next() != Some(b"0")
}

fn is_listed(lines: &[u8], hash: &str) -> bool {
    lines
        .split(|byte| *byte == b'\n')
        .any(|line| is_line_of(line, hash))
}

fn check_first_line(path: &Path) -> Result<(), BreachedError> {
    let mut start = Vec::new();
    File::open(path)?.take(MAX_LINE).read_to_end(&mut start)?;
    let line = start
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    hash_of(line.trim_ascii_end()).map(drop)
}

/// The hash at the start of a line, in capitals.
fn hash_of(line: &[u8]) -> Result<[u8; HASH_LENGTH], BreachedError> {
    let (hash, rest) = line
        .split_first_chunk::<HASH_LENGTH>()
        .ok_or(BreachedError::Format)?;
    let ended = matches!(rest.first(), None | Some(b':' | b'\r' | b'\n'));
    if !ended || !hash.iter().all(u8::is_ascii_hexdigit) {
        return Err(BreachedError::Format);
    }
    Ok(hash.map(|letter| letter.to_ascii_uppercase()))
}

fn read_at(file: &mut File, start: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Halves the file until a few lines are left, and reads those.
fn find_in_file(path: &Path, hash: &str) -> Result<bool, BreachedError> {
    let mut file = File::open(path)?;
    // The line looked for starts at or behind `low`, where a line starts, and before `high`.
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
        } else if hash_of(line)?.as_slice() <= hash.as_bytes() {
            low = start;
        } else {
            high = start;
        }
    }
    let lines = read_at(&mut file, low, high - low + MAX_LINE)?;
    Ok(is_listed(&lines, hash))
}

fn find_in_folder(path: &Path, hash: &str) -> Result<bool, BreachedError> {
    let (prefix, rest) = hash
        .split_at_checked(PREFIX_LENGTH)
        .ok_or(BreachedError::Format)?;
    let bare = path.join(prefix);
    let file = File::open(&bare).or_else(|_| File::open(bare.with_extension("txt")))?;
    let mut lines = Vec::new();
    file.take(MAX_PART as u64).read_to_end(&mut lines)?;
    Ok(is_listed(&lines, rest))
}

async fn find_by_service(
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
    Ok(is_listed(&answer.body, rest))
}

#[cfg(test)]
mod tests;
