//! The time as of the kernel's last tick, a few milliseconds ago at most.
//!
//! Reading the exact time takes longer, and the `Date` header and rate limits of every response do not
//! need it.

#[cfg(target_os = "linux")]
use nix::time::{ClockId, clock_gettime};

/// Returns the whole seconds since 1970.
#[cfg(target_os = "linux")]
pub(crate) fn unix_seconds() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_REALTIME_COARSE);
    // Every kernel has this clock.
    time.map_or(0, |time| u64::try_from(time.tv_sec()).unwrap_or_default())
}

/// Returns the nanoseconds since an instant before this program started. Monotonic.
#[cfg(target_os = "linux")]
pub(crate) fn steady_nanos() -> u64 {
    nanos_of(ClockId::CLOCK_MONOTONIC_COARSE)
}

/// Returns the exact time of the clock of [`steady_nanos`].
#[cfg(target_os = "linux")]
pub(crate) fn exact_nanos() -> u64 {
    nanos_of(ClockId::CLOCK_MONOTONIC)
}

#[cfg(target_os = "linux")]
fn nanos_of(clock: ClockId) -> u64 {
    clock_gettime(clock).map_or(0, |time| {
        let seconds = u64::try_from(time.tv_sec()).unwrap_or_default();
        let nanos = u64::try_from(time.tv_nsec()).unwrap_or_default();
        seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
    })
}

/// Returns the whole seconds since 1970.
#[cfg(not(target_os = "linux"))]
#[expect(
    clippy::disallowed_methods,
    reason = "code that needs a clock for tests is given one"
)]
pub(crate) fn unix_seconds() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Returns the nanoseconds since the first call. Monotonic.
#[cfg(not(target_os = "linux"))]
pub(crate) fn steady_nanos() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    let elapsed = START.get_or_init(std::time::Instant::now).elapsed();
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}

/// Returns the exact time of the clock of [`steady_nanos`].
#[cfg(not(target_os = "linux"))]
pub(crate) fn exact_nanos() -> u64 {
    steady_nanos()
}
