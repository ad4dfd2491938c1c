//! Tells which bytes of an HTTP/2 connection carry requests and responses.
//!
//! A client can keep a connection open with PING frames, and have the server answer them, without ever
//! reading a response. So the idle timeout counts only the frames of messages as progress.

/// The length of a frame's header: length, type, flags and stream.
const HEADER_LENGTH: usize = 9;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;

/// Follows the frames of one direction of a connection.
#[derive(Debug, Default)]
pub(super) struct FrameScanner {
    header: [u8; HEADER_LENGTH],
    /// How much of the header has been seen.
    seen: usize,
    /// The bytes up to the next header: those of a preface, or the rest of a payload.
    remaining: usize,
    /// Whether the remaining bytes are content.
    is_message: bool,
}

impl FrameScanner {
    /// Makes a scanner for bytes that begin with a preface of this length.
    pub(super) fn after_preface(length: usize) -> Self {
        Self {
            remaining: length,
            ..Self::default()
        }
    }

    /// Scans the next bytes. Returns whether any of them belong to a request or a response: to a frame
    /// with headers, or to the content of a frame with data.
    pub(super) fn scan(&mut self, mut bytes: &[u8]) -> bool {
        let mut has_message = false;
        while !bytes.is_empty() {
            if self.remaining > 0 {
                let count = self.remaining.min(bytes.len());
                has_message |= self.is_message;
                self.remaining -= count;
                bytes = bytes.get(count..).unwrap_or_default();
                continue;
            }
            let room = self.header.get_mut(self.seen..).unwrap_or_default();
            let count = room.len().min(bytes.len());
            let (next, rest) = bytes.split_at(count);
            for (slot, byte) in room.iter_mut().zip(next) {
                *slot = *byte;
            }
            self.seen += count;
            bytes = rest;
            if self.seen == HEADER_LENGTH {
                has_message |= self.begin_payload();
            }
        }
        has_message
    }

    /// Reads the complete header. Returns whether the frame has headers.
    fn begin_payload(&mut self) -> bool {
        let [a, b, c, kind, ..] = self.header;
        self.seen = 0;
        self.remaining = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
        self.is_message = matches!(kind, DATA | HEADERS | CONTINUATION);
        kind == HEADERS
    }
}

#[cfg(test)]
mod tests {
    use super::FrameScanner;

    fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
        let length = u8::try_from(payload.len()).unwrap();
        let mut frame = vec![0, 0, length, kind, 0, 0, 0, 0, 1];
        frame.extend_from_slice(payload);
        frame
    }

    #[test]
    fn only_the_frames_of_messages_count() {
        for (kind, payload, expected) in [
            (0, &b"x"[..], true),
            (0, b"", false),
            (1, b"head", true),
            (1, b"", true),
            (9, b"more", true),
            (2, b"prio5", false),
            (3, b"rst4", false),
            (4, b"", false),
            (4, b"settin", false),
            (6, b"pingpong", false),
            (7, b"goaway88", false),
            (8, b"wind", false),
        ] {
            let bytes = frame(kind, payload);
            let whole = FrameScanner::default().scan(&bytes);
            assert_eq!(whole, expected, "{kind} {payload:?}");
            let mut scanner = FrameScanner::default();
            let single = bytes.iter().filter(|byte| scanner.scan(&[**byte])).count();
            assert_eq!(single > 0, expected, "{kind} {payload:?}, byte by byte");
        }
    }

    #[test]
    fn frames_are_found_behind_others_and_behind_the_preface() {
        let ping = frame(6, b"\0\0\x09\0\0\0\0\0");
        let mut bytes = b"a preface".to_vec();
        bytes.extend_from_slice(&ping);
        let mut scanner = FrameScanner::after_preface(9);
        assert!(!scanner.scan(&bytes));
        assert!(!scanner.scan(&ping[..4]));
        assert!(!scanner.scan(&ping[4..]));
        assert!(scanner.scan(&[ping, frame(1, b"h")].concat()));
    }

    #[test]
    fn long_frames_are_followed_to_their_end() {
        // Whoever takes too few bytes for the payload finds headers in it, whoever takes too many does not
        // see those behind it.
        for length in [0x01_02_03_usize, 0x01_00_00, 0x02_00, 0xff, 1] {
            let [.., a, b, c] = length.to_be_bytes();
            let mut bytes = vec![a, b, c, 4, 0, 0, 0, 0, 0];
            bytes.resize(9 + length, 1);
            let mut scanner = FrameScanner::default();
            assert!(!scanner.scan(&bytes), "{length}");
            assert!(scanner.scan(&frame(1, b"")), "{length}");
        }
    }
}
