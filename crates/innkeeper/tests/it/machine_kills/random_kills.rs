//! Kills at random moments, while customers start, stop, restart, reset and kill machines and type commands.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use innkeeper_service::random;
use innkeeper_service::testing::eventually;
use reqwest::StatusCode;
use tokio::time::timeout;

use super::PATIENCE;
use super::choices::{Random, choose};
use super::containers::{ContainerEngine, ContainerRun};
use super::host::{Host, TestMachine, with_host};
use super::vps::Vps;

/// How many machines of each kind customers use.
const GAMES: usize = 3;
const SERVERS: usize = 2;
/// The longest time from the start of a server to its kill, in milliseconds.
const LONGEST_LIFE: u64 = 2500;
/// How long a machine may take to be as its last action wanted it.
const SETTLING_TIME: Duration = Duration::from_secs(20);
/// The longest pause of a customer between two requests, in milliseconds.
const LONGEST_PAUSE: u64 = 300;

#[tokio::test]
#[ignore = "takes many minutes; make test-long runs it"]
async fn two_hundred_kills_under_load_are_survived() {
    kill_under_load("two-hundred", 200).await;
}

async fn kill_under_load(name: &str, rounds: usize) {
    let seed = match std::env::var_os("KILL_SEED") {
        Some(seed) => seed.to_str().unwrap().parse().unwrap(),
        None => u64::from_ne_bytes(random::bytes()),
    };
    say(&format!(
        "KILL_SEED={seed} repeats the choices of this test"
    ));
    with_host(name, async |host| {
        let mut test = LoadTest::begin(host, Random::new(seed)).await;
        for round in 1..=rounds {
            test.round(round).await;
        }
        test.report(rounds);
    })
    .await;
}

#[expect(clippy::print_stdout, reason = "it prints figures")]
fn say(text: &str) {
    println!("{text}");
}

/// What was done and seen.
#[derive(Debug, Default)]
struct Figures {
    accepted: usize,
    refused: usize,
    unanswered: usize,
    typed: usize,
    /// The sum and the longest of the times from a start to the end of all actions.
    recovery: Duration,
    longest_recovery: Duration,
}

/// What a customer did until the server was killed.
#[derive(Debug, Default)]
struct Visit {
    /// The actions that were accepted.
    accepted: Vec<String>,
    refused: usize,
    unanswered: usize,
    /// The lines that were typed on the console of the bystander.
    typed: Vec<String>,
}

struct LoadTest<'a> {
    host: &'a mut Host,
    random: Random,
    engine: ContainerEngine,
    games: Vec<TestMachine>,
    servers: Vec<Vps>,
    /// These run all the time, and nothing happens to them.
    idle_game: TestMachine,
    idle_run: ContainerRun,
    idle_server: Vps,
    idle_emulator: i32,
    /// The lines that were typed on the console of the idle game server.
    typed: Vec<String>,
    figures: Figures,
    problems: Vec<String>,
    began: Instant,
}

impl<'a> LoadTest<'a> {
    async fn begin(host: &'a mut Host, random: Random) -> Self {
        host.set_profile("demo", "{ command = \"stop\" }").await;
        let idle_game = host.add_game("idle", "demo").await;
        let idle_server = Vps::add(host, "idle").await;
        let (mut games, mut servers) = (Vec::new(), Vec::new());
        for number in 0..GAMES {
            games.push(host.add_game(&format!("game-{number}"), "demo").await);
        }
        for number in 0..SERVERS {
            servers.push(Vps::add(host, &format!("vps-{number}")).await);
        }
        host.start().await;
        host.done(&idle_game, "start").await;
        host.done(&idle_server.machine, "start").await;
        let engine = ContainerEngine::of(host);
        Self {
            idle_run: engine.container(&idle_game).await.unwrap(),
            idle_emulator: idle_server.emulator().await.unwrap(),
            host,
            random,
            engine,
            games,
            servers,
            idle_game,
            idle_server,
            typed: Vec::new(),
            figures: Figures::default(),
            problems: Vec::new(),
            began: Instant::now(),
        }
    }

    /// Lets customers use the machines, kills the server, starts it again and checks everything.
    async fn round(&mut self, round: usize) {
        let life = self.random.millis(LONGEST_LIFE);
        let seed = self.random.next();
        let visits = self.visit(life, seed, round).await;
        self.host.kill().await;
        let killed = Instant::now();
        self.host.start().await;
        let accepted: Vec<String> = visits
            .into_iter()
            .flat_map(|visit| self.note(visit))
            .collect();
        self.until_idle().await;
        let recovery = killed.elapsed();
        self.figures.recovery += recovery;
        self.figures.longest_recovery = self.figures.longest_recovery.max(recovery);
        let problems = self.problems.len();
        self.check(&accepted).await;
        let (life, recovery) = (life.as_millis(), recovery.as_millis());
        let accepted = accepted.len();
        say(&format!(
            "round {round}: killed after {life} ms, {accepted} actions accepted, all ended {recovery} ms later"
        ));
        for problem in self.problems.iter().skip(problems) {
            say(&format!("  problem: {problem}"));
        }
    }

    /// Lets customers use the machines until the server is killed.
    async fn visit(&self, life: Duration, seed: u64, round: usize) -> Vec<Visit> {
        let machines = self.servers.iter().map(|vps| &vps.machine);
        let machines = self.games.iter().chain(machines).enumerate();
        let visits = machines.map(|(number, machine)| {
            let random = Random::new(seed ^ u64::try_from(number).unwrap());
            self.control(machine, random)
        });
        let typing = self.type_lines(Random::new(!seed), round);
        let killed = async {
            // The moment is the one that chance has chosen.
            tokio::time::sleep(life).await;
            self.host.signal_kill();
        };
        let (mut visits, typed, ()) = tokio::join!(join_all(visits), typing, killed);
        visits.push(typed);
        visits
    }

    /// Asks for actions on a machine until the server is gone.
    async fn control(&self, machine: &TestMachine, mut random: Random) -> Visit {
        let mut visit = Visit::default();
        loop {
            let (command, options) = choose(machine.kind, &mut random);
            match self.host.try_power(machine, command, &options).await {
                Some(answer) if answer.status == StatusCode::ACCEPTED => {
                    let id = answer.body["action"]["id"].as_str().unwrap();
                    visit.accepted.push(id.to_owned());
                }
                Some(_) => visit.refused += 1,
                None => {
                    visit.unanswered += 1;
                    return visit;
                }
            }
            tokio::time::sleep(random.millis(LONGEST_PAUSE)).await;
        }
    }

    /// Types lines on the console of the idle game server until the server is gone.
    async fn type_lines(&self, mut random: Random, round: usize) -> Visit {
        let mut visit = Visit::default();
        for number in 0.. {
            let text = format!("line {round}.{number}");
            match self
                .host
                .type_line(&self.idle_game, &format!("say {text}"))
                .await
            {
                Some(StatusCode::ACCEPTED) => visit.typed.push(text),
                // The console is not attached yet.
                Some(_) => {}
                None => break,
            }
            tokio::time::sleep(random.millis(LONGEST_PAUSE)).await;
        }
        visit
    }

    /// Counts what a customer did, and returns the actions that were accepted.
    fn note(&mut self, visit: Visit) -> Vec<String> {
        let figures = &mut self.figures;
        figures.accepted += visit.accepted.len();
        figures.refused += visit.refused;
        figures.unanswered += visit.unanswered;
        figures.typed += visit.typed.len();
        self.typed.extend(visit.typed);
        visit.accepted
    }

    /// Waits until all actions have ended.
    async fn until_idle(&self) {
        let query = "select count(*) from actions where status in ('queued', 'running')";
        eventually("all actions end", async || {
            let row = self.host.sql.query_one(query, &[]).await.unwrap();
            row.get::<_, i64>(0) == 0
        })
        .await;
    }

    async fn check(&mut self, accepted: &[String]) {
        for id in accepted {
            let action = self.host.action(id).await;
            let is_fine = action.as_ref().is_some_and(|action| {
                // A machine that a customer stopped meanwhile cannot be reset.
                let is_late = action.error.as_deref() == Some("invalid_state");
                matches!(action.status.as_str(), "success" | "cancelled")
                    || (action.command == "reset" && is_late)
            });
            if !is_fine {
                self.problems.push(format!("{id}: {action:?}"));
            }
        }
        for number in 0..GAMES {
            let machine = self.games[number].clone();
            let run = self.engine.container(&machine).await;
            let is_on = run.is_some_and(|run| run.state == "running");
            self.check_state(&machine, is_on).await;
            self.check_starts(&machine).await;
        }
        for number in 0..SERVERS {
            let machine = self.servers[number].machine.clone();
            let is_wanted = self.is_wanted(&machine).await;
            let vps = &self.servers[number];
            // An emulator that comes too late is found by the reconciler.
            let settled = eventually("it is as wanted", async || {
                vps.emulator().await.is_some() == is_wanted
            });
            let is_settled = timeout(SETTLING_TIME, settled).await.is_ok();
            self.check_state(&machine, is_wanted == is_settled).await;
        }
        self.check_idle().await;
    }

    /// Tells whether the last action turned a machine on.
    async fn is_wanted(&self, machine: &TestMachine) -> bool {
        let query = "select command from actions where machine_id = $1::text::uuid \
                     and status = 'success' order by queued_at desc, id desc limit 1";
        let row = self.host.sql.query_opt(query, &[&machine.id]).await;
        let command = row.unwrap().map(|row| row.get::<_, String>(0));
        matches!(command.as_deref(), Some("start" | "restart" | "reset"))
    }

    /// Checks that a machine is as the last action wanted it.
    async fn check_state(&mut self, machine: &TestMachine, is_on: bool) {
        let is_wanted = self.is_wanted(machine).await;
        let stored = self.host.stored(machine).await;
        let word = if is_wanted { "running" } else { "stopped" };
        if is_on != is_wanted || stored != (word.to_owned(), word.to_owned(), 0) {
            let name = &machine.name;
            let problem = format!("{name} should be {word}: on: {is_on}, stored: {stored:?}");
            self.problems.push(problem);
        }
    }

    /// Checks that each start of a game server with its data is in its log once.
    async fn check_starts(&mut self, machine: &TestMachine) {
        let output = self.host.output(machine).await;
        let numbers = output.iter().filter_map(|line| {
            let number = line.strip_prefix("World loaded, start number ")?;
            number.parse::<u64>().ok()
        });
        let numbers: Vec<u64> = numbers.collect();
        if numbers.windows(2).any(|pair| pair[1] != pair[0] + 1) {
            self.problems
                .push(format!("{}: starts {numbers:?}", machine.name));
        }
    }

    /// Checks that the idle machines run on, and that what was typed on the console is in its log once.
    async fn check_idle(&mut self) {
        let run = self.engine.container(&self.idle_game).await;
        if run.as_ref() != Some(&self.idle_run) {
            self.problems.push(format!("the idle game server: {run:?}"));
        }
        let emulator = self.idle_server.emulator().await;
        if emulator != Some(self.idle_emulator) || self.idle_server.hellos() != 1 {
            self.problems.push(format!("the idle server: {emulator:?}"));
        }
        let mut written = 0;
        let complete = eventually("all lines are written", async || {
            let output = self.host.output(&self.idle_game).await;
            let lines = output
                .iter()
                .filter_map(|line| line.strip_prefix("[Server] "));
            // What was typed may be written although nobody was told that it was typed.
            let known: Vec<&str> = lines
                .filter(|line| self.typed.iter().any(|text| text == line))
                .collect();
            written = known.len();
            known == self.typed
        });
        if timeout(PATIENCE, complete).await.is_err() {
            let typed = self.typed.len();
            self.problems
                .push(format!("{written} lines of {typed} that were typed"));
        }
    }

    fn report(&self, rounds: usize) {
        let Figures {
            accepted,
            refused,
            unanswered,
            typed,
            recovery,
            longest_recovery,
        } = &self.figures;
        let minutes = self.began.elapsed().as_secs_f64() / 60.0;
        let mean = recovery.as_millis() / u128::try_from(rounds).unwrap();
        let longest = longest_recovery.as_millis();
        say(&format!(
            "{rounds} kills in {minutes:.1} min; {accepted} actions accepted, {refused} requests answered \
             otherwise, {unanswered} cut off, {typed} lines typed; all actions ended {mean} ms after a kill, \
             at most {longest} ms; {} problems",
            self.problems.len()
        ));
        assert!(self.problems.is_empty(), "{:#?}", self.problems);
    }
}
