//! `POST /v1/hosting/game/console/{server_id}/ticket`: a one-time ticket with which a page opens a console.

use std::sync::Arc;

use http::StatusCode;
use innkeeper_rest::{FieldError, Origins, Rejection, Response, Unnegotiated, resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::console_access::find_console;
use super::context::Control;
use super::given_id::GivenId;
use super::refusal::unavailable;
use crate::machines::key::{VerifiedKey, ticket};

pub(crate) struct ConsoleTicket {
    pub(crate) control: Arc<Control>,
}

/// What a ticket is for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TicketOptions {
    /// Only pages of this origin, such as `https://panel.example`, can use the ticket.
    origin: Option<String>,
}

/// A ticket.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TicketAnswer {
    /// The ticket, which works once. Offer it as the subprotocol `ticket.<ticket>`.
    ticket: String,
    /// When it stops working, in 30 seconds.
    #[schemars(extend("format" = "date-time"))]
    expires_at: String,
}

#[resource("/game/console/{server_id}/ticket")]
#[security(api_key("game:console:read"))]
#[filter(self.control.credentials.clone())]
#[filter(self.control.limits.key.clone())]
impl ConsoleTicket {
    /// Makes a ticket with which a page opens the console of a game server, with the rights of this key.
    #[post]
    #[responds(201, TicketAnswer, "the ticket")]
    #[consumes("application/json")]
    async fn create(
        &self,
        /// The id of the server.
        server_id: GivenId<'_>,
        #[value] key: Arc<VerifiedKey>,
        #[entity] options: Option<TicketOptions>,
    ) -> Result<Unnegotiated, Rejection> {
        let origin = options.and_then(|options| options.origin);
        if let Some(origin) = &origin {
            check_origin(origin)?;
        }
        let server = find_console(&self.control, &key, server_id.0).await?;
        server.check_active()?;
        let connection = self.control.connection().await?;
        let end = self.control.app.clock.now() + ticket::LIFETIME;
        let (machine, origin) = (server.machine.id, origin.as_deref());
        let issued = ticket::create(&connection, &key, machine, origin, end).await;
        let issued = issued.map_err(|error| unavailable(error.to_string()))?;
        let answer = TicketAnswer {
            ticket: issued.text.reveal().clone(),
            expires_at: format!("{:.3}", issued.expires_at),
        };
        let response = Response::status(StatusCode::CREATED).header("cache-control", "no-store");
        Ok(Unnegotiated(response.entity(answer)))
    }
}

/// Refuses what no browser sends as the origin of a page.
fn check_origin(origin: &str) -> Result<(), Rejection> {
    if !origin.contains('*') && Origins::these([origin]).is_ok() {
        return Ok(());
    }
    let problem = "expected an origin such as https://panel.example";
    Err(Rejection::invalid(vec![FieldError::new(
        "/origin", problem,
    )]))
}
