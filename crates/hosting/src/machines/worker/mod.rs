//! The worker: carries out actions on the engines of this host, and keeps what is stored in line with what the
//! engines report.
//!
//! An action is a sequence of steps (`steps.rs`). The step that comes next is stored before it is done, and each
//! step first observes the engine, so that it can be repeated: whoever continues after a crash of the process
//! does so with the stored step. An action belongs to the worker that has its lease.

mod calls;
mod commit;
mod context;
mod crash;
mod exits;
mod failure;
mod judge;
mod machine_locks;
mod quota;
mod reconcile;
mod start_steps;
mod state_changes;
mod steps;
mod stop_steps;
mod work;
mod work_loop;

pub(crate) use context::{WorkerContext, WorkerSettings};
pub(crate) use quota::QuotaCheck;
pub(crate) use reconcile::Reconciler;
pub(crate) use work_loop::Worker;
