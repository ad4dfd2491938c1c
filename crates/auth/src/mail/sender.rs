//! Who sends a mail: a mail server, or a hook of the application.

use std::time::Duration;

use super::compose::Mail;
use super::smtp::{SendError, Server};
use crate::hook::Hooks;

#[derive(Debug)]
pub(super) enum Sender {
    Smtp(Server),
    Hook(Hooks),
}

impl From<Server> for Sender {
    fn from(server: Server) -> Self {
        Self::Smtp(server)
    }
}

impl Sender {
    /// Sends a mail; a hook has its own deadline, which is shorter.
    pub(super) async fn send(&self, mail: &Mail, deadline: Duration) -> Result<(), SendError> {
        match self {
            Self::Smtp(server) => server.send(mail, deadline).await,
            Self::Hook(hooks) => {
                let payload = String::from_utf8_lossy(&mail.bytes);
                let sent = hooks.send_email(mail.id, &payload).await;
                sent.map_err(|error| SendError {
                    is_for_now: error.is_for_now(),
                    status: None,
                    cause: error.to_string(),
                })
            }
        }
    }

    /// Closes connections that nobody has used for so long.
    pub(super) async fn close_idle(&self, unused: Duration) {
        if let Self::Smtp(server) = self {
            server.close_idle(unused).await;
        }
    }
}
