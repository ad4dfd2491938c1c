//! How a connection gets from the transport to the handler that takes it over.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};

use crate::future::BoxFuture;
use crate::runtime::Stop;

/// A connection after its upgrade to another protocol.
pub(crate) struct UpgradedConnection {
    pub(crate) io: Box<dyn UpgradedIo>,
    /// Given when the server stops.
    pub(crate) stop: Stop,
}

/// The byte stream of an upgraded connection.
pub(crate) trait UpgradedIo: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> UpgradedIo for T {}

/// Takes over a connection once the response has been sent.
pub(crate) type UpgradeHandler =
    Box<dyn FnOnce(UpgradedConnection) -> BoxFuture<'static, ()> + Send>;

/// Where a request handler leaves its upgrade handler for the transport.
///
/// It travels among the values of the request, so that it passes through filters and tower layers.
/// A request without a slot came over a transport that cannot upgrade.
#[derive(Clone, Default)]
pub(crate) struct UpgradeSlot(Arc<Mutex<Option<UpgradeHandler>>>);

impl UpgradeSlot {
    pub(super) fn set(&self, handler: UpgradeHandler) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(handler);
    }

    pub(crate) fn take(&self) -> Option<UpgradeHandler> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for UpgradeSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UpgradeSlot")
    }
}
