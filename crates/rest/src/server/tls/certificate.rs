//! A certificate of the server with its private key, parsed from PEM and checked.

use std::path::Path;
use std::sync::Arc;

use rustls::InconsistentKeys;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::sign::CertifiedKey;
use webpki::{EndEntityCert, KeyUsage};

use super::error::TlsError;

/// A certificate with its chain and its private key.
#[derive(Debug)]
pub(super) struct ServerCertificate {
    pub(super) key: Arc<CertifiedKey>,
    /// The DNS names of the certificate, in lower case.
    pub(super) names: Vec<String>,
}

/// PEM text, and the file that it was read from.
#[derive(Clone, Copy)]
pub(super) struct PemInput<'p> {
    pub(super) file: Option<&'p Path>,
    pub(super) bytes: &'p [u8],
}

impl ServerCertificate {
    pub(super) fn new(
        certificate: PemInput<'_>,
        key: PemInput<'_>,
        provider: &CryptoProvider,
    ) -> Result<Self, TlsError> {
        let chain = parse_certificates(certificate)?;
        let names = match chain.first().map(EndEntityCert::try_from) {
            Some(Ok(parsed)) => parsed.valid_dns_names().map(str::to_lowercase).collect(),
            Some(Err(error)) => {
                let problem = "the first certificate is malformed";
                return Err(TlsError::caused(certificate.file, problem, error));
            }
            None => return Err(TlsError::new(certificate.file, NO_CERTIFICATE)),
        };
        let secret = parse_private_key(key)?;
        let key = CertifiedKey::from_der(chain, secret, provider).map_err(|error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                let other = certificate
                    .file
                    .map_or("the certificate".to_owned(), |file| {
                        format!("the certificate in {}", file.display())
                    });
                TlsError::new(key.file, format!("the key does not belong to {other}"))
            }
            error => TlsError::caused(key.file, "the private key cannot be used", error),
        })?;
        Ok(Self {
            key: Arc::new(key),
            names,
        })
    }

    /// Returns an error if the certificate has expired or is not valid yet.
    pub(super) fn check_dates(&self, file: Option<&Path>) -> Option<TlsError> {
        let certificate = self.key.end_entity_cert().ok()?;
        let parsed = EndEntityCert::try_from(certificate).ok()?;
        // Dates are checked before signatures, and without authorities the check ends there.
        let (now, usage) = (UnixTime::now(), KeyUsage::server_auth());
        match parsed.verify_for_usage(&[], &[], &[], now, usage, None, None) {
            Err(webpki::Error::CertExpired { not_after, .. }) => {
                let age = describe_span(not_after, now);
                let problem = format!("the certificate expired {age} ago");
                Some(TlsError::new(file, problem))
            }
            Err(webpki::Error::CertNotValidYet { not_before, .. }) => {
                let wait = describe_span(now, not_before);
                let problem = format!("the certificate is not valid for another {wait}");
                Some(TlsError::new(file, problem))
            }
            _ => None,
        }
    }
}

/// Describes the time between two dates, such as `3 hours`.
fn describe_span(earlier: UnixTime, later: UnixTime) -> String {
    let seconds = later.as_secs().saturating_sub(earlier.as_secs());
    match seconds {
        0..3600 => format!("{seconds} seconds"),
        3600..172_800 => format!("{} hours", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

const NO_CERTIFICATE: &str = "there is no certificate in it";

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

fn check_is_pem(pem: PemInput<'_>) -> Result<(), TlsError> {
    if contains(pem.bytes, "-----BEGIN ") {
        return Ok(());
    }
    Err(TlsError::new(pem.file, "it is not PEM"))
}

/// Parses one or more certificates.
pub(super) fn parse_certificates(
    pem: PemInput<'_>,
) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    check_is_pem(pem)?;
    let chain: Vec<_> = CertificateDer::pem_slice_iter(pem.bytes)
        .collect::<Result<_, _>>()
        .map_err(|error| TlsError::caused(pem.file, "it is not well-formed PEM", error))?;
    if chain.is_empty() {
        return Err(TlsError::new(pem.file, NO_CERTIFICATE));
    }
    Ok(chain)
}

fn parse_private_key(pem: PemInput<'_>) -> Result<PrivateKeyDer<'static>, TlsError> {
    check_is_pem(pem)?;
    let is_encrypted =
        contains(pem.bytes, "BEGIN ENCRYPTED") || contains(pem.bytes, "Proc-Type: 4,ENCRYPTED");
    if is_encrypted {
        let problem = "the private key is encrypted; it is needed without a passphrase";
        return Err(TlsError::new(pem.file, problem));
    }
    PrivateKeyDer::from_pem_slice(pem.bytes).map_err(|error| match error {
        rustls::pki_types::pem::Error::NoItemsFound => {
            TlsError::new(pem.file, "there is no private key in it")
        }
        error => TlsError::caused(pem.file, "it is not well-formed PEM", error),
    })
}
