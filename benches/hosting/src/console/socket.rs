//! Websockets on both servers.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use bench_console_lines::Line;
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// What precedes the text of each line in the frames of this server.
const TEXT: &str = "\"text\":\"";

/// An open websocket.
#[derive(Debug)]
pub(crate) struct ConsoleSocket(WebSocketStream<TcpStream>);

impl ConsoleSocket {
    /// Opens a websocket, with a key if there is one.
    pub(crate) async fn open(address: SocketAddr, target: &str, key: Option<&str>) -> Result<Self> {
        let mut request = format!("ws://{address}{target}").into_client_request()?;
        if let Some(key) = key {
            let bearer = format!("Bearer {key}").parse()?;
            request.headers_mut().insert("authorization", bearer);
        }
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        // Thousands of sockets do not need the default of 128 KiB each.
        let config = WebSocketConfig::default()
            .read_buffer_size(4096)
            .write_buffer_size(0);
        let opened = client_async_with_config(request, stream, Some(config)).await;
        let (socket, _) = opened.with_context(|| format!("opening {target}"))?;
        Ok(Self(socket))
    }

    /// Returns the text of the next frame; `None` if the websocket is closed.
    pub(crate) async fn next(&mut self) -> Result<Option<String>> {
        while let Some(message) = self.0.next().await {
            match message? {
                Message::Text(text) => return Ok(Some(text.as_str().to_owned())),
                Message::Close(_) => return Ok(None),
                _ => {}
            }
        }
        Ok(None)
    }

    pub(crate) async fn send(&mut self, text: String) -> Result<()> {
        Ok(self.0.send(Message::text(text)).await?)
    }
}

/// Calls a function with each line of a frame: a frame of the peer is a line, one of ours has some in JSON.
pub(crate) fn each_line(frame: &str, mut take: impl FnMut(Line)) {
    if !frame.starts_with('{') {
        Line::parse(frame).into_iter().for_each(take);
        return;
    }
    for part in frame.split(TEXT).skip(1) {
        let text = part.split('"').next().unwrap_or_default();
        Line::parse(text).into_iter().for_each(&mut take);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_in_the_frames_of_both_servers() {
        let text =
            |number| format!("{number} 5 [Server thread/INFO]: a player moved to the next field");
        let numbers = |frame: &str| {
            let mut numbers = Vec::new();
            each_line(frame, |line| numbers.push(line.number));
            numbers
        };
        assert_eq!(numbers(&text(3)), [3]);
        let record = |number| {
            format!(
                r#"{{"seq":9,"stream":"console","text":"{}"}}"#,
                text(number)
            )
        };
        let frame = format!(r#"{{"type":"log","lines":[{},{}]}}"#, record(3), record(4));
        assert_eq!(numbers(&frame), [3, 4]);
        assert_eq!(numbers(r#"{"type":"state","from":"starting"}"#), [0; 0]);
    }
}
