//! Compares a machine that no action works on with what its engine reports.

use jiff::Timestamp;

use super::crash::LONGEST_PAUSE;
use super::exits::{RunReport, record_on};
use super::work::is_on;
use crate::model::{
    ActionCommand, Administrative, DesiredState, Machine, ObservedState, StopReason,
};

/// What has to be stored and done.
#[derive(Debug)]
pub(super) struct Correction {
    /// The machine as it is now; `None` if it is as stored.
    pub(super) machine: Option<Machine>,
    /// What makes it as it should be.
    pub(super) action: Option<SystemAction>,
}

/// An action that nobody asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SystemAction {
    pub(super) command: ActionCommand,
    pub(super) reason: Option<StopReason>,
}

/// Compares a machine with a report.
pub(super) fn judge(machine: &Machine, report: &RunReport<'_>, now: Timestamp) -> Correction {
    let mut current = machine.clone();
    let has_changed = match (is_on(report.observation), machine.observed) {
        (true, ObservedState::Stopped) => {
            let observation = Some(report.observation);
            record_on(&mut current, observation, report.host_boot, now);
            current.ready = true;
            true
        }
        (true, ObservedState::Running) => {
            // The action that waited for it has failed.
            current.ready = true;
            !machine.ready
        }
        (false, ObservedState::Running) => {
            report.record(&mut current, now);
            true
        }
        (false, ObservedState::Stopped) => false,
    };
    Correction {
        action: wanted_action(&current, now),
        machine: has_changed.then_some(current),
    }
}

/// Returns what makes a machine as it should be.
fn wanted_action(machine: &Machine, now: Timestamp) -> Option<SystemAction> {
    let action = |command, reason| Some(SystemAction { command, reason });
    match (machine.administrative, machine.observed, machine.desired) {
        // An earlier attempt has failed.
        (Administrative::Removing, _, _) => action(ActionCommand::Remove, None),
        (Administrative::Suspended, ObservedState::Running, _) => {
            action(ActionCommand::Suspend, None)
        }
        (Administrative::Active, ObservedState::Running, DesiredState::Stopped) => {
            action(ActionCommand::Stop, None)
        }
        (Administrative::Active, ObservedState::Stopped, DesiredState::Running)
            if is_restart_due(machine, now) =>
        {
            action(ActionCommand::Start, machine.stop_reason)
        }
        _ => None,
    }
}

/// Tells whether it is time to start a machine again, also if the clock was set back meanwhile.
fn is_restart_due(machine: &Machine, now: Timestamp) -> bool {
    (machine.restart_at).is_some_and(|at| at <= now || at.duration_since(now) > LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use uuid::Uuid;

    use super::super::exits::RunReport;
    use super::{SystemAction, judge};
    use crate::machines::engine::{Observation, RunState};
    use crate::model::{
        ActionCommand, Administrative, DesiredState, Exit, GameSpec, Machine, MachineKind,
        MachineSpec, ObservedState, PublicId, StopReason,
    };

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn machine(observed: ObservedState, desired: DesiredState) -> Machine {
        let spec = GameSpec {
            memory_mib: 64,
            cpu_millis: 100,
            disk_bytes: 1,
            pids: 10,
            slots: None,
            stop_seconds: 30,
        };
        Machine {
            id: Uuid::nil(),
            kind: MachineKind::Game,
            public_id: PublicId::parse("a").unwrap(),
            customer_id: "cus_1".to_owned(),
            name: "A".to_owned(),
            profile: None,
            plan: None,
            location: None,
            addresses: Vec::new(),
            spec: MachineSpec::Game(spec),
            ports: Vec::new(),
            administrative: Administrative::Active,
            desired,
            observed,
            ready: observed == ObservedState::Running,
            observed_at: NOW,
            unreachable_since: None,
            host_boot: Some("boot".to_owned()),
            started_at: None,
            stopped_at: None,
            stop_reason: None,
            exit_code: None,
            exit_signal: None,
            failure: None,
            auto_restart: true,
            crashes: Vec::new(),
            restart_at: None,
            disk_bytes: None,
            generation: 0,
            created_at: NOW,
        }
    }

    /// Judges a machine, and returns why it is off, what it should do, when it is started again in seconds,
    /// and what is done.
    fn judged(
        machine: &Machine,
        state: RunState,
        is_stop_typed: bool,
    ) -> (
        Option<StopReason>,
        DesiredState,
        Option<i64>,
        Option<SystemAction>,
    ) {
        let observation = Observation {
            machine: machine.id,
            run: Some("run".to_owned()),
            state,
            started_at: None,
        };
        let report = RunReport {
            observation: &observation,
            is_stop_typed,
            host_boot: "boot",
        };
        let correction = judge(machine, &report, NOW);
        let current = correction.machine.unwrap_or_else(|| machine.clone());
        let restart = current
            .restart_at
            .map(|at| at.duration_since(NOW).as_secs());
        (
            current.stop_reason,
            current.desired,
            restart,
            correction.action,
        )
    }

    fn does(command: ActionCommand, reason: Option<StopReason>) -> SystemAction {
        SystemAction { command, reason }
    }

    #[test]
    fn an_exit_that_nobody_asked_for_is_a_crash() {
        let on = machine(ObservedState::Running, DesiredState::Running);
        let exits = [
            (RunState::Exited(Exit::default()), StopReason::Crashed),
            // Deleted behind our back.
            (RunState::Absent, StopReason::Crashed),
            (
                RunState::Exited(Exit {
                    out_of_memory: true,
                    ..Exit::default()
                }),
                StopReason::OutOfMemory,
            ),
        ];
        for (state, reason) in exits {
            let expected = (Some(reason), DesiredState::Running, Some(5), None);
            assert_eq!(judged(&on, state, false), expected);
        }
    }

    #[test]
    fn a_machine_that_should_not_be_restarted_stays_crashed() {
        let mut on = machine(ObservedState::Running, DesiredState::Running);
        on.auto_restart = false;
        let exited = RunState::Exited(Exit::default());
        let crashed = (Some(StopReason::Crashed), DesiredState::Running, None, None);
        assert_eq!(judged(&on, exited, false), crashed);
        on.auto_restart = true;
        on.crashes = vec![NOW; 5];
        assert_eq!(judged(&on, exited, false), crashed);
    }

    #[test]
    fn a_guest_that_powers_off_and_a_typed_stop_are_not_crashes() {
        let on = machine(ObservedState::Running, DesiredState::Running);
        let by_guest = RunState::Exited(Exit {
            by_guest: true,
            ..Exit::default()
        });
        let stopped = |reason| (Some(reason), DesiredState::Stopped, None, None);
        assert_eq!(judged(&on, by_guest, false), stopped(StopReason::Guest));
        let exited = RunState::Exited(Exit::default());
        assert_eq!(judged(&on, exited, true), stopped(StopReason::Requested));
    }

    #[test]
    fn after_a_boot_of_the_host_machines_start_again_at_once() {
        let mut on = machine(ObservedState::Running, DesiredState::Running);
        on.host_boot = Some("earlier".to_owned());
        let lost = Some(StopReason::HostLost);
        let again = Some(does(ActionCommand::Start, lost));
        let expected = (lost, DesiredState::Running, Some(0), again);
        let exited = RunState::Exited(Exit::default());
        assert_eq!(judged(&on, exited, false), expected);
        on.desired = DesiredState::Stopped;
        let expected = (lost, DesiredState::Stopped, None, None);
        assert_eq!(judged(&on, exited, false), expected);
    }

    #[test]
    fn a_machine_that_should_be_off_is_stopped_again() {
        let off = machine(ObservedState::Stopped, DesiredState::Stopped);
        let mut on = machine(ObservedState::Running, DesiredState::Stopped);
        for machine in [&off, &on] {
            let judged = judged(machine, RunState::Running, false);
            assert_eq!(judged.3, Some(does(ActionCommand::Stop, None)));
        }
        on.administrative = Administrative::Suspended;
        let suspend = Some(does(ActionCommand::Suspend, None));
        assert_eq!(judged(&on, RunState::Running, false).3, suspend);
        on.administrative = Administrative::Removing;
        let remove = Some(does(ActionCommand::Remove, None));
        assert_eq!(judged(&on, RunState::Running, false).3, remove);
    }

    #[test]
    fn a_restart_is_due_in_time_and_when_the_clock_was_set_back() {
        let mut off = machine(ObservedState::Stopped, DesiredState::Running);
        off.stop_reason = Some(StopReason::Crashed);
        let start = Some(does(ActionCommand::Start, Some(StopReason::Crashed)));
        for (seconds, action) in [(0, start), (1, None), (300, None), (301, start)] {
            off.restart_at = Some(NOW + SignedDuration::from_secs(seconds));
            let judged = judged(&off, RunState::Absent, false);
            assert_eq!(judged.3, action, "{seconds}");
        }
    }

    #[test]
    fn a_machine_that_is_as_it_should_be_is_left_alone() {
        let on = machine(ObservedState::Running, DesiredState::Running);
        let off = machine(ObservedState::Stopped, DesiredState::Stopped);
        for (machine, state) in [(on, RunState::Running), (off, RunState::Absent)] {
            let observation = Observation {
                machine: machine.id,
                run: None,
                state,
                started_at: None,
            };
            let report = RunReport {
                observation: &observation,
                is_stop_typed: false,
                host_boot: "another boot",
            };
            let correction = judge(&machine, &report, NOW);
            assert!(correction.machine.is_none() && correction.action.is_none());
        }
    }
}
