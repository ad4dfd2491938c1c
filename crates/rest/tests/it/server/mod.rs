//! The server over real sockets.

mod activation;
mod hosts;
mod http1;
mod http2;
mod http2_windows;
mod limits;
mod malformed;
mod plain;
mod serving;
mod shutdown;
mod tls;
mod trailers;
mod unix;
mod upgrades;
pub(crate) mod wire;
