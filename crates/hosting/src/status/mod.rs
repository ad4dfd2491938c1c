//! The status of the service: results of probes, incidents and maintenances on one page.
//!
//! The page stays available without the database. Decisions are functions of values: when a result is
//! believed (`damping`), how downtime is counted (`uptime`), and the overall status (`indicator`).

mod atom;
mod badge;
mod component_state;
mod damping;
mod data;
mod html;
mod indicator;
mod monitor;
mod page;
mod probe;
mod probe_result;
mod prober;
mod responses;
mod statuspage;
mod theme;
mod uptime;
mod uptime_days;

pub use crate::content::status_definition::{
    Component, DampingRules, Definition, HttpTarget, Probe, ProbeUrl, Target,
};
pub use crate::model::{Impact, Incident, IncidentStatus, Maintenance, Phase, Update};
pub use damping::ProbeState;
pub use indicator::{ComponentStatus, Indicator};
pub(crate) use monitor::{StatusMonitor, TELLING_INTERVAL};
pub(crate) use page::StatusPage;
pub use probe_result::ProbeResult;
pub use uptime::{Observation, Uptime};
