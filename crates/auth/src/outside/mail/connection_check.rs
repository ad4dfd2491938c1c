//! Tests the connection to the mail server.

use std::time::Duration;

use tokio::time::timeout;

use super::smtp::{QUIT_TIMEOUT, SmtpServer};
use crate::config::Config;

/// Connects to the mail server as for a mail, with TLS and sign-in, without sending one. Returns whether the
/// connection was encrypted, or why it failed.
pub async fn test_connection(config: &Config, deadline: Duration) -> Result<bool, String> {
    let server = SmtpServer::new(&config.smtp, &config.api.external_url);
    match timeout(deadline, server.connect()).await {
        Ok(Ok(mut connection)) => {
            let is_encrypted = connection.is_encrypted();
            // The server has answered; how the connection ends does not matter.
            timeout(QUIT_TIMEOUT, connection.quit()).await.ok();
            Ok(is_encrypted)
        }
        Ok(Err(error)) => Err(error.cause),
        Err(_) => Err(format!("no answer within {} s", deadline.as_secs())),
    }
}
