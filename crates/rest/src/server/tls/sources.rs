//! Where certificates come from, and the configurations that are made of them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::{RootCertStore, ServerConfig};

use super::certificate::{PemInput, ServerCertificate, parse_certificates};
use super::error::TlsError;
use super::resolver::SniResolver;

/// The certificates of the server and the authorities of its clients.
#[derive(Clone)]
pub(super) struct TlsSources {
    pub(super) certificates: Vec<CertificateSource>,
    pub(super) clients: Option<ClientAuthorities>,
}

/// Where a certificate and its key come from.
#[derive(Debug, Clone)]
pub(super) enum CertificateSource {
    Files { certificate: PathBuf, key: PathBuf },
    Memory(Arc<ServerCertificate>),
}

/// The authorities that sign certificates of clients.
#[derive(Debug, Clone)]
pub(super) struct ClientAuthorities {
    file: PathBuf,
    required: bool,
}

/// Configurations for rustls, with the same certificates.
pub(super) struct LoadedConfigs {
    /// Offers HTTP/2 and HTTP/1.1.
    pub(super) http2: Arc<ServerConfig>,
    /// Offers HTTP/1.1.
    pub(super) http1: Arc<ServerConfig>,
    /// The fingerprint of the files they were loaded from.
    pub(super) fingerprint: u64,
    /// Certificates that have expired or are not valid yet.
    pub(super) date_problems: Vec<TlsError>,
}

impl TlsSources {
    pub(super) fn new(certificate: CertificateSource) -> Self {
        Self {
            certificates: vec![certificate],
            clients: None,
        }
    }

    /// Returns the paths of all files.
    fn files(&self) -> impl Iterator<Item = &Path> {
        let certificates = self.certificates.iter().flat_map(|source| match source {
            CertificateSource::Files { certificate, key } => [Some(&**certificate), Some(&**key)],
            CertificateSource::Memory(_) => [None, None],
        });
        let clients = self.clients.iter().map(|roots| Some(&*roots.file));
        certificates.chain(clients).flatten()
    }

    /// Hashes the content of all files. A missing file counts as an empty one.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for file in self.files() {
            std::fs::read(file).ok().hash(&mut hasher);
        }
        hasher.finish()
    }

    pub(super) fn load(&self) -> Result<LoadedConfigs, TlsError> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        // Taken first: files that change while they are read are read again.
        let fingerprint = self.fingerprint();
        let mut certificates = Vec::new();
        let mut date_problems = Vec::new();
        for source in &self.certificates {
            let certificate = source.load(&provider)?;
            date_problems.extend(certificate.check_dates(source.certificate_file()));
            certificates.push(certificate);
        }
        let verifier = match &self.clients {
            Some(authorities) => authorities.load(&provider)?,
            None => WebPkiClientVerifier::no_client_auth(),
        };
        let unusable = |error: rustls::Error| TlsError::caused(None, "cannot be used", error);
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_client_cert_verifier(verifier)
            .with_cert_resolver(Arc::new(SniResolver::new(&certificates)));
        config.ticketer = aws_lc_rs::Ticketer::new().map_err(unusable)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let http1 = Arc::new(config.clone());
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(LoadedConfigs {
            http2: Arc::new(config),
            http1,
            fingerprint,
            date_problems,
        })
    }
}

impl CertificateSource {
    pub(super) fn files(certificate: PathBuf, key: PathBuf) -> Self {
        Self::Files { certificate, key }
    }

    pub(super) fn memory(certificate: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let provider = aws_lc_rs::default_provider();
        let input = |bytes| PemInput { file: None, bytes };
        let certificate = ServerCertificate::new(input(certificate), input(key), &provider)?;
        Ok(Self::Memory(Arc::new(certificate)))
    }

    fn certificate_file(&self) -> Option<&Path> {
        match self {
            Self::Files { certificate, .. } => Some(certificate),
            Self::Memory(_) => None,
        }
    }

    fn load(&self, provider: &CryptoProvider) -> Result<Arc<ServerCertificate>, TlsError> {
        match self {
            Self::Memory(certificate) => Ok(Arc::clone(certificate)),
            Self::Files { certificate, key } => {
                let (chain, secret) = (read(certificate)?, read(key)?);
                let chain = PemInput {
                    file: Some(certificate),
                    bytes: &chain,
                };
                let secret = PemInput {
                    file: Some(key),
                    bytes: &secret,
                };
                ServerCertificate::new(chain, secret, provider).map(Arc::new)
            }
        }
    }
}

impl ClientAuthorities {
    pub(super) fn new(file: &Path, required: bool) -> Self {
        Self {
            file: file.to_owned(),
            required,
        }
    }

    fn load(
        &self,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
        let file = Some(&*self.file);
        let bytes = read(&self.file)?;
        let mut roots = RootCertStore::empty();
        let pem = PemInput {
            file,
            bytes: &bytes,
        };
        for certificate in parse_certificates(pem)? {
            roots.add(certificate).map_err(|error| {
                TlsError::caused(file, "a certificate in it is not an authority", error)
            })?;
        }
        let builder =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
        let builder = if self.required {
            builder
        } else {
            builder.allow_unauthenticated()
        };
        builder
            .build()
            .map_err(|error| TlsError::caused(file, "cannot be used", error))
    }
}

fn read(file: &Path) -> Result<Vec<u8>, TlsError> {
    std::fs::read(file).map_err(|error| TlsError::caused(Some(file), "cannot be read", error))
}
