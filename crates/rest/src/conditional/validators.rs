//! The validators of the current version of a resource.

use std::time::SystemTime;

use http::header::{ETAG, LAST_MODIFIED};

use super::date::{parse_date, whole_seconds};
use super::etag::ETag;
use crate::response::ResponseHeaders;

/// What preconditions are evaluated against: whether the resource exists, and its entity tag and
/// modification date, as far as they are known.
///
/// ```
/// use innkeeper_rest::{ETag, Validators};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let nothing = Validators::absent();
/// let tagged = Validators::from(ETag::strong("v7"));
/// let both = tagged.clone().last_modified(UNIX_EPOCH + Duration::from_secs(1_700_000_000));
/// assert_ne!(nothing, tagged);
/// assert_eq!(nothing, Validators::from(None::<ETag>));
/// assert_ne!(tagged, both);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validators {
    pub(super) exists: bool,
    pub(super) etag: Option<ETag>,
    /// In whole seconds, as clients know it.
    pub(super) modified: Option<SystemTime>,
}

impl Validators {
    /// Makes validators of a resource that does not exist, as `If-None-Match: *` expects.
    pub fn absent() -> Self {
        Self {
            exists: false,
            etag: None,
            modified: None,
        }
    }

    /// Makes validators of a resource that exists, and of which nothing else is known.
    pub fn present() -> Self {
        Self {
            exists: true,
            etag: None,
            modified: None,
        }
    }

    /// Sets the entity tag.
    #[must_use]
    pub fn etag(mut self, etag: ETag) -> Self {
        self.exists = true;
        self.etag = Some(etag);
        self
    }

    /// Sets the modification date. Fractions of seconds are ignored.
    #[must_use]
    pub fn last_modified(mut self, time: impl Into<SystemTime>) -> Self {
        self.exists = true;
        self.modified = whole_seconds(time.into());
        self
    }

    /// Reads the validators of a response.
    pub(super) fn of(headers: &ResponseHeaders) -> Self {
        Self {
            exists: true,
            etag: headers.get(&ETAG).and_then(ETag::from_value),
            modified: headers.get(&LAST_MODIFIED).and_then(parse_date),
        }
    }
}

impl From<ETag> for Validators {
    fn from(etag: ETag) -> Self {
        Self::present().etag(etag)
    }
}

impl From<&ETag> for Validators {
    fn from(etag: &ETag) -> Self {
        etag.clone().into()
    }
}

/// `None` is a resource that does not exist.
impl From<Option<ETag>> for Validators {
    fn from(etag: Option<ETag>) -> Self {
        etag.map_or_else(Self::absent, Self::from)
    }
}

impl From<SystemTime> for Validators {
    fn from(modified: SystemTime) -> Self {
        Self::present().last_modified(modified)
    }
}

impl From<&Self> for Validators {
    fn from(validators: &Self) -> Self {
        validators.clone()
    }
}
