//! Access to the tables, one file per table. The statements are in `queries/*.sql`; the functions that are
//! generated from them are called only from here.

pub(crate) mod actions;
pub(crate) mod api_keys;
pub(crate) mod audit_log;
pub(crate) mod checks;
pub(crate) mod component_states;
pub(crate) mod console_tickets;
pub(crate) mod customers;
pub(crate) mod feedback;
pub(crate) mod game_profiles;
pub(crate) mod idempotency_keys;
pub(crate) mod incidents;
pub(crate) mod leases;
pub(crate) mod machine_ports;
pub(crate) mod machines;
pub(crate) mod maintenances;
pub(crate) mod status_readers;

use innkeeper_service::database::{DatabaseError, Executor};

pub(crate) trait GenericClient: innkeeper_hosting_queries::client::GenericClient + Executor {}
impl<T: innkeeper_hosting_queries::client::GenericClient + Executor> GenericClient for T {}


/// The result of all functions of this module.
pub(crate) type Result<T> = std::result::Result<T, DatabaseError>;
