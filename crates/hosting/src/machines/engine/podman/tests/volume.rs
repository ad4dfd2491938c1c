//! The disk of machines.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{TestEngine, open};
use crate::machines::engine::GameEngine;
use crate::machines::engine::game_conformance::TestMachine;

const MIB: u64 = 1024 * 1024;

pub(super) async fn what_is_written_counts(engine: &TestEngine) {
    let (machine, mut console) = TestMachine::running(&engine.games).await;
    let before = engine.games.disk_usage(machine.id()).await.unwrap();
    assert!(before < MIB, "{before}");
    console.ask("fill-disk 20", "Wrote 20 MiB").await;
    console.ask("save", "World saved").await;
    let after = engine.games.disk_usage(machine.id()).await.unwrap();
    assert!((20 * MIB..22 * MIB).contains(&after), "{after}");
    machine.delete().await;
}

pub(super) async fn a_volume_has_a_hard_limit(store: &Path) {
    let engine = open(store).await;
    let mut machine = TestMachine::new(&engine.games);
    machine.blueprint.spec.disk_bytes = 30 * MIB;
    let mut console = machine.start().await;
    console
        .ask("fill-disk 100", "The disk is full after ")
        .await;
    let used = engine.games.disk_usage(machine.id()).await.unwrap();
    assert!((25 * MIB..=30 * MIB).contains(&used), "{used}");
    engine.games.kill(machine.id()).await.unwrap();

    // A larger machine.
    machine.blueprint.spec.disk_bytes = 200 * MIB;
    let mut console = machine.start().await;
    console.ask("fill-disk 60", "Wrote 60 MiB").await;
    machine.delete().await;
}

/// Where a filesystem is mounted in a store.
pub(super) fn mount_point(store: &Path) -> PathBuf {
    store.join("mount")
}

/// The store in that filesystem.
pub(super) fn inner_store(store: &Path) -> PathBuf {
    mount_point(store).join("store")
}

/// Mounts a filesystem with quotas, which is in a file.
pub(super) fn mount_btrfs(store: &Path) {
    let mount = mount_point(store);
    std::fs::create_dir_all(&mount).unwrap();
    let image = store.join("btrfs.img");
    let file = std::fs::File::create(&image).unwrap();
    file.set_len(400 * MIB).unwrap();
    run("mkfs.btrfs", &["--quiet".into(), image.clone()]);
    run("mount", &["-o".into(), "loop".into(), image, mount]);
}

fn run(program: &str, arguments: &[PathBuf]) {
    let path = crate::machines::engine::podman::tools::find(program);
    let path = path.unwrap_or_else(|| panic!("{program} is missing; scripts/setup installs it"));
    let output = Command::new(path).args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{program}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
