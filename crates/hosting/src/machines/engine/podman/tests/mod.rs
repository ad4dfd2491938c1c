//! Podman for real: the checks for all engines, and those of what only containers have. A host without
//! Podman fails them.

mod ended;
mod isolation;
mod limits;
mod service;
mod volume;

use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use rustix::mount::{UnmountFlags, unmount};
use tokio::sync::Mutex;

use super::names::resource_name;
use super::{DeferredPodman, PodmanEngine, PodmanOptions, PodmanUnavailable, erase};
use crate::machines::engine::game_conformance::{TestMachine, check_game_engine};

/// How the names of stores of tests begin; the id of the process follows.
const STORE_PREFIX: &str = "innkeeper-podman-";

/// One test at a time: they measure, and the machine may be small.
static SERIAL: Mutex<()> = Mutex::const_new(());

fn options(store: &Path) -> PodmanOptions {
    PodmanOptions {
        socket: None,
        store: store.to_owned(),
        publish_address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        blocked: Vec::new(),
    }
}

/// An engine, and what is inside it.
struct TestEngine {
    games: DeferredPodman,
    podman: Arc<PodmanEngine>,
}

async fn open(store: &Path) -> TestEngine {
    match PodmanEngine::open(options(store)).await {
        Ok(podman) => TestEngine::new(podman, options(store)),
        Err(error) => panic!("{error}; scripts/setup installs what is missing"),
    }
}

impl TestEngine {
    fn new(podman: PodmanEngine, options: PodmanOptions) -> Self {
        let podman = Arc::new(podman);
        Self {
            games: DeferredPodman::opened(Arc::clone(&podman), options),
            podman,
        }
    }

    /// Returns the process of a running container, as the host sees it.
    async fn process_of(&self, machine: &TestMachine<'_>) -> u32 {
        let path = format!("/containers/{}/json", resource_name(machine.id()));
        let details = self
            .podman
            .socket
            .get_json::<serde_json::Value>(&path)
            .await;
        let pid = details.unwrap().unwrap()["State"]["Pid"].as_u64().unwrap();
        u32::try_from(pid).unwrap()
    }
}

/// Runs a test on a store of its own, and erases the store in any case.
async fn with_store(test: impl AsyncFnOnce(&Path)) {
    let _guard = SERIAL.lock().await;
    // Shown if the test fails.
    let _ = tracing_subscriber::fmt().with_test_writer().try_init();
    erase_old_stores().await;
    let store = std::env::temp_dir().join(format!("{STORE_PREFIX}{}", std::process::id()));
    let outcome = AssertUnwindSafe(test(&store)).catch_unwind().await;
    let erased = erase_test_store(&store).await;
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
    erased.unwrap();
    assert!(!store.exists());
}

/// Erases the store of a test and the filesystem that is mounted in it, if there is one.
async fn erase_test_store(store: &Path) -> Result<(), PodmanUnavailable> {
    let mount = volume::mount_point(store);
    erase(&volume::inner_store(store)).await?;
    // A process that is about to end may still use it.
    let _ = unmount(&mount, UnmountFlags::DETACH);
    erase(store).await
}

/// Erases what tests left behind that were killed.
async fn erase_old_stores() {
    let entries = fs::read_dir(std::env::temp_dir()).unwrap();
    let stores: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    for store in stores {
        let name = store.file_name().unwrap().to_string_lossy();
        let pid = name
            .strip_prefix(STORE_PREFIX)
            .and_then(|pid| pid.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            erase_test_store(&store).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn podman_passes_the_checks_of_all_engines() {
    with_store(async |store| {
        let engine = open(store).await;
        check_game_engine(&engine.games).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn containers_have_their_limits_and_are_isolated() {
    with_store(async |store| {
        let engine = open(store).await;
        limits::limits_are_in_the_control_groups(&engine).await;
        limits::the_process_has_no_privileges(&engine).await;
        limits::too_much_memory_is_reported(&engine).await;
        limits::a_used_port_is_refused(&engine).await;
        limits::players_connect_by_the_published_port(&engine).await;
        limits::the_published_port_leads_to_every_later_run(&engine).await;
        isolation::containers_reach_neither_the_host_nor_each_other(&engine).await;
        volume::what_is_written_counts(&engine).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_outlive_the_service_and_this_process() {
    with_store(async |store| {
        service::a_game_outlives_the_service(store).await;
        service::a_restart_finds_the_service_and_the_game(store).await;
        service::an_engine_is_used_by_its_socket(store).await;
        service::nothing_uses_a_store_that_has_ended(store).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_runs_for_a_game_that_has_ended() {
    with_store(async |store| {
        let engine = open(store).await;
        ended::a_console_knows_the_end_before_the_engine(&engine).await;
        ended::a_game_that_ends_while_a_console_is_attached_is_not_prepared(&engine, store).await;
        ended::a_prepared_game_can_be_killed(&engine).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_volume_on_btrfs_cannot_outgrow_its_size() {
    with_store(async |store| {
        volume::mount_btrfs(store);
        volume::a_volume_has_a_hard_limit(&volume::inner_store(store)).await;
    })
    .await;
}
