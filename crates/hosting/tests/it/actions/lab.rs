//! A server with machines in memory, whose process can be killed.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use innkeeper_hosting::config::Config;
use innkeeper_hosting::model::{
    Action, ActionCommand, GameProfile, GameSpec, Machine, MachineSpec, StopMethod, VpsNetwork,
    VpsSpec,
};
use innkeeper_hosting::testing::{MemoryHost, PowerCall, PowerRefusal, PowerReply, TestMachine};
use innkeeper_hosting::{Hosting, StartError};
use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Database, DatabaseOptions};
use innkeeper_service::secret::Secret;
use innkeeper_service::testing::TestDatabase;
use jiff::SignedDuration;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use crate::support::eventually;

pub(super) use innkeeper_hosting::model::{
    ActionCommand as Command, ActionResult, ActionStatus, ActionStep, StopReason,
};

/// A host with a server, which carries out actions only when it is told to tick.
pub(super) struct Lab {
    pub(super) host: MemoryHost,
    pub(super) clock: Clock,
    pub(super) sql: Client,
    database: TestDatabase,
    folder: TempDir,
    /// `None` between a kill and the next start.
    process: Option<Process>,
}

/// A process: all of its tasks end when it is killed.
pub(super) struct Process {
    pub(super) hosting: Hosting,
    runtime: Option<Runtime>,
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Process {
    /// Runs something in the process.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> T {
        let runtime = self.runtime.as_ref().unwrap();
        runtime.spawn(work).await.unwrap()
    }

    /// Does once what is due.
    pub(super) async fn tick(&self) {
        let hosting = self.hosting.clone();
        self.run(async move { hosting.tick().await }).await;
    }

    /// Begins to do what is due, without waiting for it.
    pub(super) fn begin_tick(&self) {
        let hosting = self.hosting.clone();
        let runtime = self.runtime.as_ref().unwrap();
        runtime.spawn(async move { hosting.tick().await });
    }

    /// Carries out actions all the time, as a server that serves does.
    pub(super) fn serve(&self) {
        let hosting = self.hosting.clone();
        let runtime = self.runtime.as_ref().unwrap();
        runtime.spawn(async move {
            let server = innkeeper_rest::Server::bind("127.0.0.1:0").unwrap();
            hosting.serve(server, innkeeper_rest::Stop::new()).await
        });
    }

    pub(super) async fn power(&self, call: PowerCall) -> Result<PowerReply, PowerRefusal> {
        let hosting = self.hosting.clone();
        self.run(async move { hosting.power(call).await }).await
    }

    /// Waits for the end of an action.
    pub(super) async fn wait(&self, action: &str) -> PowerReply {
        let (hosting, action) = (self.hosting.clone(), action.to_owned());
        let wait = async move {
            hosting
                .wait_for_action(&action, Duration::from_mins(2))
                .await
        };
        self.run(wait).await.unwrap()
    }
}

impl Lab {
    pub(super) async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    pub(super) async fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        let database = TestDatabase::create(async |url: String| {
            let options = DatabaseOptions::new(url, "hosting".to_owned());
            let pool = Database::new(options).unwrap();
            let mut connection = pool.connect_once().await.unwrap();
            let migrated = innkeeper_hosting::migrate::migrate(&mut connection, "hosting").await;
            migrated.map(|_| ())
        });
        let database = database.await.unwrap();
        let (sql, connection) = tokio_postgres::connect(database.url(), NoTls)
            .await
            .unwrap();
        tokio::spawn(connection);
        let add = "insert into hosting.customers (id, name, created_at)
                   values ('cus_1', 'Inn', now()), ('cus_2', 'Bar', now())";
        sql.execute(add, &[]).await.unwrap();
        let (host, clock) = (MemoryHost::default(), Clock::manual());
        let folder = tempfile::tempdir().unwrap();
        let mut config = config(&database, &folder, "machines");
        change(&mut config);
        let process = start_process(config, &clock, &host).await;
        Self {
            host,
            clock,
            sql,
            database,
            folder,
            process: Some(process),
        }
    }

    pub(super) fn process(&self) -> &Process {
        self.process.as_ref().unwrap()
    }

    /// Kills the process in the middle of whatever it does, and starts another one in its place.
    pub(super) async fn kill_and_restart(&mut self) {
        self.process = None;
        let config = config(&self.database, &self.folder, "machines");
        self.process = Some(start_process(config, &self.clock, &self.host).await);
    }

    /// Starts another process on the same database, with a folder of its own.
    pub(super) async fn second_process(&self, change: impl FnOnce(&mut Config)) -> Process {
        let mut config = config(&self.database, &self.folder, "machines-2");
        change(&mut config);
        start_process(config, &self.clock, &self.host).await
    }

    /// Adds a game server that stops on SIGTERM and is ready when it writes so.
    pub(super) async fn game(&self, id: &str) -> Uuid {
        let signal = StopMethod::Signal("SIGTERM".to_owned());
        self.game_with(id, signal, Some("Ready")).await
    }

    pub(super) async fn game_with(&self, id: &str, stop: StopMethod, ready: Option<&str>) -> Uuid {
        let spec = MachineSpec::Game(GameSpec {
            memory_mib: 64,
            cpu_millis: 500,
            disk_bytes: 1_000,
            pids: 50,
            slots: None,
            stop_seconds: 30,
        });
        let profile = GameProfile {
            name: format!("profile-{id}"),
            version: None,
            image: "demo".to_owned(),
            command: Vec::new(),
            environment: BTreeMap::new(),
            data_path: "/data".to_owned(),
            stop,
            ready_pattern: ready.map(str::to_owned),
            ready_seconds: 60,
            ports: Vec::new(),
            read_only_root: true,
        };
        self.add(id, spec, Some(profile)).await
    }

    pub(super) async fn vps(&self, id: &str) -> Uuid {
        let spec = MachineSpec::Vps(VpsSpec {
            image: "tiny".to_owned(),
            disk_bytes: 1 << 20,
            memory_mib: 32,
            cpus: 1,
            network: VpsNetwork::None,
            stop_seconds: 30,
        });
        self.add(id, spec, None).await
    }

    async fn add(&self, id: &str, spec: MachineSpec, profile: Option<GameProfile>) -> Uuid {
        let machine = TestMachine {
            public_id: id.to_owned(),
            customer_id: "cus_1".to_owned(),
            spec,
            profile,
        };
        let hosting = self.process().hosting.clone();
        let add = async move { hosting.add_machine(machine).await };
        self.process().run(add).await
    }

    /// Asks for a change of the power of a machine.
    pub(super) async fn ask(
        &self,
        machine: Uuid,
        command: ActionCommand,
    ) -> Result<PowerReply, PowerRefusal> {
        self.process().power(PowerCall::new(machine, command)).await
    }

    /// Asks for a change that is accepted, and returns the id of the action.
    pub(super) async fn accepted(&self, machine: Uuid, command: ActionCommand) -> String {
        self.ask(machine, command).await.unwrap().action.id
    }

    /// Asks for a change that is refused, and returns the code.
    pub(super) async fn refused(&self, machine: Uuid, command: ActionCommand) -> String {
        self.ask(machine, command).await.unwrap_err().code
    }

    /// Asks for a change, lets it happen, and returns the action as it ended.
    pub(super) async fn done(&self, machine: Uuid, command: ActionCommand) -> Action {
        let id = self.accepted(machine, command).await;
        self.settle(machine).await;
        self.action(&id).await
    }

    /// Does once what is due.
    pub(super) async fn tick(&self) {
        self.process().tick().await;
    }

    /// Advances the clock and does what is due.
    pub(super) async fn pass(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
        self.tick().await;
    }

    /// Does what is due until no action of the machine is left.
    pub(super) async fn settle(&self, machine: Uuid) {
        eventually("no action is left", async || {
            self.tick().await;
            match self.read(machine).await {
                Some((_, _, Some(action))) => Err(action),
                _ => Ok(()),
            }
        })
        .await;
    }

    pub(super) async fn machine(&self, machine: Uuid) -> Machine {
        self.read(machine).await.unwrap().0
    }

    /// Returns the state in the API.
    pub(super) async fn state(&self, machine: Uuid) -> &'static str {
        self.read(machine).await.unwrap().1.word()
    }

    /// Returns the action that has not ended.
    pub(super) async fn active(&self, machine: Uuid) -> Option<Action> {
        self.read(machine).await.unwrap().2
    }

    pub(super) async fn action(&self, id: &str) -> Action {
        let hosting = self.process().hosting.clone();
        let id = id.to_owned();
        let wait = async move { hosting.wait_for_action(&id, Duration::ZERO).await };
        self.process().run(wait).await.unwrap().action
    }

    /// Returns the actions of a machine, oldest first.
    pub(super) async fn history(&self, machine: Uuid) -> Vec<Action> {
        let hosting = self.process().hosting.clone();
        let machine = self.machine(machine).await;
        let list = async move { hosting.actions_of(&machine).await };
        let mut actions = self.process().run(list).await;
        actions.reverse();
        actions
    }

    /// Types a line on the console of a game server.
    pub(super) async fn type_line(&self, machine: Uuid, text: &'static str) {
        let hosting = self.process().hosting.clone();
        let typed = async move { hosting.type_line(machine, text).await };
        self.process().run(typed).await;
    }

    /// Tells whether a machine is stored.
    pub(super) async fn exists(&self, machine: Uuid) -> bool {
        self.read(machine).await.is_some()
    }

    async fn read(
        &self,
        machine: Uuid,
    ) -> Option<(
        Machine,
        innkeeper_hosting::model::PublicState,
        Option<Action>,
    )> {
        let hosting = self.process().hosting.clone();
        let read = async move { hosting.machine(machine).await };
        self.process().run(read).await
    }
}

fn config(database: &TestDatabase, folder: &TempDir, machines: &str) -> Config {
    let content: PathBuf = folder.path().join("content");
    std::fs::create_dir_all(&content).unwrap();
    let mut config = Config::for_tests();
    config.content.dir = Some(content);
    config.content.watch = false;
    config.database.probes = false;
    config.database.url = Some(Secret::new(database.url().to_owned()));
    config.machines.dir = Some(folder.path().join(machines));
    config
}

/// Starts a process. The lock of the folder ends shortly after the tasks of a killed process.
async fn start_process(config: Config, clock: &Clock, host: &MemoryHost) -> Process {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let hosting = eventually("the folder is not locked", async || {
        let (config, clock, host) = (config.clone(), clock.clone(), host.clone());
        let start = runtime.spawn(async move {
            let boot = Some(host.boot_id());
            Hosting::start_with_engines(config, clock, host.engines(), boot)
        });
        match start.await.unwrap() {
            Ok(hosting) => Ok(hosting),
            Err(error @ StartError::Machines(_)) => Err(error),
            Err(error) => panic!("{error}"),
        }
    })
    .await;
    Process {
        hosting,
        runtime: Some(runtime),
    }
}
