//! The server over real sockets.

mod http1;
mod http2;
mod limits;
mod malformed;
mod serving;
mod shutdown;
pub(crate) mod wire;
