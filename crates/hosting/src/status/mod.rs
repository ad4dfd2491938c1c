//! The status of the service: results of probes, incidents and maintenances on one page.
//!
//! The page stays available without the database. Decisions are functions of values: when a result is
//! believed (`damping`), how downtime is counted (`uptime`), and the overall status (`indicator`).

mod atom;
mod badge;
mod component_state;
mod damping;
mod data;
mod definition;
mod history;
mod html;
mod indicator;
mod monitor;
mod page;
mod parse;
mod probe;
mod probe_result;
mod prober;
mod responses;
mod statuspage;
mod theme;
mod uptime;
mod uptime_days;

pub(crate) use component_state::ComponentState;
pub use damping::{DampingRules, ProbeState};
pub use definition::{Component, Definition, HttpTarget, Probe, ProbeUrl, Target};
pub use history::{Incident, IncidentStatus, Maintenance, Phase, Update};
pub use indicator::{ComponentStatus, Impact, Indicator};
pub(crate) use monitor::{StatusMonitor, TELLING_INTERVAL};
pub(crate) use page::StatusPage;
pub(crate) use parse::parse;
pub use probe_result::ProbeResult;
pub(crate) use prober::ProbeRound;
pub(crate) use uptime::percentage;
pub use uptime::{Observation, Uptime};
pub(crate) use uptime_days::{DAYS, ObservedDay};
