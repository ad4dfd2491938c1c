//! What a client of a console may do: type commands, change the power, and get tickets for its next connection.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::filter::RateLimit;
use innkeeper_service::limiter::SharedLimiter;
use jiff::Timestamp;
use serde_json::json;

use super::command::check_command;
use super::hub::ConsoleError;
use super::protocol::PowerCommand;
use super::reader::{ConsoleReader, ReplayStart};
use super::sockets::OpenSocket;
use crate::base::error_code::ControlErrorCode;
use crate::machines::audit;
use crate::machines::key::ticket;
use crate::machines::power::{PowerControl, PowerError, PowerRequest};
use crate::model::{Action, ActionCommand, Actor, AuditEntry, PublicState, Scope};
use crate::store::database::ServerDatabase;

/// What all sockets share.
#[derive(Debug)]
pub(crate) struct SessionServices {
    pub(crate) database: Arc<ServerDatabase>,
    pub(crate) power: PowerControl,
    /// Commands, per customer and game server; see [`machine_key`].
    pub(crate) command_limit: RateLimit<Arc<SharedLimiter>>,
    /// Power requests, per customer and game server.
    pub(crate) power_limit: RateLimit<Arc<SharedLimiter>>,
    /// Power requests, per key.
    pub(crate) power_key_limit: RateLimit<Arc<SharedLimiter>>,
}

/// What the handshake of a socket says.
#[derive(Debug)]
pub(crate) struct SessionDetails {
    /// The id of the game server in the API.
    pub(crate) server_id: String,
    /// The state of the game server when the socket was opened.
    pub(crate) state: PublicState,
    /// The memory that the game server may use.
    pub(crate) memory_limit_bytes: u64,
    /// The address of the client.
    pub(crate) address: Option<IpAddr>,
    /// The id of the request.
    pub(crate) request_id: Option<String>,
    /// Whether a ticket opened the socket, so that the client gets tickets for its next connection.
    pub(crate) is_by_ticket: bool,
    /// The origin of the page, for its next tickets.
    pub(crate) origin: Option<String>,
}

/// A socket, and what its client may do.
pub(crate) struct Session {
    pub(super) services: Arc<SessionServices>,
    pub(super) open: OpenSocket,
    pub(super) details: Box<SessionDetails>,
    pub(super) reader: ConsoleReader,
}

/// Why a request of a client was refused.
#[derive(Debug)]
pub(super) struct SessionRefusal {
    pub(super) code: ControlErrorCode,
    pub(super) detail: String,
    /// What was done too often, and when it may be done again.
    pub(super) throttled: Option<(&'static str, Duration)>,
}

impl SessionRefusal {
    fn new(code: ControlErrorCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            throttled: None,
        }
    }

    fn scope(scope: Scope) -> Self {
        let detail = format!("the API key does not have the scope `{scope}`");
        Self::new(ControlErrorCode::InsufficientScope, detail)
    }
}

/// A ticket for the next connection.
pub(super) struct NextTicket {
    pub(super) text: String,
    pub(super) expires_at: Timestamp,
}

/// Returns by what the requests about a game server of a customer are counted.
pub(crate) fn machine_key(customer_id: &str, server_id: &str) -> String {
    format!("{customer_id}:game:{server_id}")
}

/// Returns the error code for a line that was not typed.
pub(crate) fn console_error_code(error: &ConsoleError) -> ControlErrorCode {
    match error {
        ConsoleError::NotRunning => ControlErrorCode::ServerNotRunning,
        ConsoleError::Busy => ControlErrorCode::InvalidState,
        ConsoleError::Lost(_) => ControlErrorCode::HostUnreachable,
    }
}

impl Session {
    /// Begins a session.
    pub(crate) async fn begin(
        services: Arc<SessionServices>,
        open: OpenSocket,
        details: SessionDetails,
        start: ReplayStart,
    ) -> std::io::Result<Self> {
        let reader = open.hub().read(open.machine(), start).await?;
        Ok(Self {
            services,
            open,
            details: Box::new(details),
            reader,
        })
    }

    /// Begins to read again from another line.
    pub(super) async fn read_from(&mut self, start: ReplayStart) {
        // A log that cannot be opened now was opened before, so live lines are read on.
        if let Ok(reader) = self.open.hub().read(self.open.machine(), start).await {
            self.reader = reader;
        }
    }

    /// Types a command, and returns its sequence number.
    pub(super) async fn type_command(&self, text: &str) -> Result<u64, SessionRefusal> {
        let key = self.open.key();
        if !key.allows(Scope::GameConsoleWrite) {
            return Err(SessionRefusal::scope(Scope::GameConsoleWrite));
        }
        check_command(text)
            .map_err(|problem| SessionRefusal::new(ControlErrorCode::InvalidRequest, problem))?;
        let counted = machine_key(&key.key.customer_id, &self.details.server_id);
        self.count(&self.services.command_limit, &counted, "command")
            .await?;
        let typed = self.open.hub().write_line(self.open.machine(), text).await;
        let seq = typed
            .map_err(|error| SessionRefusal::new(console_error_code(&error), error.to_string()))?;
        self.record_command(seq);
        Ok(seq)
    }

    /// Records that a command was typed. The log has its text. The client does not wait for it.
    fn record_command(&self, seq: u64) {
        let entry = self.audit_entry("console.command", json!({ "sequence": seq }));
        let database = Arc::clone(&self.services.database);
        tokio::spawn(async move { audit::record_refusal(&database, &entry).await });
    }

    fn audit_entry(&self, event: &'static str, details: serde_json::Value) -> AuditEntry {
        let key = self.open.key();
        let actor = Actor::Key(key.key.id.clone());
        AuditEntry {
            customer_id: Some(key.key.customer_id.clone()),
            target: Some(self.details.server_id.clone()),
            address: self.details.address,
            request_id: self.details.request_id.clone(),
            details,
            ..AuditEntry::new(self.open.hub().clock().now(), actor, event)
        }
    }

    /// Changes the power of the game server.
    pub(super) async fn change_power(
        &self,
        command: PowerCommand,
    ) -> Result<Action, SessionRefusal> {
        let key = self.open.key();
        let command = command.action();
        let scope = match command {
            ActionCommand::Kill => Scope::GameKill,
            _ => Scope::GamePower,
        };
        if !key.allows(scope) {
            return Err(SessionRefusal::scope(scope));
        }
        let counted = machine_key(&key.key.customer_id, &self.details.server_id);
        self.count(&self.services.power_limit, &counted, "power")
            .await?;
        self.count(&self.services.power_key_limit, &key.key.id, "power")
            .await?;
        let actor = Actor::Key(key.key.id.clone());
        let request = PowerRequest {
            address: self.details.address,
            request_id: self.details.request_id.clone(),
            ..PowerRequest::new(self.open.machine(), command, actor)
        };
        match self.services.power.request(&request).await {
            Ok(answer) => Ok(answer.action),
            Err(error) => Err(power_refusal(&error)),
        }
    }

    async fn count(
        &self,
        limit: &RateLimit<Arc<SharedLimiter>>,
        key: &str,
        kind: &'static str,
    ) -> Result<(), SessionRefusal> {
        let counted = limit.count_for(key).await;
        counted.map_err(|decision| SessionRefusal {
            throttled: Some((kind, decision.more_in)),
            ..SessionRefusal::new(ControlErrorCode::RateLimited, "too many requests")
        })
    }

    /// Returns a ticket for the next connection, if the client opened this one with a ticket.
    pub(super) async fn next_ticket(&self) -> Option<NextTicket> {
        if !self.details.is_by_ticket {
            return None;
        }
        // Also if it cannot be made now: the next attempt comes with the next one that is due.
        self.open.note_ticket_sent();
        let made = async {
            let connection = self.services.database.connection().await?;
            let end = self.open.hub().clock().now() + ticket::LIFETIME;
            let origin = self.details.origin.as_deref();
            let (key, machine) = (self.open.key(), self.open.machine());
            ticket::create(&connection, &key, machine, origin, end).await
        };
        match made.await {
            Ok(ticket) => Some(NextTicket {
                text: ticket.text.reveal().clone(),
                expires_at: ticket.expires_at,
            }),
            Err(error) => {
                tracing::warn!(%error, "a ticket for the next connection cannot be made");
                None
            }
        }
    }
}

fn power_refusal(error: &PowerError) -> SessionRefusal {
    let (code, detail) = match error {
        PowerError::NotFound => (ControlErrorCode::NotFound, error.to_string()),
        PowerError::Refused(refusal) => {
            let state = refusal.state;
            (
                refusal.code,
                format!("this is not possible while the server is {state}"),
            )
        }
        PowerError::Changed | PowerError::IdempotencyMismatch => {
            (ControlErrorCode::ActionInProgress, error.to_string())
        }
        PowerError::Database(error) => {
            tracing::warn!(%error, "a power request of a console failed");
            let detail = "the service is not available at the moment; try again later";
            (ControlErrorCode::Unavailable, detail.to_owned())
        }
    };
    SessionRefusal::new(code, detail)
}
