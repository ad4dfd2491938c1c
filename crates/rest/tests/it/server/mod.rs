//! The server over real sockets.

mod activation;
mod http1;
mod http2;
mod limits;
mod malformed;
mod plain;
mod serving;
mod shutdown;
mod tls;
mod unix;
pub(crate) mod wire;
