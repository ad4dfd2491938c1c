//! The machines of customers: what is shown of them, their keys and their power, the engines that run them and
//! their consoles.

mod access;
mod action_record;
pub(crate) mod audit;
pub(crate) mod console;
pub mod demo_game;
#[doc(hidden)]
pub mod engine;
pub(crate) mod key;
pub(crate) mod node;
mod operator;
pub(crate) mod ports;
pub(crate) mod power;
mod record;
mod view;
pub(crate) mod worker;

pub(crate) use access::MachineAccess;
pub use action_record::{ActionErrorRecord, ActionRecord};
pub use operator::OperatorRecord;
pub use record::{GameRecord, StatsRecord, VpsRecord};
pub(crate) use view::MachineView;
