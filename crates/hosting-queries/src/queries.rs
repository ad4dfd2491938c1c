// This file was generated with `cornucopia`. Do not modify.

pub mod checks;
pub mod component_states;
pub mod feedback;
pub mod incidents;
pub mod leases;
pub mod maintenances;
