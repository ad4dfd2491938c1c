//! The steps of actions on game servers, and the requests in which they are held.

use innkeeper_hosting::model::ActionStep;
use serde_json::{Value, json};

use ActionStep::{AwaitReady, AwaitStop, Begin, Create, Delete, ForceStop, PowerOn, RequestStop};
use Call::{
    Attach, CreateContainer, CreateNetwork, CreateVolume, Inspect, InspectVolume, RemoveContainer,
    RemoveNetwork, RemoveVolume, Signal, Start, Type,
};
use Fate::{Late, Lost, Unanswered};

/// A request to the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Inspect,
    RemoveContainer,
    RemoveNetwork,
    CreateNetwork,
    InspectVolume,
    CreateVolume,
    RemoveVolume,
    CreateContainer,
    Attach,
    Start,
    /// SIGTERM or SIGKILL.
    Signal,
    /// The stop command, typed on the console.
    Type,
}

/// What becomes of the request that is held when the server is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It never reaches the engine.
    Lost,
    /// The engine has carried it out, and the answer is lost.
    Unanswered,
    /// The engine carries it out after the server was killed.
    Late,
}

/// How the game servers of a profile stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Game {
    /// By SIGTERM.
    Signalled,
    /// By a command on the console.
    Typed,
    /// Not at all, so that it is forced.
    Hanging,
    /// By SIGTERM; it was never started.
    New,
}

/// An action, and where it is held.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    pub(super) game: Game,
    pub(super) command: &'static str,
    pub(super) step: ActionStep,
    pub(super) call: Call,
    pub(super) fate: Fate,
}

const fn case(command: &'static str, step: ActionStep, call: Call, fate: Fate) -> Case {
    Case {
        game: Game::Signalled,
        command,
        step,
        call,
        fate,
    }
}

const fn of(game: Game, case: Case) -> Case {
    Case { game, ..case }
}

/// Each step of each action, and in it each request that changes something. A restart has the steps of a stop and of
/// a start, and not all of their requests again.
pub(super) const CASES: &[Case] = &[
    case("start", Begin, Inspect, Lost),
    case("start", Create, Inspect, Lost),
    case("start", Create, RemoveContainer, Lost),
    case("start", Create, RemoveContainer, Unanswered),
    case("start", Create, RemoveNetwork, Lost),
    case("start", Create, RemoveNetwork, Unanswered),
    case("start", Create, CreateNetwork, Lost),
    case("start", Create, CreateNetwork, Unanswered),
    case("start", Create, InspectVolume, Lost),
    of(Game::New, case("start", Create, CreateVolume, Lost)),
    of(Game::New, case("start", Create, CreateVolume, Unanswered)),
    case("start", Create, CreateContainer, Lost),
    case("start", Create, CreateContainer, Unanswered),
    case("start", Create, CreateContainer, Late),
    case("start", PowerOn, Inspect, Lost),
    case("start", PowerOn, Attach, Lost),
    case("start", PowerOn, Attach, Unanswered),
    case("start", PowerOn, Start, Lost),
    case("start", PowerOn, Start, Unanswered),
    case("start", PowerOn, Start, Late),
    case("start", AwaitReady, Inspect, Lost),
    case("stop", Begin, Inspect, Lost),
    case("stop", RequestStop, Inspect, Lost),
    case("stop", RequestStop, Signal, Lost),
    case("stop", RequestStop, Signal, Unanswered),
    of(Game::Typed, case("stop", AwaitStop, Type, Late)),
    case("stop", AwaitStop, Inspect, Lost),
    of(Game::Hanging, case("stop", ForceStop, Inspect, Lost)),
    of(Game::Hanging, case("stop", ForceStop, Signal, Lost)),
    of(Game::Hanging, case("stop", ForceStop, Signal, Unanswered)),
    case("restart", Begin, Inspect, Lost),
    case("restart", RequestStop, Inspect, Lost),
    case("restart", RequestStop, Signal, Lost),
    case("restart", RequestStop, Signal, Unanswered),
    case("restart", AwaitStop, Inspect, Lost),
    of(
        Game::Hanging,
        case("restart", ForceStop, Signal, Unanswered),
    ),
    case("restart", Create, Inspect, Lost),
    case("restart", Create, RemoveContainer, Unanswered),
    case("restart", Create, CreateContainer, Lost),
    case("restart", Create, CreateContainer, Unanswered),
    case("restart", PowerOn, Inspect, Lost),
    case("restart", PowerOn, Start, Lost),
    case("restart", PowerOn, Start, Unanswered),
    case("restart", AwaitReady, Inspect, Lost),
    case("kill", Begin, Inspect, Lost),
    case("kill", ForceStop, Inspect, Lost),
    case("kill", ForceStop, Signal, Lost),
    case("kill", ForceStop, Signal, Unanswered),
    case("kill", ForceStop, Signal, Late),
    case("suspend", RequestStop, Signal, Lost),
    case("suspend", AwaitStop, Inspect, Lost),
    case("remove", RequestStop, Signal, Unanswered),
    case("remove", Delete, RemoveContainer, Lost),
    case("remove", Delete, RemoveContainer, Unanswered),
    case("remove", Delete, RemoveNetwork, Lost),
    case("remove", Delete, RemoveNetwork, Unanswered),
    case("remove", Delete, RemoveVolume, Lost),
    case("remove", Delete, RemoveVolume, Unanswered),
];

impl Case {
    /// Whether the machine is on before the action.
    pub(super) fn begins_on(&self) -> bool {
        self.command != "start"
    }

    /// Whether the machine is on after the action.
    pub(super) fn ends_on(&self) -> bool {
        matches!(self.command, "start" | "restart")
    }

    /// Whether the machine cannot be used for another case.
    pub(super) fn is_last(&self) -> bool {
        self.game == Game::New || matches!(self.command, "suspend" | "remove")
    }

    /// The result of the action.
    pub(super) fn result(&self) -> &'static str {
        if self.game == Game::Hanging && self.command == "stop" {
            "forced"
        } else {
            "done"
        }
    }

    /// The options of the request.
    pub(super) fn options(&self) -> Value {
        match self.game {
            Game::Hanging => json!({ "timeoutSeconds": 0 }),
            _ => json!({}),
        }
    }
}

/// Tells whether a request is this call for a machine. Some requests do not name the machine at their
/// beginning; of those, only one is held at a time.
pub(super) fn is_call(call: Call, machine: &str, text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let container = format!("/containers/innkeeper-{machine}");
    let is = |method: &str, path: &str| line.starts_with(method) && line.contains(path);
    match call {
        Inspect => is("GET ", &format!("{container}/json")),
        RemoveContainer => is("DELETE ", &container),
        RemoveNetwork => is("DELETE ", &format!("/networks/innkeeper-{machine}")),
        CreateNetwork => is("POST ", "/networks/create"),
        InspectVolume => is("GET ", &format!("/volumes/innkeeper-{machine}")),
        CreateVolume => is("POST ", "/volumes/create"),
        RemoveVolume => is("DELETE ", &format!("/volumes/innkeeper-{machine}")),
        CreateContainer => is(
            "POST ",
            &format!("/containers/create?name=innkeeper-{machine}"),
        ),
        Attach => is("POST ", "/attach?"),
        Start => is("POST ", &format!("{container}/start")),
        Signal => is("POST ", &format!("{container}/kill")),
        Type => text.trim() == "stop",
    }
}

impl Call {
    /// Whether a request names its machine at its beginning.
    pub(super) fn names_machine(self) -> bool {
        !matches!(self, CreateNetwork | CreateVolume | Attach | Type)
    }
}

#[test]
fn each_step_of_a_game_server_is_in_the_table() {
    for step in ActionStep::ALL {
        let is_known = CASES.iter().any(|case| case.step == *step);
        // Game servers are not reset.
        assert_eq!(is_known, *step != ActionStep::Reset, "{step}");
    }
}
