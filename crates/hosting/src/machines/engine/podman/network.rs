//! The network of a machine: a bridge of its own, so that it shares none with another customer's machine.

use std::collections::HashMap;

use serde::Serialize;
use serde::de::IgnoredAny;
use uuid::Uuid;

use super::PodmanEngine;
use super::names::{MACHINE_LABEL, bridge_name, resource_name};
use crate::machines::engine::EngineError;

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct NetworkRequest {
    name: String,
    driver: &'static str,
    #[serde(rename = "EnableIPv6")]
    has_ipv6: bool,
    options: HashMap<&'static str, String>,
    labels: HashMap<&'static str, String>,
}

impl PodmanEngine {
    /// Makes the network of a machine anew. Its addresses are then chosen among those that no bridge of the
    /// host uses now, whichever program made it.
    pub(super) async fn renew_network(&self, machine: Uuid) -> Result<(), EngineError> {
        self.remove_network(machine).await?;
        let request = NetworkRequest {
            name: resource_name(machine),
            driver: "bridge",
            has_ipv6: false,
            options: HashMap::from([("com.docker.network.bridge.name", bridge_name(machine))]),
            labels: HashMap::from([(MACHINE_LABEL, machine.to_string())]),
        };
        let _: IgnoredAny = self.socket.post_json("/networks/create", &request).await?;
        Ok(())
    }

    /// Removes the network of a machine whose container is gone.
    pub(super) async fn remove_network(&self, machine: Uuid) -> Result<(), EngineError> {
        let path = format!("/networks/{}", resource_name(machine));
        match self.socket.delete(&path).await {
            Ok(()) | Err(EngineError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
