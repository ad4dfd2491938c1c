//! The time of a check of a key that was read from the database a moment ago.

use std::time::Instant;

use anyhow::{Result, ensure};
use innkeeper_hosting::config::Config;
use innkeeper_hosting::{Hosting, add_customer};
use innkeeper_service::clock::Clock;

use crate::machines::new_key;

/// How many checks are timed together.
const BATCH: u32 = 100;

/// Checks a key and prints the median time of a check, in nanoseconds.
pub(crate) async fn measure(hosting: &Hosting, config: &Config, times: u32) -> Result<()> {
    let customer = add_customer(config, &Clock::system(), "Bench", None).await?;
    let key = new_key(config, &customer).await?;
    ensure!(hosting.check_key(&key).await, "the key is refused");
    let mut batches = Vec::new();
    for _ in 0..times.div_ceil(BATCH) {
        let start = Instant::now();
        for _ in 0..BATCH {
            ensure!(hosting.check_key(&key).await, "the key is refused");
        }
        batches.push(start.elapsed() / BATCH);
    }
    batches.sort_unstable();
    let median = batches.get(batches.len() / 2).copied().unwrap_or_default();
    println!("{}", median.as_nanos());
    Ok(())
}
