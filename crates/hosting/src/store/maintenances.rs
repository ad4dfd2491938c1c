//! `maintenances`: announced maintenances.

use innkeeper_service::database::{Executor, statements};
use jiff::Timestamp;

use super::Result;
use crate::status::Maintenance;

statements! {
    /// Adds a maintenance.
    pub(crate) async fn insert(maintenance: &Maintenance)
    where {
        id: &str = &maintenance.id,
        title: &str = &maintenance.title,
        body: &str = &maintenance.body,
        components: &[String] = &maintenance.components,
        scheduled_for: Timestamp = maintenance.scheduled_for,
        scheduled_until: Timestamp = maintenance.scheduled_until,
        created_at: Timestamp = maintenance.created_at,
    }
    {
        "insert into maintenances
                (id, title, body, components, scheduled_for, scheduled_until, created_at)
         values (:id, :title, :body, :components, :scheduled_for, :scheduled_until, :created_at)"
    }

    async fn count_cancelled(id: &str, now: Timestamp) -> u64 {
        "-- What is over cannot be cancelled.
         update maintenances
            set cancelled_at = :now
          where id = :id
            and cancelled_at is null
            and scheduled_until > :now"
    }

    /// Returns the maintenances that end after a time, earliest first.
    pub(crate) async fn list(ends_after: Timestamp, limit: i64) -> Vec<Maintenance> {
        "select m.id, m.title, m.body, m.components, m.scheduled_for, m.scheduled_until, m.created_at,
                m.cancelled_at
           from maintenances m
          where m.scheduled_until > :ends_after
          order by m.scheduled_for, m.id
          limit :limit"
    }
}

/// Cancels a maintenance; returns false if there is none with this id that can be cancelled.
pub(crate) async fn cancel(conn: &dyn Executor, id: &str, now: Timestamp) -> Result<bool> {
    Ok(count_cancelled(conn, id, now).await? > 0)
}
