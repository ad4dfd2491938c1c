//! Operations on API keys.

use innkeeper_rest::filter::IpNetwork;
use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Executor, Transaction};
use innkeeper_service::secret::Secret;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use uuid::Uuid;

use super::customers::{checked_name, unknown_customer};
use super::{OperateError, connection, invalid};
use crate::config::Config;
use crate::machines::audit;
use crate::machines::key::{GeneratedKey, Peppers};
use crate::model::{Actor, ApiKey, AuditEntry, KeyMachine, MachineKind, PublicId, Scope, Scopes};
use crate::store;
use crate::store::api_keys::StoredKey;

/// A key to create.
#[derive(Debug, Clone)]
pub struct NewApiKey {
    /// The id of the customer.
    pub customer_id: String,
    /// The name for people, one line.
    pub name: String,
    /// What it may do; at least one.
    pub scopes: Vec<Scope>,
    /// The machines that it may use: `game:mc-1`, `vps:web-1`, or only the id if no other machine of the
    /// customer has it. Empty means all machines of the customer.
    pub machines: Vec<String>,
    /// Where requests may come from; empty means anywhere.
    pub networks: Vec<IpNetwork>,
    /// When it stops working.
    pub expires_at: Option<Timestamp>,
}

/// A key that was created, and its text, which nothing stores.
#[derive(Debug)]
pub struct CreatedKey {
    /// The key.
    pub key: KeyDetails,
    /// The text, to be shown once.
    pub text: Secret<String>,
}

/// A key and the machines that it may use.
#[derive(Debug, Clone)]
pub struct KeyDetails {
    /// The key.
    pub key: ApiKey,
    /// The machines that it may use; `None` means all of the customer.
    pub machines: Option<Vec<KeyMachine>>,
}

/// Creates a key.
pub async fn create_key(
    config: &Config,
    clock: &Clock,
    new: NewApiKey,
) -> Result<CreatedKey, OperateError> {
    let name = checked_name(&new.name)?;
    check_rights(&new)?;
    let now = clock.now();
    if new.expires_at.is_some_and(|expires_at| expires_at <= now) {
        return Err(invalid("the key would have expired already"));
    }
    let (text, mut stored) = generate(config, now)?;
    let mut connection = connection(config).await?;
    let transaction = connection.transaction().await?;
    let customer = store::customers::by_id(&transaction, &new.customer_id).await?;
    let customer = customer.ok_or_else(|| unknown_customer(&new.customer_id))?;
    let mut machines = Vec::new();
    for machine in &new.machines {
        machines.push(find_machine(&transaction, &customer.id, machine).await?);
    }
    stored.key = ApiKey {
        customer_id: customer.id,
        name,
        scopes: Scopes::new(new.scopes),
        machines: (!machines.is_empty()).then_some(machines),
        networks: (!new.networks.is_empty()).then_some(new.networks),
        expires_at: new.expires_at,
        ..stored.key
    };
    let details = json!({ "name": stored.key.name });
    insert(&transaction, &stored, "key.create", details).await?;
    let key = detail_of(&transaction, stored.key).await?;
    transaction.commit().await?;
    Ok(CreatedKey { key, text })
}

/// Returns the keys of a customer, or of all customers, oldest first.
pub async fn list_keys(
    config: &Config,
    customer_id: Option<&str>,
) -> Result<Vec<KeyDetails>, OperateError> {
    let connection = connection(config).await?;
    if let Some(id) = customer_id {
        let customer = store::customers::by_id(&connection, id).await?;
        customer.ok_or_else(|| unknown_customer(id))?;
    }
    let keys = store::api_keys::list(&connection, customer_id).await?;
    details_of(&connection, keys).await
}

/// Returns a key by its id.
pub async fn show_key(config: &Config, id: &str) -> Result<KeyDetails, OperateError> {
    let connection = connection(config).await?;
    let stored = store::api_keys::by_id(&connection, id).await?;
    let stored = stored.ok_or_else(|| unknown_key(id))?;
    detail_of(&connection, stored.key).await
}

/// Revokes a key. Running servers refuse it within five seconds, and close its consoles.
pub async fn revoke_key(config: &Config, clock: &Clock, id: &str) -> Result<(), OperateError> {
    let now = clock.now();
    let mut connection = connection(config).await?;
    let transaction = connection.transaction().await?;
    let stored = store::api_keys::lock_by_id(&transaction, id).await?;
    let key = stored.ok_or_else(|| unknown_key(id))?.key;
    if !store::api_keys::revoke(&transaction, id, now).await? {
        return Err(invalid(format!("key {id} was revoked before")));
    }
    let entry = AuditEntry {
        customer_id: Some(key.customer_id),
        target: Some(id.to_owned()),
        details: json!({ "name": key.name }),
        ..AuditEntry::new(now, Actor::Operator, "key.revoke")
    };
    audit::record(&transaction, &entry).await?;
    transaction.commit().await?;
    Ok(())
}

/// Creates a key with the rights of another one, which expires after a time. A key that expires is replaced
/// by one with the same lifetime.
pub async fn rotate_key(
    config: &Config,
    clock: &Clock,
    id: &str,
    overlap: SignedDuration,
) -> Result<CreatedKey, OperateError> {
    let now = clock.now();
    let (text, mut stored) = generate(config, now)?;
    let mut connection = connection(config).await?;
    let transaction = connection.transaction().await?;
    let old = store::api_keys::lock_by_id(&transaction, id).await?;
    let old = old.ok_or_else(|| unknown_key(id))?.key;
    let is_over = old.expires_at.is_some_and(|expires_at| expires_at <= now);
    if is_over || old.revoked_at.is_some() {
        return Err(invalid(format!(
            "key {id} no longer works: create a new one"
        )));
    }
    let lifetime = old
        .expires_at
        .map(|expires_at| expires_at.duration_since(old.created_at));
    stored.key = ApiKey {
        id: stored.key.id,
        created_at: now,
        expires_at: lifetime.map(|lifetime| now.saturating_add(lifetime).unwrap_or(Timestamp::MAX)),
        last_used_at: None,
        last_used_from: None,
        ..old
    };
    let end = now.saturating_add(overlap).unwrap_or(Timestamp::MAX);
    store::api_keys::expire(&transaction, id, end).await?;
    let details = json!({ "name": stored.key.name, "replaces": id });
    insert(&transaction, &stored, "key.rotate", details).await?;
    let key = detail_of(&transaction, stored.key).await?;
    transaction.commit().await?;
    Ok(CreatedKey { key, text })
}

/// Generates a key without rights.
fn generate(config: &Config, now: Timestamp) -> Result<(Secret<String>, StoredKey), OperateError> {
    let generated = GeneratedKey::generate();
    let parts = generated.parts();
    let hash = parts.and_then(|parts| Peppers::new(&config.keys).hash(parts));
    let (Some(parts), Some(hash)) = (parts, hash) else {
        return Err(invalid(
            "HOSTING_KEY_PEPPERS is not set: API keys are stored as hashes that are keyed with it. Set it for \
             the server and for this command, for example to 1:$(openssl rand -base64 32)",
        ));
    };
    let key = ApiKey {
        id: parts.id.as_str().to_owned(),
        customer_id: String::new(),
        name: String::new(),
        scopes: Scopes::new([]),
        machines: None,
        networks: None,
        created_at: now,
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
        last_used_from: None,
    };
    Ok((generated.text, StoredKey { key, hash }))
}

/// Stores a key and records that.
async fn insert(
    transaction: &Transaction<'_>,
    stored: &StoredKey,
    event: &'static str,
    details: Value,
) -> Result<(), OperateError> {
    store::api_keys::insert(transaction, stored).await?;
    let entry = AuditEntry {
        customer_id: Some(stored.key.customer_id.clone()),
        target: Some(stored.key.id.clone()),
        details,
        ..AuditEntry::new(stored.key.created_at, Actor::Operator, event)
    };
    Ok(audit::record(transaction, &entry).await?)
}

/// Adds the machines to keys.
async fn details_of(
    conn: &dyn Executor,
    keys: Vec<ApiKey>,
) -> Result<Vec<KeyDetails>, OperateError> {
    let ids: Vec<Uuid> = keys
        .iter()
        .filter_map(|key| key.machines.as_ref())
        .flatten()
        .copied()
        .collect();
    let known = store::api_keys::machines(conn, &ids).await?;
    let details = keys.into_iter().map(|key| KeyDetails {
        machines: key.machines.as_ref().map(|ids| {
            let known = known.iter().filter(|(id, _)| ids.contains(id));
            known.map(|(_, machine)| machine.clone()).collect()
        }),
        key,
    });
    Ok(details.collect())
}

/// Adds the machines to a key.
async fn detail_of(conn: &dyn Executor, key: ApiKey) -> Result<KeyDetails, OperateError> {
    let id = key.id.clone();
    let details = details_of(conn, vec![key]).await?;
    details.into_iter().next().ok_or_else(|| unknown_key(&id))
}

fn check_rights(new: &NewApiKey) -> Result<(), OperateError> {
    if new.scopes.is_empty() {
        return Err(invalid("a key needs at least one scope"));
    }
    let sloppy = new
        .networks
        .iter()
        .find(|network| network.truncated() != **network);
    match sloppy {
        None => Ok(()),
        Some(network) => Err(invalid(format!(
            "network {network} has bits after its prefix; did you mean {}?",
            network.truncated()
        ))),
    }
}

/// Returns the machine of a customer that an operator named.
async fn find_machine(
    conn: &dyn Executor,
    customer_id: &str,
    named: &str,
) -> Result<Uuid, OperateError> {
    let unknown = || invalid(format!("customer {customer_id} has no machine {named}"));
    let (kind, id) = match named.split_once(':') {
        Some((kind, id)) => (Some(MachineKind::parse(kind).ok_or_else(unknown)?), id),
        None => (None, named),
    };
    let id = PublicId::parse(id).ok_or_else(unknown)?;
    let mut found = Vec::new();
    for &candidate in MachineKind::ALL {
        if kind.is_none_or(|kind| kind == candidate) {
            let machine = store::machines::by_public_id(conn, candidate, id.as_str()).await?;
            found.extend(machine.filter(|machine| machine.customer_id == customer_id));
        }
    }
    match found.as_slice() {
        [] => Err(unknown()),
        [machine] => Ok(machine.id),
        _ => Err(invalid(format!(
            "customer {customer_id} has a virtual private server and a game server {id}: write vps:{id} or \
             game:{id}"
        ))),
    }
}

fn unknown_key(id: &str) -> OperateError {
    invalid(format!("key {id} does not exist"))
}
