//! A server in the place of an external provider. It checks what it is sent, and answers as the provider does.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, OnceLock};

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use innkeeper_auth::config::Config;
use innkeeper_auth::jwt::{Algorithm, SigningKey};
use innkeeper_service::clock::Clock;
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use super::hex;
use super::oauth1::{self, OneTimeTokens};
use super::provider_cases::{CLIENT_ID, ClientProof, ProviderCase, SECRET};
use super::raw_http::{RawRequest, pairs, respond};

/// Where the keys of id tokens are, at every provider.
const KEYS: &str = "keys.example.com/jwks";

/// Parameters that are meant for this server alone.
const PRIVATE: [&str; 7] = [
    "apikey",
    "client_secret",
    "code_verifier",
    "invite_token",
    "redirect_to",
    "scopes",
    "skip_http_redirect",
];

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
    key: SigningKey,
    /// Claims of id tokens that differ from the case.
    claims: Mutex<Value>,
    /// Users who have been at the authorization endpoint, by code; `None` if the code was presented.
    visits: Mutex<HashMap<String, Option<Visit>>>,
    /// The tokens of OAuth 1.
    pub(super) tokens: Mutex<OneTimeTokens>,
    /// How many codes and access tokens were issued.
    count: Mutex<(u32, u32)>,
    replies: Mutex<HashMap<String, DoubleReply>>,
    targets: Mutex<Vec<String>>,
    faults: Mutex<Vec<String>>,
}

/// What the token endpoint has to know about an authorization request.
#[derive(Debug, Clone)]
struct Visit {
    challenge: Option<String>,
    nonce: Option<String>,
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
        let case = &self.case;
        if case.proof == ClientProof::Signature {
            return oauth1::answer(self, target, request);
        }
        if target == format!("GET {}", case.authorize) {
            return self.authorize(request);
        }
        if target == format!("POST {}", case.token) {
            return self.exchange(request);
        }
        if let Some((issuer, _)) = &case.id_token {
            let issuer_host = issuer.trim_start_matches("https://");
            if target == format!("GET {issuer_host}/.well-known/openid-configuration") {
                let keys = format!("https://{KEYS}");
                let document = json!({ "issuer": issuer, "jwks_uri": keys });
                return Ok(DoubleReply::Json(200, document));
            }
            if target == format!("GET {KEYS}") {
                let keys = [self.key.verifying().public_jwk()];
                return Ok(DoubleReply::Json(200, json!({ "keys": keys })));
            }
        }
        self.call(target, request)
    }

    /// The address that users are sent back to.
    pub(super) fn callback(&self) -> &str {
        self.callback.get().unwrap()
    }

    /// Lets the user agree, and sends the browser back.
    fn authorize(&self, request: &RawRequest) -> Checked<DoubleReply> {
        let (case, sent) = (&self.case, request.parameters());
        expect(&sent, "client_id", CLIENT_ID)?;
        expect(&sent, "redirect_uri", self.callback())?;
        expect(&sent, "response_type", "code")?;
        let scopes = sent.get("scope").map_or("", String::as_str);
        // A client may ask for more.
        let more = scopes.strip_prefix(case.scope);
        if more.is_none_or(|more| !more.is_empty() && !more.starts_with(' ')) {
            return Err(format!("the scope {scopes}"));
        }
        for (name, value) in case.parameters {
            expect(&sent, name, value)?;
        }
        let challenge = sent.get("code_challenge").cloned();
        if challenge.is_some() != case.has_challenge {
            return Err("a challenge where none is known, or none".to_owned());
        }
        if challenge.is_some() {
            expect(&sent, "code_challenge_method", "S256")?;
        }
        let nonce = sent.get("nonce").cloned();
        if nonce.is_some() != case.has_nonce {
            return Err("a nonce where none is known, or none".to_owned());
        }
        if let Some(name) = PRIVATE.iter().find(|name| sent.contains_key(**name)) {
            return Err(format!("the parameter {name}"));
        }
        let state = sent.get("state").ok_or("no state")?;
        let is_first = self.visits.lock().unwrap().is_empty();
        let code = format!("code-{}", next(&mut self.count.lock().unwrap().0));
        let visit = Visit { challenge, nonce };
        self.visits
            .lock()
            .unwrap()
            .insert(code.clone(), Some(visit));
        let mut back: Url = self.callback().parse().unwrap();
        back.query_pairs_mut()
            .extend_pairs([("state", state.as_str()), ("code", &code)]);
        if sent
            .get("response_mode")
            .is_some_and(|mode| mode == "form_post")
        {
            let user = case.posted_user.filter(|_| is_first);
            return Ok(form_page(self.callback(), &back, user));
        }
        Ok(DoubleReply::Redirect(back.into()))
    }

    /// Exchanges a code for tokens, once.
    fn exchange(&self, request: &RawRequest) -> Checked<DoubleReply> {
        let (case, sent) = (&self.case, request.form());
        let kind = request.header("content-type");
        if kind != "application/x-www-form-urlencoded" {
            return Err(format!("the content type {kind}"));
        }
        expect(&sent, "grant_type", "authorization_code")?;
        expect(&sent, "redirect_uri", self.callback())?;
        check_client(case.proof, request, &sent)?;
        let code = sent.get("code").ok_or("no code")?;
        let visit = self.visits.lock().unwrap().insert(code.clone(), None);
        let visit = visit
            .flatten()
            .ok_or("a code that was never issued, or used")?;
        let verifier = sent.get("code_verifier");
        let met = verifier.map(|text| URL_SAFE_NO_PAD.encode(digest(&SHA256, text.as_bytes())));
        if met != visit.challenge {
            return Err("a verifier that does not meet the challenge".to_owned());
        }
        let access_token = format!("access-{}", next(&mut self.count.lock().unwrap().1));
        let mut answer = json!({
            "access_token": access_token,
            "refresh_token": access_token.replace("access", "refresh"),
            "token_type": "bearer",
            "expires_in": 3600,
        });
        change(&mut answer, &case.tokens);
        if case.id_token.is_some() {
            let hash = digest(&SHA256, access_token.as_bytes());
            let hash = URL_SAFE_NO_PAD.encode(&hash.as_ref()[..16]);
            let mut claims = self.claims_with(&json!({ "nonce": visit.nonce, "at_hash": hash }));
            change(&mut claims, &self.claims.lock().unwrap());
            answer["id_token"] = json!(self.key.sign(&claims).unwrap());
        }
        Ok(DoubleReply::Json(200, answer))
    }

    /// Describes the user to who has the access token.
    fn call(&self, target: &str, request: &RawRequest) -> Checked<DoubleReply> {
        let mut api = self.case.api.iter();
        let found = api.find(|(endpoint, _)| {
            let path = endpoint.split('?').next().unwrap_or_default();
            target == format!("GET {path}")
        });
        let (endpoint, answer) = found.ok_or("no such page")?;
        let token = format!("access-{}", self.count.lock().unwrap().1);
        let authorization = request.header("authorization");
        if authorization != format!("Bearer {token}") {
            return Err(format!("the credentials {authorization}"));
        }
        for (name, value) in self.case.headers {
            if request.header(name) != *value {
                return Err(format!("no header {name}: {value}"));
            }
        }
        let (_, query) = endpoint.split_once('?').unwrap_or((endpoint, ""));
        let (mut sent, expected) = (request.parameters(), pairs(query));
        if self.case.name == "facebook" {
            let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
            let proof = hex(hmac::sign(&key, token.as_bytes()).as_ref());
            expect(&sent, "appsecret_proof", &proof)?;
            sent.remove("appsecret_proof");
        }
        if sent != expected {
            return Err(format!("the query {sent:?}"));
        }
        Ok(DoubleReply::Json(200, answer.clone()))
    }

    /// Returns the claims of an id token: the usual ones, those of the case, and these; null removes one.
    fn claims_with(&self, changes: &Value) -> Value {
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

fn next(count: &mut u32) -> u32 {
    *count += 1;
    *count
}

/// Replaces members of an object; null removes one.
fn change(object: &mut Value, changes: &Value) {
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

/// Checks who sends a request to the token endpoint.
fn check_client(
    proof: ClientProof,
    request: &RawRequest,
    sent: &HashMap<String, String>,
) -> Checked<()> {
    let header = request.header("authorization");
    if proof == ClientProof::Form {
        expect(sent, "client_id", CLIENT_ID)?;
        expect(sent, "client_secret", SECRET)?;
        return match header {
            "" => Ok(()),
            header => Err(format!("credentials in a header: {header}")),
        };
    }
    // Both parts are encoded like members of a form (RFC 6749, section 2.3.1).
    let pair = STANDARD.encode(format!("{CLIENT_ID}:s3cret%2Fof%2Bthe%26client"));
    if header != format!("Basic {pair}") || sent.contains_key("client_secret") {
        return Err(format!("the credentials {header}"));
    }
    Ok(())
}

/// A page that lets the browser post the parameters of `back`, as Apple's does.
fn form_page(action: &str, back: &Url, user: Option<&str>) -> DoubleReply {
    let user = user.map(|user| ("user".into(), user.into()));
    let fields = back.query_pairs().chain(user).map(|(name, value)| {
        let value = value.replace('"', "&quot;");
        format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">")
    });
    let fields: String = fields.collect();
    let page = format!("<form method=\"post\" action=\"{action}\">{fields}</form>");
    DoubleReply::Raw(200, "text/html; charset=utf-8", page)
}
