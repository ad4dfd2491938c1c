//! Acknowledged changes survive a kill -9 of the server or of PostgreSQL in the middle of a mixed load,
//! and the server recovers by itself.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use innkeeper_service::cluster::{Cluster, ClusterOptions};
use innkeeper_service::testing::{TestDatabase, eventually};
use reqwest::{Client, Method};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_postgres::NoTls;

use crate::support::{Process, folder, innkeeper, start_on_a_held_port};

/// The time-out of everything, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

#[tokio::test]
async fn what_was_acknowledged_survives_five_kills_of_the_server() {
    kill_servers(5).await;
}

#[tokio::test]
async fn what_was_acknowledged_survives_five_kills_of_the_database() {
    kill_databases(5).await;
}

#[tokio::test]
#[ignore = "takes minutes; make test-long runs it"]
async fn what_was_acknowledged_survives_fifty_kills_of_the_server() {
    kill_servers(50).await;
}

#[tokio::test]
#[ignore = "takes minutes; make test-long runs it"]
async fn what_was_acknowledged_survives_fifty_kills_of_the_database() {
    kill_databases(50).await;
}

async fn kill_servers(rounds: usize) {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let (mut server, mut url) = serve(folder.path(), database.url(), 1).await;
    let mut told = 0;
    for round in 0..rounds {
        let load = Load::start(&url, round).await;
        load.run_for_a_while(round).await;
        server.kill().await;
        let known = load.end().await;
        let killed = Instant::now();
        (server, url) = serve(folder.path(), database.url(), 2 - round % 2).await;
        let api = ApiClient::new(&url);
        api.until_answered().await;
        say(round, "the server", killed.elapsed());
        told += known.check(&api).await;
    }
    assert!(told >= rounds * 4, "{told} things were acknowledged");
    server.stop().await;
}

async fn kill_databases(rounds: usize) {
    let folder = folder();
    let mut options = ClusterOptions::new(folder.path().join("postgres"));
    // A kill is not a power failure: data handed to the operating system is safe.
    options.settings = vec![("fsync".to_owned(), "off".to_owned())];
    let (mut cluster, _port) = start_on_a_held_port(&mut options).await;
    cluster.ensure_database("auth").await.unwrap();
    let database = cluster.url("auth");
    let (server, url) = serve(folder.path(), &database, 1).await;
    let api = ApiClient::new(&url);
    api.until_answered().await;
    let mut told = 0;
    for round in 0..rounds {
        let load = Load::start(&url, round).await;
        load.run_for_a_while(round).await;
        let (client, connection) = tokio_postgres::connect(&database, NoTls).await.unwrap();
        let lost = tokio::spawn(connection);
        kill_database(&cluster, round);
        // All connections break, whichever process was killed.
        let _ = lost.await;
        drop(client);
        if is_over(round) {
            cluster.ended().await;
            cluster = Cluster::start(options.clone()).await.unwrap();
        }
        let connect = async || tokio_postgres::connect(&database, NoTls).await.map(drop);
        eventually("PostgreSQL comes back", connect).await;
        let back = Instant::now();
        load.until_read().await;
        say(round, "the database", back.elapsed());
        load.until_served().await;
        say(
            round,
            "the database (all kinds of requests)",
            back.elapsed(),
        );
        told += load.end().await.check(&api).await;
    }
    assert!(told >= rounds * 4, "{told} things were acknowledged");
    server.stop().await;
    cluster.stop().await.unwrap();
}

#[expect(clippy::print_stdout, reason = "it prints figures")]
fn say(round: usize, what: &str, since: Duration) {
    let millis = since.as_millis();
    println!("round {round}: served again {millis} ms after {what} was back");
}

/// Kills, in turn, the first process of PostgreSQL, all of them, and one that serves a connection,
/// whereupon PostgreSQL restarts the others itself.
fn kill_database(cluster: &Cluster, round: usize) {
    let first = cluster.pid().unwrap();
    let children = children(first);
    let kill = |pid: u32| {
        let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        // It may have ended since it was found.
        let _ = kill_process(pid, Signal::KILL);
    };
    match round % 3 {
        0 => kill(first),
        1 => {
            kill(first);
            for (pid, _) in &children {
                kill(*pid);
            }
        }
        _ => {
            let serving = children.iter().find(|(_, name)| name.contains(" auth "));
            kill(serving.unwrap().0);
        }
    }
}

/// Whether PostgreSQL stays down after this round.
fn is_over(round: usize) -> bool {
    round % 3 != 2
}

/// Returns the children of a process, with their command lines.
fn children(parent: u32) -> Vec<(u32, String)> {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes
        .filter(|pid| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
            rest.split(' ').nth(1) == Some(&parent.to_string())
        })
        .map(|pid| {
            let name = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            (pid, name)
        })
        .collect()
}

/// Starts the server on a free port and returns its URL.
async fn serve(folder: &Path, database: &str, threads: usize) -> (Process, String) {
    let mut command = innkeeper(&["auth", "serve"]);
    command
        .current_dir(folder)
        .env("TOKIO_WORKER_THREADS", threads.to_string());
    for (name, value) in [
        ("SITE_URL", "http://localhost:3000"),
        ("API_EXTERNAL_URL", "http://localhost:8081"),
        ("PORT", "0"),
        ("DB_DRIVER", "postgres"),
        ("DATABASE_URL", database),
        ("JWT_SECRET", "a-secret-of-more-than-thirty-two-bytes"),
        ("MAILER_AUTOCONFIRM", "true"),
        ("SMTP_HOST", "localhost"),
        ("SMTP_PORT", "2525"),
        ("SMTP_ADMIN_EMAIL", "inn@example.com"),
        // A refresh without a response may have happened; its token stays valid as long as the test runs.
        ("SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", "36000"),
        ("RATE_LIMIT_TOKEN_REFRESH", "1000000"),
        ("RATE_LIMIT_OTP", "1000000"),
        ("RATE_LIMIT_VERIFY", "1000000"),
    ] {
        command.env(format!("AUTH_{name}"), value);
    }
    let mut process = Process::start(&mut command);
    let line = process.error_line().await;
    let (_, port) = line.trim().rsplit_once(':').unwrap();
    (process, format!("http://127.0.0.1:{port}"))
}

/// The outcome of a request.
enum Outcome {
    /// The request succeeded.
    Done(Value),
    /// The server was unavailable. The change may have been made nevertheless.
    Unavailable,
    /// The server was gone. The change may have been made nevertheless.
    Gone,
}

impl Outcome {
    fn done(self) -> Option<Value> {
        match self {
            Self::Done(body) => Some(body),
            Self::Unavailable | Self::Gone => None,
        }
    }
}

/// A client of the server's API.
#[derive(Clone)]
struct ApiClient {
    url: String,
    client: Client,
}

impl ApiClient {
    fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            client: Client::builder().timeout(PATIENCE).build().unwrap(),
        }
    }

    /// Sends a request. All requests are valid, so none may be rejected.
    async fn send(&self, method: Method, path: &str, token: &str, body: Value) -> Outcome {
        let request = self.client.request(method, format!("{}{path}", self.url));
        let answer = request.bearer_auth(token).json(&body).send().await;
        let Ok(answer) = answer else {
            return Outcome::Gone;
        };
        let status = answer.status().as_u16();
        let Ok(text) = answer.text().await else {
            return Outcome::Gone;
        };
        match status {
            200 => Outcome::Done(serde_json::from_str(&text).unwrap()),
            503 | 504 => Outcome::Unavailable,
            _ => panic!("{path}: {status} {text}"),
        }
    }

    async fn sign_up(&self, email: &str, password: &str) -> Outcome {
        let body = json!({ "email": email, "password": password });
        self.send(Method::POST, "/signup", "", body).await
    }

    async fn refresh(&self, token: &str) -> Outcome {
        let body = json!({ "refresh_token": token });
        let path = "/token?grant_type=refresh_token";
        self.send(Method::POST, path, "", body).await
    }

    async fn change_password(&self, token: &str, password: &str) -> Outcome {
        let body = json!({ "password": password });
        self.send(Method::PUT, "/user", token, body).await
    }

    /// Waits until the server has connected to its database.
    async fn until_answered(&self) {
        // This route responds only once the database has been reached.
        let ask = || self.send(Method::GET, "/settings", "", Value::Null);
        eventually("the server comes back", async || ask().await.done()).await;
    }

    /// Whether a password is valid. Waits while the server is unavailable.
    async fn knows(&self, email: &str, password: &str) -> bool {
        let url = format!("{}/token?grant_type=password", self.url);
        let body = json!({ "email": email, "password": password });
        eventually("the server is available", async || {
            let answer = self.client.post(&url).json(&body).send().await.unwrap();
            match answer.status().as_u16() {
                200 => Some(true),
                400 => Some(false),
                503 | 504 => None,
                _ => panic!("{}", answer.text().await.unwrap()),
            }
        })
        .await
    }
}

/// Clients that send requests.
struct Load {
    clients: JoinSet<Acknowledged>,
    progress: Arc<LoadProgress>,
}

/// Counters of completed requests, and the signal to stop.
#[derive(Default)]
struct LoadProgress {
    stop: AtomicBool,
    signed_up: AtomicUsize,
    changed: AtomicUsize,
    refreshed: AtomicUsize,
    read: AtomicUsize,
}

/// Changes that the server acknowledged, or may have made without a response.
#[derive(Default)]
struct Acknowledged {
    /// An email address, and the passwords of which one must be valid.
    passwords: Vec<(String, Vec<String>)>,
    /// The last refresh tokens.
    tokens: Vec<String>,
    /// The number of acknowledged changes.
    told: usize,
}

impl Load {
    /// Signs users up and starts clients that use their sessions.
    async fn start(url: &str, round: usize) -> Self {
        let (mut clients, progress) = (JoinSet::new(), Arc::<LoadProgress>::default());
        for number in 0..2 {
            let name = format!("{number}.of.{round}@example.com");
            let api = ApiClient::new(url);
            let session = async |kind: &str| {
                let email = format!("{kind}.{name}");
                let sign_up = async || api.sign_up(&email, "the first of many").await.done();
                let session = eventually("a user is signed up", sign_up).await;
                (email, session)
            };
            let (email, changing) = session("changes").await;
            let (_, refreshing) = session("refreshes").await;
            let access = field(&changing, "access_token");
            if number == 0 {
                clients.spawn(signs_up(api.clone(), Arc::clone(&progress), name));
            }
            clients.spawn(changes(api.clone(), Arc::clone(&progress), email, access));
            let token = field(&refreshing, "refresh_token");
            clients.spawn(refreshes(api.clone(), Arc::clone(&progress), token));
            let access = field(&refreshing, "access_token");
            clients.spawn(reads(api, Arc::clone(&progress), access));
        }
        Self { clients, progress }
    }

    /// Waits until each kind of request has succeeded, and a moment longer that differs in each round.
    async fn run_for_a_while(&self, round: usize) {
        self.until_served().await;
        let more = (round * 67) % 200;
        tokio::time::sleep(Duration::from_millis(u64::try_from(more).unwrap())).await;
    }

    /// Waits until one more user was signed up, one more token refreshed and one more user read.
    async fn until_served(&self) {
        let LoadProgress {
            signed_up,
            refreshed,
            read,
            ..
        } = &*self.progress;
        tokio::join!(
            until_more(signed_up),
            until_more(refreshed),
            until_more(read)
        );
    }

    /// Waits until one more user was read.
    async fn until_read(&self) {
        until_more(&self.progress.read).await;
    }

    /// Lets the clients finish and returns their acknowledged changes.
    async fn end(self) -> Acknowledged {
        self.progress.stop.store(true, Ordering::Relaxed);
        let mut all = Acknowledged {
            told: self.progress.changed.load(Ordering::Relaxed)
                + self.progress.refreshed.load(Ordering::Relaxed),
            ..Acknowledged::default()
        };
        for known in self.clients.join_all().await {
            all.passwords.extend(known.passwords);
            all.tokens.extend(known.tokens);
        }
        all.told += all.passwords.len();
        all
    }
}

/// Waits until the counter increases.
async fn until_more(count: &AtomicUsize) {
    let before = count.load(Ordering::Relaxed);
    let is_served = async || count.load(Ordering::Relaxed) > before;
    eventually("the clients are served", is_served).await;
}

impl Acknowledged {
    /// Checks that all acknowledged changes are there, and returns their number.
    async fn check(self, api: &ApiClient) -> usize {
        for (email, passwords) in &self.passwords {
            let mut is_there = false;
            for password in passwords {
                is_there |= api.knows(email, password).await;
            }
            assert!(is_there, "{email} has none of the passwords {passwords:?}");
        }
        for token in &self.tokens {
            let refresh = async || api.refresh(token).await.done();
            eventually("the token is refreshed", refresh).await;
        }
        self.told
    }
}

impl LoadProgress {
    /// Waits a moment and returns whether a client continues.
    async fn goes_on(&self, answer: &Outcome) -> bool {
        tokio::time::sleep(PAUSE).await;
        !matches!(answer, Outcome::Gone) && !self.stop.load(Ordering::Relaxed)
    }
}

/// Signs up one user after the other.
async fn signs_up(api: ApiClient, progress: Arc<LoadProgress>, name: String) -> Acknowledged {
    let mut known = Acknowledged::default();
    for number in 0.. {
        let (email, password) = (format!("{number}.{name}"), format!("password {number}"));
        let answer = api.sign_up(&email, &password).await;
        if let Outcome::Done(_) = answer {
            progress.signed_up.fetch_add(1, Ordering::Relaxed);
            known.passwords.push((email, vec![password]));
        }
        if !progress.goes_on(&answer).await {
            break;
        }
    }
    known
}

/// Changes the password repeatedly, until a change gets no response.
async fn changes(
    api: ApiClient,
    progress: Arc<LoadProgress>,
    email: String,
    access: String,
) -> Acknowledged {
    let mut passwords = vec!["the first of many".to_owned()];
    for number in 0.. {
        let password = format!("password {number}");
        let answer = api.change_password(&access, &password).await;
        if !matches!(answer, Outcome::Done(_)) {
            passwords.push(password);
            break;
        }
        progress.changed.fetch_add(1, Ordering::Relaxed);
        passwords = vec![password];
        if !progress.goes_on(&answer).await {
            break;
        }
    }
    Acknowledged {
        passwords: vec![(email, passwords)],
        ..Acknowledged::default()
    }
}

/// Refreshes the session repeatedly.
async fn refreshes(api: ApiClient, progress: Arc<LoadProgress>, mut token: String) -> Acknowledged {
    loop {
        let answer = api.refresh(&token).await;
        if let Outcome::Done(session) = &answer {
            progress.refreshed.fetch_add(1, Ordering::Relaxed);
            token = field(session, "refresh_token");
        }
        if !progress.goes_on(&answer).await {
            break;
        }
    }
    Acknowledged {
        tokens: vec![token],
        ..Acknowledged::default()
    }
}

/// Reads the user repeatedly.
async fn reads(api: ApiClient, progress: Arc<LoadProgress>, access: String) -> Acknowledged {
    loop {
        let answer = api.send(Method::GET, "/user", &access, Value::Null).await;
        if let Outcome::Done(user) = &answer {
            assert!(user["id"].is_string(), "{user}");
            progress.read.fetch_add(1, Ordering::Relaxed);
        }
        if !progress.goes_on(&answer).await {
            break;
        }
    }
    Acknowledged::default()
}

fn field(session: &Value, name: &str) -> String {
    session[name].as_str().unwrap().to_owned()
}
