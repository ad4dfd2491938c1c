use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use super::*;
use crate::base::privileged_tests::SmallDisk;
use crate::machines::console::line::LineStream;
use crate::machines::console::lines::SplitLine;

const ALL: PartLimits = PartLimits {
    lines: usize::MAX,
    bytes: usize::MAX,
};

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

fn small() -> LogLimits {
    LogLimits {
        segment: 2000,
        segments: 4,
    }
}

fn open(folder: &Path) -> ConsoleLog {
    ConsoleLog::open(folder.join("log"), small()).unwrap()
}

fn output(text: &str, end: u64) -> LogEntry {
    LogEntry::Output {
        line: SplitLine {
            text: text.to_owned(),
            end,
            continues: false,
        },
        is_ready: false,
    }
}

fn note(log: &mut ConsoleLog, text: &str) -> Vec<ConsoleLine> {
    log.append(vec![LogEntry::Note(text.to_owned())], now())
}

/// Returns the numbers and texts of all lines after one.
fn since(log: &ConsoleLog, since: u64) -> Vec<(u64, String)> {
    let part = log.snapshot().since(since).part(ALL, |_| true).unwrap();
    part.lines
        .into_iter()
        .map(|line| (line.seq, line.text.into()))
        .collect()
}

fn numbered(range: std::ops::RangeInclusive<u64>) -> Vec<(u64, String)> {
    range
        .map(|number| (number, format!("line {number}")))
        .collect()
}

#[test]
fn a_size_is_divided_into_segments() {
    const MIB: u64 = 1024 * 1024;
    for (size, segment, segments) in [
        (16 * MIB, MIB, 16),
        (64 * MIB, MIB, 64),
        (MIB, MIB / 16, 16),
        (64 * 1024, 16 * 1024, 4),
        (0, 16 * 1024, 2),
    ] {
        assert_eq!(
            LogLimits::of_size(size),
            LogLimits { segment, segments },
            "{size}"
        );
    }
}

#[test]
fn lines_are_numbered_on_after_a_restart() {
    let folder = TempDir::new().unwrap();
    let mut log = open(folder.path());
    log.begin_run("run1", false);
    log.append(vec![output("line 1", 10), output("line 2", 20)], now());
    drop(log);
    let mut log = open(folder.path());
    let state = log.state();
    assert_eq!(
        (state.last_seq, state.offset, state.run.as_deref()),
        (2, 20, Some("run1"))
    );
    note(&mut log, "line 3");
    assert_eq!(since(&log, 0), numbered(1..=3));
    assert_eq!(since(&log, 2), numbered(3..=3));
    assert_eq!(since(&log, 3), []);
    assert_eq!(since(&log, 99), []);
}

#[test]
fn segments_rotate_are_compressed_and_deleted() {
    let folder = TempDir::new().unwrap();
    let mut log = open(folder.path());
    log.begin_run("run1", true);
    for number in 1..=400 {
        note(&mut log, &format!("line {number}"));
        if let Some(closed) = log.take_closed() {
            closed.compress();
        }
    }
    let names = names(folder.path());
    assert_eq!(names.len(), 4, "{names:?}");
    let compressed = names.iter().filter(|name| name.ends_with(".log.gz"));
    assert_eq!(compressed.count(), 3, "{names:?}");
    let first = log.snapshot().first_seq();
    assert!(first > 100, "{first}");
    assert_eq!(since(&log, 0), numbered(first..=400));
    // Boundaries of segments.
    for segment in log.snapshot().segments {
        assert_eq!(since(&log, segment - 1), numbered(segment..=400));
        assert_eq!(since(&log, segment), numbered(segment + 1..=400));
    }
    // A compressed log goes on in a new process.
    drop(log);
    let mut log = open(folder.path());
    assert_eq!(log.state().run.as_deref(), Some("run1"));
    assert!(log.state().is_ready);
    note(&mut log, "line 401");
    assert_eq!(since(&log, 399), numbered(400..=401));
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("log")).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_compression_that_was_interrupted_is_repeated() {
    let folder = TempDir::new().unwrap();
    let mut log = open(folder.path());
    for number in 1..=100 {
        note(&mut log, &format!("line {number}"));
    }
    drop(log);
    // Killed while it wrote, and after it had renamed.
    let mut plain = names(folder.path())
        .into_iter()
        .map(|name| folder.path().join("log").join(name));
    let (one, two) = (plain.next().unwrap(), plain.next().unwrap());
    fs::write(one.with_extension("log.gz.tmp"), "half").unwrap();
    let content = fs::read(&two).unwrap();
    super::segment::compress_closed(&folder.path().join("log"), u64::MAX);
    fs::write(&two, content).unwrap();
    let mut log = open(folder.path());
    assert_eq!(since(&log, 0), numbered(1..=100));
    log.take_closed().unwrap().compress();
    assert_eq!(since(&log, 0), numbered(1..=100));
    note(&mut log, "line 101");
    assert_eq!(since(&log, 99), numbered(100..=101));
}

#[test]
fn a_torn_end_is_cut_off() {
    let folder = TempDir::new().unwrap();
    let mut log = open(folder.path());
    log.begin_run("run1", false);
    log.append(vec![output("line 1", 10)], now());
    let intact = log.snapshot().active_length;
    log.append(vec![output("line 2", 20)], now());
    drop(log);
    let path = folder.path().join("log").join(&names(folder.path())[0]);
    let whole = fs::read(&path).unwrap();
    for length in usize::try_from(intact).unwrap()..whole.len() {
        for garbage in [&b""[..], b"\0\0\0\0", b"\0\0\n"] {
            let mut torn = whole[..length].to_vec();
            torn.extend(garbage);
            fs::write(&path, &torn).unwrap();
            let mut log = open(folder.path());
            let state = log.state();
            assert_eq!((state.last_seq, state.offset), (1, 10), "{length}");
            log.append(vec![output("line 2", 20)], now());
            assert_eq!(since(&log, 0), numbered(1..=2));
            drop(log);
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
    }
}

#[test]
fn a_segment_without_a_beginning_is_replaced() {
    let folder = TempDir::new().unwrap();
    let mut log = open(folder.path());
    log.begin_run("run1", false);
    log.append(vec![output("line 1", 10)], now());
    drop(log);
    for content in ["", "1\t2", "9\t1\tc\t0\t0\tline without a state\n"] {
        fs::write(folder.path().join("log/00000000000000000002.log"), content).unwrap();
        let log = open(folder.path());
        assert_eq!(log.state().run.as_deref(), Some("run1"));
        assert_eq!(names(folder.path()).len(), 1);
        assert_eq!(since(&log, 0), numbered(1..=1));
    }
}

#[test]
fn lines_that_cannot_be_stored_are_reported_later() {
    let folder = TempDir::new().unwrap();
    let mut log = open(folder.path());
    log.begin_run("run1", false);
    log.append(vec![output("line 1", 10)], now());
    drop(log);
    // The next segment is on a full disk.
    let mut log = ConsoleLog::open(
        folder.path().join("log"),
        LogLimits {
            segment: 1,
            segments: 4,
        },
    )
    .unwrap();
    let next = folder.path().join("log/00000000000000000002.log");
    symlink("/dev/full", &next).unwrap();
    let lines = log.append(vec![output("line 2", 20), output("line 3", 30)], now());
    let seqs: Vec<u64> = lines.iter().map(|line| line.seq).collect();
    assert_eq!(seqs, [2, 3]);
    assert_eq!(since(&log, 0), numbered(1..=1));
    assert_eq!(log.lost, 2);
    // There is space again.
    fs::remove_file(&next).unwrap();
    let lines = log.append(vec![output("line 5", 50)], now());
    let missing = lines[0].missing.unwrap();
    assert_eq!((lines[0].seq, missing.from_seq, missing.lines), (4, 2, 2));
    assert_eq!(lines[0].stream, LineStream::System);
    let stored = since(&log, 1);
    assert_eq!(stored[0], (4, "2 lines could not be stored".to_owned()));
    assert_eq!(stored[1..], numbered(5..=5));
    drop(log);
    let log = open(folder.path());
    assert_eq!((log.state().offset, log.state().last_seq), (50, 5));
}

#[test]
fn a_full_disk_loses_lines_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let Some(_disk) = SmallDisk::mount(folder, "64k") else {
        // As another user, /dev/full stands for the disk: see the test before this one.
        return;
    };
    fs::write(folder.join("other"), vec![1; 32 * 1024]).unwrap();
    let limits = LogLimits {
        segment: 8 * 1024,
        segments: 100,
    };
    let mut log = ConsoleLog::open(folder.join("log"), limits).unwrap();
    log.begin_run("run1", false);
    let text = "x".repeat(500);
    let mut end = 0;
    while log.lost < 20 {
        end += 502;
        assert_eq!(log.append(vec![output(&text, end)], now()).len(), 1);
    }
    let last = log.state().last_seq;
    let stored = since(&log, 0);
    let stored_last = stored.last().unwrap().0;
    assert_eq!(stored_last, last - 20);
    // A process that starts now continues with what was stored.
    let other = ConsoleLog::open(folder.join("log"), limits).unwrap();
    assert_eq!(other.state().last_seq, stored_last);
    assert_eq!(other.state().offset, stored_last * 502);
    drop(other);
    fs::remove_file(folder.join("other")).unwrap();
    let lines = log.append(vec![output("again", end + 7)], now());
    assert_eq!(lines.len(), 2);
    assert_eq!(&*lines[0].text, "20 lines could not be stored");
    let seqs: Vec<u64> = since(&log, stored_last - 1)
        .into_iter()
        .map(|line| line.0)
        .collect();
    assert_eq!(seqs, [stored_last, last + 1, last + 2]);
}

#[test]
fn the_position_includes_what_was_typed_and_not_echoed() {
    let folder = TempDir::new().unwrap();
    let mut log = open(folder.path());
    log.begin_run("run1", false);
    let typed = |text: &str| LogEntry::Input {
        text: text.to_owned(),
        is_stop_command: text == "stop",
    };
    log.append(
        vec![output("hello", 7), typed("list"), typed("stop")],
        now(),
    );
    // The echo is not stored, and neither is its position.
    assert_eq!(log.append(vec![output("list", 13)], now()), []);
    assert_eq!(log.state().offset, 13);
    drop(log);
    let mut log = open(folder.path());
    assert_eq!(log.state().offset, 7);
    assert!(log.state().is_stop_typed);
    assert_eq!(log.append(vec![output("list", 13)], now()), []);
    let lines = log.append(vec![output("nobody is here", 29)], now());
    assert_eq!(lines.len(), 1);
    drop(log);
    let mut log = open(folder.path());
    assert_eq!((log.state().offset, log.state().echoes.len()), (29, 1));
    assert_eq!(log.append(vec![output("list", 35)], now()).len(), 1);
    // Another run has no echoes to expect.
    log.begin_run("run2", false);
    assert_eq!(log.append(vec![output("stop", 6)], now()).len(), 1);
    drop(log);
    let log = open(folder.path());
    let state = log.state();
    assert_eq!(
        (state.run.as_deref(), state.offset, state.is_stop_typed),
        (Some("run2"), 6, false)
    );
}

#[test]
fn the_tail_is_limited_by_lines_and_bytes() {
    let folder = TempDir::new().unwrap();
    let mut log = open(folder.path());
    for number in 1..=150 {
        note(&mut log, &format!("line {number}"));
    }
    assert!(log.snapshot().segments.len() > 2);
    let tail = |lines: usize, bytes: usize| {
        let part = log
            .snapshot()
            .tail(PartLimits { lines, bytes }, |_| true)
            .unwrap();
        let first = part.lines.front().map(|line| line.seq);
        let last = part.lines.back().map(|line| line.seq);
        (first, last, part.is_truncated)
    };
    assert_eq!(tail(1, 1000), (Some(150), Some(150), false));
    assert_eq!(tail(120, 100_000), (Some(31), Some(150), false));
    assert_eq!(tail(150, 100_000), (Some(1), Some(150), false));
    assert_eq!(tail(1000, 100_000), (Some(1), Some(150), false));
    assert_eq!(tail(1000, 180), (Some(149), Some(150), true));
    assert_eq!(tail(1000, 0), (None, None, true));
    assert_eq!(tail(0, 1000), (None, None, false));
}

#[test]
fn parts_of_a_log_follow_one_another() {
    let folder = TempDir::new().unwrap();
    let mut log = open(folder.path());
    for number in 1..=150 {
        note(&mut log, &format!("line {number}"));
    }
    let mut reader = log.snapshot().since(10);
    let mut read = Vec::new();
    loop {
        let part = reader
            .part(
                PartLimits {
                    lines: 7,
                    bytes: 1000,
                },
                |_| true,
            )
            .unwrap();
        read.extend(part.lines.iter().map(|line| line.seq));
        if !part.is_truncated {
            break;
        }
    }
    assert_eq!(read, (11..=150).collect::<Vec<u64>>());
}

#[test]
fn lines_are_found_by_time_also_if_the_clock_was_set_back() {
    let folder = TempDir::new().unwrap();
    let mut log = open(folder.path());
    let hour = SignedDuration::from_hours(1);
    for time in [now(), now() + hour, now() - hour, now() + hour] {
        log.append(vec![LogEntry::Note("line".to_owned())], time);
    }
    let part = log
        .snapshot()
        .since(0)
        .part(ALL, |line| line.time >= now() + hour)
        .unwrap();
    let seqs: Vec<u64> = part.lines.iter().map(|line| line.seq).collect();
    assert_eq!(seqs, [2, 4]);
}

#[test]
fn reading_goes_on_while_the_log_is_written_and_compressed() {
    let folder = TempDir::new().unwrap();
    let mut log = open(folder.path());
    for number in 1..=60 {
        note(&mut log, &format!("line {number}"));
    }
    let snapshot = log.snapshot();
    note(&mut log, "line 61");
    log.take_closed().unwrap().compress();
    let part = snapshot.since(0).part(ALL, |_| true).unwrap();
    assert_eq!(part.lines.len(), 60);
    assert_eq!(part.lines.back().unwrap().seq, 60);
}
