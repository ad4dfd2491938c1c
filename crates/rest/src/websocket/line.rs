//! How a connection gets from the transport to the handler that took it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};

use crate::future::BoxFuture;
use crate::server::Stop;

/// A connection that speaks another protocol from now on.
pub(crate) struct Line {
    pub(crate) io: Box<dyn Io>,
    /// Told when the server stops.
    pub(crate) ending: Stop,
}

/// What bytes go through.
pub(crate) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// What is done with the connection once the answer has been sent.
pub(crate) type Work = Box<dyn FnOnce(Line) -> BoxFuture<'static, ()> + Send>;

/// Where a handler leaves its work for the transport.
///
/// It travels among the values of the request, so that it passes through filters and tower layers.
/// A request without one came over a transport that cannot change its protocol.
#[derive(Clone, Default)]
pub(crate) struct Seat(Arc<Mutex<Option<Work>>>);

impl Seat {
    pub(super) fn take_place(&self, work: Work) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(work);
    }

    /// The work that was left here.
    pub(crate) fn work(&self) -> Option<Work> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seat")
    }
}
