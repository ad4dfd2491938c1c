//! Names of containers, volumes, networks and labels. They come from our own id of a machine, never from an
//! id that an operator chose.

use uuid::Uuid;

/// The label with the id of the machine.
pub(super) const MACHINE_LABEL: &str = "innkeeper.machine";
/// The label with the id of the run.
pub(super) const RUN_LABEL: &str = "innkeeper.run";
/// How the name of every bridge begins, for the firewall.
pub(super) const BRIDGE_PREFIX: &str = "ink";

/// Returns the name of the container, the volume and the network of a machine.
pub(super) fn resource_name(machine: Uuid) -> String {
    format!("innkeeper-{machine}")
}

/// Returns the name of the bridge of a machine. The kernel allows 15 bytes; the last digits of an id are the
/// random ones.
pub(super) fn bridge_name(machine: Uuid) -> String {
    let digits = machine.simple().to_string();
    let (_, random) = digits.split_at(digits.len() - 12);
    format!("{BRIDGE_PREFIX}{random}")
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::bridge_name;

    #[test]
    fn the_name_of_a_bridge_fits_and_differs_between_machines() {
        let (one, other) = (Uuid::now_v7(), Uuid::now_v7());
        assert_eq!(bridge_name(one).len(), 15);
        assert_ne!(bridge_name(one), bridge_name(other));
    }
}
