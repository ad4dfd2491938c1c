//! The status page that `status.toml` defines: the components of the service and their probes.

mod parse;

use std::time::Duration;

use innkeeper_service::secret::Secret;
use jiff::SignedDuration;
use url::Url;

pub(crate) use parse::parse;

/// The definition of a status page.
#[derive(Debug, Default)]
pub struct Definition {
    /// The name of the page; `None` for that of the site.
    pub name: Option<String>,
    /// The URL of the page; `None` for that of the site.
    pub url: Option<String>,
    /// The components, in the order in which they are shown.
    pub components: Vec<Component>,
}

/// A part of the service whose status is shown.
#[derive(Debug, Clone)]
pub struct Component {
    /// The id, which incidents and the history refer to.
    pub id: String,
    /// The name in URLs.
    pub slug: String,
    /// The name for people.
    pub name: String,
    /// The group that it is shown in.
    pub group: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The time between two rounds of probes.
    pub interval: Duration,
    /// When results change the status.
    pub rules: DampingRules,
    /// The probes; without any, the status follows from incidents alone.
    pub probes: Vec<Probe>,
}

/// How many results in a row change the state of a probe, and when a probe counts as flapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DampingRules {
    /// The number of worse results in a row that change the state.
    pub failures: u32,
    /// The number of better results in a row that change the state.
    pub recoveries: u32,
    /// The number of changes within the window that make a probe flapping.
    pub flaps: usize,
    /// The window in which changes are counted.
    pub window: SignedDuration,
}

/// A probe of a component.
#[derive(Debug, Clone)]
pub struct Probe {
    /// What is probed.
    pub target: Target,
    /// How long to wait for an answer.
    pub timeout: Duration,
    /// An answer that takes longer is slow.
    pub slow: Option<Duration>,
}

/// The target of a probe.
#[derive(Debug, Clone)]
pub enum Target {
    /// An HTTP URL.
    Http(HttpTarget),
    /// A TCP port that accepts connections.
    Tcp {
        /// A host name or an IP address.
        host: String,
        /// The port.
        port: u16,
    },
    /// A PostgreSQL database, by its URL; `None` for the server's own.
    Postgres(Option<Secret<String>>),
}

/// The target of an HTTP probe, and what it expects.
#[derive(Debug, Clone)]
pub struct HttpTarget {
    /// The URL to request.
    pub url: ProbeUrl,
    /// Whether to send HEAD instead of GET.
    pub head: bool,
    /// The ranges of successful status codes.
    pub statuses: Vec<(u16, u16)>,
    /// A text that the body must contain.
    pub contains: Option<String>,
}

/// The URL of an HTTP probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeUrl {
    /// A URL.
    Absolute(Url),
    /// A path of this server.
    OwnPath(String),
}

impl Component {
    /// Tells whether a probe needs the database of this server.
    pub fn needs_own_database(&self) -> bool {
        let own = |probe: &Probe| matches!(probe.target, Target::Postgres(None));
        self.probes.iter().any(own)
    }
}
