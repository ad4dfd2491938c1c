//! Measures how much disk game servers use, for engines and file systems that do not enforce it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream;
use tokio::sync::Mutex;

use super::context::WorkerContext;
use super::work::WorkError;
use crate::machines::power::{PowerError, PowerRequest};
use crate::model::{ActionCommand, Actor, Machine, MachineKind, ObservedState, StopReason};
use crate::store;

/// How often disk use is measured.
const INTERVAL: Duration = Duration::from_mins(1);
/// How many machines are measured at once.
const MOST_MEASURED: usize = 4;

/// Measures the disk use of game servers that are on, and stops those that use far too much.
#[derive(Debug)]
pub(crate) struct QuotaCheck {
    context: Arc<WorkerContext>,
    last_round: Mutex<Option<Instant>>,
}

impl QuotaCheck {
    pub(crate) fn new(context: Arc<WorkerContext>) -> Self {
        Self {
            context,
            last_round: Mutex::default(),
        }
    }

    /// Measures until it is aborted.
    pub(crate) async fn run(&self) {
        loop {
            self.tick().await;
            tokio::time::sleep(INTERVAL / 12).await;
        }
    }

    /// Measures if that is due.
    pub(crate) async fn tick(&self) {
        let mut last = self.last_round.lock().await;
        let now = self.context.clock.instant();
        if last.is_some_and(|last| now.duration_since(last) < INTERVAL) {
            return;
        }
        *last = Some(now);
        if let Err(error) = self.measure_all().await {
            tracing::warn!(%error, "the disk use of machines could not be measured");
        }
    }

    async fn measure_all(&self) -> Result<(), WorkError> {
        let connection = self.context.connection().await?;
        let machines = store::machines::list(&connection, MachineKind::Game).await?;
        drop(connection);
        let mut measured = Vec::new();
        for machine in &machines {
            if machine.observed == ObservedState::Running {
                measured.push(self.measure(machine));
            }
        }
        let measured = stream::iter(measured).buffer_unordered(MOST_MEASURED);
        measured.collect::<Vec<()>>().await;
        Ok(())
    }

    async fn measure(&self, machine: &Machine) {
        if let Err(error) = self.try_measure(machine).await {
            tracing::warn!(machine = %machine.id, %error, "disk use could not be measured");
        }
    }

    async fn try_measure(&self, machine: &Machine) -> Result<(), WorkError> {
        let context = &self.context;
        let used = context.calls.disk_usage(machine.id).await?;
        let bytes = i64::try_from(used).unwrap_or(i64::MAX);
        if machine.disk_bytes != Some(bytes) {
            let connection = context.connection().await?;
            store::machines::set_disk_bytes(&connection, machine.id, bytes).await?;
        }
        if !is_far_over(used, machine.spec.disk_bytes()) {
            return Ok(());
        }
        tracing::warn!(machine = %machine.id, used, "the machine uses too much disk and is stopped");
        let request = PowerRequest {
            reason: Some(StopReason::DiskFull),
            ..PowerRequest::new(machine.id, ActionCommand::Stop, Actor::System)
        };
        match context.power.request(&request).await {
            Err(PowerError::Database(error)) => Err(error.into()),
            // It is being stopped, or may not be used at all.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

/// Tells whether a machine uses more than 110 % of its disk.
fn is_far_over(used: u64, size: u64) -> bool {
    u128::from(used) * 10 > u128::from(size) * 11
}

#[cfg(test)]
mod tests {
    use super::is_far_over;

    #[test]
    fn a_tenth_more_than_the_disk_is_tolerated() {
        let cases = [(100, false), (110, false), (111, true), (u64::MAX, true)];
        for (used, expected) in cases {
            assert_eq!(is_far_over(used, 100), expected, "{used}");
        }
        assert!(!is_far_over(u64::MAX, u64::MAX));
    }
}
