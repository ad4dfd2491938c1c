//! A server on a free port and a client that controls every byte on its socket.

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use innkeeper_rest::{App, ServeError, Server, Stop};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

/// Longer than any operation on a busy machine: a test that waits this long has failed.
const FOREVER: Duration = Duration::from_mins(1);

/// Awaits a future; fails the test after a timeout instead of hanging.
pub(crate) async fn soon<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(FOREVER, work)
        .await
        .expect("it did not happen in time")
}

/// A server that runs in the background of a test.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) stop: Stop,
    task: JoinHandle<Result<(), ServeError>>,
}

impl Running {
    /// Serves on a free port.
    pub(crate) fn start(app: App) -> Self {
        Self::with(app, |server| server)
    }

    /// Serves on a free port, with a changed configuration.
    pub(crate) fn with(app: App, configure: impl FnOnce(Server) -> Server) -> Self {
        let server = Server::bind("127.0.0.1:0").unwrap();
        let address = server.address();
        let stop = Stop::new();
        let server = configure(server).stop_on(stop.clone());
        let task = tokio::spawn(server.serve(app));
        Self {
            address,
            stop,
            task,
        }
    }

    pub(crate) async fn connect(&self) -> Wire {
        Wire::connect(self.address).await
    }

    /// Stops the server and waits for its end.
    pub(crate) async fn stopped(self) {
        self.stop.now();
        self.ended().await;
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.task.is_finished()
    }

    /// Waits until the server has stopped.
    pub(crate) async fn ended(self) {
        soon(self.task).await.unwrap().unwrap();
    }
}

/// One connection of a client.
pub(crate) struct Wire<S = TcpStream> {
    stream: S,
    /// Bytes that were read and not yet parsed.
    read: Vec<u8>,
}

/// A response as it was received.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

impl Wire {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = soon(TcpStream::connect(address)).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self::over(stream)
    }

    pub(crate) fn local_addr(&self) -> SocketAddr {
        self.stream.local_addr().unwrap()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub(crate) fn over(stream: S) -> Self {
        Self {
            stream,
            read: Vec::new(),
        }
    }

    pub(crate) fn stream(&self) -> &S {
        &self.stream
    }

    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        soon(self.stream.write_all(bytes.as_ref())).await.unwrap();
    }

    /// Sends bytes to a server that may close before it has read them all.
    pub(crate) async fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
        soon(self.stream.write_all(bytes.as_ref())).await
    }

    /// Sends a GET and reads the response.
    pub(crate) async fn get(&mut self, target: &str) -> Answer {
        self.send(format!("GET {target} HTTP/1.1\r\nHost: test\r\n\r\n"))
            .await;
        self.answer().await
    }

    /// Closes the client's side for writing.
    pub(crate) async fn half_close(&mut self) {
        soon(self.stream.shutdown()).await.unwrap();
    }

    /// Reads once and returns the number of bytes.
    async fn more(&mut self) -> std::io::Result<usize> {
        self.read.reserve(64 * 1024);
        soon(self.stream.read_buf(&mut self.read)).await
    }

    /// Reads once, discards earlier bytes, and returns the number of bytes.
    pub(crate) async fn try_read(&mut self) -> std::io::Result<usize> {
        self.read.clear();
        self.more().await
    }

    /// Returns the bytes of one read.
    pub(crate) async fn one_read(&mut self) -> String {
        self.more().await.unwrap();
        String::from_utf8(std::mem::take(&mut self.read)).unwrap()
    }

    /// Reads the next response, with the body that its head announces.
    pub(crate) async fn answer(&mut self) -> Answer {
        let mut answer = self.answer_head().await;
        answer.body = if answer.header("transfer-encoding") == Some("chunked") {
            self.chunks().await
        } else {
            let length = answer.header("content-length").unwrap_or("0");
            self.take(length.parse().unwrap()).await
        };
        answer
    }

    /// Reads the head of the next response and leaves its body unread.
    pub(crate) async fn answer_head(&mut self) -> Answer {
        let end = loop {
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            let more = self.more().await.unwrap();
            assert_ne!(more, 0, "closed in the middle of: {:?}", self.seen());
        };
        let head = String::from_utf8(self.take(end).await).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer {
            status,
            head,
            body: Vec::new(),
        }
    }

    fn seen(&self) -> String {
        String::from_utf8_lossy(&self.read).into_owned()
    }

    /// Reads exactly `count` bytes.
    pub(crate) async fn take(&mut self, count: usize) -> Vec<u8> {
        while self.read.len() < count {
            let more = self.more().await.unwrap();
            assert_ne!(more, 0, "closed in the middle of: {:?}", self.seen());
        }
        self.read.drain(..count).collect()
    }

    async fn line(&mut self) -> String {
        loop {
            if let Some(end) = self.read.windows(2).position(|two| two == b"\r\n") {
                let line = self.take(end + 2).await;
                return String::from_utf8(line).unwrap().trim_end().to_owned();
            }
            assert_ne!(self.more().await.unwrap(), 0, "closed in a chunk");
        }
    }

    /// Reads one chunk of a chunked body; the last one is empty.
    pub(crate) async fn chunk(&mut self) -> Vec<u8> {
        let size = usize::from_str_radix(&self.line().await, 16).unwrap();
        let chunk = self.take(size).await;
        assert_eq!(self.line().await, "");
        chunk
    }

    async fn chunks(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let chunk = self.chunk().await;
            if chunk.is_empty() {
                return body;
            }
            body.extend(chunk);
        }
    }

    /// Reads to the end of the connection, which must not be a reset.
    pub(crate) async fn rest(&mut self) -> String {
        while self.more().await.expect("a clean close") != 0 {}
        String::from_utf8(std::mem::take(&mut self.read)).unwrap()
    }

    /// Reads to the end of the connection; a reset is an error.
    pub(crate) async fn bytes_to_the_end(&mut self) -> std::io::Result<Vec<u8>> {
        while self.more().await? != 0 {}
        Ok(std::mem::take(&mut self.read))
    }

    /// Waits for the end of the connection, with or without a reset. No bytes may arrive before it.
    pub(crate) async fn closed(&mut self) {
        while self.more().await.is_ok_and(|count| count != 0) {}
        assert_eq!(self.seen(), "", "sent before it was closed");
    }

    /// Waits for the end of the connection and counts the bytes that arrive before it.
    pub(crate) async fn ended(&mut self) -> usize {
        let mut total = 0;
        while let Ok(count @ 1..) = self.more().await {
            self.read.clear();
            total += count;
            assert!(total < 100_000_000, "it does not end");
        }
        total
    }
}
