//! Connections to the mail server.

use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use innkeeper_service::loopback::is_loopback_host;
use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail as MailFrom, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use tokio::time::{Instant, timeout};
use url::{Host, Url};

use super::compose::EncodedMail;
use crate::config::{SmtpConfig, SmtpTls};

/// How long `QUIT` and `RSET` may take.
pub(super) const QUIT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long to wait for the mail server.
#[derive(Debug, Clone, Copy)]
pub(super) struct SmtpTimeouts {
    /// For the reply to a command.
    pub(super) step: Duration,
    /// For the reply to the content of a mail, which servers may scan first.
    pub(super) content: Duration,
}

impl Default for SmtpTimeouts {
    fn default() -> Self {
        Self {
            step: Duration::from_secs(20),
            content: Duration::from_mins(1),
        }
    }
}

/// The configured mail server, with a pool of open connections.
pub(super) struct SmtpServer {
    host: String,
    port: u16,
    mode: SmtpTls,
    /// The server is on this machine, so that nobody can listen on the way.
    is_this_machine: bool,
    hello: ClientId,
    credentials: Option<Credentials>,
    timeouts: SmtpTimeouts,
    /// Built when first needed, because it reads the system's certificates.
    tls: OnceLock<TlsParameters>,
    idle: Mutex<Vec<IdleConnection>>,
}

struct IdleConnection {
    connection: AsyncSmtpConnection,
    since: Instant,
}

/// A step of an SMTP session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SmtpStep {
    Connect,
    StartTls,
    SignIn,
    Sender,
    Recipient,
    Data,
    Content,
}

impl SmtpStep {
    fn name(self) -> &'static str {
        match self {
            Self::Connect => "the connection",
            Self::StartTls => "STARTTLS",
            Self::SignIn => "AUTH",
            Self::Sender => "MAIL",
            Self::Recipient => "RCPT",
            Self::Data => "DATA",
            Self::Content => "the mail",
        }
    }

    /// Whether an error concerns the mail. In earlier steps it concerns the settings, which an operator can
    /// fix.
    fn concerns_mail(self) -> bool {
        !matches!(self, Self::Connect | Self::StartTls | Self::SignIn)
    }
}

/// A failed attempt to send a mail.
#[derive(Debug)]
pub(super) struct SendError {
    /// Another attempt may succeed.
    pub(super) is_temporary: bool,
    /// The status code of the server, if it gave one.
    pub(super) status: Option<String>,
    /// What happened; it may quote the mail.
    pub(super) cause: String,
    /// The server has closed the connection or will; another connection may work.
    is_closed: bool,
}

impl SendError {
    fn new(step: SmtpStep, error: &Error) -> Self {
        let status = error.status().map(|code| code.to_string());
        // A server that requires sign-in has not looked at the mail.
        let requires_sign_in = matches!(status.as_deref(), Some("530" | "535" | "538"));
        let is_permanent = error.is_client() || (error.is_permanent() && !requires_sign_in);
        Self {
            is_temporary: !(is_permanent && step.concerns_mail()),
            is_closed: status.as_deref().is_none_or(|status| status == "421") && !error.is_client(),
            status,
            cause: format!("{}: {error}", step.name()),
        }
    }

    /// The server must offer `STARTTLS`, and does not. The operator can fix that.
    fn no_tls() -> Self {
        Self {
            is_temporary: true,
            status: None,
            cause: "STARTTLS: the mail server does not offer TLS, which SMTP_TLS requires"
                .to_owned(),
            is_closed: true,
        }
    }

    fn timed_out(step: SmtpStep, limit: Duration) -> Self {
        Self {
            is_temporary: true,
            status: None,
            cause: format!(
                "{}: no answer within {} s",
                step.name(),
                limit.as_secs_f64()
            ),
            is_closed: false,
        }
    }
}

impl SmtpServer {
    pub(super) fn new(smtp: &SmtpConfig, external_url: &Url) -> Self {
        let credentials = smtp.user.as_ref().map(|user| {
            let password = smtp.pass.as_ref().map(|pass| pass.reveal().clone());
            Credentials::new(user.clone(), password.unwrap_or_default())
        });
        Self {
            host: smtp.host.clone(),
            port: smtp.port,
            mode: smtp.tls,
            is_this_machine: is_loopback_host(&smtp.host),
            hello: match external_url.host() {
                Some(Host::Domain(name)) => ClientId::Domain(name.to_owned()),
                Some(Host::Ipv4(address)) => ClientId::Ipv4(address),
                Some(Host::Ipv6(address)) => ClientId::Ipv6(address),
                None => ClientId::Domain("localhost".to_owned()),
            },
            credentials: credentials.filter(|_| smtp.user.as_deref() != Some("")),
            timeouts: SmtpTimeouts::default(),
            tls: OnceLock::new(),
            idle: Mutex::default(),
        }
    }

    /// Sends a mail, over an open connection if there is one, and keeps the connection open.
    pub(super) async fn send(&self, mail: &EncodedMail) -> Result<(), SendError> {
        let mut connection = self.begin(mail).await?;
        let sent = self.send_content(&mut connection, mail).await;
        let is_reusable = match &sent {
            Ok(()) => true,
            // The server has refused this mail and may accept the next.
            Err(error) => {
                error.status.is_some() && !error.is_closed && self.reset(&mut connection).await
            }
        };
        if is_reusable {
            self.idle().push(IdleConnection {
                connection,
                since: Instant::now(),
            });
        }
        sent
    }

    /// Waits for the reply to a step, up to its time limit.
    async fn step<T>(
        &self,
        step: SmtpStep,
        answer: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, SendError> {
        let limit = match step {
            SmtpStep::Content => self.timeouts.content,
            _ => self.timeouts.step,
        };
        match timeout(limit, answer).await {
            Ok(answer) => answer.map_err(|error| SendError::new(step, &error)),
            Err(_) => Err(SendError::timed_out(step, limit)),
        }
    }

    /// Returns a connection on which the server has accepted the sender. Only that shows whether an open
    /// connection still works: the server may have closed it, or may have restarted.
    async fn begin(&self, mail: &EncodedMail) -> Result<AsyncSmtpConnection, SendError> {
        loop {
            let idle = self.idle().pop();
            let Some(IdleConnection { mut connection, .. }) = idle else {
                break;
            };
            match self.send_sender(&mut connection, mail).await {
                Ok(()) => return Ok(connection),
                Err(error) if error.is_closed => {}
                Err(error) => return Err(error),
            }
        }
        let mut connection = self.connect().await?;
        self.send_sender(&mut connection, mail).await?;
        Ok(connection)
    }

    /// Sends `MAIL FROM`.
    async fn send_sender(
        &self,
        connection: &mut AsyncSmtpConnection,
        mail: &EncodedMail,
    ) -> Result<(), SendError> {
        let server = connection.server_info();
        let mut parameters = Vec::new();
        let is_ascii = |address: &Address| {
            let text: &str = address.as_ref();
            text.is_ascii()
        };
        let envelope = &mail.envelope;
        if !envelope
            .from()
            .into_iter()
            .chain(envelope.to())
            .all(is_ascii)
        {
            if !server.supports_feature(Extension::SmtpUtfEight) {
                return Err(SendError {
                    is_temporary: false,
                    status: None,
                    cause: "MAIL: the server does not accept addresses beyond ASCII".to_owned(),
                    is_closed: false,
                });
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        if !mail.bytes.is_ascii() && server.supports_feature(Extension::EightBitMime) {
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let sender = MailFrom::new(mail.envelope.from().cloned(), parameters);
        self.step(SmtpStep::Sender, connection.command(sender))
            .await?;
        Ok(())
    }

    /// Sends the recipients and the content.
    async fn send_content(
        &self,
        connection: &mut AsyncSmtpConnection,
        mail: &EncodedMail,
    ) -> Result<(), SendError> {
        for recipient in mail.envelope.to() {
            let recipient = Rcpt::new(recipient.clone(), Vec::new());
            self.step(SmtpStep::Recipient, connection.command(recipient))
                .await?;
        }
        self.step(SmtpStep::Data, connection.command(Data)).await?;
        self.step(SmtpStep::Content, connection.message(&mail.bytes))
            .await?;
        Ok(())
    }

    /// Resets a connection for the next mail. Returns whether that worked.
    async fn reset(&self, connection: &mut AsyncSmtpConnection) -> bool {
        let reset = timeout(QUIT_TIMEOUT, connection.command(Rset)).await;
        reset.is_ok_and(|answer| answer.is_ok())
    }

    /// Opens a connection that is ready for a mail.
    pub(super) async fn connect(&self) -> Result<AsyncSmtpConnection, SendError> {
        let failed = |step| move |error: Error| SendError::new(step, &error);
        let tls = if self.mode == SmtpTls::Implicit {
            Some(self.tls().map_err(failed(SmtpStep::Connect))?)
        } else {
            None
        };
        let address = (self.host.as_str(), self.port);
        let opening = AsyncSmtpConnection::connect_tokio1(address, None, &self.hello, tls, None);
        let mut connection = self.step(SmtpStep::Connect, opening).await?;
        if self.mode == SmtpTls::Required && !connection.can_starttls() {
            return Err(SendError::no_tls());
        }
        if self.mode != SmtpTls::Off && connection.can_starttls() {
            let tls = self.tls().map_err(failed(SmtpStep::StartTls))?;
            self.step(SmtpStep::StartTls, connection.starttls(tls, &self.hello))
                .await?;
        }
        if let Some(credentials) = &self.credentials {
            self.sign_in(&mut connection, credentials).await?;
        }
        Ok(connection)
    }

    /// Signs in if the server offers it and nobody can listen. A server that does not offer it is used
    /// without: user and password are often configured all the same.
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
        let answer = connection.auth(DEFAULT_MECHANISMS, credentials);
        self.step(SmtpStep::SignIn, answer).await?;
        Ok(())
    }

    fn tls(&self) -> Result<TlsParameters, Error> {
        if let Some(tls) = self.tls.get() {
            return Ok(tls.clone());
        }
        let tls = TlsParameters::new(self.host.clone())?;
        Ok(self.tls.get_or_init(|| tls).clone())
    }

    /// Closes connections that have been idle for this long.
    pub(super) async fn close_idle(&self, idle_for: Duration) {
        let expired: Vec<IdleConnection> = self
            .idle()
            .extract_if(.., |idle| idle.since.elapsed() >= idle_for)
            .collect();
        for mut idle in expired {
            // The server may have closed it already, or may have stopped answering.
            timeout(QUIT_TIMEOUT, idle.connection.quit()).await.ok();
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SmtpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmtpServer")
            .field("host", &self.host)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
impl SmtpServer {
    /// Trusts certificates that are signed by this one.
    pub(super) fn trusting(mut self, certificate: &str, starts_with_tls: bool) -> Self {
        use lettre::transport::smtp::client::{Certificate, CertificateStore};
        let tls = TlsParameters::builder("localhost".to_owned())
            .certificate_store(CertificateStore::None)
            .add_root_certificate(Certificate::from_pem(certificate.as_bytes()).unwrap())
            .build()
            .unwrap();
        self.tls = OnceLock::from(tls);
        self.starting_with_tls(starts_with_tls)
    }

    /// Starts with TLS on any port, or with `STARTTLS` if that is offered.
    pub(super) fn starting_with_tls(self, starts_with_tls: bool) -> Self {
        self.with_mode(if starts_with_tls {
            SmtpTls::Implicit
        } else {
            SmtpTls::Opportunistic
        })
    }

    /// Changes how connections are encrypted.
    pub(super) fn with_mode(mut self, mode: SmtpTls) -> Self {
        self.mode = mode;
        self
    }

    /// Changes the time limits.
    pub(super) fn with_timeouts(mut self, timeouts: SmtpTimeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Treats a server on this machine as a remote one.
    pub(super) fn elsewhere(mut self) -> Self {
        self.is_this_machine = false;
        self
    }
}
