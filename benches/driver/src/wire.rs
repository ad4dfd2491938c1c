//! Responses as read from the wire.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

const TIMEOUT: Duration = Duration::from_mins(1);
const DATE: &str = "date";

pub(crate) fn connect(address: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect(address).context("connecting")?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    Ok(stream)
}

/// One response, with the value of its `date` blanked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: String,
    /// In the order received.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// The length on the wire.
    pub(crate) length: usize,
}

impl Answer {
    /// Sends `request` and reads the response, which must have a Content-Length.
    pub(crate) fn fetch(address: SocketAddr, request: &[u8]) -> Result<Self> {
        let mut stream = connect(address)?;
        stream.write_all(request).context("sending")?;
        let mut raw = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            if let Some(answer) = Self::parse(&raw)? {
                ensure!(raw.len() == answer.length, "bytes after the answer");
                return Ok(answer);
            }
            let count = stream.read(&mut buffer).context("reading the answer")?;
            ensure!(count > 0, "closed before the answer was complete");
            raw.extend(buffer.iter().take(count));
        }
    }

    /// Parses the first response in `raw`, if it is complete.
    pub(crate) fn parse(raw: &[u8]) -> Result<Option<Self>> {
        let text = std::str::from_utf8(raw).context("the answer is not UTF-8")?;
        let Some((head, rest)) = text.split_once("\r\n\r\n") else {
            return Ok(None);
        };
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap_or_default().to_owned();
        let headers: Vec<_> = lines.map(header).collect::<Result<_>>()?;
        let length = headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length = match length {
            // A 304 has no length and no body.
            _ if status.contains(" 304 ") => 0,
            length => {
                let length = &length.context("no content-length")?.1;
                length.parse().context("content-length")?
            }
        };
        let Some(body) = rest.get(..length) else {
            return Ok(None);
        };
        let length = head.len() + 4 + length;
        Ok(Some(Self {
            status,
            headers,
            body: body.to_owned(),
            length,
        }))
    }

    /// Returns the headers without the date, sorted.
    pub(crate) fn sorted_headers(&self) -> Vec<(&str, &str)> {
        let headers = self.headers.iter().map(|(name, value)| (&**name, &**value));
        let mut headers: Vec<_> = headers.filter(|(name, _)| *name != DATE).collect();
        headers.sort_unstable();
        headers
    }

    pub(crate) fn has_date(&self) -> bool {
        self.headers.iter().any(|(name, _)| name == DATE)
    }
}

fn header(line: &str) -> Result<(String, String)> {
    let (name, value) = line
        .split_once(": ")
        .context("a header line without a colon and space")?;
    if name == DATE {
        let blank = " ".repeat(value.len());
        return Ok((name.to_owned(), blank));
    }
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_parsed_when_complete_and_its_date_blanked() {
        let raw = b"HTTP/1.1 200 OK\r\ndate: now\r\ncontent-length: 2\r\n\r\nhi";
        assert_eq!(Answer::parse(&raw[..raw.len() - 1]).unwrap(), None);
        let answer = Answer::parse(raw).unwrap().unwrap();
        assert_eq!(answer.headers[0], ("date".to_owned(), "   ".to_owned()));
        assert_eq!((&*answer.body, answer.length), ("hi", raw.len()));
        assert_eq!(answer.sorted_headers(), [("content-length", "2")]);
    }
}
