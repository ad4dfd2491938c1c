//! Machines of customers: what is shown of them, and what operators do with them.

mod access;
mod action_record;
mod add;
mod operator;
mod ports;
mod profile;
mod record;
mod tasks;
mod view;

pub use action_record::{ActionErrorRecord, ActionRecord};
pub use add::{NewGame, NewServer, NewVps, add_game, add_vps};
pub use operator::OperatorRecord;
pub use profile::{list_profiles, parse_profile, remove_profile, save_profile, set_profile};
pub use record::{GameRecord, StatsRecord, VpsRecord};
pub use tasks::{
    PowerOutcome, PowerTask, control_machine, list_machines, show_machine, unsuspend_machine,
};

pub(crate) use access::MachineAccess;
pub(crate) use view::MachineView;
