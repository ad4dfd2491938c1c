//! One client's conversation.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use super::mail::Mail;
use super::{Fault, Shared, Step};

/// The longest command line, and the longest line of a mail.
const LINE_MAX: usize = 8 * 1024;
/// The largest mail.
const MAIL_MAX: usize = 10 * 1024 * 1024;
/// The most recipients of a mail.
const RECIPIENTS_MAX: usize = 100;
/// How long a client may say nothing.
const PATIENCE: Duration = Duration::from_mins(5);

pub(super) struct Session<S> {
    stream: BufReader<S>,
    shared: Arc<Shared>,
    hello: String,
    is_known: bool,
    sender: Option<String>,
    recipients: Vec<String>,
}

/// What to say, and whether the conversation goes on.
enum Reply {
    Say(String),
    Goodbye,
    /// Nothing, for ever.
    Silence,
    /// Nothing, and the end.
    Cut,
}

impl From<Fault> for Reply {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Silence => Self::Silence,
            Fault::Cut => Self::Cut,
            Fault::Reply(text) => Self::Say(text),
        }
    }
}

/// The step that a command is.
fn step(verb: &str) -> Option<Step> {
    match verb {
        "EHLO" | "HELO" => Some(Step::Hello),
        "STARTTLS" => Some(Step::StartTls),
        "AUTH" => Some(Step::Auth),
        "MAIL" => Some(Step::Mail),
        "RCPT" => Some(Step::Rcpt),
        "DATA" => Some(Step::Data),
        _ => None,
    }
}

fn say(text: &str) -> Reply {
    Reply::Say(text.to_owned())
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Session<S> {
    pub(super) fn new(stream: S, shared: Arc<Shared>) -> Self {
        Self {
            stream: BufReader::new(stream),
            shared,
            hello: String::new(),
            is_known: false,
            sender: None,
            recipients: Vec::new(),
        }
    }

    pub(super) async fn run(mut self, greets: bool) -> io::Result<()> {
        if greets && !self.shared.is_silent() {
            let fault = self.shared.fault(Step::Connect);
            let greeting = fault.map_or_else(|| say("220 sink ready"), Reply::from);
            if !self.reply(greeting).await? {
                return Ok(());
            }
        }
        while let Some(line) = self.read().await? {
            if self.shared.is_silent() {
                continue;
            }
            let answer = self.answer(&line).await?;
            if !self.reply(answer).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Says something or not; whether the conversation goes on.
    async fn reply(&mut self, reply: Reply) -> io::Result<bool> {
        match reply {
            Reply::Say(text) => {
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
            Reply::Cut => Ok(false),
        }
    }

    async fn answer(&mut self, line: &str) -> io::Result<Reply> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let verb = verb.to_ascii_uppercase();
        if let Some(fault) = step(&verb).and_then(|step| self.shared.fault(step)) {
            return Ok(fault.into());
        }
        Ok(match verb.as_str() {
            "EHLO" => self.ehlo(rest),
            "HELO" => {
                self.forget();
                rest.trim().clone_into(&mut self.hello);
                say("250 sink")
            }
            "AUTH" => self.auth(rest).await?,
            "MAIL" => self.mail(rest),
            "RCPT" => self.rcpt(rest),
            "DATA" => self.data().await?,
            "RSET" => {
                self.forget();
                say("250 forgotten")
            }
            "NOOP" => say("250 nothing done"),
            "VRFY" => say("252 mail to anybody is taken"),
            "QUIT" => Reply::Goodbye,
            _ => say("500 unknown command"),
        })
    }

    fn ehlo(&mut self, name: &str) -> Reply {
        self.forget();
        name.trim().clone_into(&mut self.hello);
        let auth = if self.shared.login.is_some() {
            "250-AUTH PLAIN LOGIN\r\n"
        } else {
            ""
        };
        let tls = if self.shared.fails_at(Step::StartTls) {
            "250-STARTTLS\r\n"
        } else {
            ""
        };
        Reply::Say(format!(
            "250-sink\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n{tls}{auth}250 SIZE {MAIL_MAX}"
        ))
    }

    async fn auth(&mut self, rest: &str) -> io::Result<Reply> {
        let Some((user, password)) = self.shared.login.clone() else {
            return Ok(say("502 AUTH is not offered"));
        };
        let (mechanism, initial) = rest.split_once(' ').unwrap_or((rest, ""));
        let given = match mechanism.to_ascii_uppercase().as_str() {
            "PLAIN" => {
                let response = if initial.is_empty() {
                    self.ask("").await?
                } else {
                    decode(initial)
                };
                let mut parts = response.splitn(3, '\0').skip(1).map(str::to_owned);
                parts.next().zip(parts.next())
            }
            "LOGIN" => {
                let user = if initial.is_empty() {
                    self.ask("Username:").await?
                } else {
                    decode(initial)
                };
                Some((user, self.ask("Password:").await?))
            }
            _ => return Ok(say("504 unknown mechanism")),
        };
        self.is_known = given.as_ref() == Some(&(user, password.reveal().clone()));
        Ok(say(if self.is_known {
            "235 welcome"
        } else {
            "535 wrong user or password"
        }))
    }

    fn mail(&mut self, rest: &str) -> Reply {
        if self.shared.login.is_some() && !self.is_known {
            return say("530 sign in first");
        }
        if let Some(reply) = self.shared.refusal() {
            return Reply::Say(reply);
        }
        match address(rest, "FROM:") {
            Some(sender) => {
                self.forget();
                self.sender = Some(sender);
                say("250 sender taken")
            }
            None => say("501 expected MAIL FROM:<address>"),
        }
    }

    fn rcpt(&mut self, rest: &str) -> Reply {
        if self.sender.is_none() {
            return say("503 MAIL comes first");
        }
        if self.recipients.len() == RECIPIENTS_MAX {
            return say("452 too many recipients");
        }
        match address(rest, "TO:") {
            Some(recipient) if !recipient.is_empty() => {
                self.recipients.push(recipient);
                say("250 recipient taken")
            }
            _ => say("501 expected RCPT TO:<address>"),
        }
    }

    async fn data(&mut self) -> io::Result<Reply> {
        if self.recipients.is_empty() {
            return Ok(say("503 RCPT comes first"));
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
            is_too_large |= raw.len() + line.len() > MAIL_MAX;
            if !is_too_large {
                raw.push_str(line);
                raw.push_str("\r\n");
            }
        }
        let sender = self.sender.take().unwrap_or_default();
        let recipients = std::mem::take(&mut self.recipients);
        if is_too_large {
            return Ok(say("552 the mail is too large"));
        }
        let mut mail = Mail::read(&raw);
        mail.sender = sender;
        mail.recipients = recipients;
        mail.hello.clone_from(&self.hello);
        mail.is_authenticated = self.is_known;
        let fault = self.shared.fault(Step::Content);
        if matches!(fault, None | Some(Fault::Cut))
            && let Err(error) = self.shared.keep(mail, raw).await
        {
            tracing::error!(%error, "a mail could not be written down");
            return Ok(say("452 the mail cannot be kept"));
        }
        Ok(fault.map_or_else(|| say("250 kept"), Reply::from))
    }

    fn forget(&mut self) {
        self.sender = None;
        self.recipients.clear();
    }

    /// Asks for one more part of the sign-in.
    async fn ask(&mut self, prompt: &str) -> io::Result<String> {
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

    /// The next line without its end; nothing when the client has gone.
    async fn read(&mut self) -> io::Result<Option<String>> {
        tokio::time::timeout(PATIENCE, read_line(&mut self.stream))
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
        if line.len() > LINE_MAX {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a line is too long",
            ));
        }
        if end.is_some() {
            let text = String::from_utf8_lossy(&line);
            return Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()));
        }
    }
}

/// The address of `FROM:<address> PARAMETERS`.
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
