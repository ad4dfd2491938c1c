//! A websocket client that sends and shows frames as they are.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::Answer;

/// How long a frame may take to arrive. Tests wait for conditions, so this only ends those that fail.
const PATIENCE: Duration = Duration::from_mins(2);

/// An open websocket.
pub(super) struct TestSocket {
    stream: TcpStream,
    received: Vec<u8>,
    /// The subprotocol that the server chose.
    pub(super) protocol: Option<String>,
}

/// What the server sent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Received {
    Frame(Value),
    Closed(u16),
    /// The connection ended without a close frame.
    Lost,
}

impl TestSocket {
    /// Opens a websocket; returns the response if the server refuses.
    pub(super) async fn open(
        address: SocketAddr,
        target: &str,
        headers: &[(&str, &str)],
    ) -> Result<Self, Answer> {
        let mut request = format!(
            "GET {target} HTTP/1.1\r\nhost: inn\r\nupgrade: websocket\r\nconnection: upgrade\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        );
        for (name, value) in headers {
            request = format!("{request}{name}: {value}\r\n");
        }
        request.push_str("\r\n");
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut received = Vec::new();
        let head_end = loop {
            let end = received.windows(4).position(|part| part == b"\r\n\r\n");
            if let Some(end) = end {
                break end + 4;
            }
            let read = timeout(PATIENCE, stream.read_buf(&mut received)).await;
            assert!(read.unwrap().unwrap() > 0, "{received:?}");
        };
        if !received.starts_with(b"HTTP/1.1 101") {
            return Err(refused(stream, received, head_end).await);
        }
        let head = Answer::parse(&received[..head_end]);
        received.drain(..head_end);
        Ok(Self {
            stream,
            received,
            protocol: head.header("sec-websocket-protocol").map(str::to_owned),
        })
    }

    pub(super) async fn send(&mut self, frame: &Value) {
        self.send_text(&frame.to_string()).await;
    }

    pub(super) async fn send_text(&mut self, text: &str) {
        self.send_raw(1, text.as_bytes()).await;
    }

    /// Sends a frame with an opcode. The server may have closed the connection.
    pub(super) async fn send_raw(&mut self, opcode: u8, payload: &[u8]) {
        let mut frame = vec![0x80 | opcode];
        match payload.len() {
            length @ 0..126 => frame.push(0x80 | u8::try_from(length).unwrap()),
            length => {
                frame.push(0x80 | 0x7e);
                frame.extend(u16::try_from(length).unwrap().to_be_bytes());
            }
        }
        let mask = [1, 2, 3, 4];
        frame.extend(mask);
        frame.extend(
            payload
                .iter()
                .zip(mask.iter().cycle())
                .map(|(byte, mask)| byte ^ mask),
        );
        self.stream.write_all(&frame).await.ok();
    }

    /// Returns the next frame, and answers pings.
    pub(super) async fn next(&mut self) -> Received {
        loop {
            if let Some((opcode, payload)) = self.take_frame() {
                match opcode {
                    1 => return Received::Frame(serde_json::from_slice(&payload).unwrap()),
                    8 => return Received::Closed(u16::from_be_bytes([payload[0], payload[1]])),
                    9 => self.send_raw(10, &payload).await,
                    _ => panic!("a frame with opcode {opcode}"),
                }
                continue;
            }
            let read = timeout(PATIENCE, self.stream.read_buf(&mut self.received)).await;
            match read.expect("a frame in time") {
                Ok(0) | Err(_) => return Received::Lost,
                Ok(_) => {}
            }
        }
    }

    /// Takes a whole frame from what was received.
    fn take_frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let [first, second, ..] = self.received[..] else {
            return None;
        };
        let (start, length) = match second & 0x7f {
            126 => {
                let bytes = self.received.get(2..4)?;
                (
                    4,
                    usize::from(u16::from_be_bytes(bytes.try_into().unwrap())),
                )
            }
            127 => {
                let bytes = self.received.get(2..10)?;
                let length = u64::from_be_bytes(bytes.try_into().unwrap());
                (10, usize::try_from(length).unwrap())
            }
            length => (2, usize::from(length)),
        };
        let payload = self.received.get(start..start + length)?.to_vec();
        self.received.drain(..start + length);
        Some((first & 0x0f, payload))
    }

    /// Returns the next frame, which must be one.
    pub(super) async fn frame(&mut self) -> Value {
        match self.next().await {
            Received::Frame(frame) => frame,
            other => panic!("{other:?}"),
        }
    }

    /// Returns the next frame of a type, and skips others.
    pub(super) async fn frame_of(&mut self, kind: &str) -> Value {
        loop {
            let frame = self.frame().await;
            if frame["type"] == kind || frame["event"] == kind {
                return frame;
            }
        }
    }

    /// Reads lines until one has this text, and returns all of them with their numbers.
    pub(super) async fn lines_until(&mut self, text: &str) -> Vec<(u64, String)> {
        let mut lines = Vec::new();
        loop {
            let frame = self.frame_of("log").await;
            for line in frame["lines"].as_array().unwrap() {
                let found = line["text"].as_str().unwrap().to_owned();
                lines.push((line["seq"].as_u64().unwrap(), found));
            }
            if lines.iter().any(|line| line.1 == text) {
                return lines;
            }
        }
    }

    /// Reads to the end, and returns the frames before it and the close code.
    pub(super) async fn until_closed(&mut self) -> (Vec<Value>, Option<u16>) {
        let mut frames = Vec::new();
        loop {
            match self.next().await {
                Received::Frame(frame) => frames.push(frame),
                Received::Closed(code) => return (frames, Some(code)),
                Received::Lost => return (frames, None),
            }
        }
    }
}

/// Reads the response of a server that refuses.
async fn refused(mut stream: TcpStream, mut received: Vec<u8>, head_end: usize) -> Answer {
    let length = Answer::parse(&received[..head_end]);
    let length = length
        .header("content-length")
        .map(|length| length.parse::<usize>().unwrap());
    while received.len() < head_end + length.unwrap_or(0) {
        let read = timeout(PATIENCE, stream.read_buf(&mut received)).await;
        assert!(read.unwrap().unwrap() > 0);
    }
    Answer::parse(&received)
}
