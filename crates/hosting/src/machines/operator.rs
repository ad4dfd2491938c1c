//! Machines as operators see them.

use serde::Serialize;
use uuid::Uuid;

use crate::machines::MachineView;
use crate::machines::record::{GameRecord, VpsRecord};
use crate::model::{MachineKind, PortMapping, PublicState};

/// A machine as operators see it: what customers see, and more.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperatorRecord {
    /// Virtual private server or game server.
    #[serde(rename = "type")]
    pub kind: MachineKind,
    /// The id of the customer.
    pub customer: String,
    /// Our own id, which names of containers, volumes and files have.
    pub machine_id: Uuid,
    /// Why the engine refused the last start.
    pub failure: Option<String>,
    #[serde(flatten)]
    record: KindRecord,
    /// The id in the API.
    #[serde(skip)]
    pub id: String,
    /// The name for people.
    #[serde(skip)]
    pub name: String,
    /// The state.
    #[serde(skip)]
    pub state: PublicState,
    /// The ports of the host that lead to it.
    #[serde(skip)]
    pub ports: Vec<PortMapping>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum KindRecord {
    Vps(Box<VpsRecord>),
    Game(Box<GameRecord>),
}

impl OperatorRecord {
    pub(crate) fn of(view: &MachineView, game_address: Option<&str>) -> Self {
        let machine = &view.machine;
        let record = match machine.kind {
            MachineKind::Vps => KindRecord::Vps(Box::new(VpsRecord::of(view))),
            MachineKind::Game => {
                KindRecord::Game(Box::new(GameRecord::of(view, game_address, None)))
            }
        };
        Self {
            kind: machine.kind,
            customer: machine.customer_id.clone(),
            machine_id: machine.id,
            failure: machine.failure.clone(),
            record,
            id: machine.public_id.to_string(),
            name: machine.name.clone(),
            state: view.state(),
            ports: machine.ports.iter().copied().map(PortMapping).collect(),
        }
    }
}
