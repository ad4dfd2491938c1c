//! Certificate authorities, issued certificates, and their files.

use std::path::PathBuf;

use innkeeper_rest::Tls;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
};
use rustls::{ClientConfig, RootCertStore};

pub(super) struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key, as PEM.
pub(super) struct Issued {
    pub(super) certificate: String,
    pub(super) key: String,
}

impl Authority {
    pub(super) fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    /// Issues a certificate for these names.
    pub(super) fn issue(&self, names: &[&str]) -> Issued {
        self.issue_with(names, |_| ())
    }

    pub(super) fn issue_with(
        &self,
        names: &[&str],
        change: impl FnOnce(&mut CertificateParams),
    ) -> Issued {
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        Issued {
            certificate: params.signed_by(&key, &self.0).unwrap().pem(),
            key: key.serialize_pem(),
        }
    }

    /// Returns the certificate of the authority.
    pub(super) fn pem(&self) -> String {
        self.0.pem()
    }

    pub(super) fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        roots
    }

    /// Returns a client configuration that trusts the authority.
    pub(super) fn client(&self) -> ClientConfig {
        super::client(self.roots())
    }
}

/// A temporary folder for certificates and keys.
pub(super) struct Folder(tempfile::TempDir);

impl Folder {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Writes the certificate to `cert.pem` and the key to `key.pem`.
    pub(super) fn put(&self, issued: &Issued) {
        self.write("key.pem", &issued.key);
        self.write("cert.pem", &issued.certificate);
    }

    pub(super) fn tls(&self, issued: &Issued) -> Tls {
        self.put(issued);
        Tls::from_files(self.path("cert.pem"), self.path("key.pem")).unwrap()
    }
}
