//! Makes hostile requests out of valid ones. The same seed makes the same requests.

/// A generator of random numbers that can be repeated: `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below another one, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    pub(crate) fn choose<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

/// Pieces that parsers disagree about.
const PIECES: [&[u8]; 72] = [
    b"\r\n",
    b"\n",
    b"\r",
    b"\r\n\r\n",
    b"\n\n",
    b"\r\r\n",
    b"\n\r\n",
    b" ",
    b"\t",
    b"\x0b",
    b"\0",
    b"\x7f",
    b"\xff",
    b"\xc0\xaf",
    b":",
    b" :",
    b";",
    b",",
    b"\"",
    b"%00",
    b"%0d%0a",
    b"%2e%2e",
    b"..",
    b"//",
    b"#",
    b"?",
    b"@",
    b"[",
    b"{",
    b"0",
    b"-1",
    b"+5",
    b"0x5",
    b"05",
    b"5, 5",
    b"5,6",
    b"18446744073709551616",
    b"1_0",
    b"HTTP/1.0",
    b"HTTP/1.1",
    b"HTTP/2.0",
    b" HTTP/1.1\r\n",
    b"http://other/echo",
    b"*",
    b"Host: other\r\n",
    b"Host:\r\n",
    b"Host: a b\r\n",
    b"Host: a/b\r\n",
    b"Host: a@b\r\n",
    b"Host: [::1\r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length: 0\r\n",
    b"Content-Length : 5\r\n",
    b"Content-Length:\t5\r\n",
    b"Content-Length: 5;a\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: identity\r\n",
    b"Transfer-Encoding:\x0bchunked\r\n",
    b"Transfer-Encoding: chunked, chunked\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n",
    b"Transfer_Encoding: chunked\r\n",
    b"Connection: close\r\n",
    b"Connection: keep-alive\r\n",
    b"Connection: keep-alive, close\r\n",
    b"Connection: content-length\r\n",
    b"Expect: 100-continue\r\n",
    b"Upgrade: h2c\r\n",
    b" folded\r\n",
    b"X: y\r\n",
    b"0\r\n\r\n",
    b"5\r\nhello\r\n",
    b"5;a=\"b\r\n\"\r\nhello\r\n",
];

/// Changes a request in one to four places. `others` are requests to take parts from.
pub(crate) fn mutate(random: &mut Random, request: &[u8], others: &[&[u8]]) -> Vec<u8> {
    let mut bytes = request.to_vec();
    for _ in 0..=random.below(4) {
        change(random, &mut bytes, others);
    }
    bytes
}

fn change(random: &mut Random, bytes: &mut Vec<u8>, others: &[&[u8]]) {
    if bytes.is_empty() {
        bytes.extend(random.choose(&PIECES));
    }
    let at = random.below(bytes.len());
    match random.below(12) {
        0 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
        1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.choose(&PIECES)[0],
        3 | 4 => insert(bytes, at, random.choose(&PIECES)),
        // Most of what matters happens between lines.
        5 | 6 => insert(bytes, line_start(bytes, at), random.choose(&PIECES)),
        7 => {
            let end = bytes.len().min(at + 1 + random.below(12));
            bytes.drain(at..end);
        }
        8 => {
            let line = line(bytes, at).to_vec();
            insert(bytes, line_start(bytes, at), &line);
        }
        9 => {
            let (start, length) = (line_start(bytes, at), line(bytes, at).len());
            let line: Vec<u8> = bytes.drain(start..start + length).collect();
            let to = random.below(bytes.len() + 1);
            insert(bytes, line_start(bytes, to), &line);
        }
        10 => {
            let other = random.choose(others);
            let start = random.below(other.len());
            let end = other.len().min(start + 1 + random.below(80));
            insert(bytes, at, &other[start..end]);
        }
        _ => {
            let byte = bytes[at];
            let count = [2, 3, 20, 300, 9000][random.below(5)];
            insert(bytes, at, &vec![byte; count]);
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// Returns where the line of this byte starts.
fn line_start(bytes: &[u8], at: usize) -> usize {
    let before = &bytes[..at.min(bytes.len())];
    before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1)
}

/// Returns the line of this byte, with its end.
fn line(bytes: &[u8], at: usize) -> &[u8] {
    let rest = &bytes[line_start(bytes, at)..];
    let end = rest
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(rest.len(), |end| end + 1);
    &rest[..end]
}
