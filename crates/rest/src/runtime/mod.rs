//! What stands below HTTP: the clock, timeouts, buffers, the activity of connections, and the signal that stops
//! servers.

mod activity;
mod buffers;
pub(crate) mod coarse_clock;
mod lazy_timeout;
mod stop;

pub(crate) use activity::{BusyGuard, ConnectionActivity};
pub(crate) use buffers::{recycle_buffer, take_buffer};
pub(crate) use lazy_timeout::LazyTimeout;
pub use stop::Stop;
