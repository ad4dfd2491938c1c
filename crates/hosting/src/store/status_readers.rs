//! `status_readers` and `status_changes`: which changes of the status each replica shows. Times are those of the
//! database, because the clocks of replicas and operators may differ.

use innkeeper_service::database::statements;
use uuid::Uuid;

statements! {
    /// Counts a committed change, and returns its number.
    pub(crate) async fn count_change() -> i64 {
        "select nextval('status_changes') as number"
    }

    /// Returns the number of the last change; 0 if there was none.
    pub(crate) async fn last_change() -> i64 {
        "select case when s.is_called then s.last_value else 0 end as number from status_changes s"
    }

    /// Stores that a replica runs, and shows everything up to a change.
    pub(crate) async fn show_change(replica: Uuid, seen: i64) {
        "insert into status_readers as r
                (replica, seen, heard_at)
         values (:replica, :seen, now())
             on conflict (replica)
             do update set seen = excluded.seen,
                           heard_at = excluded.heard_at"
    }

    /// Counts the replicas that were heard of within some seconds and do not show a change yet.
    pub(crate) async fn count_behind(number: i64, seconds: f64) -> i64 {
        "select count(*) as replicas
           from status_readers r
          where r.seen < :number
            and r.heard_at > now() - make_interval(secs => :seconds)"
    }

    /// Deletes a replica that ends.
    pub(crate) async fn forget(replica: Uuid) {
        "delete from status_readers where replica = :replica"
    }

    /// Deletes replicas that ended without saying so.
    pub(crate) async fn forget_silent() -> u64 {
        "delete from status_readers where heard_at < now() - interval '1 hour'"
    }
}
