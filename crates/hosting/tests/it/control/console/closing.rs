//! Why and how sockets close.

use std::time::{Duration, Instant};

use innkeeper_hosting::model::{ActionCommand, MachineKind};
use jiff::SignedDuration;

use super::client::Received;
use super::{ConsoleBench, READ_ONLY};
use crate::support::eventually;

/// Returns the id of a key.
fn id(key: &str) -> &str {
    &key["ink_live_".len()..][..12]
}

#[tokio::test]
async fn a_revoked_key_closes_its_sockets_within_five_seconds() {
    let bench = ConsoleBench::start().await;
    let key = bench.bench.key_for(READ_ONLY).await;
    let mut socket = bench.open_with(&key, "?tail=0", &[]).await.ok().unwrap();
    let (mut other, _) = bench.greeted("?tail=0").await;
    let revoke = "update api_keys set revoked_at = now() where id = $1";
    assert_eq!(
        bench.bench.sql.execute(revoke, &[&id(&key)]).await.unwrap(),
        1
    );
    // The clock stands still, so the key counts as checked until it is moved.
    bench
        .bench
        .site()
        .clock
        .advance(SignedDuration::from_millis(4500));
    let revoked = Instant::now();
    let (frames, code) = socket.until_closed().await;
    assert_eq!(code, Some(4401));
    assert_eq!(frames.last().unwrap()["type"], "bye");
    // The rest of the five seconds, and what a busy machine adds.
    assert!(
        revoked.elapsed() < Duration::from_secs(20),
        "{:?}",
        revoked.elapsed()
    );
    bench.print(["still open".to_owned()]);
    other.lines_until("still open").await;
}

#[tokio::test]
async fn a_key_that_loses_the_scope_or_the_server_loses_its_sockets() {
    let bench = ConsoleBench::start().await;
    for change in ["scopes = '{game:logs}'", "machines = '{}'"] {
        let key = bench.bench.key_for(READ_ONLY).await;
        let mut socket = bench.open_with(&key, "?tail=0", &[]).await.ok().unwrap();
        let update = format!("update api_keys set {change} where id = $1");
        assert_eq!(
            bench
                .bench
                .sql
                .execute(&update, &[&id(&key)])
                .await
                .unwrap(),
            1
        );
        bench
            .bench
            .site()
            .clock
            .advance(SignedDuration::from_millis(4500));
        assert_eq!(socket.until_closed().await.1, Some(4403), "{change}");
    }
}

#[tokio::test]
async fn an_expired_key_closes_its_sockets() {
    let bench = ConsoleBench::start().await;
    let control = &bench.bench.control;
    let end = bench.bench.site().clock.now() + SignedDuration::from_secs(60);
    let key = control
        .key_with(&bench.bench.customer, READ_ONLY, |new| {
            new.expires_at = Some(end);
        })
        .await;
    let opened = bench.open_with(key.text.reveal(), "?tail=0", &[]).await;
    let mut socket = opened.ok().unwrap();
    bench
        .bench
        .site()
        .clock
        .advance(SignedDuration::from_secs(61));
    assert_eq!(socket.until_closed().await.1, Some(4401));
}

#[tokio::test]
async fn suspending_a_server_closes_its_sockets() {
    let bench = ConsoleBench::start().await;
    let (mut socket, _) = bench.greeted("?tail=0").await;
    bench.suspend().await;
    let (frames, code) = socket.until_closed().await;
    assert_eq!(code, Some(4409));
    assert_eq!(frames.last().unwrap()["code"], 4409);
}

#[tokio::test]
async fn removing_a_server_closes_its_sockets_and_deletes_its_log() {
    let bench = ConsoleBench::start().await;
    let (mut socket, _) = bench.greeted("?tail=0").await;
    let folder = bench.bench.site().machines_dir();
    let log = folder.join(bench.machine.to_string()).join("log");
    assert!(log.exists());
    let (kind, command) = (MachineKind::Game, ActionCommand::Remove);
    bench.bench.operate(kind, "survival", command).await;
    assert_eq!(socket.until_closed().await.1, Some(4404));
    eventually("the log to be deleted", async || !log.exists()).await;
}

#[tokio::test]
async fn a_server_that_stops_says_so() {
    let bench = ConsoleBench::start().await;
    let (mut socket, _) = bench.greeted("?tail=0").await;
    bench.bench.site().tell_to_stop();
    assert_eq!(socket.until_closed().await.1, Some(1001));
    assert!(bench.host.is_running(bench.machine));
}

#[tokio::test]
async fn a_client_that_does_not_read_misses_lines_and_is_told() {
    let bench = ConsoleBench::start().await;
    let (mut socket, hello) = bench.greeted("?tail=0").await;
    let before = hello["sequence"].as_u64().unwrap();
    // More than the buffers of the connection and the 256 KiB that are kept.
    let filler = "x".repeat(3000);
    for round in 0..40 {
        bench.print((0..200).map(|_| filler.clone()));
        bench.print([format!("round {round}")]);
        bench.until_logged(&format!("round {round}")).await;
    }
    bench.print(["the end".to_owned()]);
    bench.until_logged("the end").await;
    let mut next = before + 1;
    let mut dropped = 0;
    'reading: loop {
        let frame = socket.frame().await;
        if frame["type"] == "dropped" {
            assert_eq!(frame["fromSeq"], next);
            let count = frame["count"].as_u64().unwrap();
            next += count;
            dropped += count;
            // From then on it reads, so it is up to date.
            if dropped > 0 {
                bench.print(["after".to_owned()]);
            }
        }
        for line in frame["lines"].as_array().into_iter().flatten() {
            assert_eq!(
                line["seq"], next,
                "lines are in order, without a gap that was not told"
            );
            next += 1;
            if line["text"] == "after" {
                break 'reading;
            }
        }
    }
    assert!(dropped > 1000, "{dropped}");
}

#[tokio::test]
async fn a_client_that_never_reads_is_disconnected() {
    let bench = ConsoleBench::start().await;
    let (mut socket, _) = bench.greeted("?tail=0").await;
    let (mut reading, _) = bench.greeted("?tail=0").await;
    let filler = "x".repeat(3000);
    for round in 0..40 {
        bench.print((0..200).map(|_| filler.clone()));
        bench.print([format!("round {round}")]);
        reading.lines_until(&format!("round {round}")).await;
    }
    bench
        .bench
        .site()
        .clock
        .advance(SignedDuration::from_secs(31));
    // The other client reads, and stays.
    bench.print(["still here".to_owned()]);
    reading.lines_until("still here").await;
    // What the connection had buffered comes before the end of it.
    let end = loop {
        match socket.next().await {
            Received::Frame(_) => {}
            end => break end,
        }
    };
    assert!(
        matches!(end, Received::Closed(4408) | Received::Lost),
        "{end:?}"
    );
    let mut replaced = bench.socket("?tail=1").await;
    replaced.lines_until("still here").await;
}
