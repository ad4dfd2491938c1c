//! Opens connections to a database.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Connect;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::{DatabaseError, explain, is_full};
use super::options::DatabaseOptions;
use super::{tls, url};

/// How long a new connection may take until it is ready.
pub(super) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause after the first refusal by a full server, doubled each time.
pub(super) const FIRST_RETRY_PAUSE: Duration = Duration::from_millis(25);

/// The longest pause between two attempts.
pub(super) const MAX_RETRY_PAUSE: Duration = Duration::from_millis(400);

/// A client, and the task that drives its connection.
type ClientAndTask = (Client, JoinHandle<()>);

/// Opens connections to one database, each with the schema in its search path.
#[derive(Clone)]
pub(super) struct Connector {
    config: Config,
    tls: MakeRustlsConnect,
    /// The statement that sets the search path of a new connection. A startup option would be shorter, but
    /// connection poolers reject those.
    set_search_path: Arc<str>,
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector")
            .field("set_search_path", &self.set_search_path)
            .finish_non_exhaustive()
    }
}

impl Connector {
    pub(super) fn new(options: &DatabaseOptions) -> Result<Self, DatabaseError> {
        let mut target = url::parse(options.url.reveal(), &options.schema)?;
        if target.config.get_application_name().is_none() {
            target.config.application_name(&options.application_name);
        }
        let schema = options.schema.replace('"', "\"\"");
        Ok(Self {
            tls: tls::connector(&target)?,
            config: target.config,
            set_search_path: format!("set search_path to \"{schema}\"").into(),
        })
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    async fn open(&self) -> Result<ClientAndTask, Error> {
        let (client, connection) = self.config.connect(self.tls.clone()).await?;
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = explain(&error), "a database connection ended");
            }
        });
        client.batch_execute(&self.set_search_path).await?;
        Ok((client, task))
    }

    /// Opens a connection. While the server is full, retries for the given time.
    pub(super) async fn connect_with_retry(
        &self,
        wait: Duration,
    ) -> Result<ClientAndTask, DatabaseError> {
        let deadline = Instant::now() + wait;
        let mut pause = FIRST_RETRY_PAUSE;
        loop {
            match timeout(HANDSHAKE_TIMEOUT, self.open()).await {
                Ok(Ok(connected)) => return Ok(connected),
                Ok(Err(error)) if is_full(&error) && Instant::now() + pause < deadline => {
                    sleep(pause).await;
                    pause = MAX_RETRY_PAUSE.min(pause * 2);
                }
                Ok(Err(error)) => return Err(DatabaseError::unreachable(&error)),
                Err(_) => return Err(DatabaseError::Unavailable(NO_RESPONSE.to_owned())),
            }
        }
    }
}

const NO_RESPONSE: &str = "the server accepts connections but does not respond";

impl Connect for Connector {
    fn connect(
        &self,
        _config: &Config,
    ) -> Pin<Box<dyn Future<Output = Result<ClientAndTask, Error>> + Send + '_>> {
        Box::pin(self.open())
    }
}
