//! `GET /v1/hosting/game/logs/{server_id}/latest`: the latest lines of the console of a game server.

use std::sync::Arc;

use http::header::ACCEPT;
use innkeeper_rest::filter::Compress;
use innkeeper_rest::{Rejection, Request, Response, quality, resource};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::console_access::{ConsoleServer, find_console};
use super::context::Control;
use super::given_id::GivenId;
use super::refusal::unavailable;
use crate::machines::console::{LineStream, LogLines, LogQuery, LogStart};
use crate::machines::key::VerifiedKey;
use crate::model::PublicState;

const DEFAULT_LINES: u64 = 200;
const MAX_LINES: u64 = 5000;
const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

pub(crate) struct LatestLog {
    pub(crate) control: Arc<Control>,
}

/// Lines of the console of a game server.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LogAnswer {
    server_id: String,
    state: PublicState,
    /// The sequence number of the first line; null if there is none.
    first_sequence: Option<u64>,
    /// The sequence number of the last line: the `since` of the next request. Without lines it is that of the request,
    /// or that of the last line of the log.
    last_sequence: u64,
    /// Whether there are more lines: later ones if `since` was given, otherwise earlier ones.
    truncated: bool,
    lines: Vec<LogLine>,
}

/// A line.
#[derive(Debug, Serialize, JsonSchema)]
struct LogLine {
    /// The sequence number.
    seq: u64,
    #[schemars(extend("format" = "date-time"))]
    time: String,
    /// `console`, `input` or `system`.
    stream: &'static str,
    text: String,
}

#[resource("/game/logs/{server_id}/latest")]
#[security(api_key("game:logs"))]
#[filter(self.control.credentials.clone())]
#[filter(self.control.limits.key.clone())]
#[filter(self.control.limits.log.clone())]
#[filter(Compress::new())]
impl LatestLog {
    /// Returns the latest lines of the console of a game server, as JSON or as text, at most 1 MiB.
    #[get]
    #[produces("application/json", "text/plain")]
    #[responds(200, LogAnswer, "the lines")]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the request")]
    async fn read(
        &self,
        /// The id of the server.
        server_id: GivenId<'_>,
        /// How many lines: 1 to 5000, by default 200.
        lines: Option<u64>,
        /// The first lines after this sequence number or from this time (RFC 3339) on. Without it, the last lines are
        /// returned.
        since: Option<&str>,
        /// Only lines of this stream: `console`, `input` or `system`.
        stream: Option<&str>,
        /// `ansi` leaves out escape sequences such as colours.
        strip: Option<&str>,
        #[value] key: Arc<VerifiedKey>,
        #[request] request: &Request,
    ) -> Result<Response, Rejection> {
        let query = LogQuery {
            lines: line_count(lines)?,
            start: since.map_or(Ok(LogStart::End), log_start)?,
            stream: stream.map(line_stream).transpose()?,
            is_stripped: is_stripped(strip)?,
        };
        let server = find_console(&self.control, &key, server_id.0).await?;
        let found = server.hub.log_lines(server.machine.id, query).await;
        let found = found.map_err(|error| unavailable(error.to_string()))?;
        let response = Response::ok().header("cache-control", "no-store");
        Ok(if prefers_text(request) {
            response
                .content_type("text/plain; charset=utf-8")
                .body(text(&found))
        } else {
            response.entity(answer(&server, query, found))
        })
    }
}

fn malformed(name: &'static str, problem: &str) -> Rejection {
    Rejection::malformed_parameter("query parameter", name, problem)
}

fn line_count(lines: Option<u64>) -> Result<usize, Rejection> {
    let lines = lines.unwrap_or(DEFAULT_LINES);
    let count = usize::try_from(lines).ok();
    let count = count.filter(|_| (1..=MAX_LINES).contains(&lines));
    count.ok_or_else(|| malformed("lines", "expected 1 to 5000"))
}

/// Parses a sequence number or a time.
fn log_start(text: &str) -> Result<LogStart, Rejection> {
    if let Ok(seq) = text.parse() {
        return Ok(LogStart::After(seq));
    }
    let time: Result<Timestamp, _> = text.parse();
    let problem = "expected a sequence number or a time such as 2026-01-31T12:00:00Z";
    time.map(LogStart::From)
        .map_err(|_| malformed("since", problem))
}

fn line_stream(word: &str) -> Result<LineStream, Rejection> {
    let found = LineStream::parse(word);
    found.ok_or_else(|| malformed("stream", "expected console, input or system"))
}

fn is_stripped(strip: Option<&str>) -> Result<bool, Rejection> {
    match strip {
        None => Ok(false),
        Some("ansi") => Ok(true),
        Some(_) => Err(malformed("strip", "expected ansi")),
    }
}

/// Tells whether the client wants text rather than JSON.
fn prefers_text(request: &Request) -> bool {
    let accept = request.head().header_text(ACCEPT).unwrap_or("*/*");
    quality(accept, TEXT) > quality(accept, JSON)
}

fn text(found: &LogLines) -> String {
    let mut text = String::new();
    for line in &found.lines {
        text.push_str(&line.text);
        text.push('\n');
    }
    text
}

fn answer(server: &ConsoleServer, query: LogQuery, found: LogLines) -> LogAnswer {
    let LogLines {
        lines,
        last_seq,
        is_truncated,
    } = found;
    let none_after = match query.start {
        // Without new lines the next request asks for the same ones.
        LogStart::After(seq) => seq.min(last_seq),
        LogStart::End | LogStart::From(_) => last_seq,
    };
    LogAnswer {
        server_id: server.machine.public_id.to_string(),
        state: server.state,
        first_sequence: lines.first().map(|line| line.seq),
        last_sequence: lines.last().map_or(none_after, |line| line.seq),
        truncated: is_truncated,
        lines: lines
            .into_iter()
            .map(|line| LogLine {
                seq: line.seq,
                time: format!("{:.3}", line.time),
                stream: line.stream.word(),
                text: line.text.into(),
            })
            .collect(),
    }
}
