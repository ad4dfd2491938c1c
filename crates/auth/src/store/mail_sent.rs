//! `innkeeper_mail_sent`: the timers that keep the interval between mails to one address, whether or not
//! a user has that address.

use innkeeper_service::database::{Executor, statements};
use jiff::Timestamp;

use super::Result;

statements! {
    async fn count_started(address: &[u8], timer: &str, now: Timestamp, threshold: Timestamp) -> u64 {
        "insert into innkeeper_mail_sent
                (address_mac, kind, sent_at)
         values (:address, :timer, :now)
             on conflict (address_mac, kind)
             do update set sent_at = excluded.sent_at
                       where innkeeper_mail_sent.sent_at <= :threshold"
    }

    /// Returns the time when the timer of an address was last started.
    pub(crate) async fn find_start(address: &[u8], timer: &str) -> Option<Timestamp> {
        "select m.sent_at from innkeeper_mail_sent m where m.address_mac = :address and m.kind = :timer"
    }

    /// Deletes the timer of an address, because nothing was sent after all.
    pub(crate) async fn delete(address: &[u8], timer: &str) {
        "delete from innkeeper_mail_sent where address_mac = :address and kind = :timer"
    }

    /// Deletes the timers that were started before the threshold, and returns how many.
    pub(crate) async fn delete_before(threshold: Timestamp) -> u64 {
        "delete from innkeeper_mail_sent where sent_at < :threshold"
    }
}

/// Starts the timer of an address, unless it was started after the threshold. Returns whether it was
/// started now.
pub(crate) async fn try_start(
    conn: &dyn Executor,
    address: &[u8],
    timer: &str,
    now: Timestamp,
    threshold: Timestamp,
) -> Result<bool> {
    Ok(count_started(conn, address, timer, now, threshold).await? > 0)
}
