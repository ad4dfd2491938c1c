//! Times in texts for people.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Writes a time to the minute, as people of every language read it.
pub(crate) fn to_the_minute(at: Timestamp) -> String {
    let at = TimeZone::UTC.to_datetime(at);
    format!("{} UTC", at.strftime("%Y-%m-%d %H:%M"))
}
