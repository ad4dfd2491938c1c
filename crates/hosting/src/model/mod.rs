//! Values that flows and the store share: customers, keys, machines and actions.

mod action;
mod audit;
mod feedback;
mod feedback_entry;
mod id;
mod incident;
mod key;
mod machine;
mod port;
mod profile;
mod public_state;
mod size;
mod spec;
mod words;

pub use action::{Action, ActionCommand, ActionFailure, ActionResult, ActionStatus, ActionStep};
pub use audit::{Actor, AuditEntry};
pub use feedback::{Feedback, InvalidField, REASONS};
pub use feedback_entry::{FeedbackCount, FeedbackEntry};
pub use id::{PublicId, new_id};
pub use incident::{Impact, Incident, IncidentStatus, Maintenance, Phase, Update};
pub use key::{ApiKey, Customer, CustomerSummary, KeyHash, KeyMachine, Scope, Scopes};
pub use machine::{
    Administrative, DesiredState, Exit, Machine, MachineKind, MachinePort, ObservedState, Protocol,
    StopReason,
};
pub use port::{InvalidPortMapping, InvalidPortRange, PortMapping, PortRange};
pub use profile::{GameProfile, ProfilePort, StopMethod};
pub use public_state::PublicState;
pub use size::{ByteSize, InvalidSize};
pub use spec::{GameSpec, MachineSpec, VpsNetwork, VpsSpec};
