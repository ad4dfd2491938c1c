//! Why a machine ended that no action turned off, and what follows.

use jiff::Timestamp;

use super::crash::{forget_old, pause_after};
use crate::machines::engine::{Observation, RunState};
use crate::model::{DesiredState, Exit, Machine, ObservedState, StopReason};

/// What is known about the current or last run of a machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunReport<'a> {
    /// What the engine reports.
    pub(super) observation: &'a Observation,
    /// Whether the stop command of the profile was typed in this run.
    pub(super) is_stop_typed: bool,
    /// The current boot of the host.
    pub(super) host_boot: &'a str,
}

/// Why a machine ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExitCause {
    /// The guest powered off.
    Guest,
    /// Somebody typed the stop command.
    StopCommand,
    /// The host was restarted.
    HostLost,
    /// Nobody wanted it.
    Crash,
}

impl RunReport<'_> {
    /// Returns how the run ended; a run that the engine no longer knows has no details.
    pub(super) fn exit(&self) -> Exit {
        match self.observation.state {
            RunState::Exited(exit) => exit,
            _ => Exit::default(),
        }
    }

    /// Returns why a machine ended.
    pub(super) fn cause(&self, machine: &Machine) -> ExitCause {
        if machine.host_boot.as_deref() != Some(self.host_boot) {
            ExitCause::HostLost
        } else if self.exit().by_guest {
            ExitCause::Guest
        } else if self.is_stop_typed {
            ExitCause::StopCommand
        } else {
            ExitCause::Crash
        }
    }

    /// Stores in a machine that it has ended, and when it is started again. Returns the cause.
    pub(super) fn record(&self, machine: &mut Machine, now: Timestamp) -> ExitCause {
        let cause = self.cause(machine);
        let exit = self.exit();
        record_off(machine, exit, now);
        match cause {
            ExitCause::Guest => {
                machine.desired = DesiredState::Stopped;
                machine.stop_reason = Some(StopReason::Guest);
            }
            ExitCause::StopCommand => {
                machine.desired = DesiredState::Stopped;
                machine.stop_reason = Some(StopReason::Requested);
            }
            ExitCause::HostLost => {
                machine.stop_reason = Some(StopReason::HostLost);
                machine.restart_at = is_wanted(machine).then_some(now);
            }
            ExitCause::Crash => {
                machine.stop_reason = Some(if exit.out_of_memory {
                    StopReason::OutOfMemory
                } else {
                    StopReason::Crashed
                });
                record_crash(machine, now);
            }
        }
        cause
    }
}

/// Stores in a machine that it is off.
pub(super) fn record_off(machine: &mut Machine, exit: Exit, now: Timestamp) {
    machine.observed = ObservedState::Stopped;
    machine.observed_at = now;
    machine.ready = false;
    machine.stopped_at = Some(now);
    machine.exit_code = exit.code;
    machine.exit_signal = exit.signal;
    machine.restart_at = None;
}

/// Stores in a machine that it is on.
pub(super) fn record_on(
    machine: &mut Machine,
    observation: Option<&Observation>,
    host_boot: &str,
    now: Timestamp,
) {
    let started_at = observation.and_then(|observation| observation.started_at);
    machine.observed = ObservedState::Running;
    machine.observed_at = now;
    machine.ready = false;
    machine.host_boot = Some(host_boot.to_owned());
    machine.started_at = Some(started_at.unwrap_or(now));
    machine.stop_reason = None;
    machine.exit_code = None;
    machine.exit_signal = None;
    machine.failure = None;
    machine.restart_at = None;
}

fn record_crash(machine: &mut Machine, now: Timestamp) {
    machine.crashes.push(now);
    forget_old(&mut machine.crashes, now);
    let pause = pause_after(&machine.crashes);
    if is_wanted(machine) && machine.auto_restart {
        machine.restart_at = pause.map(|pause| now + pause);
    }
}

fn is_wanted(machine: &Machine) -> bool {
    machine.desired == DesiredState::Running
}
