//! `POST /v1/hosting/game/console/{server_id}/command`: types commands on the console of a game server.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use innkeeper_rest::filter::{ClientAddress, RequestId};
use innkeeper_rest::{FieldError, Rejection, Request, Response, Unnegotiated, resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::{Instant, timeout_at};

use super::console_access::{ConsoleServer, find_console};
use super::context::{Control, count};
use super::given_id::GivenId;
use crate::base::error_code::ControlErrorCode;
use crate::machines::audit;
use crate::machines::console::hub::ConsoleError;
use crate::machines::console::{
    ConsoleReader, LineStream, ReplayStart, check_command, console_error_code, machine_key,
};
use crate::machines::key::VerifiedKey;
use crate::model::{Actor, AuditEntry};

/// How many commands a request may have.
const MAX_COMMANDS: usize = 10;
/// How long output may be waited for, in milliseconds.
const MAX_CAPTURE: u32 = 2000;
/// How many bytes of output are returned, about.
const MAX_OUTPUT: usize = 64 * 1024;

pub(crate) struct ConsoleCommand {
    pub(crate) control: Arc<Control>,
}

/// What is typed: `command` or `commands`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CommandInput {
    /// One line of 1 to 1024 bytes without control characters except tabs.
    command: Option<String>,
    /// Several such lines, which are typed in order.
    #[schemars(length(min = 1, max = 10))]
    commands: Option<Vec<String>>,
    /// How many milliseconds of output to wait for and to return.
    #[serde(default)]
    #[schemars(range(min = 0, max = 2000))]
    capture_ms: u32,
}

/// What was typed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CommandAnswer {
    /// How many commands were typed: fewer than asked for only if the server stopped in between.
    accepted: usize,
    /// The sequence number of the first command in the log.
    pub(super) sequence: u64,
    /// The lines that were written within the time of `captureMs`.
    output: Vec<OutputLine>,
}

/// Commands that may be typed.
pub(super) struct CheckedCommands {
    commands: Vec<String>,
    /// How long output is waited for.
    capture: Duration,
}

/// A line of the output.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OutputLine {
    seq: u64,
    #[schemars(extend("format" = "date-time"))]
    time: String,
    stream: &'static str,
    text: String,
}

#[resource("/game/console/{server_id}/command")]
#[security(api_key("game:console:write"))]
#[filter(self.control.credentials.clone())]
#[filter(self.control.limits.key.clone())]
#[filter(self.control.limits.command.clone())]
impl ConsoleCommand {
    /// Types one or several commands on the console of a running game server.
    #[post]
    #[responds(202, CommandAnswer, "the commands were typed")]
    #[consumes("application/json")]
    async fn type_commands(
        &self,
        /// The id of the server.
        server_id: GivenId<'_>,
        #[value] key: Arc<VerifiedKey>,
        #[entity] input: CommandInput,
        #[request] request: &Request,
    ) -> Result<Unnegotiated, Rejection> {
        let checked = input.check()?;
        let server = find_console(&self.control, &key, server_id.0).await?;
        server.check_active()?;
        // The first command was counted with the request.
        let uncounted = checked.commands.len() - 1;
        count_commands(&self.control, &key, &server, uncounted).await?;
        let answer = type_commands(&self.control, &key, &server, &checked, request).await?;
        let response = Response::status(StatusCode::ACCEPTED).header("cache-control", "no-store");
        Ok(Unnegotiated(response.entity(answer)))
    }
}

/// Counts commands to a game server.
pub(super) async fn count_commands(
    control: &Control,
    key: &VerifiedKey,
    server: &ConsoleServer,
    commands: usize,
) -> Result<(), Rejection> {
    let counted = machine_key(&key.key.customer_id, server.machine.public_id.as_str());
    for _ in 0..commands {
        count(&control.limits.command, &counted).await?;
    }
    Ok(())
}

/// Types commands, records that, and returns what is written meanwhile.
pub(super) async fn type_commands(
    control: &Control,
    key: &VerifiedKey,
    server: &ConsoleServer,
    checked: &CheckedCommands,
    request: &Request,
) -> Result<CommandAnswer, Rejection> {
    let reader = if checked.capture.is_zero() {
        None
    } else {
        let reader = server.hub.read(server.machine.id, ReplayStart::Tail(0));
        reader.await.ok()
    };
    let (accepted, sequence) = type_all(server, &checked.commands).await?;
    record(control, key, server, request, sequence).await;
    let output = match reader {
        Some(reader) => collect(reader, checked.capture).await,
        None => Vec::new(),
    };
    Ok(CommandAnswer {
        accepted,
        sequence,
        output,
    })
}

/// Records that commands were typed. The log has their texts.
async fn record(
    control: &Control,
    key: &VerifiedKey,
    server: &ConsoleServer,
    request: &Request,
    sequence: u64,
) {
    let Some(database) = &control.app.database else {
        return;
    };
    let actor = Actor::Key(key.key.id.clone());
    let values = request.values();
    let entry = AuditEntry {
        customer_id: Some(key.key.customer_id.clone()),
        target: Some(server.machine.public_id.to_string()),
        address: values.get::<ClientAddress>().map(|client| client.0),
        request_id: values.get::<RequestId>().map(|id| id.as_str().to_owned()),
        details: json!({ "sequence": sequence }),
        ..AuditEntry::new(control.app.clock.now(), actor, "console.command")
    };
    audit::record_refusal(database, &entry).await;
}

impl CommandInput {
    /// Returns one command, whose output is waited for.
    pub(super) fn one(command: String, capture_ms: u32) -> Self {
        Self {
            command: Some(command),
            commands: None,
            capture_ms,
        }
    }

    /// Returns the commands if everything is valid.
    pub(super) fn check(self) -> Result<CheckedCommands, Rejection> {
        let mut errors = Vec::new();
        if self.capture_ms > MAX_CAPTURE {
            let problem = format!("expected 0 to {MAX_CAPTURE}");
            errors.push(FieldError::new("/captureMs", problem));
        }
        let (commands, is_list) = match (self.command, self.commands) {
            (Some(command), None) => (vec![command], false),
            (None, Some(commands)) => (commands, true),
            _ => {
                errors.push(FieldError::new("", "expected `command` or `commands`"));
                return Err(Rejection::invalid(errors));
            }
        };
        if !(1..=MAX_COMMANDS).contains(&commands.len()) {
            let problem = format!("expected 1 to {MAX_COMMANDS} commands");
            errors.push(FieldError::new("/commands", problem));
        }
        for (number, command) in commands.iter().enumerate() {
            if let Err(problem) = check_command(command) {
                let pointer = if is_list {
                    format!("/commands/{number}")
                } else {
                    "/command".to_owned()
                };
                errors.push(FieldError::new(pointer, problem));
            }
        }
        if errors.is_empty() {
            Ok(CheckedCommands {
                commands,
                capture: Duration::from_millis(self.capture_ms.into()),
            })
        } else {
            Err(Rejection::invalid(errors))
        }
    }
}

/// Types commands, and returns how many were typed and the number of the first.
async fn type_all(server: &ConsoleServer, commands: &[String]) -> Result<(usize, u64), Rejection> {
    let mut first = None;
    for (number, command) in commands.iter().enumerate() {
        match (
            server.hub.write_line(server.machine.id, command).await,
            first,
        ) {
            (Ok(seq), None) => first = Some(seq),
            (Ok(_), Some(_)) => {}
            (Err(_), Some(first)) => return Ok((number, first)),
            (Err(error), None) => return Err(not_typed(server, &error)),
        }
    }
    Ok((commands.len(), first.unwrap_or_default()))
}

fn not_typed(server: &ConsoleServer, error: &ConsoleError) -> Rejection {
    if let ConsoleError::Lost(cause) = error {
        tracing::warn!(machine = %server.machine.id, cause, "a command was not typed");
        let message = "the host of the server cannot be reached";
        return server.refuse(ControlErrorCode::HostUnreachable, message);
    }
    server.refuse(console_error_code(error), error.to_string())
}

/// Reads what a server writes within a time.
async fn collect(mut reader: ConsoleReader, time: Duration) -> Vec<OutputLine> {
    let end = Instant::now() + time;
    let mut output = Vec::new();
    let mut size = 0;
    while size < MAX_OUTPUT {
        let mut lines = Vec::new();
        reader.read_lines(MAX_OUTPUT - size, &mut lines).await;
        for line in lines
            .iter()
            .filter(|line| line.stream == LineStream::Console)
        {
            size += line.text.len();
            output.push(OutputLine {
                seq: line.seq,
                time: format!("{:.3}", line.time),
                stream: line.stream.word(),
                text: line.text.to_string(),
            });
        }
        if lines.is_empty() && timeout_at(end, reader.changed()).await.is_err() {
            break;
        }
    }
    output
}
