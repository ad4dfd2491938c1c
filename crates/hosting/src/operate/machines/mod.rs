//! What operators do with machines.

mod add;
mod profile;
mod tasks;

pub use crate::machines::{
    ActionErrorRecord, ActionRecord, GameRecord, OperatorRecord, StatsRecord, VpsRecord,
};
pub use add::{NewGame, NewServer, NewVps, add_game, add_vps};
pub use profile::{list_profiles, parse_profile, remove_profile, save_profile, set_profile};
pub use tasks::{
    PowerOutcome, PowerTask, control_machine, list_machines, show_machine, unsuspend_machine,
};
