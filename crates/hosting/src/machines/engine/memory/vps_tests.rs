//! The rules that all engines for virtual private servers obey.

use std::sync::Arc;

use uuid::Uuid;

use super::{Guest, MemoryHost};
use crate::machines::engine::vps_conformance::{GuestKind, VpsFixture, vps_conformance};
use crate::machines::engine::{VpsBlueprint, VpsEngine};
use crate::model::{Exit, Protocol, VpsNetwork, VpsSpec};

/// A port that no other program has in this world.
const PORT: u16 = 2222;

vps_conformance!(MemoryHost::default());

impl VpsFixture for MemoryHost {
    fn engine(&self) -> Arc<dyn VpsEngine> {
        self.engines().vps.unwrap()
    }

    fn blueprint(&self, guest: GuestKind) -> VpsBlueprint {
        let machine = Uuid::new_v4();
        let powered_off = Exit {
            by_guest: true,
            ..Exit::default()
        };
        self.set_guest(
            machine,
            Guest {
                is_deaf: guest == GuestKind::Deaf,
                exits_at_start: (guest == GuestKind::PowersOff).then_some(powered_off),
                ..Guest::default()
            },
        );
        VpsBlueprint {
            machine,
            spec: VpsSpec {
                image: "debian".to_owned(),
                disk_bytes: 1 << 30,
                memory_mib: 512,
                cpus: 1,
                network: VpsNetwork::User,
                stop_seconds: 30,
            },
            ports: Vec::new(),
        }
    }

    fn boots(&self, machine: Uuid) -> usize {
        Self::boots(self, machine)
    }

    fn crash(&self, machine: Uuid) {
        self.exit(machine, Exit::default());
    }

    fn lose_image(&self, image: &str) {
        Self::lose_image(self, image);
    }

    fn occupy_port(&self, protocol: Protocol) -> u16 {
        self.set_port_in_use(protocol, PORT, true);
        PORT
    }

    fn release_port(&self, protocol: Protocol, port: u16) {
        self.set_port_in_use(protocol, port, false);
    }
}
