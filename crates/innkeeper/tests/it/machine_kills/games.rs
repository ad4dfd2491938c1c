//! Kills at each step of actions on game servers.

use std::collections::HashMap;

use futures_util::future::join_all;
use innkeeper_hosting::model::ActionStep;
use innkeeper_service::testing::eventually;

use super::containers::{ContainerEngine, ContainerRun};
use super::game_cases::{CASES, Call, Case, Fate, Game, is_call};
use super::host::{Host, TestMachine, with_host};
use super::proxy::{HeldRequest, Hold, Moment, StallingProxy};

/// How many actions are held when the server is killed.
const GROUP: usize = 12;
/// How many lines the bystander writes around each kill.
const LINES: usize = 300;

#[tokio::test]
async fn a_kill_at_each_step_of_a_game_server_is_survived() {
    with_host("games", async |host| {
        let mut test = GameTest::begin(host).await;
        for cases in CASES.chunks(GROUP) {
            test.kill_in(cases).await;
        }
        test.check_outputs().await;
    })
    .await;
}

/// A case whose action is held.
struct HeldCase {
    case: Case,
    machine: TestMachine,
    action: String,
    /// How often the machine had been started.
    starts: u64,
    request: HeldRequest,
    /// Holds other requests of the same kind, such as those of the reconciler.
    hold: Option<Hold>,
}

struct GameTest<'a> {
    host: &'a mut Host,
    engine: ContainerEngine,
    proxy: StallingProxy,
    /// By their names.
    machines: HashMap<String, TestMachine>,
    /// How often each machine was stopped and not killed, by name.
    stops: HashMap<String, usize>,
    /// Runs all the time, and nothing happens to it.
    bystander: TestMachine,
    bystander_run: ContainerRun,
    kills: usize,
}

impl<'a> GameTest<'a> {
    async fn begin(host: &'a mut Host) -> Self {
        let signalled = host.set_profile("signalled", "{ signal = \"SIGTERM\" }");
        signalled.await;
        host.set_profile("typed", "{ command = \"stop\" }").await;
        let bystander = host.add_game("bystander", "typed").await;
        host.start().await;
        host.done(&bystander, "start").await;
        let (engine, proxy) = ContainerEngine::behind_proxy(host);
        let bystander_run = engine.container(&bystander).await.unwrap();
        assert_eq!(bystander_run.state, "running");
        Self {
            host,
            engine,
            proxy,
            machines: HashMap::new(),
            stops: HashMap::new(),
            bystander,
            bystander_run,
            kills: 0,
        }
    }

    /// Kills the server in the middle of several actions at once.
    async fn kill_in(&mut self, cases: &[Case]) {
        let mut machines = Vec::new();
        for (number, case) in cases.iter().enumerate() {
            machines.push(self.machine(case, number).await);
        }
        let prepared = cases.iter().zip(&machines);
        join_all(prepared.map(|(case, machine)| self.prepare(*case, machine))).await;
        let mut held = Vec::new();
        for (case, machine) in cases.iter().zip(machines) {
            held.push(self.hold(*case, machine).await);
        }
        self.kills += 1;
        let count = format!("count {LINES}");
        let typed = self.host.type_line(&self.bystander, &count).await;
        assert_eq!(typed.unwrap(), 202);
        self.host.kill().await;
        let held: Vec<_> = held.into_iter().map(HeldCase::end).collect();
        self.host.start().await;
        for (case, machine, action, starts) in held {
            self.check(case, &machine, &action, starts).await;
        }
        self.check_bystander().await;
    }

    /// Returns a machine for the case with a number in its group.
    async fn machine(&mut self, case: &Case, number: usize) -> TestMachine {
        let name = match case.game {
            _ if case.is_last() => format!("last-{}-{number}", self.kills),
            Game::Typed => format!("typed-{number}"),
            _ => format!("signalled-{number}"),
        };
        if let Some(machine) = self.machines.get(&name) {
            return machine.clone();
        }
        let is_typed = case.game == Game::Typed;
        let profile = if is_typed { "typed" } else { "signalled" };
        let machine = self.host.add_game(&name, profile).await;
        if !case.is_last() {
            self.machines.insert(name, machine.clone());
        }
        machine
    }

    /// Turns a machine on or off, as the action of a case needs it.
    async fn prepare(&self, case: Case, machine: &TestMachine) {
        if case.game == Game::New {
            return;
        }
        let host = &self.host;
        let container = self.engine.container(machine).await;
        let is_on = container.as_ref().is_some_and(|run| run.state == "running");
        if !is_on && (container.is_none() || case.begins_on()) {
            host.done(machine, "start").await;
        }
        if !case.begins_on() && (is_on || container.is_none()) {
            host.done(machine, "kill").await;
        }
        if case.game == Game::Hanging {
            assert_eq!(host.type_line(machine, "hang").await.unwrap(), 202);
            eventually("the game hangs", async || {
                let output = host.output(machine).await;
                output
                    .last()
                    .is_some_and(|line| line.starts_with("Ignoring"))
            })
            .await;
        }
    }

    /// Asks for the action of a case and waits until it is held.
    async fn hold(&self, case: Case, machine: TestMachine) -> HeldCase {
        let starts = self.starts(&machine).await;
        let moment = match case.fate {
            Fate::Unanswered if case.step != ActionStep::ForceStop => Moment::After,
            _ => Moment::Before,
        };
        let mut hold = self.hold_calls(moment, case.call, &machine);
        let action = match case.command {
            "suspend" | "remove" => self.host.operate_power(&machine, case.command).await,
            command => self.host.power(&machine, command, &case.options()).await,
        };
        let mut request = loop {
            let request = hold.next().await;
            if self.is_wanted(case, &machine, &action, &request).await {
                break request;
            }
            request.release();
        };
        if case.step == ActionStep::ForceStop && case.fate == Fate::Unanswered {
            // The server looks at the container while it waits for the answer.
            hold = self.hold_calls(Moment::Before, Call::Inspect, &machine);
            let look = hold.next().await;
            request.release();
            eventually("the container goes off", async || {
                let run = self.engine.container(&machine).await;
                run.is_some_and(|run| run.state == "exited")
            })
            .await;
            request = look;
        }
        HeldCase {
            hold: case.call.names_machine().then_some(hold),
            case,
            machine,
            action,
            starts,
            request,
        }
    }

    fn hold_calls(&self, moment: Moment, call: Call, machine: &TestMachine) -> Hold {
        let id = machine.id.clone();
        let matches = move |text: &str| is_call(call, &id, text);
        self.proxy.hold(moment, matches)
    }

    /// Tells whether a request is the one to hold: in the step of the case, and about this machine.
    async fn is_wanted(
        &self,
        case: Case,
        machine: &TestMachine,
        action: &str,
        request: &HeldRequest,
    ) -> bool {
        if case.call == Call::Type {
            // Typing has no answer, so that the next step begins at once.
            eventually("the next step begins", async || {
                self.host.is_at(action, case.step).await
            })
            .await;
            return true;
        }
        if case.call == Call::Attach {
            let container = self.engine.container(machine).await;
            if container.is_none_or(|container| !request.text.contains(&container.id)) {
                return false;
            }
        }
        self.host.is_at(action, case.step).await
    }

    /// Checks that the action of a case was finished, and carried out once.
    async fn check(&mut self, case: Case, machine: &TestMachine, action: &str, starts: u64) {
        let name = format!("{case:?} on {}", machine.name);
        let host = &self.host;
        if case.command == "remove" {
            eventually(&name, async || !host.exists(machine).await).await;
            assert_eq!(self.engine.container(machine).await, None, "{name}");
            assert!(!self.engine.has_volume(machine).await, "{name}");
            return;
        }
        let ended = host.until_ended(action).await;
        assert_eq!(ended.status, "success", "{name}: {ended:?}");
        assert_eq!(ended.result.as_deref(), Some(case.result()), "{name}");
        let on = if case.ends_on() { "running" } else { "stopped" };
        let expected = (on.to_owned(), on.to_owned(), 0);
        assert_eq!(host.stored(machine).await, expected, "{name}");
        let run = self.engine.container(machine).await.unwrap();
        assert_eq!(run.state == "running", case.ends_on(), "{name}: {run:?}");
        let expected = starts + u64::from(case.ends_on());
        assert_eq!(self.starts(machine).await, expected, "{name}");
        let is_asked = case.game != Game::Hanging && case.command != "kill";
        if case.begins_on() && is_asked {
            *self.stops.entry(machine.name.clone()).or_default() += 1;
        }
    }

    /// Returns how often a machine was started with its data, and checks that each start is in its log once.
    async fn starts(&self, machine: &TestMachine) -> u64 {
        let output = self.host.output(machine).await;
        let numbers = output.iter().filter_map(|line| {
            let number = line.strip_prefix("World loaded, start number ")?;
            number.parse::<u64>().ok()
        });
        let numbers: Vec<u64> = numbers.collect();
        let count = u64::try_from(numbers.len()).unwrap();
        let expected: Vec<u64> = (1..=count).collect();
        assert_eq!(numbers, expected, "{}: {output:#?}", machine.name);
        count
    }

    /// Checks that the bystander runs on, and that each of its lines is in its log once.
    async fn check_bystander(&self) {
        let run = self.engine.container(&self.bystander).await.unwrap();
        assert_eq!(run, self.bystander_run);
        let expected: Vec<String> = (0..self.kills)
            .flat_map(|_| (1..=LINES).map(|number| number.to_string()))
            .collect();
        let mut written = Vec::new();
        eventually("all lines of the bystander are there", async || {
            let output = self.host.output(&self.bystander).await.into_iter();
            written = output
                .filter(|line| line.parse::<u64>().is_ok())
                .collect::<Vec<_>>();
            written.len() >= expected.len()
        })
        .await;
        assert_eq!(written, expected);
    }

    /// Checks that the logs have the end of each run, also of those that ended while the server was killed.
    async fn check_outputs(&self) {
        for machine in self.machines.values() {
            let run = self.engine.container(machine).await.unwrap();
            if run.state != "running" {
                // The rest of a log is read at the next start at the latest.
                self.host.done(machine, "start").await;
            }
            let output = self.host.output(machine).await;
            let count = |start: &str| output.iter().filter(|line| line.starts_with(start)).count();
            let stops = self.stops.get(&machine.name).copied().unwrap_or_default();
            assert_eq!(count("Stopped"), stops, "{}: {output:#?}", machine.name);
            assert_eq!(count("Ready for players"), count("World loaded"));
        }
    }
}

impl HeldCase {
    /// Ends the request after the server was killed.
    fn end(self) -> (Case, TestMachine, String, u64) {
        match self.case.fate {
            Fate::Late => self.request.release(),
            Fate::Lost | Fate::Unanswered => drop(self.request),
        }
        drop(self.hold);
        (self.case, self.machine, self.action, self.starts)
    }
}
