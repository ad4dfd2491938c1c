//! The running emulator of a machine.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::timeout;
use uuid::Uuid;

use super::machine_folder::{MachineFolder, RunRecord};
use super::qmp::{GuestStatus, QmpClient, QmpError};
use crate::machines::engine::EngineError;
use crate::model::Exit;

/// How long a monitor has to answer.
const MONITOR_LIMIT: Duration = Duration::from_secs(5);
/// How long an emulator that was told to quit has to write its disk and end.
const QUIT_LIMIT: Duration = Duration::from_secs(3);
/// The number of the signal that ends a process at once.
const SIGKILL: i32 = 9;

/// A living emulator.
#[derive(Debug)]
pub(super) struct Emulator {
    machine: Uuid,
    folder: MachineFolder,
    record: RunRecord,
}

/// A connection to the monitor of a machine.
#[derive(Debug)]
pub(super) struct MonitorSession {
    client: QmpClient,
    /// What the guest did when the session began.
    pub(super) status: GuestStatus,
}

impl Emulator {
    /// Finds the emulator of a machine, if one is alive.
    pub(super) async fn find(
        machine: Uuid,
        folder: &MachineFolder,
    ) -> Result<Option<Self>, EngineError> {
        let found = |record| Self {
            machine,
            folder: folder.clone(),
            record,
        };
        let last = folder.run().await?;
        if let Some(record) = last.filter(|record| record.process.is_alive()) {
            return Ok(Some(found(record)));
        }
        let Some(process) = folder.emulator_process(machine).await else {
            return Ok(None);
        };
        // It was just started, or by a process that died before it wrote that down.
        let started_at = folder.pid_written_at().await;
        let emulator = found(RunRecord {
            process,
            started_at: started_at.unwrap_or_else(|_| Timestamp::now()),
            has_begun: false,
            exit: None,
        });
        emulator.remember().await;
        Ok(Some(emulator))
    }

    pub(super) fn record(&self) -> &RunRecord {
        &self.record
    }

    pub(super) fn is_alive(&self) -> bool {
        self.record.process.is_alive()
    }

    /// Opens a session with the monitor, and checks that it is the one of this machine.
    pub(super) async fn monitor(&mut self) -> Result<MonitorSession, EngineError> {
        let session = in_time(async {
            let mut client = QmpClient::connect(&self.folder.monitor()).await?;
            if client.uuid().await? != self.machine {
                return Err(QmpError::Malformed("the UUID of another machine"));
            }
            let status = client.status().await?;
            Ok(MonitorSession { client, status })
        });
        let session = session.await?;
        if session.status != GuestStatus::Prelaunch && !self.record.has_begun {
            self.record.has_begun = true;
            self.remember().await;
        }
        Ok(session)
    }

    /// Tells the guest to begin.
    pub(super) async fn begin(&mut self, session: &mut MonitorSession) -> Result<(), EngineError> {
        session.execute("cont").await?;
        self.record.has_begun = true;
        self.remember().await;
        Ok(())
    }

    /// Ends the emulator, by its monitor if it answers, and records how the run ended.
    pub(super) async fn end(
        mut self,
        session: Option<MonitorSession>,
        exit: Exit,
    ) -> Result<RunRecord, EngineError> {
        let process = self.record.process.open()?;
        let Some(process) = process else {
            // It was faster.
            return Ok(self.record);
        };
        // If we die after the emulator and before the record, the run would seem to have crashed.
        self.record.exit = Some(exit);
        self.remember().await;
        if let Some(mut session) = session
            && in_time(session.client.quit()).await.is_ok()
            && timeout(QUIT_LIMIT, process.ended()).await.is_ok()
        {
            return Ok(self.record);
        }
        if !exit.by_guest {
            self.record.exit = Some(Exit {
                code: None,
                signal: Some(SIGKILL),
                ..exit
            });
            self.remember().await;
        }
        process.kill()?;
        process.ended().await;
        Ok(self.record)
    }

    /// Writes down what is known about the run. A full disk must not keep a machine from being turned off.
    async fn remember(&self) {
        if let Err(error) = self.folder.write_run(&self.record).await {
            tracing::warn!(machine = %self.machine, %error, "cannot record the run of a machine");
        }
    }
}

impl MonitorSession {
    /// Executes a command.
    pub(super) async fn execute(&mut self, command: &'static str) -> Result<(), EngineError> {
        in_time(self.client.execute(command)).await.map(|_| ())
    }

    /// Lets the guest go on if it was paused because the host could not write its disk. If the host still
    /// cannot, it is paused again.
    pub(super) async fn resume_after_disk_error(&mut self) -> Result<(), EngineError> {
        match self.status {
            GuestStatus::DiskError => self.execute("cont").await,
            _ => Ok(()),
        }
    }

    /// Returns how the run ended, if the guest has ended it.
    pub(super) fn exit(&self) -> Option<Exit> {
        match self.status {
            GuestStatus::PoweredOff => Some(Exit {
                by_guest: true,
                ..Exit::default()
            }),
            GuestStatus::Panicked => Some(Exit::default()),
            GuestStatus::Prelaunch | GuestStatus::On | GuestStatus::DiskError => None,
        }
    }
}

/// Waits for the monitor, within its limit.
async fn in_time<T>(answer: impl Future<Output = Result<T, QmpError>>) -> Result<T, EngineError> {
    let answer = timeout(MONITOR_LIMIT, answer).await;
    answer
        .map_err(|_| EngineError::Timeout)?
        .map_err(|error| match error {
            QmpError::Unreachable(_) | QmpError::Closed => {
                EngineError::Unreachable(error.to_string())
            }
            QmpError::Malformed(_) | QmpError::Refused { .. } => {
                EngineError::Internal(error.to_string())
            }
        })
}
