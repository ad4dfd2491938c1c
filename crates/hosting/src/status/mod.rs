//! The status of a service: its components are probed, and what is seen, what was seen and what the
//! operator says about it is one page.
//!
//! The page outlives the database. What is decided is decided by functions of values: what is believed
//! (`damping`), how time is counted (`uptime`) and what follows for the whole (`indicator`).

mod badge;
mod board;
mod damping;
mod definition;
mod history;
mod indicator;
mod page;
mod probe;
mod prober;
mod read;
mod statuspage;
mod uptime;

use jiff::Timestamp;
use serde::Serializer;

pub(crate) use board::Board;
pub use damping::{ProbeState, Rules, Seen};
pub use definition::{Component, Definition, HttpTarget, Place, Probe, Target};
pub use history::{Incident, IncidentStatus, Maintenance, Phase, Update};
pub use indicator::{ComponentStatus, Impact, Indicator};
pub(crate) use page::{Page, Site as PageSite};
pub(crate) use prober::{ComponentState, Round};
pub(crate) use read::read;
pub(crate) use uptime::percentage;
pub use uptime::{Stretch, Uptime};

/// A time as the API writes it: UTC, to the millisecond.
pub(crate) fn millis<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.3}"))
}

/// The same for a time that may not be there.
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
