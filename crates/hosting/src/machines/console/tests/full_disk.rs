//! A host without space for logs.

use super::*;
use crate::base::privileged_tests::SmallDisk;

/// Tells whether a line reports lines that were not stored.
fn is_gap(text: &str) -> bool {
    text.ends_with("could not be stored")
}

/// Reads lines until one has a text.
async fn read_until_text(reader: &mut ConsoleReader, last: &str) -> Vec<String> {
    let mut read: Vec<String> = Vec::new();
    eventually(format!("{last:?} is read"), async || {
        let mut lines = Vec::new();
        reader.read_lines(1000, &mut lines).await;
        read.extend(lines.iter().map(|line| line.text.to_string()));
        match read.last() {
            Some(text) if text == last => Ok(()),
            other => Err(other.cloned()),
        }
    })
    .await;
    read
}

#[tokio::test]
async fn a_full_disk_leaves_gaps_in_the_log_and_stops_nobody() {
    let mut fixture = Fixture::new();
    let Some(disk) = SmallDisk::mount(fixture.folder.path(), "64k") else {
        return;
    };
    fixture.attach().await;
    fixture.engine.write(b"before\n");
    assert_eq!(fixture.texts(1).await, ["before"]);
    let mut reader = fixture.reader(ReplayStart::Tail(0)).await;
    let filler = disk.fill();
    let mut lines: Vec<String> = (0..40).map(|number| format!("{number:0500}")).collect();
    for line in &lines {
        fixture.engine.write(format!("{line}\n").as_bytes());
    }
    let mut read = read_until(&mut reader, 20).await;
    std::fs::remove_file(filler).unwrap();
    fixture.engine.write(b"after\n");
    read.extend(read_until_text(&mut reader, "after").await);
    // Those who read live get everything, and are told what the log lacks.
    assert!(read.iter().any(|text| is_gap(text)), "no gap");
    read.retain(|text| !is_gap(text));
    lines.push("after".to_owned());
    assert!(read == lines, "lines are missing");
    let attachments = fixture.engine.with(|script| script.attachments);
    assert_eq!(attachments, 1);

    // A process that starts now goes on after them.
    drop(reader);
    fixture.restart().await;
    fixture.engine.write(b"later\n");
    let stored = eventually("the later line is stored", async || {
        let lines = fixture.lines().await.into_iter();
        let stored: Vec<String> = lines.map(|line| line.1).collect();
        match stored.last() {
            Some(last) if last == "later" => Ok(stored),
            _ => Err(stored),
        }
    })
    .await;
    assert_eq!(stored[0], "before");
    assert_eq!(stored[stored.len() - 2], "after");
    assert!(stored.iter().any(|text| is_gap(text)), "no gap");
    assert!(stored.len() < 40, "{}", stored.len());
}
