//! What is the same for all requests of a connection, whoever reads them.

use std::net::SocketAddr;
use std::sync::Arc;

use super::io::Watched;
use super::listener::{Reader, Writer};
use super::pulse::Pulse;
use super::switch::Switch;
use crate::app::Core;
use crate::request::Request;

/// What the requests of a connection share.
pub(super) struct Shared {
    pub(super) core: Arc<Core>,
    pub(super) pulse: Arc<Pulse>,
    peer: Option<Arc<SocketAddr>>,
    pub(super) switch: Switch,
    #[cfg(feature = "tls")]
    certificate: Option<super::ClientCertificate>,
}

impl Shared {
    #[cfg_attr(
        not(feature = "tls"),
        expect(unused_variables, reason = "a plain connection has nothing to tell")
    )]
    pub(super) fn new(
        core: Arc<Core>,
        pulse: &Arc<Pulse>,
        peer: Option<SocketAddr>,
        io: &Watched<Reader, Writer>,
    ) -> Self {
        Self {
            core,
            pulse: Arc::clone(pulse),
            peer: peer.map(Arc::new),
            switch: Switch::default(),
            #[cfg(feature = "tls")]
            certificate: super::tls::certificate_of(io.reader()),
        }
    }

    /// Tells a request what is known of its connection.
    pub(super) fn introduce(&self, request: &mut Request) {
        request.set_peer(self.peer.clone());
        #[cfg(feature = "tls")]
        if let Some(certificate) = &self.certificate {
            request.values_mut().set(certificate.clone());
        }
    }
}

/// A request being worked on.
pub(super) struct Active(pub(super) Arc<Shared>);

impl Active {
    pub(super) fn begin(shared: &Arc<Shared>) -> Self {
        shared.pulse.begin();
        Self(Arc::clone(shared))
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        self.0.pulse.end();
    }
}
