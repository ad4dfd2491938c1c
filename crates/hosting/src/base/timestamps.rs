//! Timestamps as the API writes them: UTC, to the millisecond.

use jiff::Timestamp;
use serde::Serializer;

/// Serializes a timestamp.
pub(crate) fn millis<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.3}"))
}

/// Serializes an optional timestamp.
#[expect(clippy::ref_option, reason = "what serde calls it with")]
pub(crate) fn optional_millis<S: Serializer>(
    time: &Option<Timestamp>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => millis(time, serializer),
        None => serializer.serialize_none(),
    }
}
