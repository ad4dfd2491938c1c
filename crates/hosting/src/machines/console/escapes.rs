//! Escape sequences and control characters in the output of a terminal.

/// How many bytes an escape sequence has at most; a longer one is not completed any more.
const MAX_ESCAPE: usize = 64;
const ESCAPE: char = '\u{1b}';

/// Returns how many bytes there are before a character or an escape sequence that is incomplete.
pub(super) fn whole_prefix(bytes: &[u8]) -> usize {
    let tail_start = bytes.len().saturating_sub(MAX_ESCAPE);
    let tail = bytes.get(tail_start..).unwrap_or_default();
    if let Some(escape) = tail.iter().rposition(|byte| *byte == 0x1b) {
        let sequence = tail.get(escape..).unwrap_or_default();
        if is_incomplete(sequence) {
            return tail_start + escape;
        }
    }
    // The last character has at most four bytes.
    for back in 1..=bytes.len().min(4) {
        let at = bytes.len() - back;
        let Some(byte) = bytes.get(at) else { break };
        let expected = match byte {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            0x80..=0xbf => continue,
            _ => break,
        };
        return if back < expected { at } else { bytes.len() };
    }
    bytes.len()
}

/// Tells whether bytes that begin with an escape character are the beginning of a sequence.
fn is_incomplete(sequence: &[u8]) -> bool {
    match sequence.get(1) {
        None => true,
        Some(b'[') => !sequence
            .iter()
            .skip(2)
            .any(|byte| !(0x20..=0x3f).contains(byte)),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => !sequence.contains(&0x07),
        Some(0x20..=0x2f) => sequence
            .iter()
            .skip(1)
            .all(|byte| (0x20..=0x2f).contains(byte)),
        Some(_) => false,
    }
}

/// Returns the text of a line, without what must not be printed.
pub(super) fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let is_plain = |c: char| c == '\t' || !c.is_control();
    if text.chars().all(is_plain) {
        return text.into_owned();
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(first) = rest.chars().next() {
        if first == ESCAPE {
            let (sequence, after) = split_escape(rest);
            if is_control_sequence(sequence) {
                kept.push_str(sequence);
            }
            rest = after;
        } else {
            if is_plain(first) {
                kept.push(first);
            }
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    kept
}

/// Returns a text without control sequences.
pub(crate) fn strip_ansi(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(ESCAPE) {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        rest = split_escape(from).1;
    }
    kept.push_str(rest);
    kept
}

/// Splits a text that begins with an escape character after its first escape sequence.
fn split_escape(text: &str) -> (&str, &str) {
    let mut chars = text.char_indices().skip(1);
    let end = match chars.next() {
        Some((_, '[')) => chars
            .find(|(_, c)| !(' '..='?').contains(c))
            .map(|(at, c)| {
                if ('@'..='~').contains(&c) {
                    at + c.len_utf8()
                } else {
                    at
                }
            }),
        // Strings for the terminal, such as its title, end with a bell or with `ESC \`.
        Some((_, ']' | 'P' | 'X' | '^' | '_')) => chars
            .find(|(_, c)| matches!(*c, '\u{7}' | ESCAPE))
            .map(|(at, c)| match text.get(at..) {
                Some(rest) if rest.starts_with("\u{1b}\\") => at + 2,
                _ if c == ESCAPE => at,
                _ => at + 1,
            }),
        Some((_, ' '..='/')) => chars
            .find(|(_, c)| !(' '..='/').contains(c))
            .map(|(at, c)| {
                if c.is_control() {
                    at
                } else {
                    at + c.len_utf8()
                }
            }),
        Some((at, c)) if c.is_control() => Some(at),
        Some((at, c)) => Some(at + c.len_utf8()),
        None => None,
    };
    text.split_at_checked(end.unwrap_or(text.len()))
        .unwrap_or((text, ""))
}

/// Tells whether an escape sequence is a control sequence, such as a colour or a movement of the cursor.
fn is_control_sequence(sequence: &str) -> bool {
    sequence.starts_with("\u{1b}[")
        && sequence.ends_with(|c: char| ('@'..='~').contains(&c))
        && sequence.len() > 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_stay_and_other_sequences_go() {
        for (given, kept) in [
            ("plain\ttext", "plain\ttext"),
            ("\u{1b}[1;31mred\u{1b}[0m", "\u{1b}[1;31mred\u{1b}[0m"),
            ("a\u{1b}[2K\u{1b}[1Gb", "a\u{1b}[2K\u{1b}[1Gb"),
            ("\u{1b}ca", "a"),
            ("\u{1b}(Ba", "a"),
            ("\u{1b}]0;title\u{7}a", "a"),
            ("\u{1b}]52;c;c2VjcmV0\u{1b}\\a", "a"),
            ("\u{1b}Pdata\u{1b}\\a", "a"),
            ("\u{1b}]0;title without an end", ""),
            ("a\u{0}\u{7}\u{8}b\u{7f}c\u{9b}d", "abcd"),
            ("a\u{1b}", "a"),
            ("a\u{1b}[31", "a"),
            ("a\u{1b}[3\u{1}b", "ab"),
            ("\u{1b}\u{1b}[0mx", "\u{1b}[0mx"),
        ] {
            assert_eq!(clean(given.as_bytes()), kept, "{given:?}");
        }
        assert_eq!(clean(b"a\xff\xc3b"), "a\u{fffd}\u{fffd}b");
    }

    #[test]
    fn stripped_text_has_no_sequences() {
        for (given, kept) in [
            ("plain", "plain"),
            ("\u{1b}[1;31mred\u{1b}[0m text", "red text"),
            ("a\u{1b}[2Kb\u{1b}", "ab"),
        ] {
            assert_eq!(strip_ansi(given), kept, "{given:?}");
        }
    }

    #[test]
    fn what_is_incomplete_is_left() {
        for (given, whole) in [
            (&b"abc"[..], 3),
            ("a\u{e4}".as_bytes(), 3),
            (b"a\xc3", 1),
            (b"a\xf0\x9f\x98", 1),
            (b"a\x80\x80\x80\x80\x80", 6),
            (b"a\x1b", 1),
            (b"a\x1b[31", 1),
            (b"a\x1b[31m", 6),
            (b"a\x1b]0;t", 1),
            (b"a\x1b(", 1),
            (b"a\x1bc", 3),
            (b"", 0),
        ] {
            assert_eq!(whole_prefix(given), whole, "{given:?}");
        }
    }
}
