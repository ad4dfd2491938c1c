//! The network of a machine: a bridge of its own, so that it shares none with another customer's machine.

use std::collections::HashMap;

use bollard::models::NetworkCreateRequest;
use uuid::Uuid;

use super::names::{MACHINE_LABEL, bridge_name, resource_name};
use super::{PodmanEngine, errors};
use crate::machines::engine::EngineError;

impl PodmanEngine {
    /// Makes the network of a machine anew. Its addresses are then chosen among those that no bridge of the
    /// host uses now, whichever program made it.
    pub(super) async fn renew_network(&self, machine: Uuid) -> Result<(), EngineError> {
        self.remove_network(machine).await?;
        let request = NetworkCreateRequest {
            name: resource_name(machine),
            driver: Some("bridge".to_owned()),
            enable_ipv6: Some(false),
            options: Some(HashMap::from([(
                "com.docker.network.bridge.name".to_owned(),
                bridge_name(machine),
            )])),
            labels: Some(HashMap::from([(
                MACHINE_LABEL.to_owned(),
                machine.to_string(),
            )])),
            ..NetworkCreateRequest::default()
        };
        let outcome = self.socket.client()?.create_network(request).await;
        outcome
            .map(drop)
            .map_err(|error| errors::from_client(&error))
    }

    /// Removes the network of a machine whose container is gone.
    pub(super) async fn remove_network(&self, machine: Uuid) -> Result<(), EngineError> {
        let name = resource_name(machine);
        let outcome = self.socket.client()?.remove_network(&name).await;
        match outcome.map_err(|error| errors::from_client(&error)) {
            Ok(()) | Err(EngineError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
