//! What the engine knows about a container.
//!
//! The answers are parsed here and not by the client library, which refuses every answer that contains the
//! state `stopped`. Podman reports that state between the end of a process and the end of its clean-up.

use std::collections::HashMap;
use std::path::PathBuf;

use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use uuid::Uuid;

use super::names::{MACHINE_LABEL, RUN_LABEL, resource_name};
use super::{PodmanEngine, lock};
use crate::engine::{EngineError, Observation, RunState};
use crate::model::Exit;

/// Exit codes above this stand for the end by a signal.
const SIGNAL_BASE: i64 = 128;
/// The highest number of a signal.
const LAST_SIGNAL: i64 = 64;

/// A container of a machine.
#[derive(Debug, Clone)]
pub(super) struct Container {
    pub(super) id: String,
    pub(super) run: Option<String>,
    pub(super) state: RunState,
    pub(super) started_at: Option<Timestamp>,
    /// The log file, if the engine keeps one.
    pub(super) log_path: Option<PathBuf>,
    /// The folder of what was written outside the volume.
    pub(super) layer: Option<PathBuf>,
}

impl Container {
    pub(super) fn is_running(&self) -> bool {
        self.state == RunState::Running
    }

    fn observation(self, machine: Uuid) -> Observation {
        Observation {
            machine,
            run: self.run,
            state: self.state,
            started_at: self.started_at,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct InspectBody {
    id: String,
    state: StateBody,
    log_path: Option<PathBuf>,
    config: ConfigBody,
    graph_driver: Option<GraphDriverBody>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct StateBody {
    status: String,
    #[serde(rename = "OOMKilled", default)]
    oom_killed: bool,
    #[serde(default)]
    exit_code: i64,
    started_at: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ConfigBody {
    labels: Option<HashMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GraphDriverBody {
    data: Option<HashMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SummaryBody {
    id: String,
    state: String,
    labels: Option<HashMap<String, String>>,
}

/// What was learned about a container when it was last inspected.
#[derive(Debug)]
pub(super) struct CachedObservation {
    /// The word of the engine for the state.
    word: String,
    pub(super) container: Container,
}

impl PodmanEngine {
    /// Returns the container of a machine.
    pub(super) async fn container(&self, machine: Uuid) -> Result<Option<Container>, EngineError> {
        let path = format!("/containers/{}/json", resource_name(machine));
        let Some(body) = self.socket.get_json::<InspectBody>(&path).await? else {
            return Ok(None);
        };
        parse(body).map(Some)
    }

    pub(super) async fn observe_one(&self, machine: Uuid) -> Result<Observation, EngineError> {
        Ok(match self.container(machine).await? {
            Some(container) => container.observation(machine),
            None => Observation {
                machine,
                run: None,
                state: RunState::Absent,
                started_at: None,
            },
        })
    }

    /// Returns what is known about all machines. The list has no exit codes and no times, so a container is
    /// inspected once for each state that it is seen in.
    pub(super) async fn observe_list(&self) -> Result<Vec<Observation>, EngineError> {
        let filters = format!("{{\"label\":[\"{MACHINE_LABEL}\"]}}");
        let filters = utf8_percent_encode(&filters, NON_ALPHANUMERIC);
        let path = format!("/containers/json?all=true&filters={filters}");
        let list: Vec<SummaryBody> =
            self.socket.get_json(&path).await?.ok_or_else(|| {
                EngineError::Internal("the list of containers is missing".to_owned())
            })?;
        let mut observations = Vec::with_capacity(list.len());
        let mut seen = HashMap::with_capacity(list.len());
        for summary in list {
            let label = summary
                .labels
                .as_ref()
                .and_then(|labels| labels.get(MACHINE_LABEL));
            let Some(machine) = label.and_then(|text| Uuid::parse_str(text).ok()) else {
                continue;
            };
            let Some(container) = self.cached(machine, &summary).await? else {
                continue;
            };
            let word = summary.state;
            seen.insert(
                summary.id,
                CachedObservation {
                    word,
                    container: container.clone(),
                },
            );
            observations.push(container.observation(machine));
        }
        *lock(&self.observed) = seen;
        Ok(observations)
    }

    async fn cached(
        &self,
        machine: Uuid,
        summary: &SummaryBody,
    ) -> Result<Option<Container>, EngineError> {
        let known = lock(&self.observed)
            .get(&summary.id)
            .and_then(|known| (known.word == summary.state).then(|| known.container.clone()));
        match known {
            Some(container) => Ok(Some(container)),
            None => self.container(machine).await,
        }
    }
}

fn parse(body: InspectBody) -> Result<Container, EngineError> {
    let started_at = body
        .state
        .started_at
        .as_deref()
        .and_then(|text| text.parse().ok());
    // A container that was not started has a time in the year 1.
    let started_at = started_at.filter(|time| *time > Timestamp::UNIX_EPOCH);
    Ok(Container {
        run: body
            .config
            .labels
            .and_then(|mut labels| labels.remove(RUN_LABEL)),
        state: run_state(&body.state, started_at.is_some())?,
        started_at,
        log_path: body.log_path.filter(|path| !path.as_os_str().is_empty()),
        layer: body
            .graph_driver
            .and_then(|driver| driver.data?.remove("UpperDir"))
            .map(PathBuf::from),
        id: body.id,
    })
}

fn run_state(state: &StateBody, was_started: bool) -> Result<RunState, EngineError> {
    match state.status.as_str() {
        "running" | "paused" | "stopping" | "restarting" => Ok(RunState::Running),
        // To attach to a container that has just ended prepares it again and erases its exit code.
        "created" | "configured" | "initialized" if was_started => {
            Ok(RunState::Exited(Exit::default()))
        }
        "created" | "configured" | "initialized" => Ok(RunState::Created),
        "exited" | "stopped" | "dead" | "removing" => {
            Ok(RunState::Exited(exit(state.exit_code, state.oom_killed)))
        }
        other => Err(EngineError::Internal(format!(
            "the engine reports the state {other}"
        ))),
    }
}

/// Translates an exit code. An engine reports the end by a signal as 128 and the number of the signal.
fn exit(code: i64, oom_killed: bool) -> Exit {
    let signal = (SIGNAL_BASE + 1..=SIGNAL_BASE + LAST_SIGNAL)
        .contains(&code)
        .then(|| i32::try_from(code - SIGNAL_BASE).ok())
        .flatten();
    Exit {
        code: i32::try_from(code).ok(),
        signal,
        // The engine also says so if a child process was ended and the server itself stopped normally.
        out_of_memory: oom_killed && code != 0,
        by_guest: false,
    }
}

#[cfg(test)]
mod tests {
    use super::{StateBody, exit, run_state};
    use crate::engine::RunState;
    use crate::model::Exit;

    fn state(status: &str, exit_code: i64, oom_killed: bool) -> StateBody {
        StateBody {
            status: status.to_owned(),
            oom_killed,
            exit_code,
            started_at: None,
        }
    }

    #[test]
    fn a_container_that_is_being_cleaned_up_has_ended() {
        let ended = run_state(&state("stopped", 3, false), true).unwrap();
        let expected = Exit {
            code: Some(3),
            ..Exit::default()
        };
        assert_eq!(ended, RunState::Exited(expected));
    }

    #[test]
    fn a_container_that_was_prepared_again_has_ended() {
        let fresh = run_state(&state("created", 0, false), false).unwrap();
        assert_eq!(fresh, RunState::Created);
        let again = run_state(&state("created", 0, false), true).unwrap();
        assert_eq!(again, RunState::Exited(Exit::default()));
    }

    #[test]
    fn high_exit_codes_are_signals() {
        let killed = exit(137, false);
        assert_eq!((killed.code, killed.signal), (Some(137), Some(9)));
        assert!(!killed.out_of_memory);
        assert!(exit(137, true).out_of_memory);
        assert_eq!(exit(128, false).signal, None);
        assert_eq!(exit(255, false).signal, None);
        assert!(!exit(0, true).out_of_memory);
    }
}
