//! From HTTP/1.1 to another protocol on the same connection. Without a feature that knows another one
//! there is nothing to do here, and nothing is done.

use std::sync::Arc;
#[cfg(feature = "websocket")]
use std::sync::{Mutex, PoisonError};

use http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::HttpService;
use tokio::io::{AsyncRead, AsyncWrite};

use super::io::Watched;
use super::pulse::Pulse;
use crate::app::Core;
use crate::future::BoxFuture;
use crate::request::Request;
#[cfg(feature = "websocket")]
use crate::websocket::{Line, Seat, Work};

/// What a connection does after HTTP.
pub(super) type Rest = BoxFuture<'static, ()>;

/// What is done with a connection when HTTP is over.
#[derive(Default)]
pub(super) struct Switch {
    #[cfg(feature = "websocket")]
    work: Mutex<Option<Work>>,
}

/// What a request is given to leave its work on, if its client asks for another protocol.
pub(super) struct Offer {
    #[cfg(feature = "websocket")]
    seat: Option<Seat>,
}

#[cfg(feature = "websocket")]
impl Offer {
    pub(super) fn new(parts: &Parts) -> Self {
        // hyper has looked at the headers already.
        let asked = parts.extensions.get::<hyper::upgrade::OnUpgrade>();
        Self {
            seat: asked.map(|_| Seat::default()),
        }
    }

    pub(super) fn attach(&self, request: &mut Request) {
        if let Some(seat) = &self.seat {
            request.values_mut().set(seat.clone());
        }
    }

    /// Keeps the work that was left, if the answer is that the protocol changes.
    pub(super) fn settle<B>(self, reply: &http::Response<B>, switch: &Switch) {
        if let Some(seat) = self.seat
            && reply.status() == http::StatusCode::SWITCHING_PROTOCOLS
        {
            *switch.work.lock().unwrap_or_else(PoisonError::into_inner) = seat.work();
        }
    }
}

#[cfg(feature = "websocket")]
impl Switch {
    /// What is left to be done with the connection, if work was left for it.
    ///
    /// A future of its own, so that the room HTTP needs can be given back.
    pub(super) fn rest<R, W, S>(
        &self,
        connection: http1::Connection<Watched<R, W>, S>,
        core: &Core,
        pulse: &Arc<Pulse>,
    ) -> Option<Rest>
    where
        S: HttpService<hyper::body::Incoming>,
        S::Error: Into<crate::BoxError>,
        S::ResBody: 'static,
        <S::ResBody as http_body::Body>::Error: Into<crate::BoxError>,
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let work = self
            .work
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()?;
        let http1::Parts { io, read_buf, .. } = connection.into_parts();
        let io = hyper_util::rt::TokioIo::new(io.switch(&read_buf));
        let work = work(Line {
            io: Box::new(io),
            ending: core.ending.clone(),
        });
        // Silence is no reason to close it: that is for the new protocol to say.
        let busy = super::pulse::Busy::new(pulse);
        Some(Box::pin(async move {
            work.await;
            drop(busy);
        }))
    }
}

#[cfg(not(feature = "websocket"))]
#[expect(clippy::unused_self, reason = "there is nothing to do")]
impl Offer {
    pub(super) fn new(_: &Parts) -> Self {
        Self {}
    }

    pub(super) fn attach(&self, _: &mut Request) {}

    pub(super) fn settle<B>(self, _: &http::Response<B>, _: &Switch) {}
}

#[cfg(not(feature = "websocket"))]
impl Switch {
    #[expect(clippy::unused_self, reason = "there is nothing to do")]
    pub(super) fn rest<R, W, S>(
        &self,
        _: http1::Connection<Watched<R, W>, S>,
        _: &Core,
        _: &Arc<Pulse>,
    ) -> Option<Rest>
    where
        S: HttpService<hyper::body::Incoming>,
        R: AsyncRead,
        W: AsyncWrite,
    {
        None
    }
}
