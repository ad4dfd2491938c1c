//! The entity tag and the date of a response.

use std::time::SystemTime;

use http::header::{ETAG, LAST_MODIFIED};

use super::date::date_value;
use super::etag::ETag;
use crate::response::Response;

/// Modifiers for conditional requests. See the chapter on caching in the guide.
impl Response {
    /// Sets the entity tag. A GET or HEAD from a client that has this version is answered with 304.
    ///
    /// ```
    /// # use innkeeper_rest::{ETag, Response};
    /// let response = Response::ok().etag(ETag::weak(7)).entity("seven");
    /// assert_eq!(response.headers()["etag"], "W/\"7\"");
    /// ```
    #[must_use]
    pub fn etag(mut self, etag: ETag) -> Self {
        self.set_validator(ETAG, etag.into_value());
        self
    }

    /// Sets the date of modification, to the second. A GET or HEAD from a client that has a version of
    /// this date or later is answered with 304. A time that HTTP cannot express, before 1970 or after
    /// 9999, is left out.
    ///
    /// ```
    /// # use innkeeper_rest::Response;
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// let response = Response::ok().last_modified(UNIX_EPOCH + Duration::from_secs(784_111_777));
    /// assert_eq!(response.headers()["last-modified"], "Sun, 06 Nov 1994 08:49:37 GMT");
    /// ```
    #[must_use]
    pub fn last_modified(mut self, time: impl Into<SystemTime>) -> Self {
        if let Some(value) = date_value(time.into()) {
            self.set_validator(LAST_MODIFIED, value);
        }
        self
    }
}
