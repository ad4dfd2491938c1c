//! What is stored when attachments end and processes restart.

use super::*;

#[tokio::test]
async fn output_is_stored_and_read_in_order() {
    let fixture = Fixture::attached().await;
    let mut reader = fixture.reader(ReplayStart::Tail(150)).await;
    fixture.engine.write(b"one\r\ntwo\r\nthr");
    fixture.engine.write(b"ee\r\n");
    assert_eq!(read_until(&mut reader, 3).await, ["one", "two", "three"]);
    assert_eq!(fixture.texts(3).await, ["one", "two", "three"]);
}

#[tokio::test]
async fn a_line_without_an_end_is_shown_after_a_while() {
    let fixture = Fixture::flushing(SOON);
    fixture.attach().await;
    fixture.engine.write(b"> ");
    assert_eq!(fixture.texts(1).await, ["> "]);
    fixture.engine.write(b"\r\nnext\r\n");
    assert_eq!(fixture.texts(2).await, ["> ", "next"]);
}

#[tokio::test]
async fn an_attachment_that_ends_while_the_run_is_on_is_made_again() {
    let fixture = Fixture::attached().await;
    fixture.engine.write(b"one\r\ntw");
    fixture.texts(1).await;
    fixture.engine.drop_attachments();
    fixture.engine.write(b"o\r\nthree\r\n");
    assert_eq!(fixture.texts(3).await, ["one", "two", "three"]);
    fixture.engine.write(b"four\r\n");
    assert_eq!(fixture.texts(4).await[3], "four");
    assert_eq!(fixture.engine.with(|script| script.attachments), 2);
}

#[tokio::test]
async fn another_process_continues_where_the_last_one_ended() {
    let mut fixture = Fixture::attached().await;
    fixture.engine.write(b"one\r\ntwo\r\nhal");
    fixture.texts(2).await;
    fixture.kill().await;
    fixture.engine.write(b"f\r\nDone\r\n");
    fixture.attach().await;
    assert!(*fixture.hub.ready(MACHINE).borrow());
    fixture.engine.write(b"last\r\n");
    let lines = fixture.texts(5).await;
    assert_eq!(lines, ["one", "two", "half", "Done", "last"]);
    let numbers: Vec<u64> = fixture
        .lines()
        .await
        .into_iter()
        .map(|line| line.0)
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn output_that_the_engine_has_lost_is_reported() {
    let mut fixture = Fixture::attached().await;
    fixture.engine.write(b"one\r\n");
    fixture.texts(1).await;
    fixture.kill().await;
    fixture.engine.write(b"two\r\nthree\r\n");
    fixture.engine.with(|script| script.lost = 10);
    fixture.attach().await;
    assert_eq!(
        fixture.texts(3).await,
        ["one", "5 bytes of output are missing", "three"]
    );
    let mut reader = fixture.reader(ReplayStart::Since(1)).await;
    let mut events = Vec::new();
    reader.read(1000, &mut events).await;
    let EventKind::Missing(missing) = &events[0].kind else {
        panic!("{events:?}");
    };
    assert_eq!((missing.lines, missing.bytes, missing.from_seq), (0, 5, 2));
}

#[tokio::test]
async fn the_end_of_a_run_is_stored_before_the_next_run() {
    let fixture = Fixture::attached().await;
    fixture.engine.write(b"one\r\n");
    fixture.texts(1).await;
    fixture.engine.drop_attachments();
    fixture.engine.write(b"two\r\nlast words");
    fixture.engine.exit();
    fixture.finish_run().await;
    assert_eq!(fixture.texts(3).await, ["one", "two", "last words"]);
    assert!(!fixture.hub.is_attached(MACHINE, "run1"));
    fixture.engine.next_run("run2");
    fixture.attach().await;
    fixture.engine.write(b"again\r\n");
    assert_eq!(fixture.texts(4).await[3], "again");
    assert!(fixture.hub.is_attached(MACHINE, "run2"));
}

#[tokio::test]
async fn the_end_of_a_run_that_no_process_saw_is_stored_once() {
    let mut fixture = Fixture::flushing(SOON);
    fixture.attach().await;
    fixture.engine.write(b"one\r\ntw");
    fixture.texts(2).await;
    fixture.kill().await;
    fixture.engine.write(b"o\r\nthree\r\n");
    fixture.engine.exit();
    for _ in 0..2 {
        fixture.finish_run().await;
        assert_eq!(fixture.texts(4).await, ["one", "tw", "o", "three"]);
    }
    // Nor did a process see this one at all.
    fixture.kill().await;
    fixture.engine.next_run("run2");
    fixture.engine.write(b"again\r\n");
    fixture.engine.exit();
    fixture.finish_run().await;
    assert_eq!(fixture.texts(5).await[4], "again");
}

#[tokio::test]
async fn a_run_is_ready_when_a_line_matches() {
    let mut fixture = Fixture::attached().await;
    let mut ready = fixture.hub.ready(MACHINE);
    fixture.engine.write(b"Almost Done\r\n");
    fixture.texts(1).await;
    assert!(!*ready.borrow());
    fixture.engine.write(b"\x1b[32mDone\x1b[0m (2.5 s)\r\n");
    assert!(*ready.wait_for(|ready| *ready).await.unwrap());
    fixture.restart().await;
    assert!(*fixture.hub.ready(MACHINE).borrow());
    fixture.engine.next_run("run2");
    fixture.attach().await;
    assert!(!*fixture.hub.ready(MACHINE).borrow());
}

#[tokio::test]
async fn a_run_that_is_over_is_not_attached_in_the_place_of_the_next_one() {
    let fixture = Fixture::attached().await;
    let first = fixture.engine.with(|script| script.run.clone());
    fixture.engine.write(b"one\r\n");
    fixture.texts(1).await;
    fixture.engine.exit();
    fixture.finish_run().await;
    fixture.engine.next_run("run 2");
    fixture.attach().await;
    fixture.engine.write(b"two\r\n");
    fixture.texts(2).await;
    // Whoever looked at the machine before the restart comes late.
    let engine: Arc<dyn GameEngine> = Arc::new(Shared(Arc::clone(&fixture.engine)));
    let profile = profile();
    let late = fixture.hub.attach(MACHINE, &profile, &engine, &first);
    late.await.unwrap();
    fixture.hub.store_rest(MACHINE, &engine, &first).await;
    fixture.engine.write(b"three\r\n");
    assert_eq!(fixture.texts(3).await, ["one", "two", "three"]);
    assert!(fixture.hub.is_attached(MACHINE, "run 2"));
}
