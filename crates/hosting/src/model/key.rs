//! Customers and API keys.

use innkeeper_rest::filter::IpNetwork;
use innkeeper_service::database::rows;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::id::PublicId;
use super::machine::MachineKind;
use super::words::words;

rows! {
    /// A customer, who owns machines and keys.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Customer {
        /// `cus_…`.
        pub id: String,
        /// The name for operators.
        pub name: String,
        /// When the customer was added.
        pub created_at: Timestamp,
    }
}

/// A customer and how much the customer has, for lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerSummary {
    /// The customer.
    pub customer: Customer,
    /// The number of machines.
    pub machines: i64,
    /// The number of keys that were not revoked.
    pub keys: i64,
}

words! {
    /// What a key may do.
    pub enum Scope {
        /// List virtual private servers and their actions.
        VpsRead = "vps:read",
        /// Start, stop and reset virtual private servers.
        VpsPower = "vps:power",
        /// List game servers and their actions.
        GameRead = "game:read",
        /// Start, stop and restart game servers.
        GamePower = "game:power",
        /// Kill game servers, or stop them by force.
        GameKill = "game:kill",
        /// Read the console of game servers.
        GameConsoleRead = "game:console:read",
        /// Send commands to the console of game servers.
        GameConsoleWrite = "game:console:write",
        /// Read the log of game servers.
        GameLogs = "game:logs",
        /// Everything.
        All = "*",
    }
}

/// A set of scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// Returns a set, sorted and without duplicates.
    pub fn new(scopes: impl IntoIterator<Item = Scope>) -> Self {
        let mut scopes: Vec<Scope> = scopes.into_iter().collect();
        scopes.sort();
        scopes.dedup();
        Self(scopes)
    }

    /// Tells whether the set allows what a scope stands for.
    pub fn allows(&self, scope: Scope) -> bool {
        self.0.contains(&scope) || self.0.contains(&Scope::All)
    }

    /// Returns the scopes.
    pub fn iter(&self) -> impl Iterator<Item = Scope> + '_ {
        self.0.iter().copied()
    }
}

/// An API key, without its secret.
#[derive(Debug, Clone)]
pub struct ApiKey {
    /// The public part of the key.
    pub id: String,
    /// Whose key it is.
    pub customer_id: String,
    /// The name for people.
    pub name: String,
    /// What it may do.
    pub scopes: Scopes,
    /// The machines that it may use; `None` means all of the customer.
    pub machines: Option<Vec<Uuid>>,
    /// Where requests may come from; `None` means anywhere.
    pub networks: Option<Vec<IpNetwork>>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Option<Timestamp>,
    /// Since when it is revoked.
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// The address from which it was last used.
    pub last_used_from: Option<String>,
}

/// A machine that a key may use, as the API shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeyMachine {
    /// Virtual private server or game server.
    #[serde(rename = "type")]
    pub kind: MachineKind,
    /// The id in the API.
    pub id: PublicId,
}

/// The keyed hash of a key, which is stored instead of the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyHash {
    /// HMAC-SHA-256.
    pub bytes: Vec<u8>,
    /// The number of the pepper, which is the key of the hash.
    pub pepper: i32,
}
