//! Requests and responses on the wire.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The address of a server, and the parts that all requests to it have in common.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    /// Precedes every path.
    pub(crate) prefix: &'static str,
    /// The `apikey` header, if the server requires one.
    pub(crate) api_key: Option<String>,
}

impl Site {
    pub(crate) fn get(&self, path: &str, token: Option<&str>) -> Vec<u8> {
        let authorization = token.map_or_else(String::new, authorization);
        format!("GET {}\r\n{authorization}\r\n", self.head(path)).into_bytes()
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Vec<u8> {
        self.post_with("", path, body)
    }

    /// Returns such a request of a user who has signed in.
    pub(crate) fn post_as(&self, token: &str, path: &str, body: &str) -> Vec<u8> {
        self.post_with(&authorization(token), path, body)
    }

    fn post_with(&self, authorization: &str, path: &str, body: &str) -> Vec<u8> {
        let (head, length) = (self.head(path), body.len());
        format!(
            "POST {head}\r\n{authorization}content-type: application/json;charset=UTF-8\r\n\
             content-length: {length}\r\n\r\n{body}"
        )
        .into_bytes()
    }

    /// Returns the rest of the request line and the headers that the official clients send.
    fn head(&self, path: &str) -> String {
        let (prefix, address) = (self.prefix, self.address);
        let key = self
            .api_key
            .as_ref()
            .map_or_else(String::new, |key| format!("\r\napikey: {key}"));
        format!(
            "{prefix}{path} HTTP/1.1\r\nhost: {address}\r\naccept: */*\r\nuser-agent: node\r\n\
             x-client-info: bench-auth\r\nx-supabase-api-version: 2024-01-01{key}"
        )
    }
}

/// Returns the header line that carries an access token.
fn authorization(token: &str) -> String {
    format!("authorization: Bearer {token}\r\n")
}

/// A persistent connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The relevant parts of a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    head: &'a str,
    pub(crate) body: &'a str,
}

impl<'a> Answer<'a> {
    /// Returns the value of the first header with this name.
    pub(crate) fn header(&self, name: &str) -> Option<&'a str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await.context("connecting")?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(8 * 1024),
        })
    }

    /// Sends a request and waits for the whole response.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> Result<Answer<'_>> {
        self.stream.write_all(request).await.context("sending")?;
        self.buffer.clear();
        let length = loop {
            if let Some(length) = complete(&self.buffer)? {
                break length;
            }
            let count = self.stream.read_buf(&mut self.buffer).await;
            ensure!(
                count.context("reading the answer")? > 0,
                "closed before the answer was complete"
            );
        };
        ensure!(self.buffer.len() == length, "bytes after the answer");
        parse(&self.buffer)
    }

    /// Sends a request whose response must have status 200, and returns its body.
    pub(crate) async fn ask_ok(&mut self, request: &[u8]) -> Result<&str> {
        let answer = self.ask(request).await?;
        if answer.status != 200 {
            bail!("answered {}: {}", answer.status, answer.body);
        }
        Ok(answer.body)
    }
}

/// Returns the length of the first response in `raw`, if it is complete.
fn complete(raw: &[u8]) -> Result<Option<usize>> {
    let Some(head) = raw.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = raw.get(..head).unwrap_or_default();
    let text = std::str::from_utf8(head).context("the head is not UTF-8")?;
    let length = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .context("no content-length")?
        .1;
    let body: usize = length.trim().parse().context("content-length")?;
    let total = head.len() + 4 + body;
    Ok((raw.len() >= total).then_some(total))
}

fn parse(raw: &[u8]) -> Result<Answer<'_>> {
    let text = std::str::from_utf8(raw).context("the answer is not UTF-8")?;
    let (head, body) = text.split_once("\r\n\r\n").context("no end of the head")?;
    let status = head
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3));
    Ok(Answer {
        status: status.context("no status")?.parse().context("the status")?,
        head,
        body,
    })
}

/// Returns the text at a path in an answer, such as `/user/id`.
pub(crate) fn text<'a>(answer: &'a Value, path: &str) -> Result<&'a str> {
    let found = answer.pointer(path).and_then(Value::as_str);
    found.with_context(|| format!("no {path} in the answer"))
}

/// Returns the text of the first member with this name in a JSON object. Good enough for tokens and
/// ids, and much faster than parsing the whole.
pub(crate) fn member<'a>(body: &'a str, name: &str) -> Result<&'a str> {
    let mark = format!("\"{name}\":\"");
    let found = body
        .split_once(&mark)
        .and_then(|(_, rest)| rest.split_once('"'));
    Ok(found.with_context(|| format!("no {name} in the answer"))?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_when_it_is_complete() {
        let raw = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{\"id\":\"seven\"}";
        assert_eq!(complete(&raw[..raw.len() - 2]).unwrap(), None);
        let raw = &raw[..raw.len() - 1];
        assert_eq!(complete(raw).unwrap(), Some(raw.len()));
        let answer = parse(raw).unwrap();
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-length"), Some("13"));
        assert_eq!(member(answer.body, "id").unwrap(), "seven");
        assert!(member(answer.body, "name").is_err());
    }

    #[test]
    fn an_answer_without_a_length_is_refused() {
        assert!(complete(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").is_err());
    }
}
