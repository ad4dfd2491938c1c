//! `console_tickets`: one-time tickets with which a browser opens a console.

use innkeeper_service::database::{rows, statements};
use jiff::Timestamp;
use uuid::Uuid;

rows! {
    /// What a ticket is bound to.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct TicketBinding {
        /// The key that it was made with.
        pub(crate) key_id: String,
        /// The machine whose console it opens.
        pub(crate) machine_id: Uuid,
        /// The origin of the pages that may use it; `None` means any client.
        pub(crate) origin: Option<String>,
        /// When it stops working.
        pub(crate) expires_at: Timestamp,
    }
}

statements! {
    /// Adds a ticket by its hash.
    pub(crate) async fn insert(hash: &[u8], binding: &TicketBinding)
    where {
        hash: &[u8],
        key_id: &str = &binding.key_id,
        machine_id: Uuid = binding.machine_id,
        origin: Option<&str> = binding.origin.as_deref(),
        expires_at: Timestamp = binding.expires_at,
    }
    {
        "insert into console_tickets
                (hash, key_id, machine_id, origin, expires_at)
         values (:hash, :key_id, :machine_id, :origin, :expires_at)"
    }

    /// Deletes a ticket by its hash and returns what it was bound to. Of several callers one gets it. A ticket is
    /// gone with its first use, also if that is refused.
    pub(crate) async fn take(hash: &[u8]) -> Option<TicketBinding> {
        "delete from console_tickets where hash = :hash returning key_id, machine_id, origin, expires_at"
    }

    /// Deletes the tickets that nobody used in time.
    pub(crate) async fn delete_expired(now: Timestamp) -> u64 {
        "delete from console_tickets where expires_at <= :now"
    }
}
