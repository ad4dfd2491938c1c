//! `GET /v1/hosting/key`: the key that the request is sent with.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Response, Unnegotiated, resource};
use innkeeper_service::database::Executor;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::context::Control;
use super::refusal::unavailable;
use crate::machines::key::VerifiedKey;
use crate::model::{Customer, KeyMachine, Scope};
use crate::store;

pub(crate) struct OwnKey {
    pub(crate) control: Arc<Control>,
}

/// An API key, without its secret.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Key")]
struct KeyDescription {
    /// The public part of the key: the 12 characters after `ink_live_`.
    id: String,
    name: String,
    customer: KeyCustomer,
    scopes: Vec<Scope>,
    /// The machines that the key may be used for; `null` means all of the customer.
    machines: Option<Vec<KeyMachine>>,
    /// The networks from which the key may be used; `null` means any.
    networks: Option<Vec<String>>,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    #[schemars(extend("format" = "date-time"))]
    expires_at: Option<String>,
    /// When the key was last used, to the minute.
    #[schemars(extend("format" = "date-time"))]
    last_used_at: Option<String>,
}

/// The customer to whom a key belongs.
#[derive(Serialize, JsonSchema)]
struct KeyCustomer {
    id: String,
    name: String,
}

#[resource("/key")]
#[filter(self.control.credentials.clone())]
#[filter(self.control.limits.key.clone())]
impl OwnKey {
    /// Describes the key that the request is sent with.
    #[get]
    #[security(api_key)]
    #[responds(200, KeyDescription, "the key")]
    #[responds(401, "the key is missing or not valid")]
    #[responds(403, "the key cannot be used from this address")]
    #[responds(503, "keys cannot be checked at the moment")]
    async fn show(&self, #[value] key: Arc<VerifiedKey>) -> Result<Unnegotiated, Rejection> {
        let connection = self.control.connection().await?;
        let described = describe(&connection, &key).await;
        let described = described.map_err(|error| unavailable(error.to_string()))?;
        let response = Response::ok().header("cache-control", "no-store");
        Ok(Unnegotiated(response.entity(described)))
    }
}

async fn describe(conn: &dyn Executor, key: &VerifiedKey) -> store::Result<KeyDescription> {
    let key = &key.key;
    let customer = store::customers::by_id(conn, &key.customer_id).await?;
    let machines = match &key.machines {
        Some(ids) => store::api_keys::machines(conn, ids).await?,
        None => Vec::new(),
    };
    let machines = machines.into_iter().map(|(_, machine)| machine).collect();
    let networks = key.networks.as_ref();
    Ok(KeyDescription {
        id: key.id.clone(),
        name: key.name.clone(),
        customer: KeyCustomer {
            id: key.customer_id.clone(),
            // A customer that was removed a moment ago has no name.
            name: customer.map_or_else(String::new, |Customer { name, .. }| name),
        },
        scopes: key.scopes.iter().collect(),
        machines: key.machines.as_ref().map(|_| machines),
        networks: networks.map(|networks| networks.iter().map(ToString::to_string).collect()),
        created_at: shown(key.created_at),
        expires_at: key.expires_at.map(shown),
        last_used_at: key.last_used_at.map(shown),
    })
}

fn shown(time: Timestamp) -> String {
    format!("{time:.3}")
}
