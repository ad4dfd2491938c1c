//! A server that speaks Keycloak's protocol, for sign-ins with an external provider.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Codes that begin so are never answered.
pub(crate) const UNANSWERED: &str = "unanswered-";

/// A running provider. It keeps no state: a code is also the access token and the subject of its user.
#[derive(Debug, Clone)]
pub(crate) struct Keycloak {
    pub(crate) address: SocketAddr,
    unanswered: Arc<AtomicUsize>,
}

impl Keycloak {
    /// Starts it on its own thread, so that it does not disturb the measuring thread.
    pub(crate) fn start() -> Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let provider = Self {
            address: listener.local_addr()?,
            unanswered: Arc::default(),
        };
        let unanswered = Arc::clone(&provider.unanswered);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        std::thread::spawn(move || -> Result<()> {
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener)?;
                loop {
                    let (stream, _) = listener.accept().await?;
                    tokio::spawn(serve(stream, Arc::clone(&unanswered)));
                }
            })
        });
        Ok(provider)
    }

    /// Returns how many requests have got no answer so far.
    pub(crate) fn unanswered(&self) -> usize {
        self.unanswered.load(Ordering::Relaxed)
    }
}

/// Answers the requests of a connection, one after the other.
async fn serve(stream: TcpStream, unanswered: Arc<AtomicUsize>) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream).await? {
        let answer = if request.target.ends_with("/token") {
            let code = request.code()?;
            if code.starts_with(UNANSWERED) {
                unanswered.fetch_add(1, Ordering::Relaxed);
                std::future::pending::<()>().await;
            }
            json!({ "access_token": code, "token_type": "Bearer", "expires_in": 300 })
        } else {
            let subject = request.token()?;
            json!({
                "sub": subject, "email": format!("{subject}@example.com"), "email_verified": true,
                "name": "Ada Lovelace", "preferred_username": subject,
            })
        };
        let body = answer.to_string();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}

#[derive(Debug)]
struct ProviderRequest {
    target: String,
    authorization: String,
    body: String,
}

impl ProviderRequest {
    fn code(&self) -> Result<&str> {
        let mut fields = self.body.split('&');
        let code = fields.find_map(|field| field.strip_prefix("code="));
        code.context("no code in a token request")
    }

    fn token(&self) -> Result<&str> {
        let token = self.authorization.strip_prefix("Bearer ");
        token.context("no bearer token in a request for the user")
    }
}

/// Reads the next request; `None` if the connection is closed.
async fn read(stream: &mut BufReader<TcpStream>) -> Result<Option<ProviderRequest>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let target = line.split(' ').nth(1).context("no target")?.to_owned();
    let (mut length, mut authorization) = (0, String::new());
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse()?;
        } else if name.eq_ignore_ascii_case("authorization") {
            value.trim().clone_into(&mut authorization);
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Some(ProviderRequest {
        target,
        authorization,
        body: String::from_utf8(body)?,
    }))
}
