//! What happens to machines while nobody looks.

use super::*;

#[tokio::test]
async fn a_guest_that_powers_off_while_no_process_of_ours_runs_is_off() {
    let fixture = QemuFixture::new().await;
    let blueprint = fixture.blueprint(GuestKind::PowersOff);
    let machine = blueprint.machine;
    {
        let engine = fixture.engine();
        engine.create(&blueprint).await.unwrap();
        engine.start(&blueprint).await.unwrap();
    }
    // The guest greets, and powers off. Its emulator waits for somebody who asks.
    eventually("the guest boots", async || fixture.boots(machine) == 1).await;
    eventually("the guest powers off", async || {
        match fixture.guest_status(machine).await {
            GuestStatus::PoweredOff => Ok(()),
            status => Err(status),
        }
    })
    .await;
    assert!(fixture.emulator(machine).is_some());

    let engine = fixture.engine();
    let seen = fixture.until_not_running(&engine, machine).await;
    let by_guest = Exit {
        by_guest: true,
        ..Exit::default()
    };
    assert_eq!(seen, RunState::Exited(by_guest));
    assert_eq!(fixture.emulator(machine), None);
    let all = engine.observe_all().await.unwrap();
    let states: Vec<_> = all.iter().map(|seen| (seen.machine, seen.state)).collect();
    assert_eq!(states, [(machine, RunState::Exited(by_guest))]);
    // It can be turned on again.
    engine.start(&blueprint).await.unwrap();
    eventually("the guest boots", async || fixture.boots(machine) == 1).await;
}

#[tokio::test]
async fn a_machine_that_is_on_is_listed_without_its_disk() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    engine.start(&blueprint).await.unwrap();
    // The folder of a game server has no disk.
    let game = Uuid::now_v7();
    std::fs::create_dir(fixture.folder(game)).unwrap();
    std::fs::write(fixture.folder(game).join("qemu.pid"), "1").unwrap();
    std::fs::remove_file(fixture.folder(machine).join("disk.qcow2")).unwrap();
    let states = async |engine: &Arc<dyn VpsEngine>| {
        let all = engine.observe_all().await.unwrap();
        let states: Vec<_> = all.iter().map(|seen| (seen.machine, seen.state)).collect();
        states
    };
    assert_eq!(states(&engine).await, [(machine, RunState::Running)]);
    // Another process finds it, too.
    assert_eq!(
        states(&fixture.engine()).await,
        [(machine, RunState::Running)]
    );
    engine.power_off(machine).await.unwrap();
    assert_eq!(states(&engine).await, []);
    assert_eq!(engine.start(&blueprint).await, Err(EngineError::NotFound));
}
