//! Shared parts of Innkeeper's servers that do not belong in the REST framework: settings, the clock,
//! randomness, PostgreSQL, rate limits in Redis, outbound requests, telemetry, and a mail sink.

pub mod clock;
pub mod cluster;
pub mod connections;
pub mod database;
pub mod duration;
pub mod html;
#[cfg(feature = "limiter")]
pub mod limiter;
pub mod loopback;
pub mod migrate;
pub mod outbound;
pub mod random;
pub mod secret;
pub mod settings;
pub mod smtp_sink;
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
