//! A client of QMP, the protocol of QEMU's monitor: one JSON object per line over a Unix socket.
//!
//! A monitor serves one client at a time: a second one gets no greeting until the first has gone. So a
//! connection is opened for a question and closed after it. Events are skipped: a state that matters can be
//! asked for (see `-no-shutdown` in `command_line.rs`), also by a process that was not there when it began.

use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use uuid::Uuid;

/// The largest line that is read, in bytes. The longest answer to our questions has a few hundred.
const MAX_LINE: u64 = 64 * 1024;

/// A connection to a monitor.
#[derive(Debug)]
pub(super) struct QmpClient {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    next_id: u64,
}

/// Why a command was not executed.
#[derive(Debug, thiserror::Error)]
pub(super) enum QmpError {
    /// Nobody listens on the socket, or the connection broke.
    #[error("the monitor cannot be reached: {0}")]
    Unreachable(#[from] io::Error),
    /// The monitor closed the connection.
    #[error("the monitor closed the connection")]
    Closed,
    /// What came is not the protocol.
    #[error("the monitor sent {0}")]
    Malformed(&'static str),
    /// The monitor refused a command.
    #[error("the monitor refused `{command}`: {description}")]
    Refused {
        command: &'static str,
        description: String,
    },
}

/// A line from the monitor: a greeting, a response or an event.
#[derive(Debug, Deserialize)]
struct QmpMessage {
    #[serde(rename = "QMP")]
    greeting: Option<Value>,
    event: Option<String>,
    id: Option<u64>,
    #[serde(rename = "return")]
    result: Option<Value>,
    error: Option<QmpFailure>,
}

#[derive(Debug, Deserialize)]
struct QmpFailure {
    desc: String,
}

/// The states of a guest that make a difference here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GuestStatus {
    /// The emulator is ready and was not told to begin.
    Prelaunch,
    /// The guest runs, or is paused and can go on.
    On,
    /// The guest is paused because the host could not write its disk.
    DiskError,
    /// The guest powered off.
    PoweredOff,
    /// The guest panicked, or the emulator cannot go on.
    Panicked,
}

impl GuestStatus {
    /// Parses the status of `query-status`.
    fn parse(word: &str) -> Self {
        match word {
            "prelaunch" => Self::Prelaunch,
            "shutdown" => Self::PoweredOff,
            "guest-panicked" | "internal-error" => Self::Panicked,
            "io-error" => Self::DiskError,
            // `running`, `paused`, `suspended`, `debug` and those of migrations.
            _ => Self::On,
        }
    }
}

impl QmpClient {
    /// Connects to a monitor, which takes as long as the client before stays.
    pub(super) async fn connect(socket: &Path) -> Result<Self, QmpError> {
        let (reader, writer) = UnixStream::connect(socket).await?.into_split();
        let mut client = Self {
            reader: BufReader::new(reader),
            writer,
            next_id: 1,
        };
        if client.read().await?.greeting.is_none() {
            return Err(QmpError::Malformed("something before its greeting"));
        }
        client.execute("qmp_capabilities").await?;
        Ok(client)
    }

    /// Executes a command without arguments and returns its result.
    pub(super) async fn execute(&mut self, command: &'static str) -> Result<Value, QmpError> {
        let id = self.next_id;
        self.next_id += 1;
        let mut line = json!({ "execute": command, "id": id }).to_string();
        line.push('\n');
        self.writer.write_all(line.as_bytes()).await?;
        loop {
            let message = self.read().await?;
            if let Some(event) = message.event {
                tracing::trace!(event, "the monitor reported an event");
                continue;
            }
            if message.id != Some(id) {
                return Err(QmpError::Malformed("an answer to another question"));
            }
            return match message.error {
                Some(failure) => Err(QmpError::Refused {
                    command,
                    description: failure.desc,
                }),
                None => Ok(message.result.unwrap_or_default()),
            };
        }
    }

    /// Returns the UUID that the emulator was started with.
    pub(super) async fn uuid(&mut self) -> Result<Uuid, QmpError> {
        let answer = self.execute("query-uuid").await?;
        let text = answer.get("UUID").and_then(Value::as_str);
        text.and_then(|text| text.parse().ok())
            .ok_or(QmpError::Malformed("no UUID"))
    }

    /// Returns the state of the guest.
    pub(super) async fn status(&mut self) -> Result<GuestStatus, QmpError> {
        let answer = self.execute("query-status").await?;
        let word = answer.get("status").and_then(Value::as_str);
        word.map(GuestStatus::parse)
            .ok_or(QmpError::Malformed("no status"))
    }

    /// Ends the emulator. It may close the connection before it answers.
    pub(super) async fn quit(&mut self) -> Result<(), QmpError> {
        match self.execute("quit").await {
            Ok(_) | Err(QmpError::Closed) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn read(&mut self) -> Result<QmpMessage, QmpError> {
        let mut line = Vec::new();
        let mut limited = (&mut self.reader).take(MAX_LINE);
        limited.read_until(b'\n', &mut line).await?;
        if !line.ends_with(b"\n") {
            return Err(if limited.limit() == 0 {
                QmpError::Malformed("a line that is too long")
            } else {
                QmpError::Closed
            });
        }
        serde_json::from_slice(&line)
            .map_err(|_| QmpError::Malformed("something that is not a message"))
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::UnixListener;

    use super::*;

    const GREETING: &str = "{\"QMP\": {\"version\": {}, \"capabilities\": [\"oob\"]}}\r\n";

    /// Serves one client: sends the greeting, then one of these answers for each line that comes.
    async fn client_of(
        greeting: &'static str,
        answers: &'static [&'static str],
    ) -> Result<QmpClient, QmpError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qmp.sock");
        let listener = UnixListener::bind(&path).unwrap();
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let (reader, mut writer) = stream.into_split();
            writer.write_all(greeting.as_bytes()).await.unwrap();
            let mut lines = BufReader::new(reader).lines();
            for answer in ["{\"return\": {}, \"id\": 1}\r\n"].iter().chain(answers) {
                lines.next_line().await.unwrap();
                writer.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        QmpClient::connect(&path).await
    }

    #[tokio::test]
    async fn events_before_an_answer_are_skipped() {
        let answers = &[
            "{\"event\": \"RESUME\", \"timestamp\": {}}\r\n{\"event\": \"STOP\"}\r\n\
             {\"return\": {\"status\": \"shutdown\", \"running\": false}, \"id\": 2}\r\n",
            "{\"return\": {\"UUID\": \"11111111-2222-3333-4444-555555555555\"}, \"id\": 3}\r\n",
        ];
        let mut client = client_of(GREETING, answers).await.unwrap();
        assert_eq!(client.status().await.unwrap(), GuestStatus::PoweredOff);
        let uuid = client.uuid().await.unwrap().to_string();
        assert_eq!(uuid, "11111111-2222-3333-4444-555555555555");
    }

    #[tokio::test]
    async fn a_refused_command_is_an_error_with_the_reason() {
        let answers =
            &["{\"id\": 2, \"error\": {\"class\": \"GenericError\", \"desc\": \"not now\"}}\r\n"];
        let mut client = client_of(GREETING, answers).await.unwrap();
        let error = client.execute("cont").await.unwrap_err();
        assert_eq!(error.to_string(), "the monitor refused `cont`: not now");
    }

    #[tokio::test]
    async fn an_emulator_that_quits_without_an_answer_has_quit() {
        let mut client = client_of(GREETING, &[""]).await.unwrap();
        client.quit().await.unwrap();
        let mut client = client_of(GREETING, &[""]).await.unwrap();
        let error = client.status().await.unwrap_err();
        assert!(matches!(error, QmpError::Closed), "{error}");
    }

    #[tokio::test]
    async fn what_is_not_the_protocol_is_refused() {
        let long = Box::leak("x".repeat(70_000).into_boxed_str());
        for greeting in ["{\"return\": {}}\n", "SSH-2.0\n", "[]\n", long] {
            let error = client_of(greeting, &[]).await.unwrap_err();
            assert!(matches!(error, QmpError::Malformed(_)), "{error}");
        }
        for answer in [
            "{\"return\": {}, \"id\": 7}\n",
            "{\"return\": {}}\n",
            "{}\n",
        ] {
            let answers = Box::leak(Box::new([answer]));
            let mut client = client_of(GREETING, answers).await.unwrap();
            let error = client.status().await.unwrap_err();
            assert!(matches!(error, QmpError::Malformed(_)), "{error}");
        }
    }

    #[tokio::test]
    async fn a_socket_without_a_monitor_cannot_be_reached() {
        let error = QmpClient::connect(Path::new("/no/such/socket")).await;
        assert!(matches!(error, Err(QmpError::Unreachable(_))));
    }
}
