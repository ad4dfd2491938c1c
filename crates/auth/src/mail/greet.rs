//! Whether the mail server would talk to us.

use std::time::Duration;

use tokio::time::timeout;

use super::smtp::Server;
use crate::config::Config;

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(1);

/// Connects to the mail server as for a mail, with TLS and sign-in, sends none, and says whether the
/// connection was encrypted, or why there was none.
pub async fn greet(config: &Config, patience: Duration) -> Result<bool, String> {
    let server = Server::new(&config.smtp, &config.api.external_url);
    match timeout(patience, server.connect()).await {
        Ok(Ok(mut connection)) => {
            let is_encrypted = connection.is_encrypted();
            // It has answered; how it ends does not matter.
            timeout(GOODBYE, connection.quit()).await.ok();
            Ok(is_encrypted)
        }
        Ok(Err(error)) => Err(error.cause),
        Err(_) => Err(format!("no answer within {} s", patience.as_secs())),
    }
}
