//! A server in the place of an external provider. It checks what it is sent, and answers as the provider does.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, OnceLock};

use innkeeper_auth::config::Config;
use innkeeper_auth::jwt::{Algorithm, SigningKey};
use innkeeper_service::clock::Clock;
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use super::oauth1::{self, OneTimeTokens};
use super::oauth2;
use super::provider_cases::{CLIENT_ID, ClientProof, ProviderCase, SECRET};
use super::raw_http::{RawRequest, respond};

/// An answer of the double.
#[derive(Debug, Clone)]
pub(crate) enum DoubleReply {
    Json(u16, Value),
    /// A status, a content type and a body.
    Raw(u16, &'static str, String),
    Redirect(String),
    /// A body without an end.
    Endless,
    /// The connection ends without an answer.
    Cut,
}

/// A request that the provider would refuse, and why.
pub(super) type Checked<T> = Result<T, String>;

/// A server in the place of an external provider.
pub(crate) struct ProviderDouble {
    url: Url,
    inner: Arc<DoubleState>,
}

pub(super) struct DoubleState {
    pub(super) case: ProviderCase,
    /// The address of the double, without a slash at the end.
    pub(super) base: String,
    /// Where users are sent back to.
    callback: OnceLock<String>,
    clock: Clock,
    pub(super) key: SigningKey,
    /// Claims of id tokens that differ from the case.
    pub(super) claims: Mutex<Value>,
    /// Users who have been at the authorization endpoint, by code; `None` if the code was presented.
    pub(super) visits: Mutex<HashMap<String, Option<Visit>>>,
    /// The tokens of OAuth 1.
    pub(super) tokens: Mutex<OneTimeTokens>,
    /// How many codes and access tokens were issued.
    pub(super) count: Mutex<(u32, u32)>,
    replies: Mutex<HashMap<String, DoubleReply>>,
    targets: Mutex<Vec<String>>,
    faults: Mutex<Vec<String>>,
}

/// What the token endpoint has to know about an authorization request.
#[derive(Debug, Clone)]
pub(super) struct Visit {
    pub(super) challenge: Option<String>,
    pub(super) nonce: Option<String>,
}

impl ProviderDouble {
    pub(crate) async fn start(case: ProviderCase) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let inner = Arc::new(DoubleState {
            case,
            base: base.clone(),
            callback: OnceLock::new(),
            // The clock of the server under test starts at the same time.
            clock: Clock::manual(),
            key: SigningKey::generate(Algorithm::Es256).unwrap(),
            claims: Mutex::new(json!({})),
            visits: Mutex::default(),
            tokens: Mutex::default(),
            count: Mutex::default(),
            replies: Mutex::default(),
            targets: Mutex::default(),
            faults: Mutex::default(),
        });
        let shared = Arc::clone(&inner);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self {
            url: base.parse().unwrap(),
            inner,
        }
    }

    /// Configures a server, whose `/callback` is at this address, to sign users in here.
    pub(crate) fn configure(&self, config: &mut Config, callback: &str) {
        let case = &self.inner.case;
        self.inner.callback.set(callback.to_owned()).unwrap();
        config.external.hosts_replaced_by = Some(self.url.clone());
        let provider = config.external.providers.get_mut(case.name).unwrap();
        provider.enabled = true;
        provider.client_id = vec![CLIENT_ID.to_owned(), "client-2".to_owned()];
        provider.secret = Some(Secret::new(SECRET.to_owned()));
        provider.redirect_uri = Some(callback.to_owned());
        provider.url = case.url.map(str::to_owned);
        provider.email_optional = !case.has_email();
    }

    /// Answers a method, host and path, such as `GET api.github.com/user`, like this from now on.
    pub(crate) fn on(&self, target: &str, reply: DoubleReply) {
        let mut replies = self.inner.replies.lock().unwrap();
        replies.insert(target.to_owned(), reply);
    }

    /// Answers as the provider does again.
    pub(crate) fn reset(&self) {
        self.inner.replies.lock().unwrap().clear();
        self.change_claims(json!({}));
    }

    /// Changes claims of later id tokens; null removes one.
    pub(crate) fn change_claims(&self, changes: Value) {
        *self.inner.claims.lock().unwrap() = changes;
    }

    /// Returns an id token that a client would get by itself, with these changes; null removes a claim.
    pub(crate) fn id_token(&self, changes: &Value) -> String {
        let claims = self.claims(changes);
        self.inner.key.sign(&claims).unwrap()
    }

    /// Returns the claims of such an id token.
    pub(crate) fn claims(&self, changes: &Value) -> Value {
        self.inner.claims_with(changes)
    }

    /// Takes the requests so far: method, host and path of each.
    pub(crate) fn take_targets(&self) -> Vec<String> {
        std::mem::take(&mut self.inner.targets.lock().unwrap())
    }

    /// Asserts that no request so far was one that the provider would refuse.
    #[track_caller]
    pub(crate) fn assert_satisfied(&self) {
        let faults = self.inner.faults.lock().unwrap();
        assert!(faults.is_empty(), "{}: {faults:#?}", self.inner.case.name);
    }

    /// Takes the reasons why requests were refused.
    pub(crate) fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut self.inner.faults.lock().unwrap())
    }
}

async fn serve(stream: TcpStream, state: Arc<DoubleState>) {
    let mut stream = BufReader::new(stream);
    let Some(request) = RawRequest::read(&mut stream).await else {
        return;
    };
    let target = format!(
        "{} {}",
        request.method,
        request.path.trim_start_matches('/')
    );
    state.targets.lock().unwrap().push(target.clone());
    let replaced = state.replies.lock().unwrap().get(&target).cloned();
    let reply = replaced.map_or_else(|| state.answer(&target, &request), Ok);
    let reply = reply.unwrap_or_else(|fault| {
        let body =
            json!({ "error": "invalid_grant", "error_description": "The request is wrong." });
        state
            .faults
            .lock()
            .unwrap()
            .push(format!("{target}: {fault}"));
        DoubleReply::Json(400, body)
    });
    match reply {
        DoubleReply::Json(status, body) => {
            let kind = "content-type: application/json; charset=utf-8\r\n";
            respond(&mut stream, status, kind, &body.to_string()).await;
        }
        DoubleReply::Raw(status, kind, body) => {
            respond(
                &mut stream,
                status,
                &format!("content-type: {kind}\r\n"),
                &body,
            )
            .await;
        }
        DoubleReply::Redirect(url) => {
            respond(&mut stream, 302, &format!("location: {url}\r\n"), "").await;
        }
        DoubleReply::Endless => flood(&mut stream).await,
        DoubleReply::Cut => {}
    }
}

/// Sends blanks until the other side has had enough.
async fn flood(stream: &mut BufReader<TcpStream>) {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    let mut part = head.as_bytes();
    while stream.write_all(part).await.is_ok() {
        part = &[b' '; 8192];
    }
}

impl DoubleState {
    fn answer(&self, target: &str, request: &RawRequest) -> Checked<DoubleReply> {
        match self.case.proof {
            ClientProof::Signature => oauth1::answer(self, target, request),
            ClientProof::Basic | ClientProof::Form => oauth2::answer(self, target, request),
        }
    }

    /// Returns the address that users are sent back to.
    pub(super) fn callback(&self) -> &str {
        self.callback.get().unwrap()
    }

    /// Returns the claims of an id token: the usual ones, those of the case, and these; null removes one.
    pub(super) fn claims_with(&self, changes: &Value) -> Value {
        let (issuer, of_case) = self.case.id_token.as_ref().expect("an issuer of id tokens");
        let now = self.clock.now().as_second();
        let mut claims = json!({
            "iss": issuer, "aud": CLIENT_ID, "sub": "subject-1", "iat": now, "exp": now + 600,
            "email": "ada@example.com", "email_verified": true,
        });
        change(&mut claims, of_case);
        change(&mut claims, changes);
        claims
    }
}

/// Replaces members of an object; null removes one.
pub(super) fn change(object: &mut Value, changes: &Value) {
    let object = object.as_object_mut().unwrap();
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            object.remove(name);
        } else {
            object.insert(name.clone(), value.clone());
        }
    }
}

/// Checks a parameter.
pub(super) fn expect(sent: &HashMap<String, String>, name: &str, value: &str) -> Checked<()> {
    match sent.get(name) {
        Some(found) if found == value => Ok(()),
        found => Err(format!("{name} is {found:?} instead of {value}")),
    }
}
