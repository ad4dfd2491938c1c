//! A server that speaks OpenID Connect and plain OAuth 2, for custom providers. It checks what it is sent.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use innkeeper_auth::config::Config;
use innkeeper_auth::jwt::{Algorithm, SigningKey};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use url::{Url, form_urlencoded};

use super::TestApp;
use super::github::{Landing, state_of};

/// The issuer. The double takes the place of its host.
pub(crate) const ISSUER: &str = "https://sso.example.com/inn";
pub(crate) const CLIENT_ID: &str = "inn";
pub(crate) const CLIENT_SECRET: &str = "hunter2-of-the-client";
/// Where the provider sends the browser.
pub(crate) const CALLBACK: &str = "http://localhost:8081/callback";

/// A provider of OpenID Connect at [`ISSUER`] and of OAuth 2 at `oauth.example.com`.
pub(crate) struct Idp {
    url: Url,
    inner: Arc<Inner>,
}

struct Inner {
    key: SigningKey,
    /// The authorization requests whose users come back, by code.
    codes: Mutex<HashMap<String, Visit>>,
    /// Whom a bearer token belongs to.
    people: Mutex<HashMap<String, Value>>,
    count: AtomicUsize,
    /// Changes of the discovery document.
    document: Mutex<Value>,
    requests: Mutex<Vec<String>>,
    problems: Mutex<Vec<String>>,
}

/// A user who was at the provider.
#[derive(Clone)]
struct Visit {
    query: HashMap<String, String>,
    person: Value,
    /// The time of the server under test, in seconds.
    now: i64,
}

impl Idp {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let inner = Arc::new(Inner {
            key: SigningKey::generate(Algorithm::Es256).unwrap(),
            codes: Mutex::default(),
            people: Mutex::default(),
            count: AtomicUsize::new(1),
            document: Mutex::new(json!({})),
            requests: Mutex::default(),
            problems: Mutex::default(),
        });
        let shared = Arc::clone(&inner);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        let url = url.parse().unwrap();
        Self { url, inner }
    }

    /// Lets this server take the place of all providers.
    pub(crate) fn configure(&self, config: &mut Config) {
        config.external.hosts_replaced_by = Some(self.url.clone());
    }

    /// Starts a server whose admins can define this provider.
    pub(crate) async fn app(&self, change: impl FnOnce(&mut Config)) -> TestApp {
        TestApp::with(|config| {
            change(config);
            self.configure(config);
        })
        .await
    }

    /// Changes members of the discovery document.
    pub(crate) fn set_document(&self, changes: Value) {
        *self.inner.document.lock().unwrap() = changes;
    }

    pub(crate) fn port(&self) -> u16 {
        self.url.port().unwrap()
    }

    /// Takes the requests so far: method, host and path.
    pub(crate) fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.inner.requests.lock().unwrap())
    }

    /// Asserts that everything that was sent was right.
    #[track_caller]
    pub(crate) fn assert_content(&self) {
        let problems = self.inner.problems.lock().unwrap();
        assert!(problems.is_empty(), "{problems:?}");
    }

    /// Signs an id token of this provider.
    pub(crate) fn id_token(&self, app: &TestApp, changes: &Value) -> String {
        id_token(&self.inner, app.clock.now().as_second(), changes)
    }

    /// Lets a person sign in at the provider, and returns the code that the browser brings back.
    pub(crate) fn visit(&self, app: &TestApp, at: &Url, person: &Value) -> String {
        let code = format!("code-{}", self.inner.count.fetch_add(1, Ordering::Relaxed));
        let visit = Visit {
            query: at.query_pairs().into_owned().collect(),
            person: person.clone(),
            now: app.clock.now().as_second(),
        };
        self.inner.check_authorization(at, &visit.query);
        self.inner.codes.lock().unwrap().insert(code.clone(), visit);
        code
    }
}

impl Inner {
    fn report(&self, problem: String) {
        self.problems.lock().unwrap().push(problem);
    }

    fn check_authorization(&self, at: &Url, query: &HashMap<String, String>) {
        let is = |name: &str, value: &str| query.get(name).map(String::as_str) == Some(value);
        let is_right = is("client_id", CLIENT_ID)
            && is("redirect_uri", CALLBACK)
            && is("response_type", "code");
        if !is_right || !query.contains_key("state") {
            self.report(format!("{at}"));
        }
    }
}

fn id_token(inner: &Inner, now: i64, changes: &Value) -> String {
    let mut claims = json!({
        "iss": ISSUER, "aud": CLIENT_ID, "sub": "subject-1", "iat": now, "exp": now + 600,
    });
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    inner.key.sign(&claims).unwrap()
}

impl TestApp {
    /// Adds a custom provider as an admin.
    pub(crate) async fn add_provider(&self, body: Value) -> Value {
        let answer = self
            .post_as(&self.service_key(), "/admin/custom-providers", body)
            .await;
        answer.failed(201)
    }

    /// Starts a sign-in with a provider, and returns the URL there.
    pub(crate) async fn authorize_with(&self, provider: &str, query: &str) -> Url {
        let target = format!("/authorize?provider={provider}{query}");
        let answer = self.get(&target).await;
        assert_eq!(answer.status, 302, "{}", answer.text);
        Url::parse(answer.header("location").unwrap()).unwrap()
    }

    /// Signs in with a provider as this person.
    pub(crate) async fn enter_custom(&self, idp: &Idp, provider: &str, person: &Value) -> Landing {
        let at = self.authorize_with(provider, "").await;
        self.return_from(idp, &at, person).await
    }

    /// Comes back from the provider as this person.
    pub(crate) async fn return_from(&self, idp: &Idp, at: &Url, person: &Value) -> Landing {
        let (state, code) = (state_of(at), idp.visit(self, at, person));
        let target = format!("/callback?state={state}&code={code}");
        Landing::of(&self.get(&target).await)
    }
}

/// Describes the OpenID Connect provider for the admin API.
pub(crate) fn oidc() -> Value {
    json!({
        "provider_type": "oidc",
        "identifier": "custom:inn",
        "name": "The inn",
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "issuer": ISSUER,
        "scopes": ["profile", "email"],
    })
}

/// Describes the OAuth 2 provider for the admin API.
pub(crate) fn oauth2() -> Value {
    json!({
        "provider_type": "oauth2",
        "identifier": "custom:plain",
        "name": "Plain",
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "scopes": ["profile"],
        "authorization_url": "https://oauth.example.com/authorize",
        "token_url": "https://oauth.example.com/token",
        "userinfo_url": "https://oauth.example.com/me",
    })
}

/// Returns a description with some members replaced.
pub(crate) fn with(mut description: Value, changes: &Value) -> Value {
    for (name, value) in changes.as_object().unwrap() {
        description[name] = value.clone();
    }
    description
}

/// A request that the double got.
struct IdpRequest {
    method: String,
    path: String,
    authorization: String,
    form: HashMap<String, String>,
}

async fn serve(stream: TcpStream, inner: Arc<Inner>) {
    let mut stream = BufReader::new(stream);
    let Some(request) = read(&mut stream).await else {
        return;
    };
    let line = format!("{} {}", request.method, request.path);
    inner.requests.lock().unwrap().push(line.clone());
    let (status, body) = match line.as_str() {
        "GET /sso.example.com/inn/.well-known/openid-configuration" => (200, document(&inner)),
        "GET /sso.example.com/keys" => {
            let jwk = inner.key.verifying().public_jwk();
            (200, json!({ "keys": [jwk] }))
        }
        "POST /sso.example.com/token" => exchange(&inner, &request, true),
        "POST /oauth.example.com/token" => exchange(&inner, &request, false),
        "GET /sso.example.com/userinfo" | "GET /oauth.example.com/me" => {
            let token = request.authorization.strip_prefix("Bearer ");
            let people = inner.people.lock().unwrap();
            match token.and_then(|token| people.get(token)) {
                Some(person) => (200, person.clone()),
                None => (401, json!({ "error": "invalid_token" })),
            }
        }
        _ => (404, json!({ "error": "not_found" })),
    };
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} As Asked\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.ok();
    stream.write_all(body.as_bytes()).await.ok();
    stream.shutdown().await.ok();
}

fn document(inner: &Inner) -> Value {
    let document = json!({
        "issuer": ISSUER,
        "authorization_endpoint": "https://sso.example.com/authorize",
        "token_endpoint": "https://sso.example.com/token",
        "userinfo_endpoint": "https://sso.example.com/userinfo",
        "jwks_uri": "https://sso.example.com/keys",
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "x_internal": "not for admins",
    });
    with(document, &inner.document.lock().unwrap())
}

/// Exchanges a code once, for a client that proves who it is.
fn exchange(inner: &Inner, request: &IdpRequest, is_oidc: bool) -> (u16, Value) {
    let refused = |error: &str| (400, json!({ "error": error }));
    let pair = STANDARD.encode(format!("{CLIENT_ID}:{CLIENT_SECRET}"));
    let by_header = request.authorization == format!("Basic {pair}");
    let field = |name: &str| request.form.get(name).map(String::as_str);
    let by_form =
        field("client_id") == Some(CLIENT_ID) && field("client_secret") == Some(CLIENT_SECRET);
    // The OAuth 2 provider does not know HTTP basic authentication, as some do not.
    if !(if is_oidc { by_header } else { by_form }) {
        return refused("invalid_client");
    }
    let visit = inner
        .codes
        .lock()
        .unwrap()
        .remove(field("code").unwrap_or_default());
    let Some(visit) = visit else {
        return refused("invalid_grant");
    };
    if field("redirect_uri") != Some(CALLBACK) || field("grant_type") != Some("authorization_code")
    {
        return refused("invalid_request");
    }
    let challenge = visit.query.get("code_challenge").map(String::as_str);
    let verifier = field("code_verifier");
    let hash =
        verifier.map(|it| aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, it.as_bytes()));
    if hash.map(|hash| URL_SAFE_NO_PAD.encode(hash)).as_deref() != challenge {
        return refused("invalid_grant");
    }
    let token = format!("access_secret_{}", field("code").unwrap_or_default());
    let mut answer = json!({ "access_token": token, "token_type": "bearer" });
    let mut person = visit.person;
    if is_oidc {
        let mut claims = person
            .get("id_token")
            .cloned()
            .unwrap_or_else(|| person.clone());
        if let Some(nonce) = visit.query.get("nonce") {
            claims["nonce"] = json!(nonce);
        }
        answer["id_token"] = json!(id_token(inner, visit.now, &claims));
        person.as_object_mut().unwrap().remove("id_token");
    }
    inner.people.lock().unwrap().insert(token, person);
    (200, answer)
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<IdpRequest> {
    let mut first = String::new();
    stream.read_line(&mut first).await.ok()?;
    let mut parts = first.split(' ');
    let (method, target) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    let (mut length, mut authorization) = (0, String::new());
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim().split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "authorization" => value.trim().clone_into(&mut authorization),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(IdpRequest {
        method,
        path: target.split('?').next()?.to_owned(),
        authorization,
        form: form_urlencoded::parse(&body).into_owned().collect(),
    })
}
