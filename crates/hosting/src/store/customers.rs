//! `customers`: customers, who own machines and keys.

use innkeeper_hosting_queries::queries::customers as queries;

use super::{GenericClient, Result};
use crate::model::{Customer, CustomerSummary};

/// The constraint that keeps a customer with machines.
pub(crate) const HAS_MACHINES: &str = "machines_customer_id_fkey";

/// Adds a customer; returns false if the id is taken.
pub(crate) async fn insert(conn: &impl GenericClient, customer: &Customer) -> Result<bool> {
    let insert = queries::insert_customer();
    let inserted = insert.bind(conn, &customer.id, &customer.name, &customer.created_at);
    Ok(inserted.opt().await?.is_some())
}

/// Returns the customer with an id.
pub(crate) async fn by_id(conn: &impl GenericClient, id: &str) -> Result<Option<Customer>> {
    let found = queries::find_customer().bind(conn, &id).opt().await?;
    Ok(found.map(|row| Customer {
        id: row.id,
        name: row.name,
        created_at: row.created_at,
    }))
}

/// Returns all customers, oldest first.
pub(crate) async fn list(conn: &impl GenericClient) -> Result<Vec<CustomerSummary>> {
    let rows = queries::list_customers().bind(conn).all().await?;
    let customers = rows.into_iter().map(|row| CustomerSummary {
        machines: row.machines,
        keys: row.keys,
        customer: Customer {
            id: row.id,
            name: row.name,
            created_at: row.created_at,
        },
    });
    Ok(customers.collect())
}

/// Deletes a customer and the keys; returns false if there is none with this id. Violates
/// [`HAS_MACHINES`] if the customer has machines.
pub(crate) async fn delete(conn: &impl GenericClient, id: &str) -> Result<bool> {
    let deleted = queries::delete_customer().bind(conn, &id).opt().await?;
    Ok(deleted.is_some())
}
