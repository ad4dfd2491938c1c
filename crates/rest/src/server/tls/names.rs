//! Which certificate a client gets: the one for the name it asks for.

use std::collections::HashMap;
use std::sync::Arc;

use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use super::load::Pair;

/// Certificates by name.
#[derive(Debug)]
pub(super) struct ByName {
    /// `example.org`, and `*.example.org` as it is written.
    named: HashMap<String, Vec<Arc<CertifiedKey>>>,
    all: Vec<Arc<CertifiedKey>>,
}

impl ByName {
    pub(super) fn new(pairs: &[Arc<Pair>]) -> Self {
        let mut named: HashMap<_, Vec<_>> = HashMap::new();
        for pair in pairs {
            for name in &pair.names {
                let keys = named.entry(name.clone()).or_default();
                keys.push(Arc::clone(&pair.key));
            }
        }
        let all = pairs.iter().map(|pair| Arc::clone(&pair.key)).collect();
        Self { named, all }
    }

    fn candidates(&self, name: Option<&str>) -> &[Arc<CertifiedKey>] {
        let Some(name) = name.map(str::to_lowercase) else {
            return &self.all;
        };
        let exact = self.named.get(&name);
        let wild = || {
            let (_, parent) = name.split_once('.')?;
            self.named.get(&format!("*.{parent}"))
        };
        exact.or_else(wild).unwrap_or(&self.all)
    }
}

impl ResolvesServerCert for ByName {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let candidates = self.candidates(hello.server_name());
        let known = |key: &&Arc<CertifiedKey>| {
            let scheme = key.key.choose_scheme(hello.signature_schemes());
            scheme.is_some()
        };
        // Where the client knows none of them, rustls says so better than we could.
        let found = candidates.iter().find(known).or(candidates.first());
        found.cloned()
    }
}
