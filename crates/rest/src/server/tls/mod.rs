//! Encrypted connections: rustls on aws-lc-rs, with certificates that are exchanged while it runs.

mod error;
mod handshake;
mod load;
mod names;
mod watch;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::ServerConfig;

pub use error::TlsError;
pub use handshake::ClientCertificate;
pub(super) use handshake::{Encrypted, certificate_of};
use load::{ClientRoots, Plan, Source};

use super::{ServeError, Server};

/// Certificates and keys for encrypted connections.
///
/// A clone is a handle on the same certificates: keep one to call [`reload`](Self::reload).
///
/// ```no_run
/// use innkeeper_rest::{App, ServeError, Server, Tls};
/// use std::time::Duration;
///
/// # async fn serve(app: App) -> Result<(), ServeError> {
/// let tls = Tls::from_files("/etc/app/fullchain.pem", "/etc/app/privkey.pem")?
///     .watch(Duration::from_mins(1));
/// Server::bind("0.0.0.0:443")?.tls(tls).serve(app).await
/// # }
/// ```
///
/// TLS 1.2 and 1.3 are spoken, and HTTP/2 or HTTP/1.1 is agreed upon in the handshake. A handshake
/// and the first request head share the [head timeout](Server::head_timeout).
#[derive(Clone)]
pub struct Tls {
    plan: Arc<Plan>,
    current: Arc<Current>,
    watch: Option<Duration>,
}

/// What handshakes use now.
struct Current {
    configs: RwLock<Configs>,
    /// Whether somebody looks at the files already: of a server per core, only one does.
    watched: AtomicBool,
}

/// The same certificates with and without HTTP/2.
struct Configs {
    both: Arc<ServerConfig>,
    http1: Arc<ServerConfig>,
    /// Of the files they were read from.
    fingerprint: u64,
    /// What is wrong with their dates.
    untimely: Vec<TlsError>,
}

impl Tls {
    /// Reads a certificate with its chain and its private key from PEM files.
    ///
    /// The certificate of the server comes first in its file, then those between it and the root.
    /// A file that cannot be used is an error that names it. A certificate whose time is over, or has
    /// not come, is only warned about, so that a server can start that is to renew it.
    pub fn from_files(
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Result<Self, TlsError> {
        Self::load(Plan::of(Source::files(certificate.into(), key.into())))
    }

    /// Takes a certificate with its chain and its private key from PEM texts.
    pub fn from_pem(
        certificate: impl AsRef<[u8]>,
        key: impl AsRef<[u8]>,
    ) -> Result<Self, TlsError> {
        let source = Source::memory(certificate.as_ref(), key.as_ref())?;
        Self::load(Plan::of(source))
    }

    /// Adds a certificate for other names.
    ///
    /// A client that asks for a name gets the certificate that has it, `*.example.org` included, and
    /// else the first one. Of several for the same name it gets the first whose kind of key it knows.
    pub fn and_files(
        self,
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Result<Self, TlsError> {
        let source = Source::files(certificate.into(), key.into());
        self.changed(|plan| plan.sources.push(source))
    }

    /// Lets only clients in that have a certificate of one of these authorities, from a PEM file.
    ///
    /// Handlers read it with `#[value] certificate: `[`ClientCertificate`].
    pub fn require_client_certificates(
        self,
        authorities: impl AsRef<Path>,
    ) -> Result<Self, TlsError> {
        let roots = ClientRoots::new(authorities.as_ref(), true);
        self.changed(|plan| plan.clients = Some(roots))
    }

    /// Asks clients for a certificate of one of these authorities, and lets in who has none.
    ///
    /// Handlers read it with `#[value] certificate: Option<`[`ClientCertificate`]`>`.
    pub fn ask_for_client_certificates(
        self,
        authorities: impl AsRef<Path>,
    ) -> Result<Self, TlsError> {
        let roots = ClientRoots::new(authorities.as_ref(), false);
        self.changed(|plan| plan.clients = Some(roots))
    }

    /// Looks at the files that often while a server runs, and reads them again when they change.
    ///
    /// Files that cannot be used are logged, and the certificates in use stay.
    #[must_use]
    pub fn watch(mut self, every: Duration) -> Self {
        self.watch = Some(every.max(Duration::from_millis(10)));
        self
    }

    /// Reads all files again, for the connections to come. Open ones go on as they are.
    ///
    /// If anything is wrong with them, their dates included, nothing is changed.
    pub fn reload(&self) -> Result<(), TlsError> {
        let mut configs = self.plan.load()?;
        if let Some(fault) = configs.untimely.pop() {
            return Err(fault);
        }
        *self
            .current
            .configs
            .write()
            .unwrap_or_else(PoisonError::into_inner) = configs;
        Ok(())
    }

    fn load(plan: Plan) -> Result<Self, TlsError> {
        let current = Current {
            configs: RwLock::new(plan.load()?),
            watched: AtomicBool::new(false),
        };
        Ok(Self {
            plan: Arc::new(plan),
            current: Arc::new(current),
            watch: None,
        })
    }

    fn changed(self, change: impl FnOnce(&mut Plan)) -> Result<Self, TlsError> {
        let mut plan = Plan::clone(&self.plan);
        change(&mut plan);
        Ok(Self {
            watch: self.watch,
            ..Self::load(plan)?
        })
    }

    fn with_configs<T>(&self, work: impl FnOnce(&Configs) -> T) -> T {
        let configs = self.current.configs.read();
        work(&configs.unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls")
            .field("sources", &self.plan.sources)
            .field("watch", &self.watch)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Encrypts all connections.
    ///
    /// Clients that speak plain HTTP are turned away.
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        tls.with_configs(|configs| {
            for fault in &configs.untimely {
                tracing::warn!("{fault}");
            }
        });
        self.tls = Some(tls);
        self
    }
}

impl From<TlsError> for ServeError {
    fn from(error: TlsError) -> Self {
        Self::Tls(error)
    }
}
