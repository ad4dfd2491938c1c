//! Checks that hold for every engine for game servers.
//!
//! An engine that is checked runs the demo game server, or something that answers like it: it prints
//! `Ready for players`, answers `say TEXT` with `[Server] TEXT`, ends with `stop`, `crash CODE` and SIGTERM,
//! ignores everything after `hang`, and has a terminal that repeats what is typed.

mod console;
mod game;
mod output;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use innkeeper_service::testing::eventually;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::{GameBlueprint, GameEngine, RunState};
use crate::machines::demo_game;
use crate::model::{Exit, GameSpec};

pub(crate) use console::TestConsole;

/// How long a text may take to come. Checks wait for conditions, so this only ends those that fail.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

type Check = for<'a> fn(&'a dyn GameEngine) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Lists functions as checks with their names.
macro_rules! checks {
    ($($module:ident::$name:ident),* $(,)?) => {
        &[$((stringify!($name), |engine| Box::pin($module::$name(engine)))),*]
    };
}

const GAME_CHECKS: &[(&str, Check)] = checks![
    game::a_machine_that_was_never_created_is_absent,
    game::a_run_is_created_and_then_started,
    game::calls_can_be_repeated,
    game::each_create_makes_a_fresh_run,
    game::data_survives_until_the_machine_is_deleted,
    game::exit_codes_and_signals_are_reported,
    game::sigterm_reaches_the_game,
    game::a_deaf_game_can_be_killed,
    game::a_run_is_started_once,
    game::a_prepared_run_can_be_killed,
    game::a_missing_image_is_refused,
    game::usage_is_of_a_running_machine,
    output::a_console_works_both_ways,
    output::two_consoles_show_the_same,
    output::a_console_that_goes_away_leaves_the_game_alone,
    output::the_log_equals_what_a_console_shows,
    output::a_console_that_comes_back_continues_where_the_log_ends,
    output::the_output_ends_with_the_run,
];

/// Runs all checks against an engine, one after another.
pub(crate) async fn check_game_engine(engine: &dyn GameEngine) {
    for (name, check) in GAME_CHECKS {
        let started = Instant::now();
        tracing::info!(name, "check begins");
        let ended = timeout(4 * PATIENCE, check(engine)).await;
        assert!(ended.is_ok(), "the check {name} takes too long");
        tracing::info!(name, elapsed = ?started.elapsed(), "check passed");
    }
}

/// A machine of a check. It is deleted at its end.
pub(crate) struct TestMachine<'a> {
    pub(crate) engine: &'a dyn GameEngine,
    pub(crate) blueprint: GameBlueprint,
}

impl<'a> TestMachine<'a> {
    /// Returns a machine that was not created yet.
    pub(crate) fn new(engine: &'a dyn GameEngine) -> Self {
        let spec = GameSpec {
            memory_mib: 64,
            cpu_millis: 1000,
            disk_bytes: 64 * 1024 * 1024,
            pids: 64,
            stop_seconds: 10,
            slots: None,
        };
        let blueprint = GameBlueprint {
            machine: Uuid::now_v7(),
            profile: demo_game::profile(),
            spec,
            ports: Vec::new(),
        };
        Self { engine, blueprint }
    }

    /// Creates and starts a machine, and waits until the game is ready.
    pub(crate) async fn running(engine: &'a dyn GameEngine) -> (Self, TestConsole) {
        let machine = Self::new(engine);
        let console = machine.start().await;
        (machine, console)
    }

    pub(crate) fn id(&self) -> Uuid {
        self.blueprint.machine
    }

    /// Creates a run, attaches to it, starts it and waits until the game is ready.
    pub(crate) async fn start(&self) -> TestConsole {
        self.engine.create(&self.blueprint).await.unwrap();
        let mut console = self.attach().await;
        self.engine.start(self.id()).await.unwrap();
        console.wait_for("Ready for players").await;
        console
    }

    pub(crate) async fn attach(&self) -> TestConsole {
        TestConsole::new(self.engine.attach(self.id()).await.unwrap())
    }

    pub(crate) async fn state(&self) -> RunState {
        self.engine.observe(self.id()).await.unwrap().state
    }

    /// Returns how the run ended, once it has.
    pub(crate) async fn exit(&self) -> Exit {
        eventually("the run ends", async || match self.state().await {
            RunState::Exited(exit) => Ok(exit),
            state => Err(state),
        })
        .await
    }

    /// Waits until a text is in the log.
    pub(crate) async fn wait_for_log(&self, text: &str) {
        eventually(format!("{text:?} is in the log"), async || {
            console::find(&self.log(0).await.1, text.as_bytes()).is_some()
        })
        .await;
    }

    /// Returns the log from an offset, and how many bytes are lost.
    pub(crate) async fn log(&self, offset: u64) -> (u64, Vec<u8>) {
        use futures_util::TryStreamExt;
        let log = self.engine.log(self.id(), offset).await.unwrap();
        let pieces: Vec<bytes::Bytes> = log.output.try_collect().await.unwrap();
        (log.lost_bytes, pieces.concat())
    }

    /// Ends the run and deletes everything.
    pub(crate) async fn delete(self) {
        self.engine.kill(self.id()).await.unwrap();
        self.engine.delete(self.id()).await.unwrap();
        assert_eq!(self.state().await, RunState::Absent);
    }
}
