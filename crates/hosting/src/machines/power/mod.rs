//! Power: starting, stopping, resetting, restarting and killing machines.
//!
//! A request becomes an action in one transaction, which `worker/` then carries out. Whether it becomes one is
//! decided by a table (`decide.rs`) from the state of the machine and its action that has not ended.

mod control;
mod decide;
mod request;
mod signals;

pub(crate) use control::PowerControl;
pub(crate) use request::{PowerAnswer, PowerError, PowerRequest, Refusal};
