//! Certificates and keys, read from their files and checked.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::sign::CertifiedKey;
use rustls::{InconsistentKeys, RootCertStore, ServerConfig};
use webpki::{EndEntityCert, KeyUsage};

use super::names::ByName;
use super::{Configs, TlsError};

/// Which certificates there are and where they come from.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) sources: Vec<Source>,
    pub(super) clients: Option<ClientRoots>,
}

/// Where a certificate and its key come from.
#[derive(Debug, Clone)]
pub(super) enum Source {
    Files { certificate: PathBuf, key: PathBuf },
    Memory(Arc<Pair>),
}

/// A certificate with its key.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) key: Arc<CertifiedKey>,
    /// The names it is for, in lower case.
    pub(super) names: Vec<String>,
}

/// Whose certificates clients may have.
#[derive(Debug, Clone)]
pub(super) struct ClientRoots {
    file: PathBuf,
    required: bool,
}

impl Plan {
    pub(super) fn of(source: Source) -> Self {
        Self {
            sources: vec![source],
            clients: None,
        }
    }

    /// All files, as they are now.
    fn files(&self) -> impl Iterator<Item = &Path> {
        let pairs = self.sources.iter().flat_map(|source| match source {
            Source::Files { certificate, key } => [Some(&**certificate), Some(&**key)],
            Source::Memory(_) => [None, None],
        });
        let clients = self.clients.iter().map(|roots| Some(&*roots.file));
        pairs.chain(clients).flatten()
    }

    /// Is another one when a file has changed. A file that is away is as good as an empty one.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for file in self.files() {
            std::fs::read(file).ok().hash(&mut hasher);
        }
        hasher.finish()
    }

    pub(super) fn load(&self) -> Result<Configs, TlsError> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        // Taken first: what changes while we read is read again.
        let fingerprint = self.fingerprint();
        let mut pairs = Vec::new();
        let mut untimely = Vec::new();
        for source in &self.sources {
            let pair = source.load(&provider)?;
            untimely.extend(pair.untimely(source.certificate_file()));
            pairs.push(pair);
        }
        let verifier = match &self.clients {
            Some(roots) => roots.load(&provider)?,
            None => WebPkiClientVerifier::no_client_auth(),
        };
        let unusable = |error: rustls::Error| TlsError::caused(None, "cannot be used", error);
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_client_cert_verifier(verifier)
            .with_cert_resolver(Arc::new(ByName::new(&pairs)));
        config.ticketer = aws_lc_rs::Ticketer::new().map_err(unusable)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let http1 = Arc::new(config.clone());
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Configs {
            both: Arc::new(config),
            http1,
            fingerprint,
            untimely,
        })
    }
}

impl Source {
    pub(super) fn files(certificate: PathBuf, key: PathBuf) -> Self {
        Self::Files { certificate, key }
    }

    pub(super) fn memory(certificate: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let provider = aws_lc_rs::default_provider();
        let pair = Pair::new((None, certificate), (None, key), &provider)?;
        Ok(Self::Memory(Arc::new(pair)))
    }

    fn certificate_file(&self) -> Option<&Path> {
        match self {
            Self::Files { certificate, .. } => Some(certificate),
            Self::Memory(_) => None,
        }
    }

    fn load(&self, provider: &CryptoProvider) -> Result<Arc<Pair>, TlsError> {
        match self {
            Self::Memory(pair) => Ok(Arc::clone(pair)),
            Self::Files { certificate, key } => {
                let (chain, secret) = (read(certificate)?, read(key)?);
                let pair = Pair::new((Some(certificate), &chain), (Some(key), &secret), provider)?;
                Ok(Arc::new(pair))
            }
        }
    }
}

impl Pair {
    fn new(
        certificate: (Option<&Path>, &[u8]),
        key: (Option<&Path>, &[u8]),
        provider: &CryptoProvider,
    ) -> Result<Self, TlsError> {
        let chain = certificates(certificate.0, certificate.1)?;
        let names = match chain.first().map(EndEntityCert::try_from) {
            Some(Ok(parsed)) => parsed.valid_dns_names().map(str::to_lowercase).collect(),
            Some(Err(error)) => {
                let fault = "the first certificate is malformed";
                return Err(TlsError::caused(certificate.0, fault, error));
            }
            None => {
                return Err(TlsError::new(
                    certificate.0,
                    "there is no certificate in it",
                ));
            }
        };
        let secret = private_key(key.0, key.1)?;
        let key = CertifiedKey::from_der(chain, secret, provider).map_err(|error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                let other = certificate.0.map_or("the certificate".to_owned(), |file| {
                    format!("the certificate in {}", file.display())
                });
                TlsError::new(key.0, format!("the key does not belong to {other}"))
            }
            error => TlsError::caused(key.0, "the private key cannot be used", error),
        })?;
        Ok(Self {
            key: Arc::new(key),
            names,
        })
    }

    /// What is wrong with the dates of the certificate.
    fn untimely(&self, file: Option<&Path>) -> Option<TlsError> {
        let certificate = self.key.end_entity_cert().ok()?;
        let parsed = EndEntityCert::try_from(certificate).ok()?;
        // Dates are looked at before signatures, and without authorities it ends there.
        let (now, usage) = (UnixTime::now(), KeyUsage::server_auth());
        match parsed.verify_for_usage(&[], &[], &[], now, usage, None, None) {
            Err(webpki::Error::CertExpired { not_after, .. }) => {
                let fault = format!("the certificate has expired, {} ago", ago(now, not_after));
                Some(TlsError::new(file, fault))
            }
            Err(webpki::Error::CertNotValidYet { not_before, .. }) => {
                let time = ago(not_before, now);
                let fault = format!("the certificate is not valid yet, but in {time}");
                Some(TlsError::new(file, fault))
            }
            _ => None,
        }
    }
}

/// How far apart two times are, in words.
fn ago(later: UnixTime, earlier: UnixTime) -> String {
    let seconds = later.as_secs().saturating_sub(earlier.as_secs());
    match seconds {
        0..3600 => format!("{seconds} seconds"),
        3600..172_800 => format!("{} hours", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

impl ClientRoots {
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
        let mut roots = RootCertStore::empty();
        for certificate in certificates(file, &read(&self.file)?)? {
            roots.add(certificate).map_err(|error| {
                TlsError::caused(file, "a certificate in it is no authority", error)
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

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

fn is_pem(file: Option<&Path>, bytes: &[u8]) -> Result<(), TlsError> {
    if holds(bytes, "-----BEGIN ") {
        return Ok(());
    }
    Err(TlsError::new(file, "it is not PEM"))
}

fn certificates(
    file: Option<&Path>,
    bytes: &[u8],
) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    is_pem(file, bytes)?;
    let chain: Vec<_> = CertificateDer::pem_slice_iter(bytes)
        .collect::<Result<_, _>>()
        .map_err(|error| TlsError::caused(file, "it is not well-formed PEM", error))?;
    if chain.is_empty() {
        return Err(TlsError::new(file, "there is no certificate in it"));
    }
    Ok(chain)
}

fn private_key(file: Option<&Path>, bytes: &[u8]) -> Result<PrivateKeyDer<'static>, TlsError> {
    is_pem(file, bytes)?;
    if holds(bytes, "BEGIN ENCRYPTED") || holds(bytes, "Proc-Type: 4,ENCRYPTED") {
        let fault = "the private key is encrypted; it is needed without a passphrase";
        return Err(TlsError::new(file, fault));
    }
    PrivateKeyDer::from_pem_slice(bytes).map_err(|error| match error {
        rustls::pki_types::pem::Error::NoItemsFound => {
            TlsError::new(file, "there is no private key in it")
        }
        error => TlsError::caused(file, "it is not well-formed PEM", error),
    })
}
