//! What a request to change the power of a machine leads to.

use crate::base::error_code::ControlErrorCode;
use crate::model::{Action, ActionCommand, PublicState};

/// What a request leads to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Decision<'a> {
    /// The machine is already as wanted.
    Noop,
    /// An action that does the same has not ended: it answers this request too.
    Join(&'a Action),
    /// A new action begins.
    Begin,
    /// A new action begins and cancels this one.
    Replace(&'a Action),
    /// A new action cancels this one and continues where it is, as far as both have the same steps.
    ChangeGoal(&'a Action),
    /// Nothing changes.
    Refuse(ControlErrorCode),
}

/// Decides about a request from the state of the machine and its action that has not ended. `force` turns a
/// stop into a kill.
pub(crate) fn decide(
    state: PublicState,
    active: Option<&Action>,
    command: ActionCommand,
    force: bool,
) -> Decision<'_> {
    let command = effective(command, force);
    match (command, active) {
        (ActionCommand::Suspend, active) => return decide_suspend(state, active),
        (ActionCommand::Remove, active) => return decide_remove(active),
        _ => {}
    }
    match (state, active) {
        (PublicState::Suspended, _) => Decision::Refuse(ControlErrorCode::ServerSuspended),
        (PublicState::Deleting, _) => Decision::Refuse(ControlErrorCode::InvalidState),
        (PublicState::Unknown, _) => Decision::Refuse(ControlErrorCode::HostUnreachable),
        (PublicState::Stopped | PublicState::Crashed | PublicState::Failed, _) => {
            decide_off(command)
        }
        (PublicState::Running, _) | (_, None) => decide_on(command),
        (PublicState::Starting, Some(action)) => decide_starting(command, action),
        (PublicState::Stopping, Some(action)) => decide_stopping(command, action),
        (PublicState::Restarting, Some(action)) => decide_restarting(command, action),
        (PublicState::Resetting, Some(action)) => decide_resetting(command, action),
    }
}

/// Returns what is done: a stop by force is a kill.
pub(super) fn effective(command: ActionCommand, force: bool) -> ActionCommand {
    match command {
        ActionCommand::Stop if force => ActionCommand::Kill,
        command => command,
    }
}

const IN_PROGRESS: Decision<'static> = Decision::Refuse(ControlErrorCode::ActionInProgress);

fn decide_off(command: ActionCommand) -> Decision<'static> {
    match command {
        ActionCommand::Start | ActionCommand::Restart => Decision::Begin,
        ActionCommand::Reset => Decision::Refuse(ControlErrorCode::InvalidState),
        _ => Decision::Noop,
    }
}

fn decide_on(command: ActionCommand) -> Decision<'static> {
    match command {
        ActionCommand::Start => Decision::Noop,
        _ => Decision::Begin,
    }
}

fn decide_starting(command: ActionCommand, action: &Action) -> Decision<'_> {
    match command {
        ActionCommand::Start => Decision::Join(action),
        ActionCommand::Stop | ActionCommand::Kill => Decision::Replace(action),
        _ => IN_PROGRESS,
    }
}

fn decide_stopping(command: ActionCommand, action: &Action) -> Decision<'_> {
    match command {
        ActionCommand::Stop => Decision::Join(action),
        ActionCommand::Kill if action.command == ActionCommand::Kill => Decision::Join(action),
        ActionCommand::Kill => Decision::Replace(action),
        _ => IN_PROGRESS,
    }
}

fn decide_restarting(command: ActionCommand, action: &Action) -> Decision<'_> {
    match command {
        ActionCommand::Restart => Decision::Join(action),
        ActionCommand::Stop => Decision::ChangeGoal(action),
        ActionCommand::Kill => Decision::Replace(action),
        _ => IN_PROGRESS,
    }
}

fn decide_resetting(command: ActionCommand, action: &Action) -> Decision<'_> {
    match command {
        ActionCommand::Reset => Decision::Join(action),
        ActionCommand::Stop | ActionCommand::Kill => Decision::Replace(action),
        _ => IN_PROGRESS,
    }
}

/// The operator may suspend a machine in any state, unless it is being removed.
fn decide_suspend(state: PublicState, active: Option<&Action>) -> Decision<'_> {
    match active {
        _ if state == PublicState::Deleting => Decision::Refuse(ControlErrorCode::InvalidState),
        None => Decision::Begin,
        Some(action) if action.command == ActionCommand::Suspend => Decision::Join(action),
        Some(action) => Decision::ChangeGoal(action),
    }
}

/// The operator may remove a machine in any state.
fn decide_remove(active: Option<&Action>) -> Decision<'_> {
    match active {
        None => Decision::Begin,
        Some(action) if action.command == ActionCommand::Remove => Decision::Join(action),
        Some(action) => Decision::ChangeGoal(action),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use uuid::Uuid;

    use super::{Decision, decide};
    use crate::model::{Action, ActionCommand, ActionStatus, ActionStep, PublicState};

    /// The table of states and commands: start, stop, reset, restart, kill, stop by force. The second column
    /// is the command of the action that has not ended, or `-`.
    const TABLE: &str = "
        stopped    -       | begin       noop               invalid_state      begin              noop    noop
        crashed    -       | begin       noop               invalid_state      begin              noop    noop
        failed     -       | begin       noop               invalid_state      begin              noop    noop
        starting   start   | join        replace            action_in_progress action_in_progress replace replace
        starting   -       | noop        begin              begin              begin              begin   begin
        running    -       | noop        begin              begin              begin              begin   begin
        stopping   stop    | action_in_progress join        action_in_progress action_in_progress replace replace
        stopping   kill    | action_in_progress join        action_in_progress action_in_progress join    join
        restarting restart | action_in_progress change_goal action_in_progress join               replace replace
        resetting  reset   | action_in_progress replace     join               action_in_progress replace replace
        suspended  -       | server_suspended server_suspended server_suspended server_suspended server_suspended server_suspended
        suspended  suspend | server_suspended server_suspended server_suspended server_suspended server_suspended server_suspended
        unknown    -       | host_unreachable host_unreachable host_unreachable host_unreachable host_unreachable host_unreachable
        unknown    start   | host_unreachable host_unreachable host_unreachable host_unreachable host_unreachable host_unreachable
        deleting   remove  | invalid_state invalid_state invalid_state invalid_state invalid_state invalid_state
        deleting   -       | invalid_state invalid_state invalid_state invalid_state invalid_state invalid_state
    ";

    const COMMANDS: [(ActionCommand, bool); 6] = [
        (ActionCommand::Start, false),
        (ActionCommand::Stop, false),
        (ActionCommand::Reset, false),
        (ActionCommand::Restart, false),
        (ActionCommand::Kill, false),
        (ActionCommand::Stop, true),
    ];

    fn action(command: ActionCommand) -> Action {
        Action {
            id: "act_1".to_owned(),
            machine_id: Uuid::nil(),
            customer_id: "cus_1".to_owned(),
            command,
            status: ActionStatus::Running,
            step: ActionStep::Begin,
            step_at: Timestamp::UNIX_EPOCH,
            stop_seconds: 30,
            actor: "key".to_owned(),
            address: None,
            reason: None,
            result: None,
            failure: None,
            superseded_by: None,
            queued_at: Timestamp::UNIX_EPOCH,
            started_at: None,
            finished_at: None,
        }
    }

    fn word(decision: Decision<'_>) -> &'static str {
        match decision {
            Decision::Noop => "noop",
            Decision::Join(_) => "join",
            Decision::Begin => "begin",
            Decision::Replace(_) => "replace",
            Decision::ChangeGoal(_) => "change_goal",
            Decision::Refuse(code) => code.as_str(),
        }
    }

    #[test]
    fn every_cell_of_the_table_is_decided_as_written() {
        let mut states = Vec::new();
        for row in TABLE.lines().filter(|row| !row.trim().is_empty()) {
            let (left, cells) = row.split_once('|').unwrap();
            let left: Vec<&str> = left.split_whitespace().collect();
            let state = PublicState::parse(left[0]).unwrap();
            let active = ActionCommand::parse(left[1]).map(action);
            let cells: Vec<&str> = cells.split_whitespace().collect();
            assert_eq!(cells.len(), COMMANDS.len(), "{row}");
            for ((command, force), expected) in COMMANDS.into_iter().zip(cells) {
                let decision = decide(state, active.as_ref(), command, force);
                assert_eq!(word(decision), expected, "{row}: {command} {force}");
            }
            states.push(state);
        }
        for state in PublicState::ALL {
            assert!(states.contains(state), "{state} is missing");
        }
    }

    #[test]
    fn operators_suspend_and_remove_in_every_state() {
        let active = |command| action(command);
        let cases = [
            (ActionCommand::Suspend, None, "begin"),
            (
                ActionCommand::Suspend,
                Some(ActionCommand::Start),
                "change_goal",
            ),
            (
                ActionCommand::Suspend,
                Some(ActionCommand::Stop),
                "change_goal",
            ),
            (ActionCommand::Suspend, Some(ActionCommand::Suspend), "join"),
            (ActionCommand::Remove, None, "begin"),
            (
                ActionCommand::Remove,
                Some(ActionCommand::Kill),
                "change_goal",
            ),
            (
                ActionCommand::Remove,
                Some(ActionCommand::Suspend),
                "change_goal",
            ),
            (ActionCommand::Remove, Some(ActionCommand::Remove), "join"),
        ];
        for (command, running, expected) in cases {
            let running = running.map(active);
            for state in PublicState::ALL {
                let decision = decide(*state, running.as_ref(), command, false);
                let expected = match (command, state) {
                    (ActionCommand::Suspend, PublicState::Deleting) => "invalid_state",
                    _ => expected,
                };
                assert_eq!(word(decision), expected, "{state} {command}");
            }
        }
    }
}
