//! Commands that are typed.

use super::*;

#[tokio::test]
async fn a_typed_command_is_in_the_log_once() {
    let mut inn = Inn::attached().await;
    inn.engine.write(b"hello\r\n");
    inn.texts(1).await;
    assert_eq!(inn.hub.write_line(MACHINE, "list").await, Ok(2));
    inn.engine.write(b"nobody\r\n");
    assert_eq!(inn.texts(3).await, ["hello", "list", "nobody"]);
    assert_eq!(inn.engine.with(|script| script.typed.clone()), b"list\n");
    assert!(!inn.hub.stop_command_seen(MACHINE, "run1").await);
    inn.hub.write_line(MACHINE, "stop ").await.unwrap();
    // A new process does not show the echo either.
    inn.restart().await;
    inn.engine.write(b"bye\r\n");
    assert_eq!(
        inn.texts(5).await,
        ["hello", "list", "nobody", "stop ", "bye"]
    );
    assert!(inn.hub.stop_command_seen(MACHINE, "run1").await);
    assert!(!inn.hub.stop_command_seen(MACHINE, "run2").await);
    let log = inn.hub.log(MACHINE).await.unwrap();
    let mut lines = log.since(1);
    assert_eq!(lines.next().unwrap().unwrap().stream, LineStream::Input);
}

#[tokio::test]
async fn a_command_is_typed_only_if_somebody_reads_it() {
    let inn = Inn::new();
    let typed = inn.hub.write_line(MACHINE, "list").await;
    assert_eq!(typed, Err(ConsoleError::NotRunning));
    inn.attach().await;
    inn.engine.with(|script| script.reads_input = false);
    let typed = inn.hub.write_line(MACHINE, "list").await;
    assert_eq!(typed, Err(ConsoleError::Busy));
    inn.engine.exit();
    inn.finish_run().await;
    let typed = inn.hub.write_line(MACHINE, "list").await;
    assert_eq!(typed, Err(ConsoleError::NotRunning));
}
