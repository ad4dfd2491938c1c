//! A server that speaks GitHub's protocol, for sign-ins with an external provider.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use innkeeper_auth::config::Config;
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use url::Url;

use super::raw_http::{RawRequest, pairs, respond};
use super::{Answer, TestApp};

/// Where the provider sends the browser.
pub(crate) const CALLBACK: &str = "http://localhost:8081/callback";

/// A server in the place of GitHub.
pub(crate) struct Github {
    url: String,
    inner: Arc<Inner>,
}

struct Inner {
    /// Who signs in with a code or a token.
    people: Mutex<HashMap<String, Value>>,
    codes: AtomicUsize,
    exchanges: watch::Sender<usize>,
    is_open: watch::Sender<bool>,
}

impl Github {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let inner = Arc::new(Inner {
            people: Mutex::default(),
            codes: AtomicUsize::new(1),
            exchanges: watch::Sender::new(0),
            is_open: watch::Sender::new(true),
        });
        let shared = Arc::clone(&inner);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self { url, inner }
    }

    /// Configures a server to sign users in here.
    pub(crate) fn configure(&self, config: &mut Config) {
        let github = config.external.providers.get_mut("github").unwrap();
        github.enabled = true;
        github.client_id = vec!["inn".to_owned()];
        github.secret = Some(Secret::new("hunter2".to_owned()));
        github.redirect_uri = Some(CALLBACK.to_owned());
        github.url = Some(self.url.clone());
    }

    /// Returns a code with which this person comes back.
    pub(crate) fn code_of(&self, person: &Value) -> String {
        let code = format!("code-{}", self.inner.codes.fetch_add(1, Ordering::Relaxed));
        let mut people = self.inner.people.lock().unwrap();
        people.insert(code.clone(), person.clone());
        code
    }

    /// Returns how many codes were presented.
    pub(crate) fn exchanges(&self) -> usize {
        *self.inner.exchanges.borrow()
    }

    /// Waits until this many codes were presented.
    pub(crate) async fn wait_for(&self, count: usize) {
        let mut exchanges = self.inner.exchanges.subscribe();
        let come = exchanges.wait_for(|seen| *seen >= count);
        let come = tokio::time::timeout(Duration::from_mins(1), come).await;
        assert!(
            come.is_ok(),
            "{} of {count} exchanges came",
            self.exchanges()
        );
    }

    /// Holds all answers until they are released.
    pub(crate) fn hold(&self) {
        self.inner.is_open.send_replace(false);
    }

    pub(crate) fn release(&self) {
        self.inner.is_open.send_replace(true);
    }
}

/// Returns a user of GitHub with these addresses and whether they are verified. The first one is primary.
pub(crate) fn person(id: u64, emails: &[(&str, bool)]) -> Value {
    let emails = emails.iter().enumerate();
    let emails = emails.map(|(index, (email, verified))| {
        json!({ "email": email, "verified": verified, "primary": index == 0 })
    });
    json!({ "id": id, "login": "ada", "name": "Ada Lovelace", "emails": emails.collect::<Vec<_>>() })
}

async fn serve(stream: TcpStream, inner: Arc<Inner>) {
    let mut stream = BufReader::new(stream);
    let Some(request) = RawRequest::read(&mut stream).await else {
        return;
    };
    let (status, answer) = if request.path == "/login/oauth/access_token" {
        inner.exchanges.send_modify(|count| *count += 1);
        exchange(&inner, &request.form())
    } else {
        let token = request.header("authorization").split(' ').nth(1);
        let people = inner.people.lock().unwrap();
        let person = people.get(token.unwrap_or_default());
        match (person, request.path.as_str()) {
            (Some(person), "/api/v3/user") => (200, person.clone()),
            (Some(person), "/api/v3/user/emails") => (200, person["emails"].clone()),
            _ => (404, json!({ "message": "Not Found" })),
        }
    };
    let mut is_open = inner.is_open.subscribe();
    is_open.wait_for(|is_open| *is_open).await.unwrap();
    let kind = "content-type: application/json\r\n";
    respond(&mut stream, status, kind, &answer.to_string()).await;
}

/// Exchanges a code once.
fn exchange(inner: &Inner, form: &HashMap<String, String>) -> (u16, Value) {
    let mut people = inner.people.lock().unwrap();
    let person = form.get("code").and_then(|code| people.remove(code));
    let Some(person) = person.filter(|_| form.get("redirect_uri").is_some_and(|it| it == CALLBACK))
    else {
        return (
            200,
            json!({ "error": "bad_verification_code", "error_description": "The code is wrong." }),
        );
    };
    let token = format!("gho_secret_{}", form["code"]);
    people.insert(token.clone(), person);
    let refresh = format!("ghr_secret_{}", form["code"]);
    (
        200,
        json!({ "access_token": token, "refresh_token": refresh, "token_type": "bearer" }),
    )
}

/// The target of a redirect, and what it carries.
#[derive(Debug)]
pub(crate) struct Landing {
    pub(crate) status: u16,
    pub(crate) page: String,
    pub(crate) query: HashMap<String, String>,
    pub(crate) fragment: HashMap<String, String>,
}

impl Landing {
    #[track_caller]
    pub(crate) fn of(answer: &Answer) -> Self {
        let location = answer.header("location");
        let location = location.unwrap_or_else(|| panic!("{} {}", answer.status, answer.text));
        Self::at(answer.status, location)
    }

    /// Reads the target of a redirect with this status.
    pub(crate) fn at(status: u16, location: &str) -> Self {
        let (rest, fragment) = location.split_once('#').unwrap_or((location, ""));
        let (page, query) = rest.split_once('?').unwrap_or((rest, ""));
        Self {
            status,
            page: page.to_owned(),
            query: pairs(query),
            fragment: pairs(fragment),
        }
    }

    /// Returns the access token of a sign-in.
    #[track_caller]
    pub(crate) fn access_token(&self) -> String {
        let token = self.fragment.get("access_token");
        token
            .unwrap_or_else(|| panic!("no session: {self:?}"))
            .clone()
    }

    /// Asserts that the page is told this error, in the query and in the fragment.
    #[track_caller]
    pub(crate) fn refused(&self, error: &str, code: &str) {
        for pairs in [&self.query, &self.fragment] {
            assert_eq!(
                pairs.get("error").map(String::as_str),
                Some(error),
                "{self:?}"
            );
            assert_eq!(
                pairs.get("error_code").map(String::as_str),
                Some(code),
                "{self:?}"
            );
            assert!(pairs.contains_key("error_description"), "{self:?}");
        }
        assert_eq!(self.status, 302);
        assert!(!self.fragment.contains_key("access_token"));
    }
}

impl TestApp {
    /// Starts a sign-in with GitHub, and returns the URL there.
    pub(crate) async fn authorize(&self, query: &str) -> Url {
        let answer = self
            .get(&format!("/authorize?provider=github{query}"))
            .await;
        assert_eq!(answer.status, 302, "{}", answer.text);
        Url::parse(answer.header("location").unwrap()).unwrap()
    }

    /// Comes back from GitHub as this person.
    pub(crate) async fn come_back(&self, github: &Github, at: &Url, person: &Value) -> Landing {
        let (state, code) = (state_of(at), github.code_of(person));
        Landing::of(
            &self
                .get(&format!("/callback?state={state}&code={code}"))
                .await,
        )
    }

    /// Signs in with GitHub as this person.
    pub(crate) async fn enter_with(&self, github: &Github, person: &Value) -> Landing {
        let at = self.authorize("").await;
        self.come_back(github, &at, person).await
    }

    /// Counts the rows of a table.
    pub(crate) async fn rows(&self, table: &str) -> i64 {
        let count = format!("select count(*) from {table}");
        self.sql()
            .await
            .query_one(&count, &[])
            .await
            .unwrap()
            .get(0)
    }
}

/// Returns the `state` of a URL at the provider.
pub(crate) fn state_of(url: &Url) -> String {
    let mut pairs = url.query_pairs();
    let state = pairs.find(|(name, _)| name == "state");
    state.expect("a state").1.into_owned()
}
