//! The answer to a request for a file.

use std::io;
use std::sync::Arc;

use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, HeaderMap, HeaderValue, VARY,
};
use http::{Method, StatusCode};

use super::disk::{Chunks, read_whole};
use super::embedded::variant_name;
use super::path::{Wanted, join};
use super::types;
use super::{Content, Files, Item, Lookup, Store};
use crate::coding::{Coding, negotiate};
use crate::conditional::{Validators, Verdict};
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;

/// Files up to this size are read at once, on the thread that has opened them.
const AT_ONCE: u64 = 64 * 1024;

impl Files {
    /// Answers a GET or HEAD request. May wait for a disk.
    pub(super) fn answer(&self, wanted: &Wanted, request: &Request) -> Response {
        let found = self.look(wanted, request);
        found.unwrap_or_else(|error| Response::rejected(Rejection::internal(error)))
    }

    fn look(&self, wanted: &Wanted, request: &Request) -> io::Result<Response> {
        let headers = request.head().headers();
        let index = self.index.as_deref();
        let index = index.map(|index| join(&wanted.path, index));
        let found = match (wanted.directory, &index) {
            (false, _) => self.find(&wanted.path, headers)?,
            (true, Some(index)) => self.find(index, headers)?,
            (true, None) => Lookup::Missing,
        };
        match (found, index) {
            (Lookup::File(item), index) => {
                let index = index.filter(|_| wanted.directory);
                return self.respond(index.as_deref().unwrap_or(&wanted.path), item, request);
            }
            (Lookup::Directory, Some(index)) if !wanted.directory => {
                if let Lookup::File(_) = self.find(&index, headers)? {
                    return Ok(with_slash(request));
                }
            }
            _ => {}
        }
        match &self.fallback {
            Some(fallback) if types::extension(&wanted.path).is_empty() => {
                match self.find(fallback, headers)? {
                    Lookup::File(item) => self.respond(fallback, item, request),
                    _ => Ok(Response::not_found()),
                }
            }
            _ => Ok(Response::not_found()),
        }
    }

    /// What is at a path, in the best variant.
    fn find(&self, path: &str, headers: &HeaderMap) -> io::Result<Lookup> {
        let disk = match &self.store {
            Store::Embedded(embedded) => return Ok(embedded.find(path, headers)),
            Store::Disk(disk) => disk,
            Store::Nothing => return Ok(Lookup::Missing),
        };
        let mut item = match disk.find(path, self.links)? {
            Lookup::File(item) if self.precompressed => item,
            other => return Ok(other),
        };
        let mut offered = Coding::ALL.to_vec();
        while let Some(coding) = negotiate(headers, &offered) {
            if let Lookup::File(variant) = disk.find(&variant_name(path, coding), self.links)? {
                item = variant;
                item.coding = Some(coding);
                break;
            }
            offered.retain(|one| *one != coding);
        }
        item.varies = true;
        Ok(Lookup::File(item))
    }

    fn respond(&self, path: &str, item: Item, request: &Request) -> io::Result<Response> {
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
        let headers = response.headers_mut();
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
            return Ok(response.body(read_whole(file, size)?));
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
        response.headers_mut().insert(http::header::LOCATION, value);
    }
    response
}
