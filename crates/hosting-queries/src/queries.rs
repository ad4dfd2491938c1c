// This file was generated with `cornucopia`. Do not modify.

pub mod actions;
pub mod checks;
pub mod component_states;
pub mod feedback;
pub mod game_profiles;
pub mod idempotency_keys;
pub mod incidents;
pub mod leases;
pub mod machine_ports;
pub mod machines;
pub mod maintenances;
