//! The certificate of a client.

use std::sync::Arc;

use webpki::EndEntityCert;

use crate::server::halves::ReadHalf;

/// The certificate that a client has authenticated with; read it with `#[value]`.
///
/// Clients send it to servers with
/// [`Tls::require_client_certificates`](super::Tls::require_client_certificates) or
/// [`Tls::ask_for_client_certificates`](super::Tls::ask_for_client_certificates).
///
/// ```
/// use innkeeper_rest::{ClientCertificate, resource};
///
/// struct Me;
///
/// #[resource("/me")]
/// impl Me {
///     #[get]
///     fn names(&self, #[value] certificate: ClientCertificate) -> Vec<String> {
///         certificate.dns_names()
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate(Arc<Vec<u8>>);

impl ClientCertificate {
    /// Returns the certificate in DER.
    pub fn der(&self) -> &[u8] {
        &self.0
    }

    /// Returns the DNS names among the subject alternative names.
    pub fn dns_names(&self) -> Vec<String> {
        let der = self.der().into();
        match EndEntityCert::try_from(&der) {
            Ok(parsed) => parsed.valid_dns_names().map(str::to_owned).collect(),
            Err(_) => Vec::new(),
        }
    }
}

/// Returns the certificate of the client, if the connection is encrypted and the client has sent one.
pub(in crate::server) fn certificate_of(reader: &ReadHalf) -> Option<ClientCertificate> {
    let ReadHalf::Tls(half) = reader else {
        return None;
    };
    let leaf = half.peer_certificate()?;
    Some(ClientCertificate(Arc::new(leaf)))
}
