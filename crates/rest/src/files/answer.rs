//! The answer to a request for a file.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, HeaderValue, VARY};
use http::{Method, StatusCode};

use super::disk::{Chunks, read_cached, read_whole};
use super::embedded::variant_name;
use super::path::{Wanted, join};
use super::types;
use super::{Content, Files, Item, Lookup, Store};
use crate::coding::{Coding, negotiate};
use crate::conditional::{Validators, Verdict};
use crate::head::Head;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;

/// Files up to this size are read at once, on the thread that has opened them.
const AT_ONCE: u64 = 64 * 1024;

impl Files {
    /// Answers a GET or HEAD request. May wait for a disk.
    pub(super) fn answer(&self, wanted: &Wanted, request: &Request) -> Response {
        let found = self.look(wanted, request, true);
        found.unwrap_or_else(|error| Response::rejected(Rejection::internal(error)))
    }

    /// Answers a GET or HEAD request, if that can be done without waiting.
    pub(super) fn answer_now(&self, wanted: &Wanted, request: &Request) -> Option<Response> {
        match self.look(wanted, request, false) {
            Ok(response) => Some(response),
            Err(error) if error.kind() == ErrorKind::WouldBlock => None,
            Err(error) => Some(Response::rejected(Rejection::internal(error))),
        }
    }

    fn look(&self, wanted: &Wanted, request: &Request, waits: bool) -> io::Result<Response> {
        let head = request.head();
        let find = |path: &str| self.find(path, head, waits);
        let respond = |path: &str, item| self.respond(path, item, request, waits);
        let index = self.index.as_deref();
        let index = index.map(|index| join(&wanted.path, index));
        let found = match (wanted.directory, &index) {
            (false, _) => find(&wanted.path)?,
            (true, Some(index)) => find(index)?,
            (true, None) => Lookup::Missing,
        };
        match (found, index) {
            (Lookup::File(item), index) => {
                let index = index.filter(|_| wanted.directory);
                return respond(index.as_deref().unwrap_or(&wanted.path), item);
            }
            (Lookup::Directory, Some(index)) if !wanted.directory => {
                if let Lookup::File(_) = find(&index)? {
                    return Ok(with_slash(request));
                }
            }
            _ => {}
        }
        match &self.fallback {
            Some(fallback)
                if fallback.is_catch_all || types::extension(&wanted.path).is_empty() =>
            {
                match find(&fallback.path)? {
                    Lookup::File(item) => respond(&fallback.path, item),
                    _ => Ok(Response::not_found()),
                }
            }
            _ => Ok(Response::not_found()),
        }
    }

    /// What is at a path, in the best variant.
    fn find(&self, path: &str, head: &Head, waits: bool) -> io::Result<Lookup> {
        let disk = match &self.store {
            Store::Embedded(embedded) => return Ok(embedded.find(path, head)),
            Store::Disk(disk) => disk,
            Store::Nothing => return Ok(Lookup::Missing),
        };
        let find = |path: &str| {
            if waits {
                disk.find(path, self.links)
            } else {
                disk.find_cached(path, self.links)
            }
        };
        let mut item = match find(path)? {
            Lookup::File(item) if self.precompressed => item,
            other => return Ok(other),
        };
        let mut offered = Coding::ALL.to_vec();
        while let Some(coding) = negotiate(head, &offered) {
            if let Lookup::File(variant) = find(&variant_name(path, coding))? {
                item = variant;
                item.coding = Some(coding);
                break;
            }
            offered.retain(|one| *one != coding);
        }
        item.varies = true;
        Ok(Lookup::File(item))
    }

    fn respond(
        &self,
        path: &str,
        item: Item,
        request: &Request,
        waits: bool,
    ) -> io::Result<Response> {
        let Item {
            etag,
            modified,
            content,
            coding,
            varies,
        } = item;
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
            Content::Bytes(bytes) => return Ok(response.body(bytes)),
            Content::File(file, size) => (file, size),
        };
        let is_sent = *request.method() == Method::GET
            && request.preconditions().evaluate(validators) == Verdict::Proceed;
        if is_sent && size <= AT_ONCE {
            let bytes = if waits {
                read_whole(file, size)?
            } else {
                read_cached(&file, size)?
            };
            return Ok(response.body(bytes));
        }
        let file = Arc::new(file);
        let open = move |range| Chunks::new(Arc::clone(&file), range);
        Ok(response.stream_seekable(size, open))
    }

    fn content_type_of(&self, path: &str) -> HeaderValue {
        let extension = types::extension(path);
        let own = self.types.iter();
        let mut own = own.filter(|(known, _)| known.eq_ignore_ascii_case(extension));
        match own.next_back() {
            Some((_, own)) => own.clone(),
            None => HeaderValue::from_static(types::content_type(path)),
        }
    }

    fn cache_control_of(&self, path: &str) -> Option<&HeaderValue> {
        let below = self.caches.iter().filter(|(directory, _)| {
            let rest = path.strip_prefix(directory.as_str());
            rest.is_some_and(|rest| directory.is_empty() || rest.starts_with('/'))
        });
        let nearest = below.max_by_key(|(directory, _)| directory.len());
        nearest.map(|(_, value)| value)
    }
}

/// The way to a directory: links in its index are relative to it.
fn with_slash(request: &Request) -> Response {
    let head = request.head();
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
