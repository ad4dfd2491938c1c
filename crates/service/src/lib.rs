//! What the servers of Innkeeper share and the framework must not know: settings, time, chance, the
//! database, logs.

pub mod clock;
pub mod cluster;
pub mod database;
pub mod duration;
#[cfg(feature = "limiter")]
pub mod limiter;
pub mod migrate;
pub mod outbound;
pub mod random;
pub mod secret;
pub mod settings;
pub mod smtp_sink;
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
