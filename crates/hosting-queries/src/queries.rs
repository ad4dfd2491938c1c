// This file was generated with `cornucopia`. Do not modify.

pub mod actions;
pub mod api_keys;
pub mod audit_log;
pub mod checks;
pub mod component_states;
pub mod console_tickets;
pub mod customers;
pub mod feedback;
pub mod game_profiles;
pub mod idempotency_keys;
pub mod incidents;
pub mod leases;
pub mod machine_ports;
pub mod machines;
pub mod maintenances;
pub mod status_readers;
