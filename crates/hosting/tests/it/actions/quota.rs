//! Game servers that use more disk than they have.

use super::lab::{Command, Lab, StopReason};

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_its_quota_does_not_start() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.host.set_disk_usage(game, 1_001);
    let start = lab.done(game, Command::Start).await;
    assert_eq!(start.failure.unwrap().code, "disk_full");
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("stopped", false)
    );
    assert_eq!(
        lab.machine(game).await.stop_reason,
        Some(StopReason::DiskFull)
    );
    lab.host.set_disk_usage(game, 1_000);
    lab.done(game, Command::Start).await;
    assert_eq!(lab.state(game).await, "running");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_server_is_stopped_when_it_is_a_tenth_over_its_quota() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.done(game, Command::Start).await;
    lab.host.set_disk_usage(game, 1_100);
    lab.pass(61).await;
    assert_eq!(lab.state(game).await, "running");
    assert_eq!(lab.machine(game).await.disk_bytes, Some(1_100));
    lab.host.set_disk_usage(game, 1_101);
    lab.pass(61).await;
    lab.settle(game).await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("stopped", false)
    );
    assert_eq!(
        lab.machine(game).await.stop_reason,
        Some(StopReason::DiskFull)
    );
    lab.pass(600).await;
    assert!(!lab.host.is_running(game));
}
