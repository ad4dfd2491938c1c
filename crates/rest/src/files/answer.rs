//! Makes the response to a request for a file.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, HeaderValue, RETRY_AFTER, VARY,
};
use http::{Method, StatusCode};

use super::content_types;
use super::directory::{FileChunks, read_cached, read_whole};
use super::lookup::{FileContent, FileVariant, Lookup, variant_name};
use super::request_path::{RequestedPath, join};
use super::{Files, Store};
use crate::coding::Coding;
use crate::conditional::{PreconditionOutcome, Validators};
use crate::head::Head;
use crate::rejection::Rejection;
use crate::response::Response;
use crate::runtime::coarse_clock;

/// The numbers of the errors "too many open files", in the system and in the process.
const NFILE: i32 = 23;
const MFILE: i32 = 24;

/// The second in which such an error was logged last: a flood of requests is logged once a second.
static LAST_LOGGED: AtomicU64 = AtomicU64::new(0);

/// Files up to this size are read whole, on the thread that has opened them.
const MAX_WHOLE: u64 = 64 * 1024;

impl Files {
    /// Answers a GET or HEAD request. May block on the disk.
    pub(super) fn respond(&self, path: &RequestedPath, head: &Head) -> Response {
        let response = self.look_up(path, head, true);
        response.unwrap_or_else(failed)
    }

    /// Answers a GET or HEAD request; `None` if that would block on the disk.
    pub(super) fn try_respond(&self, path: &RequestedPath, head: &Head) -> Option<Response> {
        match self.look_up(path, head, false) {
            Ok(response) => Some(response),
            Err(error) if error.kind() == ErrorKind::WouldBlock => None,
            Err(error) => Some(failed(error)),
        }
    }

    /// Answers with the file at a path, the index of a directory, or the fallback. Fails with
    /// `WouldBlock` if it may not block and would.
    fn look_up(
        &self,
        requested: &RequestedPath,
        head: &Head,
        may_block: bool,
    ) -> io::Result<Response> {
        let find = |path: &str| self.find(path, head, may_block);
        let send = |path: &str, file| self.send(path, file, head, may_block);
        let index = self.index.as_deref();
        let index = index.map(|index| join(&requested.path, index));
        let found = match (requested.is_directory, &index) {
            (false, _) => find(&requested.path)?,
            (true, Some(index)) => find(index)?,
            (true, None) => Lookup::Missing,
        };
        match (found, index) {
            (Lookup::File(file), index) => {
                let index = index.filter(|_| requested.is_directory);
                return send(index.as_deref().unwrap_or(&requested.path), file);
            }
            (Lookup::Directory, Some(index)) if !requested.is_directory => {
                if let Lookup::File(_) = find(&index)? {
                    return Ok(redirect_to_directory(head));
                }
            }
            _ => {}
        }
        let has_extension = !content_types::extension(&requested.path).is_empty();
        if let Some(fallback) = &self.fallback
            && (fallback.is_catch_all || !has_extension)
            && let Lookup::File(file) = find(&fallback.path)?
        {
            return send(&fallback.path, file);
        }
        Ok(Response::not_found())
    }

    /// Looks up a path, and the variant that the client prefers.
    fn find(&self, path: &str, head: &Head, may_block: bool) -> io::Result<Lookup> {
        let directory = match &self.store {
            Store::Memory(memory) => return Ok(memory.find(path, head)),
            Store::Directory(directory) => directory,
            Store::Invalid => return Ok(Lookup::Missing),
        };
        let find = |path: &str| {
            if may_block {
                directory.find(path, self.follow_links)
            } else {
                directory.find_cached(path, self.follow_links)
            }
        };
        let mut file = match find(path)? {
            Lookup::File(file) if self.precompressed => file,
            other => return Ok(other),
        };
        let mut offered = Coding::ALL.to_vec();
        while let Some(coding) = Coding::negotiate(head, &offered) {
            if let Lookup::File(variant) = find(&variant_name(path, coding))? {
                file = variant;
                file.coding = Some(coding);
                break;
            }
            offered.retain(|one| *one != coding);
        }
        file.varies = true;
        Ok(Lookup::File(file))
    }

    /// Makes the response with a file.
    fn send(
        &self,
        path: &str,
        file: FileVariant,
        head: &Head,
        may_block: bool,
    ) -> io::Result<Response> {
        let FileVariant {
            etag,
            modified,
            content,
            coding,
            varies,
        } = file;
        let mut validators = Validators::from(&etag);
        let mut response = Response::ok().etag(etag).ranges();
        if let Some(modified) = modified {
            validators = validators.last_modified(modified);
            response = response.last_modified(modified);
        }
        response.set_content_type(self.content_type_of(path));
        let headers = response.fields_mut();
        if let Some(cache) = self.cache_control_of(path) {
            headers.insert(CACHE_CONTROL, cache.clone());
        }
        if let Some(coding) = coding {
            headers.insert(CONTENT_ENCODING, coding.value());
        }
        if varies {
            headers.insert(VARY, HeaderValue::from(ACCEPT_ENCODING));
        }
        let (file, size) = match content {
            FileContent::Bytes(bytes) => return Ok(response.body(bytes)),
            FileContent::File(file, size) => (file, size),
        };
        let is_sent = *head.method() == Method::GET
            && head.preconditions().evaluate(validators) == PreconditionOutcome::Proceed;
        if is_sent && size <= MAX_WHOLE {
            let bytes = if may_block {
                read_whole(file, size)?
            } else {
                read_cached(&file, size)?
            };
            return Ok(response.body(bytes));
        }
        let file = Arc::new(file);
        let open = move |range| FileChunks::new(Arc::clone(&file), range);
        Ok(response.stream_seekable(size, open))
    }

    fn content_type_of(&self, path: &str) -> HeaderValue {
        let extension = content_types::extension(path);
        let custom = self.content_types.iter();
        let mut custom = custom.filter(|(known, _)| known.eq_ignore_ascii_case(extension));
        match custom.next_back() {
            Some((_, content_type)) => content_type.clone(),
            None => HeaderValue::from_static(content_types::content_type(path)),
        }
    }

    fn cache_control_of(&self, path: &str) -> Option<&HeaderValue> {
        let enclosing = self.cache_control.iter().filter(|(directory, _)| {
            let rest = path.strip_prefix(directory.as_str());
            rest.is_some_and(|rest| directory.is_empty() || rest.starts_with('/'))
        });
        let innermost = enclosing.max_by_key(|(directory, _)| directory.len());
        innermost.map(|(_, value)| value)
    }
}

/// Answers with 503 if the process may not open more files, and with 500 after other errors.
fn failed(error: io::Error) -> Response {
    if !matches!(error.raw_os_error(), Some(NFILE | MFILE)) {
        return Response::rejected(Rejection::internal(error));
    }
    let second = coarse_clock::unix_seconds();
    if LAST_LOGGED.swap(second, Ordering::Relaxed) != second {
        tracing::warn!(%error, "cannot open a file; raise the limit of open files");
    }
    let rejection = Rejection::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "unavailable",
        "too many files are open",
    );
    let soon = HeaderValue::from_static("1");
    Response::rejected(rejection.with_header(RETRY_AFTER, soon))
}

/// Redirects to the path with a trailing slash, so that relative links in the index work.
fn redirect_to_directory(head: &Head) -> Response {
    let location = match head.query() {
        Some(query) => format!("{}/?{query}", head.path()),
        None => format!("{}/", head.path()),
    };
    let mut response = Response::status(StatusCode::MOVED_PERMANENTLY);
    if let Ok(value) = HeaderValue::try_from(location) {
        response.fields_mut().insert(http::header::LOCATION, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_limit_of_open_files_is_503() {
        for (number, status) in [(23, 503), (24, 503), (22, 500), (25, 500), (5, 500)] {
            let response = failed(io::Error::from_raw_os_error(number));
            assert_eq!(response.status_code(), status, "{number}");
        }
    }
}
