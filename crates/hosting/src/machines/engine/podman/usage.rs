//! How much a container uses.

use std::collections::HashMap;
use std::time::Instant;

use serde::Deserialize;
use uuid::Uuid;

use super::names::resource_name;
use super::{PodmanEngine, errors, lock};
use crate::machines::engine::{EngineError, Usage};
use crate::model::ObservedState;

/// The processor time that a run had used at a moment.
#[derive(Debug, Clone)]
pub(super) struct CpuSample {
    run: Option<String>,
    nanoseconds: u64,
    at: Instant,
}

/// Everything is optional: Podman leaves out what it cannot measure.
#[derive(Deserialize)]
struct StatsBody {
    cpu_stats: Option<CpuBody>,
    memory_stats: Option<MemoryBody>,
    networks: Option<HashMap<String, NetworkBody>>,
}

#[derive(Deserialize)]
struct CpuBody {
    cpu_usage: Option<CpuUsageBody>,
}

#[derive(Deserialize)]
struct CpuUsageBody {
    total_usage: Option<u64>,
}

#[derive(Deserialize)]
struct MemoryBody {
    usage: Option<u64>,
}

#[derive(Deserialize)]
struct NetworkBody {
    rx_bytes: Option<u64>,
    tx_bytes: Option<u64>,
}

impl PodmanEngine {
    pub(super) async fn measure_usage(&self, machine: Uuid) -> Result<Usage, EngineError> {
        let container = self
            .container(machine)
            .await?
            .ok_or(EngineError::NotFound)?;
        if !container.is_running() {
            return Err(EngineError::WrongState(ObservedState::Stopped));
        }
        let name = resource_name(machine);
        let path = format!("/containers/{name}/stats?stream=false&one-shot=true");
        let answer = self.socket.get(&path).await?;
        let mut answer = serde_json::Deserializer::from_slice(&answer).into_iter::<StatsBody>();
        let Some(stats) = answer.next() else {
            // Podman answers with nothing if the container has ended meanwhile.
            return Err(EngineError::WrongState(ObservedState::Stopped));
        };
        let stats = stats.map_err(|error| errors::unreadable(&error))?;
        let sample = CpuSample {
            run: container.run,
            nanoseconds: cpu_nanoseconds(&stats).unwrap_or_default(),
            at: Instant::now(),
        };
        let former = lock(&self.cpu_samples).insert(machine, sample.clone());
        let (received_bytes, sent_bytes) = network_bytes(&stats);
        Ok(Usage {
            cpu_percent: former.map_or(0.0, |former| cpu_percent(&former, &sample)),
            memory_bytes: stats
                .memory_stats
                .and_then(|memory| memory.usage)
                .unwrap_or_default(),
            received_bytes,
            sent_bytes,
        })
    }
}

fn cpu_nanoseconds(stats: &StatsBody) -> Option<u64> {
    stats.cpu_stats.as_ref()?.cpu_usage.as_ref()?.total_usage
}

/// Returns the processor time between two samples, in percent of one processor; zero for another run.
fn cpu_percent(former: &CpuSample, sample: &CpuSample) -> f64 {
    let elapsed = sample.at.duration_since(former.at).as_secs_f64();
    if former.run != sample.run || elapsed <= 0.0 {
        return 0.0;
    }
    let used =
        std::time::Duration::from_nanos(sample.nanoseconds.saturating_sub(former.nanoseconds));
    used.as_secs_f64() / elapsed * 100.0
}

fn network_bytes(stats: &StatsBody) -> (u64, u64) {
    let networks = stats.networks.iter().flat_map(|networks| networks.values());
    networks.fold((0, 0), |(received, sent), network| {
        (
            received + network.rx_bytes.unwrap_or_default(),
            sent + network.tx_bytes.unwrap_or_default(),
        )
    })
}
