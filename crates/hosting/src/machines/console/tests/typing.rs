//! Commands that are typed.

use super::*;

#[tokio::test]
async fn a_typed_command_is_in_the_log_once() {
    let mut fixture = Fixture::attached().await;
    fixture.engine.write(b"hello\r\n");
    fixture.texts(1).await;
    assert_eq!(fixture.hub.write_line(MACHINE, "list").await, Ok(2));
    fixture.engine.write(b"nobody\r\n");
    assert_eq!(fixture.texts(3).await, ["hello", "list", "nobody"]);
    assert_eq!(
        fixture.engine.with(|script| script.typed.clone()),
        b"list\n"
    );
    assert!(!fixture.hub.stop_command_seen(MACHINE, "run1").await);
    fixture.hub.write_line(MACHINE, "stop ").await.unwrap();
    // A new process does not show the echo either.
    fixture.restart().await;
    fixture.engine.write(b"bye\r\n");
    assert_eq!(
        fixture.texts(5).await,
        ["hello", "list", "nobody", "stop ", "bye"]
    );
    assert!(fixture.hub.stop_command_seen(MACHINE, "run1").await);
    assert!(!fixture.hub.stop_command_seen(MACHINE, "run2").await);
    let log = fixture.hub.log(MACHINE).await.unwrap();
    let mut lines = log.since(1);
    assert_eq!(lines.next().unwrap().unwrap().stream, LineStream::Input);
}

#[tokio::test]
async fn a_command_is_typed_only_if_somebody_reads_it() {
    let fixture = Fixture::new();
    let typed = fixture.hub.write_line(MACHINE, "list").await;
    assert_eq!(typed, Err(ConsoleError::NotRunning));
    fixture.attach().await;
    fixture.engine.with(|script| script.reads_input = false);
    let typed = fixture.hub.write_line(MACHINE, "list").await;
    assert_eq!(typed, Err(ConsoleError::Busy));
    fixture.engine.exit();
    fixture.finish_run().await;
    let typed = fixture.hub.write_line(MACHINE, "list").await;
    assert_eq!(typed, Err(ConsoleError::NotRunning));
}

#[tokio::test]
async fn a_command_just_after_the_start_waits_for_the_run_that_is_taken_over() {
    let mut fixture = Fixture::new();
    let times = FollowTimes {
        take_over: Duration::from_hours(1),
        ..FollowTimes::default()
    };
    let folder = fixture.folder.path().to_owned();
    fixture.hub = ConsoleHub::with_times(folder, 64 * 1024, fixture.clock.clone(), times);
    let hub = Arc::clone(&fixture.hub);
    let typing = tokio::spawn(async move { hub.write_line(MACHINE, "list").await });
    tokio::task::yield_now().await;
    fixture.attach().await;
    assert!(typing.await.unwrap().is_ok());
}
