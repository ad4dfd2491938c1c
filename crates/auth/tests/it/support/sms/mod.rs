//! SMS providers on ports of their own, which check what they are sent and keep the messages.

mod http;
mod messagebird;
mod textlocal;
mod twilio;
mod twilio_verify;
mod vonage;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use innkeeper_auth::config::{Config, Rate};
use serde_json::Value;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub(crate) use http::SmsRequest;
pub(crate) use twilio_verify::CODE as VERIFY_CODE;

/// How long to wait for a message, which std sends in the background.
const PATIENCE: Duration = Duration::from_mins(1);

/// The protocol that a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Twilio,
    TwilioVerify,
    Messagebird,
    Textlocal,
    Vonage,
}

impl Protocol {
    /// The protocols whose messages contain the code.
    pub(crate) const SENDING: [Self; 4] = [
        Self::Twilio,
        Self::Messagebird,
        Self::Textlocal,
        Self::Vonage,
    ];

    /// Returns the name in `SMS_PROVIDER`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Twilio => "twilio",
            Self::TwilioVerify => "twilio_verify",
            Self::Messagebird => "messagebird",
            Self::Textlocal => "textlocal",
            Self::Vonage => "vonage",
        }
    }

    /// Checks a request as the provider does, and returns the message or the check of a code.
    fn read(self, request: &SmsRequest) -> Result<Received, String> {
        match self {
            Self::Twilio => twilio::read(request),
            Self::TwilioVerify => twilio_verify::read(request),
            Self::Messagebird => messagebird::read(request),
            Self::Textlocal => textlocal::read(request),
            Self::Vonage => vonage::read(request),
        }
    }

    fn accept(self, received: &Received) -> (u16, Value) {
        match self {
            Self::Twilio => twilio::accept(),
            Self::TwilioVerify => twilio_verify::accept(received),
            Self::Messagebird => messagebird::accept(),
            Self::Textlocal => textlocal::accept(),
            Self::Vonage => vonage::accept(),
        }
    }

    /// Returns the refusal of a message, with this text.
    fn refuse(self, text: &str) -> (u16, Value) {
        match self {
            Self::Twilio | Self::TwilioVerify => twilio::refuse(text),
            Self::Messagebird => messagebird::refuse(text),
            Self::Textlocal => textlocal::refuse(text),
            Self::Vonage => vonage::refuse(text),
        }
    }

    fn configure(self, config: &mut Config) {
        self.name().clone_into(&mut config.sms.provider);
        match self {
            Self::Twilio => twilio::configure(config),
            Self::TwilioVerify => twilio_verify::configure(config),
            Self::Messagebird => messagebird::configure(config),
            Self::Textlocal => textlocal::configure(config),
            Self::Vonage => vonage::configure(config),
        }
    }
}

/// What a provider does with requests.
#[derive(Debug, Clone)]
pub(crate) enum Behaviour {
    Accept,
    /// Refuses with this text.
    Refuse(String),
    /// Answers this status and body.
    Raw(u16, String),
    /// Never answers.
    Silence,
}

/// A message that a provider was given, or a code that it was asked about.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// The digits of the number.
    pub(crate) to: String,
    pub(crate) text: String,
    pub(crate) channel: String,
    /// The code that is asked about.
    pub(crate) checked: Option<String>,
    pub(crate) request: SmsRequest,
}

impl Received {
    /// Returns the only number of at least six digits in the text.
    #[track_caller]
    pub(crate) fn code(&self) -> String {
        let mut codes = self
            .text
            .split(|letter: char| !letter.is_ascii_digit())
            .filter(|part| part.len() >= 6);
        let code = codes.next().expect("the message has a code");
        assert_eq!(codes.next(), None, "{}", self.text);
        code.to_owned()
    }
}

struct Inner {
    protocol: Protocol,
    behaviour: Mutex<Behaviour>,
    /// All requests so far, or what is wrong with them.
    seen: watch::Sender<Vec<Result<Received, String>>>,
}

/// A provider.
pub(crate) struct SmsProvider {
    address: SocketAddr,
    inner: Arc<Inner>,
    read: Mutex<usize>,
}

impl SmsProvider {
    pub(crate) async fn start(protocol: Protocol) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Arc::new(Inner {
            protocol,
            behaviour: Mutex::new(Behaviour::Accept),
            seen: watch::Sender::default(),
        });
        let shared = Arc::clone(&inner);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self {
            address,
            inner,
            read: Mutex::default(),
        }
    }

    /// Configures a server to let numbers sign in, with messages by this provider.
    pub(crate) fn configure(&self, config: &mut Config) {
        config.external.phone_enabled = true;
        config.rate_limit.sms_sent = Rate::PerHour(100_000);
        config.sms.api_url = Some(format!("http://{}", self.address).parse().unwrap());
        self.inner.protocol.configure(config);
    }

    pub(crate) fn behave(&self, behaviour: Behaviour) {
        *self.inner.behaviour.lock().unwrap() = behaviour;
    }

    /// Waits for the next unread request, which must be as the provider expects it.
    pub(crate) async fn next(&self) -> Received {
        let index = {
            let mut read = self.read.lock().unwrap();
            *read += 1;
            *read - 1
        };
        let mut seen = self.inner.seen.subscribe();
        let come = seen.wait_for(|seen| seen.len() > index);
        let come = tokio::time::timeout(PATIENCE, come).await;
        assert!(come.is_ok(), "no message came");
        let request = self.inner.seen.borrow()[index].clone();
        request.unwrap()
    }

    /// Returns how many requests came.
    pub(crate) fn count(&self) -> usize {
        self.inner.seen.borrow().len()
    }

    /// Waits until this many requests came.
    pub(crate) async fn wait_for(&self, count: usize) {
        let mut seen = self.inner.seen.subscribe();
        let come = seen.wait_for(|seen| seen.len() >= count);
        let come = tokio::time::timeout(PATIENCE, come).await;
        assert!(come.is_ok(), "{} of {count} requests came", self.count());
    }
}

async fn serve(stream: TcpStream, inner: Arc<Inner>) {
    let mut stream = BufReader::new(stream);
    let Some(request) = http::read(&mut stream).await else {
        return;
    };
    let received = inner.protocol.read(&request);
    let behaviour = inner.behaviour.lock().unwrap().clone();
    let (status, body) = match (&received, behaviour) {
        (Err(_), _) => (400, "the request is not as expected".to_owned()),
        (Ok(received), Behaviour::Accept) => text(inner.protocol.accept(received)),
        (Ok(_), Behaviour::Refuse(reason)) => text(inner.protocol.refuse(&reason)),
        (Ok(_), Behaviour::Raw(status, body)) => (status, body),
        (Ok(_), Behaviour::Silence) => {
            inner.seen.send_modify(|seen| seen.push(received.clone()));
            return std::future::pending().await;
        }
    };
    inner.seen.send_modify(|seen| seen.push(received.clone()));
    let head = format!(
        "HTTP/1.1 {status} As Asked\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // Writing fails if the server has timed out.
    stream.write_all(head.as_bytes()).await.ok();
    stream.write_all(body.as_bytes()).await.ok();
    stream.shutdown().await.ok();
}

fn text((status, body): (u16, Value)) -> (u16, String) {
    (status, body.to_string())
}
