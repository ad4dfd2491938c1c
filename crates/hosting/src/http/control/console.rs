//! `GET /v1/hosting/game/console/{server_id}/websocket`: the console of a game server.

use std::sync::Arc;
use std::time::Duration;

use http::header::{HeaderValue, ORIGIN, RETRY_AFTER, UPGRADE};
use innkeeper_rest::filter::{ClientAddress, RequestId};
use innkeeper_rest::{Close, Origins, Rejection, Request, Response, Upgrade, resource};

use super::console_access::{ConsoleServer, find_console};
use super::context::Control;
use super::errors::not_found;
use super::given_id::GivenId;
use super::refusal::{refusal, unavailable};
use crate::base::error_code::ControlErrorCode;
use crate::machines::console::close::CloseReason;
use crate::machines::console::{
    DEFAULT_TAIL, MAX_FRAME, PING_AFTER, PONG_WITHIN, PROTOCOLS, ReplayStart, Session,
    SessionDetails, SessionServices, WINGS_PROTOCOL, serve_socket,
};
use crate::machines::key::VerifiedKey;
use crate::machines::key::ticket::TicketGrant;
use crate::model::MachineSpec;

/// How many lines can be replayed by their number.
const MAX_TAIL: u64 = 5000;
/// When a client that has too many sockets may try again.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("10");

pub(crate) struct ConsoleWebsocket {
    control: Arc<Control>,
    /// `None` without a database.
    services: Option<Arc<SessionServices>>,
}

impl ConsoleWebsocket {
    pub(crate) fn new(control: Arc<Control>) -> Self {
        let app = &control.app;
        let services = match (&app.database, &app.power) {
            (Some(database), Some(power)) => Some(Arc::new(SessionServices {
                database: Arc::clone(database),
                power: power.clone(),
                command_limit: control.limits.command.clone(),
                power_limit: control.limits.power.clone(),
                power_key_limit: control.limits.power_key.clone(),
            })),
            _ => None,
        };
        Self { control, services }
    }
}

#[resource("/game/console/{server_id}/websocket")]
#[security(api_key("game:console:read"))]
#[filter(self.control.credentials.or_ticket())]
#[filter(self.control.limits.key.clone())]
impl ConsoleWebsocket {
    /// Opens the console of a game server as a websocket, with the subprotocol `innkeeper.console.v1` or `wings.v1`.
    ///
    /// Pages in browsers, which cannot send the header with the key, offer a one-time ticket as another subprotocol:
    /// `ticket.<ticket>`.
    #[get]
    #[responds(101, "the websocket is open")]
    #[responds(426, "the request does not ask for a websocket")]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the request")]
    async fn open(
        &self,
        /// The id of the server.
        server_id: GivenId<'_>,
        /// How many of the last lines to send first: 0 to 5000, by default 150.
        tail: Option<u64>,
        /// Send the lines after this sequence number first, and no others.
        since: Option<u64>,
        #[value] key: Arc<VerifiedKey>,
        #[value] ticket: Option<TicketGrant>,
        #[upgrade] upgrade: Option<Upgrade>,
        #[request] request: &Request,
    ) -> Result<Response, Rejection> {
        let server = find_console(&self.control, &key, server_id.0).await?;
        if ticket
            .as_ref()
            .is_some_and(|ticket| ticket.machine_id != server.machine.id)
        {
            return Err(not_found());
        }
        let upgrade = upgrade.ok_or_else(upgrade_required)?;
        let start = replay_start(tail, since)?;
        server.check_active()?;
        let services = self.services.clone();
        let services = services.ok_or_else(|| unavailable("DATABASE_URL is not set"))?;
        let is_by_ticket = ticket.is_some();
        // A client with a key is not a browser: pages cannot send the header.
        let origins = if is_by_ticket {
            self.control.console_origins.clone()
        } else {
            Origins::any()
        };
        let upgrade = upgrade
            .origins(origins)
            .protocols(PROTOCOLS)
            .max_message(MAX_FRAME)
            .ping_after(PING_AFTER)
            .pong_within(PONG_WITHIN);
        // Clients of Wings ask for the log themselves.
        let asks_for_log = upgrade.protocol() == Some(WINGS_PROTOCOL);
        let start = if asks_for_log && tail.is_none() && since.is_none() {
            ReplayStart::Tail(0)
        } else {
            start
        };
        let Some(open) = server.hub.open_socket(server.machine.id, &key) else {
            return too_many(upgrade, is_by_ticket);
        };
        let details = details(&server, request, is_by_ticket);
        let session = Session::begin(services, open, details, start).await;
        let session = session.map_err(|error| unavailable(error.to_string()))?;
        Ok(upgrade.accept(|socket| serve_socket(socket, session)))
    }
}

fn details(server: &ConsoleServer, request: &Request, is_by_ticket: bool) -> SessionDetails {
    let values = request.values();
    let origin = request.head().header_text(ORIGIN).map(str::to_owned);
    SessionDetails {
        server_id: server.machine.public_id.to_string(),
        state: server.state,
        memory_limit_bytes: match &server.machine.spec {
            MachineSpec::Game(spec) => u64::from(spec.memory_mib) << 20,
            MachineSpec::Vps(_) => 0,
        },
        address: values.get::<ClientAddress>().map(|client| client.0),
        request_id: values.get::<RequestId>().map(|id| id.as_str().to_owned()),
        origin: origin.filter(|_| is_by_ticket),
        is_by_ticket,
    }
}

/// Refuses a socket. A browser does not tell a page why a handshake failed, so it gets a close code.
fn too_many(upgrade: Upgrade, is_by_ticket: bool) -> Result<Response, Rejection> {
    let reason = CloseReason::TooManySockets;
    if is_by_ticket {
        return Ok(upgrade.accept(async move |mut socket| {
            let close = Close::new(reason.code(), reason.text());
            // A client that does not read it is disconnected without it.
            let _ = tokio::time::timeout(Duration::from_secs(1), socket.close(close)).await;
        }));
    }
    let refused = refusal(ControlErrorCode::RateLimited, reason.text());
    Err(refused.with_header(RETRY_AFTER, RETRY_SECONDS))
}

fn upgrade_required() -> Rejection {
    let message = "this URL is a websocket; send the header Upgrade: websocket";
    let refused = refusal(ControlErrorCode::UpgradeRequired, message);
    refused.with_header(UPGRADE, HeaderValue::from_static("websocket"))
}

fn replay_start(tail: Option<u64>, since: Option<u64>) -> Result<ReplayStart, Rejection> {
    match (tail, since) {
        (Some(_), Some(_)) => {
            let problem = "expected `tail` or `since`, not both";
            Err(Rejection::malformed_parameter(
                "query parameter",
                "since",
                problem,
            ))
        }
        (None, Some(seq)) => Ok(ReplayStart::Since(seq)),
        (Some(lines), None) if lines > MAX_TAIL => {
            let problem = format!("expected 0 to {MAX_TAIL}");
            Err(Rejection::malformed_parameter(
                "query parameter",
                "tail",
                &problem,
            ))
        }
        (lines, None) => Ok(ReplayStart::Tail(lines.unwrap_or(DEFAULT_TAIL))),
    }
}
