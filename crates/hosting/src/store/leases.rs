//! `leases`: tasks that only one replica does at a time.

use innkeeper_service::database::{Executor, statements};
use jiff::Timestamp;
use uuid::Uuid;

use super::Result;

statements! {
    async fn count_taken(name: &str, holder: Uuid, now: Timestamp, until: Timestamp) -> u64 {
        "-- A lease that ends later than one of twice the time is from before the clock was set back.
         insert into leases as l
                (name, holder, until)
         values (:name, :holder, :until)
             on conflict (name)
             do update set holder = excluded.holder,
                           until = excluded.until
                       where l.holder = excluded.holder
                          or l.until <= :now
                          or l.until > :until::timestamptz + (:until::timestamptz - :now::timestamptz)"
    }

    /// Releases a lease, so that others can take it at once.
    pub(crate) async fn release(name: &str, holder: Uuid) {
        "delete from leases where name = :name and holder = :holder"
    }
}

/// Takes or renews a lease until a time; returns false if somebody else holds it.
pub(crate) async fn try_lease(
    conn: &dyn Executor,
    name: &str,
    holder: Uuid,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool> {
    Ok(count_taken(conn, name, holder, now, until).await? > 0)
}
