//! Hosts without space.

use super::*;
use crate::base::privileged_tests::SmallDisk;

#[tokio::test]
async fn a_disk_that_does_not_fit_on_the_host_is_not_made() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    let Some(host) = SmallDisk::mount(&fixture.folder(machine), "16k") else {
        return;
    };
    assert_eq!(engine.create(&blueprint).await, Err(EngineError::DiskFull));
    let left = std::fs::read_dir(fixture.folder(machine)).unwrap();
    assert_eq!(left.count(), 0);
    let state = engine.observe(machine).await.unwrap().state;
    assert_eq!(state, RunState::Absent);
    assert_eq!(engine.observe_all().await.unwrap(), []);
    drop(host);
    // There is space.
    engine.create(&blueprint).await.unwrap();
    engine.start(&blueprint).await.unwrap();
    eventually("the guest boots", async || fixture.boots(machine) == 1).await;
}

#[tokio::test]
async fn an_emulator_without_space_for_its_files_is_not_started() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    let Some(host) = SmallDisk::mount(&fixture.folder(machine), "1m") else {
        return;
    };
    engine.create(&blueprint).await.unwrap();
    let filler = host.fill();
    assert_eq!(engine.start(&blueprint).await, Err(EngineError::DiskFull));
    assert_eq!(QemuFixture::emulator_count(machine), 0);
    let state = engine.observe(machine).await.unwrap().state;
    assert_eq!(state, RunState::Created);
    std::fs::remove_file(filler).unwrap();
    engine.start(&blueprint).await.unwrap();
    eventually("the guest boots", async || fixture.boots(machine) == 1).await;
    // A serial log that cannot be written does not stop the guest, nor that it is turned off.
    host.fill();
    assert_eq!(
        engine.observe(machine).await.unwrap().state,
        RunState::Running
    );
    engine.power_off(machine).await.unwrap();
    assert_eq!(QemuFixture::emulator_count(machine), 0);
}
