//! Upgrades from HTTP/1.1 to another protocol on the same connection.
//!
//! Without the feature `websocket` there is no such protocol, and the functions here do nothing.

use std::sync::Arc;
#[cfg(feature = "websocket")]
use std::sync::{Mutex, PoisonError};

use http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::HttpService;

use super::stream::ConnectionStream;
#[cfg(feature = "websocket")]
use crate::box_error::BoxError;
use crate::future::BoxFuture;
use crate::pipeline::Core;
use crate::request::Request;
use crate::runtime::ConnectionActivity;
#[cfg(feature = "websocket")]
use crate::websocket::{UpgradeHandler, UpgradeSlot, UpgradedConnection};

/// What remains to be done with a connection after HTTP.
pub(super) type UpgradedFuture = BoxFuture<'static, ()>;

/// The handler that takes over a connection when HTTP ends.
#[derive(Default)]
pub(super) struct PendingUpgrade {
    #[cfg(feature = "websocket")]
    handler: Mutex<Option<UpgradeHandler>>,
}

/// The slot of one request for its upgrade handler, if its client asks for another protocol.
pub(super) struct UpgradeOffer {
    #[cfg(feature = "websocket")]
    slot: Option<UpgradeSlot>,
}

#[cfg(feature = "websocket")]
impl UpgradeOffer {
    pub(super) fn new(parts: &Parts) -> Self {
        // hyper has parsed the headers already.
        let requested = parts.extensions.get::<hyper::upgrade::OnUpgrade>();
        Self {
            slot: requested.map(|_| UpgradeSlot::default()),
        }
    }

    pub(super) fn attach(&self, request: &mut Request) {
        if let Some(slot) = &self.slot {
            request.values_mut().set(slot.clone());
        }
    }

    /// Keeps the handler that the request has left, if the response accepts the upgrade.
    pub(super) fn accept<B>(self, response: &http::Response<B>, pending: &PendingUpgrade) {
        if let Some(slot) = self.slot
            && response.status() == http::StatusCode::SWITCHING_PROTOCOLS
        {
            *pending
                .handler
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = slot.take();
        }
    }
}

#[cfg(feature = "websocket")]
impl PendingUpgrade {
    /// Whether the last response accepted an upgrade.
    pub(super) fn is_accepted(&self) -> bool {
        let handler = self.handler.lock();
        handler.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Calls the handler with the connection; `None` if the connection was not upgraded.
    ///
    /// The result is a future of its own, so that the memory HTTP needs can be freed.
    pub(super) fn start<S>(
        &self,
        connection: http1::Connection<ConnectionStream, S>,
        core: &Core,
        activity: &Arc<ConnectionActivity>,
    ) -> Option<UpgradedFuture>
    where
        S: HttpService<hyper::body::Incoming>,
        S::Error: Into<BoxError>,
        S::ResBody: 'static,
        <S::ResBody as http_body::Body>::Error: Into<BoxError>,
    {
        let handler = self
            .handler
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()?;
        let http1::Parts { io, read_buf, .. } = connection.into_parts();
        let io = hyper_util::rt::TokioIo::new(io.upgrade(&read_buf));
        let upgraded = handler(UpgradedConnection {
            io: Box::new(io),
            stop: core.ending.clone(),
        });
        // The new protocol decides how long silence may last, not the idle timeout.
        let busy = crate::runtime::BusyGuard::new(activity);
        Some(Box::pin(async move {
            upgraded.await;
            drop(busy);
        }))
    }
}

#[cfg(not(feature = "websocket"))]
#[expect(clippy::unused_self, reason = "there is nothing to do")]
impl UpgradeOffer {
    pub(super) fn new(_: &Parts) -> Self {
        Self {}
    }

    pub(super) fn attach(&self, _: &mut Request) {}

    pub(super) fn accept<B>(self, _: &http::Response<B>, _: &PendingUpgrade) {}
}

#[cfg(not(feature = "websocket"))]
impl PendingUpgrade {
    #[expect(clippy::unused_self, reason = "there is nothing to do")]
    pub(super) fn is_accepted(&self) -> bool {
        false
    }

    #[expect(clippy::unused_self, reason = "there is nothing to do")]
    pub(super) fn start<S>(
        &self,
        _: http1::Connection<ConnectionStream, S>,
        _: &Core,
        _: &Arc<ConnectionActivity>,
    ) -> Option<UpgradedFuture>
    where
        S: HttpService<hyper::body::Incoming>,
    {
        None
    }
}
