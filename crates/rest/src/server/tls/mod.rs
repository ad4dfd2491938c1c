//! TLS: rustls on aws-lc-rs, with certificates that can be replaced while the server runs.

mod certificate;
mod client_certificate;
mod error;
mod handshake;
mod resolver;
mod sources;
mod stream;
mod watch;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::ServerConfig;

pub use client_certificate::ClientCertificate;
pub(super) use client_certificate::certificate_of;
pub use error::TlsError;
use sources::{CertificateSource, ClientAuthorities, LoadedConfigs, TlsSources};
pub(super) use stream::TlsHalf;

/// Certificates and keys for encrypted connections.
///
/// Clones share their certificates: keep one to call [`reload`](Self::reload).
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
/// The server supports TLS 1.2 and 1.3, and negotiates HTTP/2 or HTTP/1.1 in the handshake. The
/// handshake and the first request head share the [head timeout](crate::Server::head_timeout).
#[derive(Clone)]
pub struct Tls {
    sources: Arc<TlsSources>,
    current: Arc<CurrentConfigs>,
    watch: Option<Duration>,
}

/// The configurations that new handshakes use.
struct CurrentConfigs {
    configs: RwLock<LoadedConfigs>,
    /// Whether a server watches the files: of one server per core, only one does.
    is_watched: AtomicBool,
}

impl Tls {
    /// Loads a certificate with its chain and its private key from PEM files.
    ///
    /// The certificate of the server comes first in its file, then the intermediate certificates. A
    /// certificate that has expired or is not valid yet is logged as a warning, so that a server can
    /// start in order to renew it.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read or parsed, or if the key does not belong to the certificate. The
    /// error names the file.
    pub fn from_files(
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Result<Self, TlsError> {
        let source = CertificateSource::files(certificate.into(), key.into());
        Self::load(TlsSources::new(source))
    }

    /// Loads a certificate with its chain and its private key from PEM text.
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be parsed, or if the key does not belong to the certificate.
    pub fn from_pem(
        certificate: impl AsRef<[u8]>,
        key: impl AsRef<[u8]>,
    ) -> Result<Self, TlsError> {
        let source = CertificateSource::memory(certificate.as_ref(), key.as_ref())?;
        Self::load(TlsSources::new(source))
    }

    /// Adds a certificate for other names.
    ///
    /// A client is sent the certificate for the name it asks for, wildcards such as `*.example.org`
    /// included, or else the first certificate. Of several certificates for the same name it is sent
    /// the first whose signature scheme it supports.
    ///
    /// # Errors
    ///
    /// Fails as [`from_files`](Self::from_files) does.
    pub fn and_files(
        self,
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Result<Self, TlsError> {
        let source = CertificateSource::files(certificate.into(), key.into());
        self.with_sources(|sources| sources.certificates.push(source))
    }

    /// Admits only clients with a certificate that one of these authorities, from a PEM file, has
    /// signed.
    ///
    /// Handlers read it with `#[value] certificate: `[`ClientCertificate`].
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or parsed.
    pub fn require_client_certificates(
        self,
        authorities: impl AsRef<Path>,
    ) -> Result<Self, TlsError> {
        let authorities = ClientAuthorities::new(authorities.as_ref(), true);
        self.with_sources(|sources| sources.clients = Some(authorities))
    }

    /// Requests a certificate that one of these authorities, from a PEM file, has signed, and admits
    /// clients without one too.
    ///
    /// Handlers read it with `#[value] certificate: Option<`[`ClientCertificate`]`>`.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or parsed.
    pub fn ask_for_client_certificates(
        self,
        authorities: impl AsRef<Path>,
    ) -> Result<Self, TlsError> {
        let authorities = ClientAuthorities::new(authorities.as_ref(), false);
        self.with_sources(|sources| sources.clients = Some(authorities))
    }

    /// Checks the files at this interval while a server runs, and reloads them when they change.
    ///
    /// If the new files cannot be used, an error is logged and the certificates in use stay.
    #[must_use]
    pub fn watch(mut self, every: Duration) -> Self {
        self.watch = Some(every.max(Duration::from_millis(10)));
        self
    }

    /// Reloads all files, for new connections. Open connections are not affected.
    ///
    /// # Errors
    ///
    /// Fails as [`from_files`](Self::from_files) does, and if a certificate has expired or is not valid
    /// yet. The certificates in use then stay.
    pub fn reload(&self) -> Result<(), TlsError> {
        let mut configs = self.sources.load()?;
        if let Some(problem) = configs.date_problems.pop() {
            return Err(problem);
        }
        *self
            .current
            .configs
            .write()
            .unwrap_or_else(PoisonError::into_inner) = configs;
        Ok(())
    }

    fn load(sources: TlsSources) -> Result<Self, TlsError> {
        let current = CurrentConfigs {
            configs: RwLock::new(sources.load()?),
            is_watched: AtomicBool::new(false),
        };
        Ok(Self {
            sources: Arc::new(sources),
            current: Arc::new(current),
            watch: None,
        })
    }

    fn with_sources(self, change: impl FnOnce(&mut TlsSources)) -> Result<Self, TlsError> {
        let mut sources = TlsSources::clone(&self.sources);
        change(&mut sources);
        Ok(Self {
            watch: self.watch,
            ..Self::load(sources)?
        })
    }

    fn with_configs<T>(&self, read: impl FnOnce(&LoadedConfigs) -> T) -> T {
        let configs = self.current.configs.read();
        read(&configs.unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the configuration for a new handshake.
    fn server_config(&self, http2: bool) -> Arc<ServerConfig> {
        self.with_configs(|configs| {
            let config = if http2 {
                &configs.http2
            } else {
                &configs.http1
            };
            Arc::clone(config)
        })
    }

    /// Logs a warning for each certificate that has expired or is not valid yet.
    pub(super) fn warn_about_dates(&self) {
        self.with_configs(|configs| {
            for problem in &configs.date_problems {
                tracing::warn!("{problem}");
            }
        });
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls")
            .field("sources", &self.sources.certificates)
            .field("watch", &self.watch)
            .finish_non_exhaustive()
    }
}
