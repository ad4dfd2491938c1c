//! What all requests of a connection share, on the fast path and under hyper.

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use super::stream::ConnectionStream;
use super::upgrade::PendingUpgrade;
use crate::pipeline::Core;
use crate::request::Request;
use crate::runtime::ConnectionActivity;

/// The application, and what is known of a connection.
pub(super) struct ConnectionContext {
    pub(super) core: Arc<Core>,
    pub(super) activity: Arc<ConnectionActivity>,
    peer: Option<SocketAddr>,
    pub(super) upgrade: PendingUpgrade,
    #[cfg(feature = "tls")]
    is_encrypted: bool,
    #[cfg(feature = "tls")]
    certificate: Option<super::ClientCertificate>,
}

impl ConnectionContext {
    #[cfg_attr(
        not(feature = "tls"),
        expect(unused_variables, reason = "only encrypted streams have a certificate")
    )]
    pub(super) fn new(
        core: Arc<Core>,
        activity: &Arc<ConnectionActivity>,
        peer: Option<SocketAddr>,
        stream: &ConnectionStream,
    ) -> Self {
        Self {
            core,
            activity: Arc::clone(activity),
            peer,
            upgrade: PendingUpgrade::default(),
            #[cfg(feature = "tls")]
            is_encrypted: matches!(stream.reader(), super::halves::ReadHalf::Tls(_)),
            #[cfg(feature = "tls")]
            certificate: super::tls::certificate_of(stream.reader()),
        }
    }

    /// Adds the peer's address and certificate to a request, and whether the connection is encrypted.
    pub(super) fn annotate(&self, request: &mut Request) {
        request.set_peer(self.peer);
        #[cfg(feature = "tls")]
        request.set_encrypted(self.is_encrypted);
        #[cfg(feature = "tls")]
        if let Some(certificate) = &self.certificate {
            request.values_mut().set(certificate.clone());
        }
    }
}

/// A request being handled; counts as activity of its connection until it is dropped.
pub(super) struct ActiveRequest<C: Deref<Target = ConnectionContext>>(pub(super) C);

impl<C: Deref<Target = ConnectionContext>> ActiveRequest<C> {
    pub(super) fn begin(context: C) -> Self {
        context.activity.request_started();
        Self(context)
    }
}

impl<C: Deref<Target = ConnectionContext>> Drop for ActiveRequest<C> {
    fn drop(&mut self) {
        self.0.activity.request_ended();
    }
}
