//! HTTP/1.1 for the servers that tests put in the place of others: one request per connection.

use std::collections::HashMap;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use url::form_urlencoded;

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct RawRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Encoded, without the question mark.
    pub(crate) query: String,
    /// By name in lower case.
    headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl RawRequest {
    /// Reads a request; `None` if the connection ends before.
    pub(crate) async fn read(stream: &mut BufReader<TcpStream>) -> Option<Self> {
        let mut first = String::new();
        stream.read_line(&mut first).await.ok()?;
        let mut parts = first.split(' ');
        let (method, target) = (parts.next()?, parts.next()?);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut headers = HashMap::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await.ok()?;
            let Some((name, value)) = line.trim().split_once(':') else {
                break;
            };
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let length = headers.get("content-length").map_or("0", String::as_str);
        let mut body = vec![0; length.parse().ok()?];
        stream.read_exact(&mut body).await.ok()?;
        Some(Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
            body,
        })
    }

    /// Returns the value of a header, named in lower case; empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// Returns the parameters of the query.
    pub(crate) fn parameters(&self) -> HashMap<String, String> {
        pairs(&self.query)
    }

    /// Returns the members of a body that is a form.
    pub(crate) fn form(&self) -> HashMap<String, String> {
        pairs(&String::from_utf8_lossy(&self.body))
    }
}

/// Decodes a query or a form.
pub(crate) fn pairs(text: &str) -> HashMap<String, String> {
    form_urlencoded::parse(text.as_bytes())
        .into_owned()
        .collect()
}

/// Sends a response and ends the connection. Errors are ignored: the other side may have closed it.
pub(crate) async fn respond(
    stream: &mut BufReader<TcpStream>,
    status: u16,
    headers: &str,
    body: &str,
) {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} As Asked\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.ok();
    stream.write_all(body.as_bytes()).await.ok();
    stream.shutdown().await.ok();
}
