//! Requests and responses on the wire.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

const TIMEOUT: Duration = Duration::from_mins(1);

/// Returns a request with additional header lines.
pub(crate) fn get(target: &str, more: &str) -> Vec<u8> {
    format!(
        "GET {target} HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: bench-hosting\r\naccept: */*\r\n{more}\r\n"
    )
    .into_bytes()
}

/// Returns a POST without a body, with additional header lines.
pub(crate) fn post(target: &str, more: &str) -> Vec<u8> {
    format!(
        "POST {target} HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: bench-hosting\r\naccept: */*\r\ncontent-length: 0\r\n{more}\r\n"
    )
    .into_bytes()
}

/// A persistent connection, for one request after the other.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    raw: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).context("connecting")?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        let raw = Vec::new();
        Ok(Self { stream, raw })
    }

    /// Sends a request without waiting for the response.
    pub(crate) fn send(&mut self, request: &[u8]) -> Result<()> {
        self.stream.write_all(request).context("sending")
    }

    /// Reads a response.
    pub(crate) fn receive(&mut self) -> Result<Answer> {
        self.raw.clear();
        let mut buffer = [0; 16 * 1024];
        let frame = loop {
            if let Some(frame) = Frame::find(&self.raw)?
                && self.raw.len() >= frame.length()
            {
                break frame;
            }
            let count = self.stream.read(&mut buffer).context("reading")?;
            ensure!(count > 0, "closed before the answer was complete");
            self.raw.extend(buffer.iter().take(count));
        };
        ensure!(self.raw.len() == frame.length(), "bytes after the answer");
        let (head, body) = self.raw.split_at(frame.head);
        Ok(Answer {
            status: frame.status,
            head: String::from_utf8_lossy(head).into_owned(),
            body: body.to_vec(),
        })
    }

    pub(crate) fn ask(&mut self, request: &[u8]) -> Result<Answer> {
        self.send(request)?;
        self.receive()
    }
}

impl Answer {
    /// Sends a request on a new connection and returns the response.
    pub(crate) fn fetch(address: SocketAddr, request: &[u8]) -> Result<Self> {
        Connection::open(address)?.ask(request)
    }

    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }
}

/// The status of a response, and the lengths of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) status: u16,
    head: usize,
    body: usize,
}

impl Frame {
    /// Parses the head at the start of `raw`, if it is complete.
    pub(crate) fn find(raw: &[u8]) -> Result<Option<Self>> {
        let Some(end) = raw.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Ok(None);
        };
        let head = raw.get(..end + 4).unwrap_or(raw);
        let mut lines = head.split(|&byte| byte == b'\n');
        let status = lines.next().and_then(|line| line.get(9..12));
        let status = status
            .and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok())
            .context("no status")?;
        let body = match lines.find_map(length) {
            // A 304 may have the length of the body that it omits.
            _ if status == 304 => 0,
            Some(length) => length,
            None => bail!("no content-length"),
        };
        let head = head.len();
        Ok(Some(Self { status, head, body }))
    }

    pub(crate) fn length(self) -> usize {
        self.head + self.body
    }
}

fn length(line: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length:";
    let (name, value) = line.split_at_checked(NAME.len())?;
    if !name.eq_ignore_ascii_case(NAME) {
        return None;
    }
    std::str::from_utf8(value).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_where_its_head_says() {
        let raw = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
        let frame = Frame::find(raw).unwrap().unwrap();
        assert_eq!((frame.status, frame.length()), (200, raw.len()));
        assert_eq!(Frame::find(b"HTTP/1.1 200 OK\r\n").unwrap(), None);
        let raw = b"HTTP/1.1 304 Not Modified\r\netag: \"a\"\r\n\r\n";
        assert_eq!(Frame::find(raw).unwrap().unwrap().length(), raw.len());
        assert!(Frame::find(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
