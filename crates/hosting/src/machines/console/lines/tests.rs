use proptest::prelude::*;

use super::*;

/// Returns the texts of the lines of an output that ends.
fn split(output: &[u8]) -> Vec<String> {
    let mut splitter = LineSplitter::new(0, false);
    let mut lines = Vec::new();
    splitter.push(output, &mut lines);
    lines.extend(splitter.finish());
    lines.into_iter().map(|line| line.text).collect()
}

#[test]
fn ends_of_lines() {
    for (output, lines) in [
        (&b"a\nb\n"[..], &["a", "b"][..]),
        (b"a\r\nb\r\n", &["a", "b"]),
        (b"a\r\r\nb", &["a", "b"]),
        (b"\r\n\r\na\n\n", &["", "", "a", ""]),
        (b"10%\r20%\r30%\n", &["10%", "20%", "30%"]),
        (b"\r10%\r\r20%\n", &["10%", "20%"]),
        (b"no end", &["no end"]),
        (b"a\r", &["a"]),
        (b"\r", &[]),
        (b"", &[]),
    ] {
        assert_eq!(split(output), lines, "{output:?}");
    }
}

#[test]
fn a_long_line_is_cut_between_characters() {
    let lines = split("ä".repeat(5000).as_bytes());
    let lengths: Vec<usize> = lines.iter().map(String::len).collect();
    assert_eq!(lengths, [4096, 4096, 1808]);
    let mut colourful = vec![b'a'; MAX_LINE - 2];
    colourful.extend(b"\x1b[31mred\n");
    assert_eq!(split(&colourful)[1], "\u{1b}[31mred");
    // The end directly after a cut is not an empty line.
    let mut exact = vec![b'a'; MAX_LINE + 1];
    exact.extend(b"\r\nnext\r\n");
    let lines = split(&exact);
    assert_eq!(lines[1..], ["a", "next"]);
}

#[test]
fn text_without_an_end_becomes_a_line_once() {
    let mut splitter = LineSplitter::new(0, false);
    let mut lines = Vec::new();
    splitter.push(b"> ", &mut lines);
    assert_eq!(lines, []);
    let prompt = splitter.flush().unwrap();
    assert_eq!(
        (prompt.text.as_str(), prompt.end, prompt.continues),
        ("> ", 2, true)
    );
    assert_eq!(splitter.flush(), None);
    splitter.push(b"\r\nnext\r", &mut lines);
    assert_eq!(lines, []);
    let next = splitter.flush().unwrap();
    assert_eq!((next.text.as_str(), next.end), ("next", 9));
    splitter.push(b"\n\xc3", &mut lines);
    assert_eq!((lines.len(), splitter.flush()), (0, None));
    splitter.push(b"\xa4\n", &mut lines);
    assert_eq!((lines[0].text.as_str(), lines[0].end), ("ä", 13));
    assert!(!splitter.has_partial());
}

#[test]
fn returns_without_end_need_no_memory() {
    let mut splitter = LineSplitter::new(0, false);
    let mut lines = Vec::new();
    for _ in 0..1000 {
        splitter.push(b"\r\r\r\r\r\r\r\r\r\r", &mut lines);
        assert!(splitter.buffer.len() < 64);
    }
    splitter.push(b"a\n", &mut lines);
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].end, 10_002);
}

#[test]
fn missing_bytes_end_a_line() {
    let mut splitter = LineSplitter::new(7, false);
    let mut lines = Vec::new();
    splitter.push(b"half", &mut lines);
    let half = splitter.skip(100).unwrap();
    assert_eq!((half.text.as_str(), half.end), ("half", 11));
    splitter.push(b"rest\n", &mut lines);
    assert_eq!((lines[0].text.as_str(), lines[0].end), ("rest", 116));
}

proptest! {
    /// However the output arrives, and after whichever line another process continues, the lines are the same.
    #[test]
    fn chunks_and_restarts_do_not_matter(
        output in proptest::collection::vec(
            prop_oneof![4 => Just(b'a'), 2 => Just(b'\n'), 2 => Just(b'\r'), 1 => Just(0x1b), 1 => any::<u8>()],
            0..400,
        ),
        cuts in proptest::collection::vec(0_usize..400, 0..12),
        restarts in proptest::collection::vec(any::<bool>(), 12),
    ) {
        let whole = {
            let mut splitter = LineSplitter::new(0, false);
            let mut lines = Vec::new();
            splitter.push(&output, &mut lines);
            lines.extend(splitter.finish());
            lines
        };
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(output.len())).collect();
        cuts.push(output.len());
        cuts.sort_unstable();
        let mut splitter = LineSplitter::new(0, false);
        let mut lines: Vec<SplitLine> = Vec::new();
        for (number, cut) in cuts.into_iter().enumerate() {
            if restarts.get(number) == Some(&true) {
                let (offset, continues) = lines.last().map_or((0, false), |line| (line.end, line.continues));
                splitter = LineSplitter::new(offset, continues);
            }
            let from = usize::try_from(splitter.end()).unwrap();
            if from < cut {
                splitter.push(&output[from..cut], &mut lines);
            }
        }
        lines.extend(splitter.finish());
        prop_assert_eq!(lines, whole);
    }
}
