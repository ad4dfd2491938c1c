//! Readers that come, go and fall behind.

use super::*;

#[tokio::test]
async fn readers_resume_after_a_line() {
    let fixture = Fixture::attached().await;
    for number in 1..=5000 {
        fixture
            .engine
            .write(format!("line {number}\r\n").as_bytes());
    }
    fixture.stored(5000).await;
    // 64 KiB have not all of them.
    let oldest = fixture.hub.log(MACHINE).await.unwrap().first_seq();
    assert!(oldest > 1);
    let expected = |from: u64| {
        (from..=5000)
            .map(|n| format!("line {n}"))
            .collect::<Vec<_>>()
    };
    for since in [oldest - 1, oldest, 4500, 4999] {
        let mut reader = fixture.reader(ReplayStart::Since(since)).await;
        assert_eq!(read_until(&mut reader, 5000).await, expected(since + 1));
    }
    let mut reader = fixture.reader(ReplayStart::Since(oldest - 3)).await;
    let read = read_until(&mut reader, 5000).await;
    assert_eq!(read[0], format!("missing 2 from {}", oldest - 2));
    assert_eq!(read[1..], expected(oldest));
    let mut reader = fixture.reader(ReplayStart::Tail(10)).await;
    assert_eq!(read_until(&mut reader, 5000).await, expected(4991));
    for start in [ReplayStart::Tail(0), ReplayStart::Since(5000)] {
        let mut reader = fixture.reader(start).await;
        assert!(!reader.is_replaying());
        let mut events = Vec::new();
        reader.read(1000, &mut events).await;
        assert!(events.is_empty());
    }
    // A number that was never used: the log was lost.
    let mut reader = fixture.reader(ReplayStart::Since(99_999)).await;
    assert_eq!(reader.sequence(), 5000);
    assert_eq!(read_until(&mut reader, 5000).await, expected(4851));
}

#[tokio::test]
async fn a_slow_reader_misses_lines_and_is_told() {
    let fixture = Fixture::attached().await;
    let mut reader = fixture.reader(ReplayStart::Tail(0)).await;
    let filler = "x".repeat(1000);
    for _ in 0..400 {
        fixture.engine.write(format!("{filler}\r\n").as_bytes());
    }
    fixture.stored(400).await;
    fixture
        .hub
        .publish_state(MACHINE, PublicState::Starting, PublicState::Running, None)
        .await;
    assert!(reader.slow_since().is_some());
    fixture.engine.write(b"last\r\n");
    fixture.stored(402).await;
    let mut events = Vec::new();
    reader.read(1000, &mut events).await;
    let EventKind::Missing(missing) = &events[0].kind else {
        panic!("{events:?}");
    };
    assert_eq!((missing.from_seq, missing.lines), (1, 402));
    assert!(
        matches!(&events[1].kind, EventKind::State(change) if change.to == PublicState::Running)
    );
    fixture.engine.write(b"next\r\n");
    assert_eq!(read_until(&mut reader, 403).await, ["next"]);
}

#[tokio::test]
async fn a_reader_that_replays_while_much_is_written_misses_nothing() {
    let fixture = Fixture::attached().await;
    let filler = "x".repeat(200);
    let write = |from: u64, to: u64| {
        for number in from..=to {
            fixture
                .engine
                .write(format!("{number} {filler}\r\n").as_bytes());
        }
    };
    write(1, 100);
    fixture.stored(100).await;
    let mut reader = fixture.reader(ReplayStart::Since(50)).await;
    write(101, 150);
    let read = read_until(&mut reader, 150).await;
    let numbers: Vec<u64> = read
        .iter()
        .map(|text| text.split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(numbers, (51..=150).collect::<Vec<u64>>());
}

#[tokio::test]
async fn stats_are_read_by_those_who_want_them() {
    let fixture = Fixture::attached().await;
    let mut with = fixture.reader(ReplayStart::Tail(0)).await;
    let mut without = fixture.reader(ReplayStart::Tail(0)).await;
    with.read_stats(true);
    with.changed().await;
    let mut events = Vec::new();
    with.read(1000, &mut events).await;
    assert!(matches!(&events[0].kind, EventKind::Stats(usage) if usage.memory_bytes == 5));
    events.clear();
    without.read(1000, &mut events).await;
    assert!(events.is_empty());
}

#[tokio::test]
async fn a_room_exists_while_it_is_used() {
    let fixture = Fixture::attached().await;
    let reader = fixture.reader(ReplayStart::Tail(0)).await;
    fixture.engine.exit();
    fixture.finish_run().await;
    assert!(fixture.hub.open_room(MACHINE).is_some());
    drop(reader);
    fixture.room_is_gone().await;
    fixture
        .hub
        .publish_state(MACHINE, PublicState::Running, PublicState::Stopped, None)
        .await;
    assert!(fixture.hub.open_room(MACHINE).is_none());
    assert_eq!(fixture.texts(1).await, ["The server is stopped."]);
    fixture.hub.delete(MACHINE).await;
    assert_eq!(fixture.lines().await, []);
}
