//! SQL, one file per table. The statements are in `queries/*.sql`; the functions made from them are
//! called from here only.

pub(crate) mod checks;
pub(crate) mod component_states;
pub(crate) mod feedback;
pub(crate) mod incidents;
pub(crate) mod leases;
pub(crate) mod maintenances;

pub(crate) use innkeeper_hosting_queries::client::GenericClient;
use innkeeper_service::database::DatabaseError;

/// What every function here returns.
pub(crate) type Result<T> = std::result::Result<T, DatabaseError>;
