//! What is the same for all requests of a connection, whoever reads them.

use std::net::SocketAddr;
use std::ops::Deref;
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
    peer: Option<SocketAddr>,
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
            peer,
            switch: Switch::default(),
            #[cfg(feature = "tls")]
            certificate: super::tls::certificate_of(io.reader()),
        }
    }

    /// Tells a request what is known of its connection.
    pub(super) fn introduce(&self, request: &mut Request) {
        request.set_peer(self.peer);
        #[cfg(feature = "tls")]
        if let Some(certificate) = &self.certificate {
            request.values_mut().set(certificate.clone());
        }
    }
}

/// A request being worked on.
pub(super) struct Active<S: Deref<Target = Shared>>(pub(super) S);

impl<S: Deref<Target = Shared>> Active<S> {
    pub(super) fn begin(shared: S) -> Self {
        shared.pulse.begin();
        Self(shared)
    }
}

impl<S: Deref<Target = Shared>> Drop for Active<S> {
    fn drop(&mut self) {
        self.0.pulse.end();
    }
}
