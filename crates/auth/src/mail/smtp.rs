//! The mail server: connections to it, and what it said.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail as MailFrom, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use tokio::time::{Instant, timeout};
use url::{Host, Url};

use super::compose::Mail;
use crate::config::SmtpConfig;

/// The port on which TLS starts with the connection.
const TLS_PORT: u16 = 465;
/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(1);

/// How long the mail server is given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// For an answer.
    pub(super) step: Duration,
    /// For the answer to the whole mail, which servers may look through first.
    pub(super) content: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            step: Duration::from_secs(20),
            content: Duration::from_mins(1),
        }
    }
}

/// The configured mail server, and open connections to it.
pub(super) struct Server {
    host: String,
    port: u16,
    starts_with_tls: bool,
    /// Nobody listens between us and it.
    is_this_machine: bool,
    hello: ClientId,
    credentials: Option<Credentials>,
    patience: Patience,
    /// Made when first needed, because it reads the system's certificates.
    tls: OnceLock<TlsParameters>,
    idle: Mutex<Vec<Idle>>,
}

struct Idle {
    connection: AsyncSmtpConnection,
    since: Instant,
}

/// A part of the conversation that the server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Connect,
    StartTls,
    SignIn,
    Sender,
    Recipient,
    Data,
    Content,
}

impl Step {
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

    /// Whether a refusal is about the mail. Before that it is about us, which an operator can mend.
    fn is_about_the_mail(self) -> bool {
        !matches!(self, Self::Connect | Self::StartTls | Self::SignIn)
    }
}

/// Why a mail was not sent.
#[derive(Debug)]
pub(super) struct SendError {
    /// Whether another try makes sense.
    pub(super) is_for_now: bool,
    /// The status code of the server, if it gave one.
    pub(super) status: Option<String>,
    /// What happened. It may quote the mail.
    pub(super) cause: String,
    /// The server has ended the conversation or will; another connection may fare better.
    is_gone: bool,
}

impl SendError {
    fn of(step: Step, error: &Error) -> Self {
        let status = error.status().map(|code| code.to_string());
        // Whoever must sign in first is not told anything about the mail.
        let wants_sign_in = matches!(status.as_deref(), Some("530" | "535" | "538"));
        let is_for_good = error.is_client() || (error.is_permanent() && !wants_sign_in);
        Self {
            is_for_now: !(is_for_good && step.is_about_the_mail()),
            is_gone: status.as_deref().is_none_or(|status| status == "421") && !error.is_client(),
            status,
            cause: format!("{}: {error}", step.name()),
        }
    }

    fn stalled(step: Step, patience: Duration) -> Self {
        Self {
            is_for_now: true,
            status: None,
            cause: format!(
                "{}: no answer within {} s",
                step.name(),
                patience.as_secs_f64()
            ),
            is_gone: false,
        }
    }
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
            patience: Patience::default(),
            tls: OnceLock::new(),
            idle: Mutex::default(),
        }
    }

    /// Sends a mail over an open connection if there is one, and keeps the connection.
    pub(super) async fn send(&self, mail: &Mail) -> Result<(), SendError> {
        let mut connection = self.begin(mail).await?;
        let sent = self.transfer(&mut connection, mail).await;
        let is_good = match &sent {
            Ok(()) => true,
            // It has refused this mail and may take the next.
            Err(error) => {
                error.status.is_some() && !error.is_gone && self.reset(&mut connection).await
            }
        };
        if is_good {
            self.idle().push(Idle {
                connection,
                since: Instant::now(),
            });
        }
        sent
    }

    /// Waits for an answer, but not for ever.
    async fn step<T>(
        &self,
        step: Step,
        answer: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, SendError> {
        let patience = match step {
            Step::Content => self.patience.content,
            _ => self.patience.step,
        };
        match timeout(patience, answer).await {
            Ok(answer) => answer.map_err(|error| SendError::of(step, &error)),
            Err(_) => Err(SendError::stalled(step, patience)),
        }
    }

    /// A connection on which the server has taken the sender. Only that tells whether an open one is
    /// still good: the server may have closed it, or may have restarted.
    async fn begin(&self, mail: &Mail) -> Result<AsyncSmtpConnection, SendError> {
        loop {
            let idle = self.idle().pop();
            let Some(Idle { mut connection, .. }) = idle else {
                break;
            };
            match self.announce(&mut connection, mail).await {
                Ok(()) => return Ok(connection),
                Err(error) if error.is_gone => {}
                Err(error) => return Err(error),
            }
        }
        let mut connection = self.connect().await?;
        self.announce(&mut connection, mail).await?;
        Ok(connection)
    }

    /// Says who sends.
    async fn announce(
        &self,
        connection: &mut AsyncSmtpConnection,
        mail: &Mail,
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
                    is_for_now: false,
                    status: None,
                    cause: "MAIL: the server takes no addresses beyond ASCII".to_owned(),
                    is_gone: false,
                });
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        if !mail.bytes.is_ascii() && server.supports_feature(Extension::EightBitMime) {
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let sender = MailFrom::new(mail.envelope.from().cloned(), parameters);
        self.step(Step::Sender, connection.command(sender)).await?;
        Ok(())
    }

    /// Says where it goes and what it says.
    async fn transfer(
        &self,
        connection: &mut AsyncSmtpConnection,
        mail: &Mail,
    ) -> Result<(), SendError> {
        for recipient in mail.envelope.to() {
            let recipient = Rcpt::new(recipient.clone(), Vec::new());
            self.step(Step::Recipient, connection.command(recipient))
                .await?;
        }
        self.step(Step::Data, connection.command(Data)).await?;
        self.step(Step::Content, connection.message(&mail.bytes))
            .await?;
        Ok(())
    }

    /// Makes a connection good for the next mail; says whether it is.
    async fn reset(&self, connection: &mut AsyncSmtpConnection) -> bool {
        let reset = timeout(GOODBYE, connection.command(Rset)).await;
        reset.is_ok_and(|answer| answer.is_ok())
    }

    /// A new connection that is ready for a mail.
    pub(super) async fn connect(&self) -> Result<AsyncSmtpConnection, SendError> {
        let failed = |step| move |error: Error| SendError::of(step, &error);
        let tls = if self.starts_with_tls {
            Some(self.tls().map_err(failed(Step::Connect))?)
        } else {
            None
        };
        let address = (self.host.as_str(), self.port);
        let opening = AsyncSmtpConnection::connect_tokio1(address, None, &self.hello, tls, None);
        let mut connection = self.step(Step::Connect, opening).await?;
        if connection.can_starttls() {
            let tls = self.tls().map_err(failed(Step::StartTls))?;
            self.step(Step::StartTls, connection.starttls(tls, &self.hello))
                .await?;
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
        let answer = connection.auth(DEFAULT_MECHANISMS, credentials);
        self.step(Step::SignIn, answer).await?;
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

    /// A server on another port than the usual one.
    pub(super) fn starting_with_tls(mut self, starts_with_tls: bool) -> Self {
        self.starts_with_tls = starts_with_tls;
        self
    }

    /// A server that is given less time.
    pub(super) fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// A server on this machine that is treated as one elsewhere.
    pub(super) fn elsewhere(mut self) -> Self {
        self.is_this_machine = false;
        self
    }
}
