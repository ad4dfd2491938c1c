//! What the engine knows about a container.
//!
//! States are words and not an enum of those that the specification of the API has: Podman also reports `stopped`,
//! between the end of a process and the end of its clean-up.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use tokio::time::sleep;
use uuid::Uuid;

use super::names::{MACHINE_LABEL, RUN_LABEL, resource_name};
use super::{PodmanEngine, lock};
use crate::machines::engine::{EngineError, Observation, RunState};
use crate::model::Exit;

/// How often the engine is asked about a container whose process ends at that moment.
const INSPECTIONS: u32 = 5;
/// Exit codes above this stand for the end by a signal.
const SIGNAL_BASE: i64 = 128;
/// The highest number of a signal.
const LAST_SIGNAL: i64 = 64;

/// How often the list of containers is asked for while containers are being removed.
const LIST_ATTEMPTS: u32 = 20;
/// The pause between two attempts.
const LIST_INTERVAL: Duration = Duration::from_millis(50);
/// What Podman says about a container that was removed meanwhile.
const REMOVED: &str = "no such container";

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
    /// The process, as the host of the engine sees it.
    pub(super) process: Option<i32>,
    /// Whether the process waits for the start. An attachment prepares a container, also one that has ended.
    pub(super) is_prepared: bool,
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
    /// 0 if there is no process.
    #[serde(default)]
    pid: i32,
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
        let mut found = self.socket.get_json::<InspectBody>(&path).await;
        for _ in 1..INSPECTIONS {
            if !found.as_ref().is_err_and(is_ended) {
                break;
            }
            found = self.socket.get_json::<InspectBody>(&path).await;
        }
        match found {
            Ok(Some(body)) => parse(body).map(Some),
            Ok(None) => Ok(None),
            Err(error) if is_removed(&error) => Ok(None),
            Err(error) => Err(error),
        }
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
        let list = self.list().await?;
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

    async fn list(&self) -> Result<Vec<SummaryBody>, EngineError> {
        let filters = format!("{{\"label\":[\"{MACHINE_LABEL}\"]}}");
        let filters = utf8_percent_encode(&filters, NON_ALPHANUMERIC);
        let path = format!("/containers/json?all=true&filters={filters}");
        let missing = || EngineError::Internal("the list of containers is missing".to_owned());
        let mut attempts = 1;
        loop {
            match self.socket.get_json(&path).await {
                // Podman fails if a container is removed while it makes the list.
                Err(error) if attempts < LIST_ATTEMPTS && is_removed(&error) => {
                    attempts += 1;
                    sleep(LIST_INTERVAL).await;
                }
                list => return list?.ok_or_else(missing),
            }
        }
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

/// Tells whether the process of the container ended while the engine looked at it.
fn is_ended(error: &EngineError) -> bool {
    matches!(error, EngineError::Internal(message) if message.contains("no such process"))
}

/// Tells whether the engine failed because a container was removed while it looked at it.
fn is_removed(error: &EngineError) -> bool {
    matches!(error, EngineError::Internal(reason) if reason.contains(REMOVED))
}

fn parse(body: InspectBody) -> Result<Container, EngineError> {
    let started_at = body
        .state
        .started_at
        .as_deref()
        .and_then(|text| text.parse().ok());
    // A container that was not started has a time in the year 1.
    let started_at = started_at.filter(|time| *time > Timestamp::UNIX_EPOCH);
    let process = Some(body.state.pid).filter(|pid| *pid > 0);
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
        is_prepared: process.is_some() && is_created(&body.state.status),
        process,
        id: body.id,
    })
}

fn run_state(state: &StateBody, was_started: bool) -> Result<RunState, EngineError> {
    match state.status.as_str() {
        "running" | "paused" | "stopping" | "restarting" => Ok(RunState::Running),
        // To attach to a container that has just ended prepares it again and erases its exit code.
        status if is_created(status) && was_started => Ok(RunState::Exited(Exit::default())),
        status if is_created(status) => Ok(RunState::Created),
        "exited" | "stopped" | "dead" | "removing" => {
            Ok(RunState::Exited(exit(state.exit_code, state.oom_killed)))
        }
        other => Err(EngineError::Internal(format!(
            "the engine reports the state {other}"
        ))),
    }
}

fn is_created(status: &str) -> bool {
    matches!(status, "created" | "configured" | "initialized")
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
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixListener;
    use uuid::Uuid;

    use super::super::PodmanEngine;
    use super::{StateBody, exit, run_state};
    use crate::machines::engine::RunState;
    use crate::model::Exit;

    #[tokio::test]
    async fn a_container_that_is_removed_while_it_is_looked_at_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("engine.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        tokio::spawn(async move {
            let reason = "container 1f does not exist in database: no such container";
            let failure = format!("{{\"message\":\"{reason}\"}}");
            for (status, body) in [(500, failure.as_str()), (200, "[]"), (500, &failure)] {
                let (mut stream, _) = listener.accept().await.unwrap();
                assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
                let length = body.len();
                let answer =
                    format!("HTTP/1.1 {status} x\r\ncontent-length: {length}\r\n\r\n{body}");
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let engine = PodmanEngine::untried(&socket);
        assert_eq!(engine.observe_list().await.unwrap(), []);
        assert!(engine.container(Uuid::nil()).await.unwrap().is_none());
    }

    fn state(status: &str, exit_code: i64, oom_killed: bool) -> StateBody {
        StateBody {
            status: status.to_owned(),
            oom_killed,
            exit_code,
            started_at: None,
            pid: 0,
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
