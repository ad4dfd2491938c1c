//! The steps of actions on virtual private servers, and where they are held.

use innkeeper_hosting::model::ActionStep;

use ActionStep::{AwaitReady, AwaitStop, Begin, Create, ForceStop, PowerOn, RequestStop, Reset};
use Held::{Accepted, Disk, Launch, Monitor};

/// Where an action is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// The server was killed before it did anything about the action.
    Accepted,
    /// At a gate of the program that makes disks.
    Disk(&'static str),
    /// At a gate of the program that runs the emulator.
    Launch(&'static str),
    /// In a command on the monitor.
    Monitor(&'static str, Fate),
}

/// What becomes of a command that is held when the server is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It never reaches the emulator.
    Lost,
    /// The emulator has carried it out, and the answer is lost.
    Unanswered,
    /// The emulator carries it out after the server was killed.
    Late,
}

/// An action, and where it is held.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    pub(super) command: &'static str,
    pub(super) step: ActionStep,
    pub(super) held: Held,
}

const fn case(command: &'static str, step: ActionStep, held: Held) -> Case {
    Case {
        command,
        step,
        held,
    }
}

/// Each step of each action, and in it each command that changes something.
pub(super) const CASES: &[Case] = &[
    case("start", Create, Disk("before")),
    case("start", PowerOn, Launch("before")),
    case("start", PowerOn, Monitor("query-status", Fate::Lost)),
    case("start", PowerOn, Monitor("cont", Fate::Lost)),
    case("start", PowerOn, Monitor("cont", Fate::Unanswered)),
    case("start", PowerOn, Monitor("cont", Fate::Late)),
    case("start", Create, Disk("after")),
    case("start", PowerOn, Launch("after")),
    case("start", AwaitReady, Monitor("query-status", Fate::Lost)),
    case("stop", Begin, Monitor("query-status", Fate::Lost)),
    case("stop", RequestStop, Monitor("query-status", Fate::Lost)),
    case("stop", RequestStop, Monitor("system_powerdown", Fate::Lost)),
    case(
        "stop",
        RequestStop,
        Monitor("system_powerdown", Fate::Unanswered),
    ),
    case("stop", AwaitStop, Monitor("query-status", Fate::Lost)),
    case("stop", AwaitStop, Monitor("quit", Fate::Lost)),
    case("stop", AwaitStop, Monitor("quit", Fate::Late)),
    case("reset", Begin, Monitor("query-status", Fate::Lost)),
    case("reset", Reset, Monitor("query-status", Fate::Lost)),
    case("reset", Reset, Monitor("system_reset", Fate::Lost)),
    case("reset", Reset, Monitor("system_reset", Fate::Unanswered)),
    case("kill", ForceStop, Monitor("query-status", Fate::Lost)),
    case("kill", ForceStop, Monitor("quit", Fate::Lost)),
    case("kill", ForceStop, Monitor("quit", Fate::Late)),
    case(
        "suspend",
        RequestStop,
        Monitor("system_powerdown", Fate::Lost),
    ),
    case(
        "remove",
        RequestStop,
        Monitor("system_powerdown", Fate::Unanswered),
    ),
    case("remove", AwaitStop, Monitor("quit", Fate::Lost)),
    case("start", Begin, Accepted),
    case("stop", Begin, Accepted),
    case("reset", Begin, Accepted),
    case("kill", Begin, Accepted),
    case("remove", Begin, Accepted),
];

impl Case {
    pub(super) fn begins_on(&self) -> bool {
        self.command != "start"
    }

    pub(super) fn ends_on(&self) -> bool {
        matches!(self.command, "start" | "reset")
    }

    /// How often the guest has begun in its last run, at least and at most. A reset whose answer was lost is
    /// done again, because nothing tells that it was done.
    pub(super) fn hellos(&self) -> (usize, usize) {
        match (self.command, self.held) {
            ("reset", Monitor("system_reset", Fate::Unanswered)) => (2, 3),
            ("reset", _) => (2, 2),
            _ => (1, 1),
        }
    }
}

#[test]
fn each_step_of_a_vps_is_in_the_table() {
    for step in ActionStep::ALL {
        let is_known = CASES.iter().any(|case| case.step == *step);
        // To delete files needs no engine, so that it cannot be held.
        assert_eq!(is_known, *step != ActionStep::Delete, "{step}");
    }
}
