//! The SMTP session of one client.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use super::behaviour::{SinkFault, SmtpStep};
use super::mail::Mail;
use super::store::MailStore;

/// The longest line of a command or a mail, in bytes.
const MAX_LINE: usize = 8 * 1024;
/// The largest mail, in bytes.
const MAX_MAIL: usize = 10 * 1024 * 1024;
/// The most recipients of a mail.
const MAX_RECIPIENTS: usize = 100;
/// How long a client may be idle.
const IDLE_TIMEOUT: Duration = Duration::from_mins(5);

pub(super) struct Session<S> {
    stream: BufReader<S>,
    store: Arc<MailStore>,
    hello: String,
    is_authenticated: bool,
    sender: Option<String>,
    recipients: Vec<String>,
}

enum Reply {
    Text(String),
    Goodbye,
    /// No reply, ever.
    Silence,
    /// No reply, and the connection is closed.
    Disconnect,
}

impl From<SinkFault> for Reply {
    fn from(fault: SinkFault) -> Self {
        match fault {
            SinkFault::Silence => Self::Silence,
            SinkFault::Disconnect => Self::Disconnect,
            SinkFault::Reply(text) => Self::Text(text),
        }
    }
}

/// Returns the step of the session that a command belongs to.
fn step(verb: &str) -> Option<SmtpStep> {
    match verb {
        "EHLO" | "HELO" => Some(SmtpStep::Hello),
        "STARTTLS" => Some(SmtpStep::StartTls),
        "AUTH" => Some(SmtpStep::Auth),
        "MAIL" => Some(SmtpStep::Mail),
        "RCPT" => Some(SmtpStep::Rcpt),
        "DATA" => Some(SmtpStep::Data),
        _ => None,
    }
}

/// Tells whether a line begins a request of a browser. A page can make one send lines of its own to any port.
fn is_http(verb: &str) -> bool {
    matches!(
        verb,
        "CONNECT" | "DELETE" | "GET" | "HEAD" | "OPTIONS" | "PATCH" | "POST" | "PUT" | "TRACE"
    )
}

fn text(text: &str) -> Reply {
    Reply::Text(text.to_owned())
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Session<S> {
    pub(super) fn new(stream: S, store: Arc<MailStore>) -> Self {
        Self {
            stream: BufReader::new(stream),
            store,
            hello: String::new(),
            is_authenticated: false,
            sender: None,
            recipients: Vec::new(),
        }
    }

    /// Runs the session to its end. `is_greeted` is whether it begins with a greeting.
    pub(super) async fn run(mut self, is_greeted: bool) -> io::Result<()> {
        if is_greeted && !self.store.is_silent() {
            let fault = self.store.take_fault(SmtpStep::Connect);
            let greeting = fault.map_or_else(|| text("220 sink ready"), Reply::from);
            if !self.send(greeting).await? {
                return Ok(());
            }
        }
        while let Some(line) = self.read().await? {
            if self.store.is_silent() {
                continue;
            }
            let reply = self.execute(&line).await?;
            if !self.send(reply).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Sends a reply and returns whether the session goes on.
    async fn send(&mut self, reply: Reply) -> io::Result<bool> {
        match reply {
            Reply::Text(text) => {
                self.write(&text).await?;
                Ok(true)
            }
            Reply::Goodbye => {
                self.write("221 goodbye").await?;
                Ok(false)
            }
            Reply::Silence => {
                while self.read().await?.is_some() {}
                Ok(false)
            }
            Reply::Disconnect => Ok(false),
        }
    }

    async fn execute(&mut self, line: &str) -> io::Result<Reply> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let verb = verb.to_ascii_uppercase();
        if let Some(fault) = step(&verb).and_then(|step| self.store.take_fault(step)) {
            return Ok(fault.into());
        }
        Ok(match verb.as_str() {
            "EHLO" => self.ehlo(rest),
            "HELO" => {
                self.reset();
                rest.trim().clone_into(&mut self.hello);
                text("250 sink")
            }
            "AUTH" => self.auth(rest).await?,
            "MAIL" => self.mail(rest),
            "RCPT" => self.rcpt(rest),
            "DATA" => self.data().await?,
            "RSET" => {
                self.reset();
                text("250 reset")
            }
            "NOOP" => text("250 ok"),
            "VRFY" => text("252 all recipients are accepted"),
            "QUIT" => Reply::Goodbye,
            verb if is_http(verb) => Reply::Disconnect,
            _ => text("500 unknown command"),
        })
    }

    fn ehlo(&mut self, name: &str) -> Reply {
        self.reset();
        name.trim().clone_into(&mut self.hello);
        let auth = if self.store.login().is_some() {
            "250-AUTH PLAIN LOGIN\r\n"
        } else {
            ""
        };
        let tls = if self.store.fails_at(SmtpStep::StartTls) {
            "250-STARTTLS\r\n"
        } else {
            ""
        };
        Reply::Text(format!(
            "250-sink\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n{tls}{auth}250 SIZE {MAX_MAIL}"
        ))
    }

    async fn auth(&mut self, rest: &str) -> io::Result<Reply> {
        let Some((user, password)) = self.store.login().cloned() else {
            return Ok(text("502 AUTH is not offered"));
        };
        let (mechanism, initial) = rest.split_once(' ').unwrap_or((rest, ""));
        let credentials = match mechanism.to_ascii_uppercase().as_str() {
            "PLAIN" => {
                let response = if initial.is_empty() {
                    self.prompt("").await?
                } else {
                    decode(initial)
                };
                let mut parts = response.splitn(3, '\0').skip(1).map(str::to_owned);
                parts.next().zip(parts.next())
            }
            "LOGIN" => {
                let user = if initial.is_empty() {
                    self.prompt("Username:").await?
                } else {
                    decode(initial)
                };
                Some((user, self.prompt("Password:").await?))
            }
            _ => return Ok(text("504 unknown mechanism")),
        };
        self.is_authenticated = credentials.as_ref() == Some(&(user, password.reveal().clone()));
        Ok(text(if self.is_authenticated {
            "235 authenticated"
        } else {
            "535 wrong user or password"
        }))
    }

    fn mail(&mut self, rest: &str) -> Reply {
        if self.store.login().is_some() && !self.is_authenticated {
            return text("530 authentication required");
        }
        if let Some(reply) = self.store.take_refusal() {
            return Reply::Text(reply);
        }
        match address(rest, "FROM:") {
            Some(sender) => {
                self.reset();
                self.sender = Some(sender);
                text("250 sender accepted")
            }
            None => text("501 expected MAIL FROM:<address>"),
        }
    }

    fn rcpt(&mut self, rest: &str) -> Reply {
        if self.sender.is_none() {
            return text("503 send MAIL first");
        }
        if self.recipients.len() == MAX_RECIPIENTS {
            return text("452 too many recipients");
        }
        match address(rest, "TO:") {
            Some(recipient) if !recipient.is_empty() => {
                self.recipients.push(recipient);
                text("250 recipient accepted")
            }
            _ => text("501 expected RCPT TO:<address>"),
        }
    }

    async fn data(&mut self) -> io::Result<Reply> {
        if self.recipients.is_empty() {
            return Ok(text("503 send RCPT first"));
        }
        self.write("354 end with a dot").await?;
        let mut raw = String::new();
        let mut is_too_large = false;
        loop {
            let Some(line) = self.read().await? else {
                return Err(io::ErrorKind::UnexpectedEof.into());
            };
            if line == "." {
                break;
            }
            let line = line.strip_prefix('.').unwrap_or(&line);
            is_too_large |= raw.len() + line.len() > MAX_MAIL;
            if !is_too_large {
                raw.push_str(line);
                raw.push_str("\r\n");
            }
        }
        let sender = self.sender.take().unwrap_or_default();
        let recipients = std::mem::take(&mut self.recipients);
        if is_too_large {
            return Ok(text("552 the mail is too large"));
        }
        let mut mail = Mail::parse(&raw);
        mail.sender = sender;
        mail.recipients = recipients;
        mail.hello.clone_from(&self.hello);
        mail.is_authenticated = self.is_authenticated;
        let fault = self.store.take_fault(SmtpStep::Content);
        if matches!(fault, None | Some(SinkFault::Disconnect))
            && let Err(error) = self.store.add(mail).await
        {
            tracing::error!(%error, "cannot store a mail");
            return Ok(text("452 the mail cannot be stored"));
        }
        Ok(fault.map_or_else(|| text("250 stored"), Reply::from))
    }

    /// Discards the current envelope.
    fn reset(&mut self) {
        self.sender = None;
        self.recipients.clear();
    }

    /// Asks for the next part of the credentials.
    async fn prompt(&mut self, prompt: &str) -> io::Result<String> {
        self.write(&format!("334 {}", STANDARD.encode(prompt)))
            .await?;
        Ok(self
            .read()
            .await?
            .map_or_else(String::new, |line| decode(&line)))
    }

    async fn write(&mut self, reply: &str) -> io::Result<()> {
        let stream = self.stream.get_mut();
        stream.write_all(format!("{reply}\r\n").as_bytes()).await?;
        stream.flush().await
    }

    /// Reads the next line without its line ending; `None` when the client has disconnected.
    async fn read(&mut self) -> io::Result<Option<String>> {
        tokio::time::timeout(IDLE_TIMEOUT, read_line(&mut self.stream))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

async fn read_line(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    loop {
        let available = stream.fill_buf().await?;
        if available.is_empty() {
            return Ok(None);
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(available.len(), |end| end + 1);
        line.extend(available.iter().take(used));
        stream.consume(used);
        if line.len() > MAX_LINE {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the line is too long",
            ));
        }
        if end.is_some() {
            let text = String::from_utf8_lossy(&line);
            return Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()));
        }
    }
}

/// Returns the address in `FROM:<address> PARAMETERS`.
fn address(rest: &str, prefix: &str) -> Option<String> {
    let rest = rest.trim_start();
    let named = rest.get(..prefix.len())?;
    if !named.eq_ignore_ascii_case(prefix) {
        return None;
    }
    let rest = rest.get(prefix.len()..)?.trim_start();
    let (address, _) = rest.strip_prefix('<')?.split_once('>')?;
    Some(address.to_owned())
}

fn decode(base64: &str) -> String {
    let bytes = STANDARD.decode(base64.trim()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
