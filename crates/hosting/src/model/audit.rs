//! Entries of the audit log.

use std::net::IpAddr;

use jiff::Timestamp;
use serde_json::{Value, json};

/// Who does something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A customer, by the id of an API key.
    Key(String),
    /// An operator, by the command line.
    Operator,
    /// The server itself.
    System,
}

impl Actor {
    /// Returns the text for the database: the id of the key, `operator` or `system`. The ids of keys have
    /// another length.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Key(id) => id,
            Self::Operator => "operator",
            Self::System => "system",
        }
    }
}

/// An entry of the audit log: who did what, and the outcome.
#[derive(Debug, Clone)]
pub struct AuditEntry {
    /// When it was done.
    pub at: Timestamp,
    /// The customer that it concerns.
    pub customer_id: Option<String>,
    /// Who did it.
    pub actor: Actor,
    /// A noun and a verb, such as `machine.start` or `key.revoke`.
    pub event: &'static str,
    /// The public id of what it was done to.
    pub target: Option<String>,
    /// The address of the client.
    pub address: Option<IpAddr>,
    /// The id of the request.
    pub request_id: Option<String>,
    /// `accepted`, or the code of the error.
    pub outcome: String,
    /// An object with what else is worth knowing. It has no secrets.
    pub details: Value,
}

impl AuditEntry {
    /// Returns an entry for something that was accepted, to be completed by a struct update.
    pub fn new(at: Timestamp, actor: Actor, event: &'static str) -> Self {
        Self {
            at,
            customer_id: None,
            actor,
            event,
            target: None,
            address: None,
            request_id: None,
            outcome: "accepted".to_owned(),
            details: json!({}),
        }
    }
}
