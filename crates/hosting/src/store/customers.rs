//! `customers`: customers, who own machines and keys.

use innkeeper_service::database::{Column, Executor, FromRow, Row, RowError, rows, statements};
use jiff::Timestamp;

use super::Result;
use crate::model::{Customer, CustomerSummary};

/// The constraint that keeps a customer with machines.
pub(crate) const HAS_MACHINES: &str = "machines_customer_id_fkey";

rows! {
    struct SummaryRow {
        id: String,
        name: String,
        created_at: Timestamp,
        machines: i64,
        keys: i64,
    }
}

impl<'r> FromRow<'r> for CustomerSummary {
    const COLUMNS: &'static [Column] = SummaryRow::COLUMNS;

    fn from_row(row: &'r Row) -> std::result::Result<Self, RowError> {
        let row = SummaryRow::from_row(row)?;
        Ok(Self {
            customer: Customer {
                id: row.id,
                name: row.name,
                created_at: row.created_at,
            },
            machines: row.machines,
            keys: row.keys,
        })
    }
}

statements! {
    async fn count_inserted(customer: &Customer) -> u64
    where { id: &str = &customer.id, name: &str = &customer.name, created_at: Timestamp = customer.created_at }
    { "insert into customers (id, name, created_at) values (:id, :name, :created_at) on conflict (id) do nothing" }

    /// Returns the customer with an id.
    pub(crate) async fn by_id(id: &str) -> Option<Customer> {
        "select c.id, c.name, c.created_at from customers c where c.id = :id"
    }

    /// Returns all customers, oldest first, with the number of their machines and of their keys that were not
    /// revoked.
    pub(crate) async fn list() -> Vec<CustomerSummary> {
        "select c.id, c.name, c.created_at,
                (select count(*) from machines m where m.customer_id = c.id) as machines,
                (select count(*) from api_keys k where k.customer_id = c.id and k.revoked_at is null) as keys
           from customers c
          order by c.created_at, c.id"
    }

    async fn count_deleted(id: &str) -> u64 {
        "delete from customers where id = :id"
    }
}

/// Adds a customer; returns false if the id is taken.
pub(crate) async fn insert(conn: &dyn Executor, customer: &Customer) -> Result<bool> {
    Ok(count_inserted(conn, customer).await? > 0)
}

/// Deletes a customer and the keys; returns false if there is none with this id. Violates
/// [`HAS_MACHINES`] if the customer has machines.
pub(crate) async fn delete(conn: &dyn Executor, id: &str) -> Result<bool> {
    Ok(count_deleted(conn, id).await? > 0)
}
