//! Opens connections to a database.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Connect;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Client, Config, Error, NoTls, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::{DatabaseError, explain, is_full};
use super::limit::{ConnectionLimit, ConnectionPermit};
use super::options::DatabaseOptions;
use super::pooler::PoolerState;
use super::socket::{self, FailedStream, ServerAddress, ServerStream};
use super::wire::{Wire, WireState, WireTls};
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
    schema: Arc<str>,
    pooler: Arc<PoolerState>,
    limit: ConnectionLimit,
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector")
            .field("schema", &self.schema)
            .field("pooler", &self.pooler)
            .finish_non_exhaustive()
    }
}

impl Connector {
    pub(super) fn new(options: &DatabaseOptions) -> Result<Self, DatabaseError> {
        let mut target = url::parse(options.url.reveal(), &options.schema)?;
        if target.config.get_application_name().is_none() {
            target.config.application_name(&options.application_name);
        }
        Ok(Self {
            tls: tls::connector(&target)?,
            config: target.config,
            schema: options.schema.as_str().into(),
            pooler: Arc::new(PoolerState::new(options.pooler)),
            limit: ConnectionLimit::new(options.max_pool_size),
        })
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    pub(super) fn pooler(&self) -> &Arc<PoolerState> {
        &self.pooler
    }

    /// Whether as many connections are open as may be.
    pub(super) fn is_at_limit(&self) -> bool {
        self.limit.is_reached()
    }

    /// Opens a connection to the first address that accepts it, unless the limit is reached.
    async fn open(&self) -> Result<ClientAndTask, Error> {
        let permit = match self.limit.take() {
            Ok(permit) => permit,
            Err(reached) => return fail(io::Error::other(reached)).await,
        };
        let mut last = None;
        for address in socket::addresses(&self.config).await {
            let opened = match address {
                Ok(address) => self.open_at(&address, &permit).await,
                Err(error) => fail(error).await,
            };
            match opened {
                Ok(opened) => return Ok(opened),
                Err(error) => last = Some(error),
            }
        }
        match last {
            Some(error) => Err(error),
            None => fail(io::Error::other("no address was found")).await,
        }
    }

    async fn open_at(
        &self,
        address: &ServerAddress,
        permit: &ConnectionPermit,
    ) -> Result<ClientAndTask, Error> {
        let stream = match socket::connect(address, &self.config).await {
            Ok(stream) => stream,
            Err(error) => return fail(error).await,
        };
        let state = Arc::new(WireState::new(Arc::clone(&self.pooler)));
        let wire = Wire::new(stream, Arc::clone(&state), Arc::clone(&self.schema));
        let opened = match address {
            ServerAddress::Tcp { host, .. } => {
                let mut tls = self.tls.clone();
                match MakeTlsConnect::<ServerStream>::make_tls_connect(&mut tls, host) {
                    Ok(tls) => {
                        start(&self.config, wire, WireTls(tls), Some(permit.clone())).await?
                    }
                    Err(error) => return fail(io::Error::other(error)).await,
                }
            }
            ServerAddress::Unix(_) => {
                let mut config = self.config.clone();
                config.ssl_mode(SslMode::Disable);
                start(&config, wire, NoTls, Some(permit.clone())).await?
            }
        };
        if !self.is_wanted(&opened.0).await? {
            return fail(io::Error::other("the server is not the requested kind")).await;
        }
        self.set_search_path(&opened.0, &state).await?;
        Ok(opened)
    }

    /// Whether the server is writable or read-only, if the URL says so.
    async fn is_wanted(&self, client: &Client) -> Result<bool, Error> {
        let wanted = match self.config.get_target_session_attrs() {
            TargetSessionAttrs::ReadWrite => "off",
            TargetSessionAttrs::ReadOnly => "on",
            _ => return Ok(true),
        };
        let rows = client.simple_query("show transaction_read_only").await?;
        Ok(first_value(&rows) == Some(wanted))
    }

    /// Sets the search path of the session, unless a pooler shares the session with other clients: then
    /// each transaction sets its own.
    ///
    /// A pooler is recognised by the process id. It cannot tell the client the one of a session, because
    /// the client will have many.
    async fn set_search_path(&self, client: &Client, state: &WireState) -> Result<(), Error> {
        if state.is_rewriting() {
            return Ok(());
        }
        let schema = self.schema.replace('"', "\"\"");
        if self.pooler.is_transaction_mode() == Some(false) {
            let set = format!("set search_path to \"{schema}\"");
            return client.batch_execute(&set).await;
        }
        let literal = format!("\"{schema}\"").replace('\'', "''");
        let id = state.process_id();
        let query = format!(
            "select pg_backend_pid() = {id},
                set_config(
                    'search_path',
                    case pg_backend_pid() when {id} then '{literal}'
                        else current_setting('search_path') end,
                    false
                )"
        );
        if first_value(&client.simple_query(&query).await?) != Some("t") {
            self.pooler.notice("its process is not the database's");
            state.start_rewriting();
        }
        Ok(())
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

/// Begins the protocol on a stream.
async fn start<S, T>(
    config: &Config,
    stream: S,
    tls: T,
    permit: Option<ConnectionPermit>,
) -> Result<ClientAndTask, Error>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: TlsConnect<S>,
    T::Stream: Send + 'static,
{
    let (client, connection) = config.connect_raw(stream, tls).await?;
    let task = tokio::spawn(async move {
        let _permit = permit;
        if let Err(error) = connection.await {
            tracing::debug!(error = explain(&error), "a database connection ended");
        }
    });
    Ok((client, task))
}

/// Fails with an error of the driver.
async fn fail(error: io::Error) -> Result<ClientAndTask, Error> {
    start(&Config::new(), FailedStream::new(error), NoTls, None).await
}

/// Returns the first column of the first row.
fn first_value(messages: &[SimpleQueryMessage]) -> Option<&str> {
    messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    })
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
