//! Opens connections.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Connect;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::is_full;
use super::{DatabaseError, DatabaseOptions, FIRST_PAUSE, LONGEST_PAUSE, explain, tls, url};

/// How long a server may take from the first byte to readiness.
pub(super) const HANDSHAKE: Duration = Duration::from_secs(10);

type Opened = (Client, JoinHandle<()>);

/// Opens connections to one database, each with its schema in the search path.
#[derive(Clone)]
pub(super) struct Connector {
    config: Config,
    tls: MakeRustlsConnect,
    /// Sent on each new connection. As a startup option it would be shorter, but poolers refuse those.
    greeting: Arc<str>,
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector")
            .field("greeting", &self.greeting)
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
            greeting: format!("set search_path to \"{schema}\"").into(),
        })
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    async fn open(&self) -> Result<Opened, Error> {
        let (client, connection) = self.config.connect(self.tls.clone()).await?;
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = explain(&error), "a database connection ended");
            }
        });
        client.batch_execute(&self.greeting).await?;
        Ok((client, task))
    }

    /// Opens a connection; while the server has no room for one more, tries again.
    pub(super) async fn connect_patiently(&self, wait: Duration) -> Result<Opened, DatabaseError> {
        let deadline = Instant::now() + wait;
        let mut pause = FIRST_PAUSE;
        loop {
            match timeout(HANDSHAKE, self.open()).await {
                Ok(Ok(opened)) => return Ok(opened),
                Ok(Err(error)) if is_full(&error) && Instant::now() + pause < deadline => {
                    sleep(pause).await;
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
                Ok(Err(error)) => return Err(DatabaseError::unreachable(&error)),
                Err(_) => return Err(DatabaseError::Unavailable(NO_ANSWER.to_owned())),
            }
        }
    }
}

const NO_ANSWER: &str = "the server accepts connections but does not answer";

impl Connect for Connector {
    fn connect(
        &self,
        _config: &Config,
    ) -> Pin<Box<dyn Future<Output = Result<Opened, Error>> + Send + '_>> {
        Box::pin(self.open())
    }
}
