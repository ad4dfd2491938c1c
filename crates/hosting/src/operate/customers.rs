//! Operations on customers.

use innkeeper_service::clock::Clock;
use serde_json::json;

use super::{OperateError, connection, invalid};
use crate::config::Config;
use crate::machines::audit;
use crate::model::{Actor, AuditEntry, Customer, CustomerSummary, PublicId, new_id};
use crate::store;

/// The longest name of a customer or a key, in characters.
const MAX_NAME: usize = 100;

/// Adds a customer, with this id or a new one.
pub async fn add_customer(
    config: &Config,
    clock: &Clock,
    name: &str,
    id: Option<&PublicId>,
) -> Result<Customer, OperateError> {
    let customer = Customer {
        id: id.map_or_else(|| new_id("cus"), ToString::to_string),
        name: checked_name(name)?,
        created_at: clock.now(),
    };
    let mut connection = connection(config).await?;
    let transaction = connection.transaction().await?;
    if !store::customers::insert(&transaction, &customer).await? {
        return Err(invalid(format!("customer {} exists already", customer.id)));
    }
    let entry = AuditEntry {
        customer_id: Some(customer.id.clone()),
        target: Some(customer.id.clone()),
        details: json!({ "name": customer.name }),
        ..AuditEntry::new(customer.created_at, Actor::Operator, "customer.add")
    };
    audit::record(&transaction, &entry).await?;
    transaction.commit().await?;
    Ok(customer)
}

/// Returns all customers, oldest first.
pub async fn list_customers(config: &Config) -> Result<Vec<CustomerSummary>, OperateError> {
    Ok(store::customers::list(&connection(config).await?).await?)
}

/// Removes a customer who has no machines, and the customer's keys. Running servers notice within seconds.
pub async fn remove_customer(config: &Config, clock: &Clock, id: &str) -> Result<(), OperateError> {
    let mut connection = connection(config).await?;
    let transaction = connection.transaction().await?;
    let deleted = store::customers::delete(&transaction, id).await;
    let is_known = deleted.map_err(|error| match error.constraint() {
        Some(store::customers::HAS_MACHINES) => invalid(format!(
            "customer {id} has machines: remove them first, with `innkeeper hosting vps remove` and \
             `innkeeper hosting game remove`"
        )),
        _ => error.into(),
    })?;
    if !is_known {
        return Err(unknown_customer(id));
    }
    let entry = AuditEntry {
        customer_id: Some(id.to_owned()),
        target: Some(id.to_owned()),
        ..AuditEntry::new(clock.now(), Actor::Operator, "customer.remove")
    };
    audit::record(&transaction, &entry).await?;
    transaction.commit().await?;
    Ok(())
}

pub(super) fn unknown_customer(id: &str) -> OperateError {
    invalid(format!("customer {id} does not exist"))
}

/// Returns a name without blanks around it, if it is one line.
pub(super) fn checked_name(name: &str) -> Result<String, OperateError> {
    let name = name.trim();
    let has_forbidden = name.contains(|letter: char| letter.is_control());
    if name.is_empty() || name.chars().count() > MAX_NAME || has_forbidden {
        let message = format!("the name must be one line of at most {MAX_NAME} characters");
        return Err(invalid(message));
    }
    Ok(name.to_owned())
}
