//! Modifiers for caches and partial content, and the checks against the request that are still to be done.

use std::ops::Range;

use bytes::Bytes;
use futures_core::Stream;
use http::header::{ACCEPT_RANGES, CACHE_CONTROL, ETAG, HeaderName, HeaderValue, LAST_MODIFIED};

use super::{ByteStream, Content, MapChunks, Response};
use crate::box_error::BoxError;

/// Modifiers for caches and for partial content. See the chapter on caching in the guide.
impl Response {
    /// Lets clients ask for ranges of the content, if its size is known: 206 with the range, 416 if it
    /// is not satisfiable.
    ///
    /// With a strong entity tag or a date, `If-Range` makes sure that the range belongs to the version
    /// that the client has. The range of a stream is found by reading all bytes before it; see
    /// [`stream_seekable`](Self::stream_seekable) for a better way.
    ///
    /// ```
    /// # use innkeeper_rest::{ETag, Response};
    /// let response = Response::ok().content_type("video/mp4").etag(ETag::strong("v1")).ranges();
    /// assert_eq!(response.body("film").headers()["accept-ranges"], "bytes");
    /// ```
    #[must_use]
    pub fn ranges(mut self) -> Self {
        if !matches!(self.parts.content, Content::Fault(_)) {
            self.parts
                .fields
                .insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
            self.parts.pending.ranges = true;
        }
        self
    }

    /// Streams content of known size, of which clients may also ask for ranges. The function opens one
    /// range at a time; it should do nothing until its stream is read.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use futures_util::stream;
    /// use innkeeper_rest::Response;
    ///
    /// // Blocks of a store that can be read from anywhere.
    /// let response = Response::ok().stream_seekable(1 << 40, |range| {
    ///     let blocks = range.step_by(4096).map(|start| Ok::<_, std::io::Error>(read_block(start)));
    ///     stream::iter(blocks)
    /// });
    /// # fn read_block(_: u64) -> Bytes { Bytes::new() }
    /// ```
    #[must_use]
    pub fn stream_seekable<F, S, B, E>(self, size: u64, mut open: F) -> Self
    where
        F: FnMut(Range<u64>) -> S + Send + 'static,
        S: Stream<Item = Result<B, E>> + Send + 'static,
        B: Into<Bytes> + 'static,
        E: Into<BoxError> + 'static,
    {
        let open = move |range| Box::pin(MapChunks::new(open(range))) as ByteStream;
        self.ranges()
            .with_content(Content::Seekable(Box::new(open), size))
    }

    /// Sets the header `Cache-Control`: how long caches may keep the response.
    ///
    /// ```
    /// # use innkeeper_rest::Response;
    /// let response = Response::ok().cache_control("public, max-age=60").entity("hello");
    /// assert_eq!(response.headers()["cache-control"], "public, max-age=60");
    /// ```
    #[must_use]
    pub fn cache_control(self, directives: impl AsRef<str>) -> Self {
        self.header(CACHE_CONTROL.as_str(), directives)
    }

    /// Sets an entity tag or a date, with which the conditions of the request are to be compared.
    pub(crate) fn set_validator(&mut self, name: HeaderName, value: HeaderValue) {
        if !matches!(self.parts.content, Content::Fault(_)) {
            self.parts.fields.insert(name, value);
            self.parts.pending.conditions = true;
        }
    }

    /// Whether the conditions of the request are still to be checked; resets the flag.
    pub(crate) fn take_pending_conditions(&mut self) -> bool {
        std::mem::take(&mut self.parts.pending.conditions)
    }

    /// Whether the ranges of the request are still to be checked; resets the flag.
    pub(crate) fn take_pending_ranges(&mut self) -> bool {
        std::mem::take(&mut self.parts.pending.ranges)
    }

    /// Whether another `Accept` could have changed the content.
    pub(crate) fn is_negotiated(&self) -> bool {
        matches!(self.parts.content, Content::Bytes(_) | Content::Entity(_))
    }

    /// Removes the entity tag and date of content that is not sent.
    pub(crate) fn remove_validators(&mut self) {
        self.parts.fields.remove(&ETAG);
        self.parts.fields.remove(&LAST_MODIFIED);
    }
}
