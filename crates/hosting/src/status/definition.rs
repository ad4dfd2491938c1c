//! What `status.toml` says: the components of a service, and how each is probed.

use std::time::Duration;

use innkeeper_service::secret::Secret;
use url::Url;

use super::damping::Rules;

/// A status page.
#[derive(Debug, Default)]
pub struct Definition {
    /// The name of the page; that of the site when it is not given.
    pub name: Option<String>,
    /// Where the page is; the site when it is not given.
    pub url: Option<String>,
    /// The components, in the order in which they are shown.
    pub components: Vec<Component>,
}

/// A part of the service that people know by name.
#[derive(Debug, Clone)]
pub struct Component {
    /// What incidents call it, and what its history is kept under.
    pub id: String,
    /// Its name in addresses.
    pub slug: String,
    /// Its name for people.
    pub name: String,
    /// The heading under which it stands.
    pub group: Option<String>,
    /// A sentence about it.
    pub description: Option<String>,
    /// How often it is probed.
    pub interval: Duration,
    /// When results are believed.
    pub rules: Rules,
    /// How it is probed; a component without probes is as its incidents say.
    pub probes: Vec<Probe>,
}

/// A way to find out whether a component works.
#[derive(Debug, Clone)]
pub struct Probe {
    /// What is asked.
    pub target: Target,
    /// After this time there is no answer.
    pub timeout: Duration,
    /// Answers that take longer are slow.
    pub slow: Option<Duration>,
}

/// What a probe asks.
#[derive(Debug, Clone)]
pub enum Target {
    /// A web address.
    Http(HttpTarget),
    /// A port that accepts connections.
    Tcp {
        /// A name or an address.
        host: String,
        /// The port.
        port: u16,
    },
    /// A PostgreSQL database: another one, or the server's own.
    Postgres(Option<Secret<String>>),
}

/// What a probe over HTTP asks, and what it expects.
#[derive(Debug, Clone)]
pub struct HttpTarget {
    /// The address.
    pub place: Place,
    /// Whether the body is of no interest.
    pub head: bool,
    /// The answers that are good, from and to.
    pub statuses: Vec<(u16, u16)>,
    /// A text that a good answer has.
    pub contains: Option<String>,
}

/// Where a probe over HTTP asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// At an address.
    At(Url),
    /// At this path of this server, wherever it listens.
    Here(String),
}

impl Component {
    /// Whether it is, or needs, the database of this server.
    pub fn needs_own_database(&self) -> bool {
        let own = |probe: &Probe| matches!(probe.target, Target::Postgres(None));
        self.probes.iter().any(own)
    }
}
