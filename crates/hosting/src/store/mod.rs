//! Access to the tables, one file per table, with the statements as functions.

pub(crate) mod actions;
pub(crate) mod api_keys;
pub(crate) mod audit_log;
pub(crate) mod checks;
pub(crate) mod component_states;
pub(crate) mod console_tickets;
pub(crate) mod customers;
pub(crate) mod database;
pub(crate) mod feedback;
pub(crate) mod game_profiles;
pub(crate) mod idempotency_keys;
pub(crate) mod incidents;
pub(crate) mod leases;
pub(crate) mod machine_ports;
pub(crate) mod machines;
pub(crate) mod maintenances;
pub mod migrate;
pub(crate) mod status_readers;

use innkeeper_service::database::{DatabaseError, Declaration};

/// The result of all functions of this module.
pub(crate) type Result<T> = std::result::Result<T, DatabaseError>;

/// All statements, for the test that compares them with the database.
pub fn statements() -> impl Iterator<Item = &'static Declaration> {
    [
        actions::STATEMENTS,
        api_keys::STATEMENTS,
        audit_log::STATEMENTS,
        checks::STATEMENTS,
        component_states::STATEMENTS,
        console_tickets::STATEMENTS,
        customers::STATEMENTS,
        feedback::STATEMENTS,
        game_profiles::STATEMENTS,
        idempotency_keys::STATEMENTS,
        incidents::STATEMENTS,
        leases::STATEMENTS,
        machine_ports::STATEMENTS,
        machines::STATEMENTS,
        maintenances::STATEMENTS,
        status_readers::STATEMENTS,
    ]
    .into_iter()
    .flatten()
}
