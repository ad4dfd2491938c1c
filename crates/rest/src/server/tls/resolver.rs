//! Chooses the certificate for a client by the server name it asks for (SNI).

use std::collections::HashMap;
use std::sync::Arc;

use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use super::certificate::ServerCertificate;

/// Certificates by server name.
#[derive(Debug)]
pub(super) struct SniResolver {
    /// Keys are names such as `example.org` and wildcards such as `*.example.org`.
    by_name: HashMap<String, Vec<Arc<CertifiedKey>>>,
    all: Vec<Arc<CertifiedKey>>,
}

impl SniResolver {
    pub(super) fn new(certificates: &[Arc<ServerCertificate>]) -> Self {
        let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
        for certificate in certificates {
            for name in &certificate.names {
                let keys = by_name.entry(name.clone()).or_default();
                keys.push(Arc::clone(&certificate.key));
            }
        }
        let all = certificates
            .iter()
            .map(|certificate| Arc::clone(&certificate.key))
            .collect();
        Self { by_name, all }
    }

    fn candidates(&self, name: Option<&str>) -> &[Arc<CertifiedKey>] {
        let Some(name) = name.map(str::to_lowercase) else {
            return &self.all;
        };
        let exact = self.by_name.get(&name);
        let wildcard = || {
            let (_, parent) = name.split_once('.')?;
            self.by_name.get(&format!("*.{parent}"))
        };
        exact.or_else(wildcard).unwrap_or(&self.all)
    }
}

impl ResolvesServerCert for SniResolver {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let candidates = self.candidates(hello.server_name());
        let is_supported = |key: &&Arc<CertifiedKey>| {
            let scheme = key.key.choose_scheme(hello.signature_schemes());
            scheme.is_some()
        };
        let supported = candidates.iter().find(is_supported);
        // If the client supports none of the keys, rustls reports it.
        supported.or(candidates.first()).cloned()
    }
}
