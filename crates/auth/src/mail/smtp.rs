//! The mail server: connections to it, and what it said.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use tokio::time::{Instant, timeout};
use url::{Host, Url};

use super::compose::Mail;
use crate::config::SmtpConfig;

/// The port on which TLS starts with the connection.
const TLS_PORT: u16 = 465;
/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(1);

/// The configured mail server, and open connections to it.
pub(super) struct Server {
    host: String,
    port: u16,
    starts_with_tls: bool,
    /// Nobody listens between us and it.
    is_this_machine: bool,
    hello: ClientId,
    credentials: Option<Credentials>,
    /// Made when first needed, because it reads the system's certificates.
    tls: OnceLock<TlsParameters>,
    idle: Mutex<Vec<Idle>>,
}

struct Idle {
    connection: AsyncSmtpConnection,
    since: Instant,
}

/// Why a mail was not sent.
pub(super) struct SendError {
    /// Whether another try makes sense.
    pub(super) is_for_now: bool,
    /// The status code of the server, if it gave one.
    pub(super) status: Option<String>,
    /// What happened. It may quote the mail.
    pub(super) cause: String,
}

impl Server {
    pub(super) fn new(smtp: &SmtpConfig, external_url: &Url) -> Self {
        let credentials = smtp.user.as_ref().map(|user| {
            let password = smtp.pass.as_ref().map(|pass| pass.reveal().clone());
            Credentials::new(user.clone(), password.unwrap_or_default())
        });
        Self {
            host: smtp.host.clone(),
            port: smtp.port,
            starts_with_tls: smtp.port == TLS_PORT,
            is_this_machine: is_this_machine(&smtp.host),
            hello: match external_url.host() {
                Some(Host::Domain(name)) => ClientId::Domain(name.to_owned()),
                Some(Host::Ipv4(address)) => ClientId::Ipv4(address),
                Some(Host::Ipv6(address)) => ClientId::Ipv6(address),
                None => ClientId::Domain("localhost".to_owned()),
            },
            credentials: credentials.filter(|_| smtp.user.as_deref() != Some("")),
            tls: OnceLock::new(),
            idle: Mutex::default(),
        }
    }

    /// Sends a mail over an open connection if there is one, and keeps the connection.
    pub(super) async fn send(&self, mail: &Mail, deadline: Duration) -> Result<(), SendError> {
        timeout(deadline, self.try_send(mail))
            .await
            .unwrap_or_else(|_| {
                Err(SendError {
                    is_for_now: true,
                    status: None,
                    cause: format!("no answer within {} s", deadline.as_secs()),
                })
            })
    }

    async fn try_send(&self, mail: &Mail) -> Result<(), SendError> {
        let mut connection = match self.open_connection().await {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        connection.send(&mail.envelope, &mail.bytes).await?;
        self.idle().push(Idle {
            connection,
            since: Instant::now(),
        });
        Ok(())
    }

    /// An open connection that still answers.
    async fn open_connection(&self) -> Option<AsyncSmtpConnection> {
        loop {
            let idle = self.idle().pop()?;
            let mut connection = idle.connection;
            if connection.test_connected().await {
                return Some(connection);
            }
        }
    }

    /// A new connection that is ready for a mail.
    pub(super) async fn connect(&self) -> Result<AsyncSmtpConnection, SendError> {
        let tls = if self.starts_with_tls {
            Some(self.tls()?)
        } else {
            None
        };
        let address = (self.host.as_str(), self.port);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(address, None, &self.hello, tls, None).await?;
        if connection.can_starttls() {
            connection.starttls(self.tls()?, &self.hello).await?;
        }
        if let Some(credentials) = &self.credentials {
            self.sign_in(&mut connection, credentials).await?;
        }
        Ok(connection)
    }

    /// Signs in where the server offers it and nobody can listen. Servers that offer no sign-in
    /// are often given a user and a password all the same.
    async fn sign_in(
        &self,
        connection: &mut AsyncSmtpConnection,
        credentials: &Credentials,
    ) -> Result<(), SendError> {
        let info = connection.server_info();
        if info.get_auth_mechanism(DEFAULT_MECHANISMS).is_none() {
            return Ok(());
        }
        if !connection.is_encrypted() && !self.is_this_machine {
            tracing::warn!(
                smtp.host = self.host,
                "the mail server offers no TLS, so SMTP_USER and SMTP_PASS are not sent to it"
            );
            return Ok(());
        }
        connection.auth(DEFAULT_MECHANISMS, credentials).await?;
        Ok(())
    }

    fn tls(&self) -> Result<TlsParameters, Error> {
        if let Some(tls) = self.tls.get() {
            return Ok(tls.clone());
        }
        let tls = TlsParameters::new(self.host.clone())?;
        Ok(self.tls.get_or_init(|| tls).clone())
    }

    /// Says goodbye on connections that nobody has used for so long.
    pub(super) async fn close_idle(&self, longer_than: Duration) {
        let old: Vec<Idle> = self
            .idle()
            .extract_if(.., |idle| idle.since.elapsed() >= longer_than)
            .collect();
        for mut idle in old {
            // The server may have closed it already, or may have stopped answering.
            timeout(GOODBYE, idle.connection.quit()).await.ok();
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

impl From<Error> for SendError {
    fn from(error: Error) -> Self {
        Self {
            is_for_now: !error.is_permanent() && !error.is_client(),
            status: error.status().map(|code| code.to_string()),
            cause: error.to_string(),
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("host", &self.host)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
impl Server {
    /// A server whose certificate is signed by this one.
    pub(super) fn trusting(mut self, certificate: &str, starts_with_tls: bool) -> Self {
        use lettre::transport::smtp::client::{Certificate, CertificateStore};
        let tls = TlsParameters::builder("localhost".to_owned())
            .certificate_store(CertificateStore::None)
            .add_root_certificate(Certificate::from_pem(certificate.as_bytes()).unwrap())
            .build()
            .unwrap();
        self.tls = OnceLock::from(tls);
        self.starts_with_tls = starts_with_tls;
        self
    }

    /// A server on this machine that is treated as one elsewhere.
    pub(super) fn elsewhere(mut self) -> Self {
        self.is_this_machine = false;
        self
    }
}
