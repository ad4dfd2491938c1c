//! The TLS configuration that all clients share.

use std::sync::{Arc, OnceLock};

use rustls::ClientConfig;
use rustls::crypto::aws_lc_rs;
use rustls_platform_verifier::BuilderVerifierExt as _;

/// Returns a configuration that trusts the certificates of the system.
///
/// They are read once for all clients: there are more than a hundred, and a server has several clients.
pub(super) fn config() -> Result<ClientConfig, rustls::Error> {
    static SHARED: OnceLock<ClientConfig> = OnceLock::new();
    if let Some(config) = SHARED.get() {
        return Ok(config.clone());
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(SHARED.get_or_init(|| config).clone())
}
