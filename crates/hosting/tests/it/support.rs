//! A server for each test, and a client that sends its requests unchanged.

use std::collections::HashMap;
use std::fs::{self, File};
use std::net::SocketAddr;

use innkeeper_hosting::config::Config;
use innkeeper_hosting::testing::MemoryHost;
use innkeeper_hosting::{Hosting, StartError};
use innkeeper_rest::filter::Quota;
use innkeeper_rest::{Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::secret::Secret;
use innkeeper_service::testing::{HeldPort, TestDatabase};
use jiff::SignedDuration;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(crate) use innkeeper_service::testing::eventually;

/// A running server with its own folder and clock.
pub(crate) struct Site {
    pub(crate) clock: Clock,
    pub(crate) hosting: Hosting,
    pub(crate) folder: TempDir,
    /// The folder of machines, if it runs any.
    machines: Option<TempDir>,
    config: Config,
    address: SocketAddr,
    stop: Stop,
}

/// A response, as received.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: HashMap<String, Vec<String>>,
    pub(crate) body: Vec<u8>,
}

impl Site {
    /// Starts a server with these files. It does not watch them, so that tests decide when they load.
    pub(crate) async fn with(files: &[(&str, &str)]) -> Self {
        Self::start(files, |_| {}).await
    }

    /// Starts a server with the demo content.
    pub(crate) async fn demo() -> Self {
        Self::start(&[], |config| config.content.dir = None).await
    }

    /// Starts a server with these files and changed settings.
    pub(crate) async fn start(files: &[(&str, &str)], change: impl FnOnce(&mut Config)) -> Self {
        Self::start_with(files, change, Hosting::start).await
    }

    /// Starts a server that runs machines on a host in memory.
    pub(crate) async fn start_on_host(host: &MemoryHost, change: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let machines = folder.path().join("machines");
        let start = |mut config: Config, clock| {
            config.machines.dir = Some(machines);
            Hosting::start_with_engines(config, clock, host.engines(), Some(host.boot_id()))
        };
        let mut site = Self::start_with(&[], change, start).await;
        site.machines = Some(folder);
        site
    }

    /// Stops a server that runs machines, and starts another one with its settings. Something may happen in
    /// between.
    pub(crate) async fn restarted_on_host(
        mut self,
        host: &MemoryHost,
        between: impl FnOnce(),
    ) -> Self {
        let folder = self.machines.take().unwrap();
        let (mut config, clock) = (self.config(), self.clock.clone());
        config.machines.dir = Some(folder.path().join("machines"));
        let content = tempfile::tempdir().unwrap();
        config.content.dir = Some(content.path().to_owned());
        drop(self);
        let lock = File::open(folder.path().join("machines/lock")).unwrap();
        eventually("the server to end", async || lock.try_lock().is_ok()).await;
        drop(lock);
        between();
        let engines = host.engines();
        let hosting = Hosting::start_with_engines(
            config.clone(),
            clock.clone(),
            engines,
            Some(host.boot_id()),
        );
        let mut site = Self::serve(hosting.unwrap(), config, clock, content);
        site.machines = Some(folder);
        site
    }

    /// Returns the folder of machines.
    pub(crate) fn machines_dir(&self) -> std::path::PathBuf {
        self.machines.as_ref().unwrap().path().join("machines")
    }

    async fn start_with(
        files: &[(&str, &str)],
        change: impl FnOnce(&mut Config),
        start: impl FnOnce(Config, Clock) -> Result<Hosting, StartError>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            write(&folder, name, text);
        }
        let mut config = Config::for_tests();
        config.content.dir = Some(folder.path().to_owned());
        config.content.watch = false;
        config.database.probes = false;
        let plenty = Quota::per_minute(1_000_000);
        config.limits.public = plenty;
        config.limits.content = plenty;
        config.limits.control = plenty;
        change(&mut config);
        let clock = Clock::manual();
        let hosting = start(config.clone(), clock.clone()).unwrap();
        Self::serve(hosting, config, clock, folder)
    }

    fn serve(hosting: Hosting, config: Config, clock: Clock, folder: TempDir) -> Self {
        let server = Server::bind("127.0.0.1:0").unwrap();
        let address = server.address();
        let stop = Stop::new();
        let serving = (hosting.clone(), stop.clone());
        tokio::spawn(async move { serving.0.serve(server, serving.1).await });
        Self {
            clock,
            hosting,
            folder,
            machines: None,
            config,
            address,
            stop,
        }
    }

    /// Starts another server on the same folder, as after a restart.
    pub(crate) async fn restarted(&self) -> Self {
        let folder = self.folder_path();
        Self::start(&[], |config| config.content.dir = Some(folder)).await
    }

    /// Returns the content folder.
    pub(crate) fn folder_path(&self) -> std::path::PathBuf {
        let own = || self.folder.path().to_owned();
        self.config.content.dir.clone().unwrap_or_else(own)
    }

    /// Starts a server that uses a database and probes the components in these files.
    pub(crate) async fn with_database(files: &[(&str, &str)], database: &TestDatabase) -> Self {
        let url = Secret::new(database.url().to_owned());
        let site = Self::start(files, |config| {
            config.database.url = Some(url);
            config.database.probes = true;
        });
        let site = site.await;
        site.hosting.tick().await;
        site
    }

    /// Tells the server to stop, as a signal does.
    pub(crate) fn tell_to_stop(&self) {
        self.stop.now();
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the settings, for the operator's functions.
    pub(crate) fn config(&self) -> Config {
        self.config.clone()
    }

    /// Advances the clock and runs the tasks that are due.
    pub(crate) async fn pass(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
        self.hosting.tick().await;
    }

    /// Returns a component of the status.
    pub(crate) async fn component(&self, id: &str) -> Value {
        let status = self.get("/v1/status").await.json();
        let mut components = status["components"].as_array().unwrap().iter();
        let found = components.find(|component| component["id"] == id).cloned();
        found.unwrap_or_else(|| panic!("{status}"))
    }

    /// Writes a content file, as an author does.
    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.folder, name, text);
    }

    /// Reloads changed files, as a watching server does.
    pub(crate) fn reload(&self) {
        let all = innkeeper_hosting::content::ReloadScope::All;
        self.hosting.content().reload(&all).unwrap();
    }

    /// Returns the problems of the files, one line each.
    pub(crate) fn problems(&self) -> Vec<String> {
        let index = self.hosting.content().index();
        index.problems().iter().map(ToString::to_string).collect()
    }

    pub(crate) async fn get(&self, target: &str) -> Answer {
        self.send("GET", target, &[]).await
    }

    pub(crate) async fn get_with(&self, target: &str, headers: &[(&str, &str)]) -> Answer {
        self.send("GET", target, headers).await
    }

    /// Posts a body as JSON, valid or not.
    pub(crate) async fn post(&self, target: &str, body: &str) -> Answer {
        let headers = [("content-type", "application/json")];
        self.send_body("POST", target, &headers, body).await
    }

    /// Sends a request with an unchanged target.
    pub(crate) async fn send(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
    ) -> Answer {
        self.send_body(method, target, headers, "").await
    }

    /// Sends a request with an unchanged target and a body.
    pub(crate) async fn send_body(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut request =
            format!("{method} {target} HTTP/1.1\r\nhost: inn\r\nconnection: close\r\n");
        for (name, value) in headers {
            request = format!("{request}{name}: {value}\r\n");
        }
        if !body.is_empty() {
            let length = body.len();
            request = format!("{request}content-length: {length}\r\n");
        }
        request.push_str("\r\n");
        request.push_str(body);
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        Answer::parse(&bytes)
    }

    /// Returns the paths of a list, in order.
    pub(crate) async fn paths(&self, target: &str) -> Vec<String> {
        let list = self.get(target).await.json();
        let items = list["items"].as_array().unwrap_or_else(|| panic!("{list}"));
        items
            .iter()
            .map(|item| item["path"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Returns the date this number of days from now.
    pub(crate) fn day(&self, days: i64) -> String {
        let time = self.clock.now() + SignedDuration::from_hours(24 * days);
        time.to_string()[..10].to_owned()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.now();
    }
}

impl Answer {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let end = bytes
            .windows(4)
            .position(|part| part == b"\r\n\r\n")
            .expect("a whole head");
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.lines();
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let mut headers: HashMap<String, Vec<String>> = HashMap::new();
        for line in lines {
            let (name, value) = line.split_once(": ").unwrap_or((line, ""));
            headers
                .entry(name.to_lowercase())
                .or_default()
                .push(value.to_owned());
        }
        Self {
            status,
            headers,
            body: bytes[end + 4..].to_vec(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.first().map(String::as_str)
    }

    /// Returns all values of a header.
    pub(crate) fn headers(&self, name: &str) -> Vec<&str> {
        let values = self.headers.get(name).into_iter().flatten();
        values.map(String::as_str).collect()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Asserts that the response is an error with this status and line.
    pub(crate) fn refused(&self, status: u16, line: &str) {
        assert_eq!((self.status, self.text().as_str()), (status, line));
        assert_eq!(
            self.header("content-type"),
            Some("text/plain; charset=utf-8")
        );
    }
}

fn write(folder: &TempDir, name: &str, text: &str) {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A service that can be stopped and started again.
pub(crate) struct TcpService {
    port: HeldPort,
    open: Option<tokio::task::JoinHandle<()>>,
}

impl TcpService {
    pub(crate) async fn start() -> Self {
        let port = HeldPort::take().unwrap();
        let mut service = Self { port, open: None };
        service.restart().await;
        service
    }

    pub(crate) async fn restart(&mut self) {
        let listener = TcpListener::bind(self.port.address()).await.unwrap();
        self.open = Some(tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                drop(stream);
            }
        }));
    }

    pub(crate) async fn stop(&mut self) {
        let open = self.open.take().unwrap();
        open.abort();
        // The port is free once the task has ended.
        let _ = open.await;
    }

    /// Returns a `status.toml` with this service as a component.
    pub(crate) fn status_toml(&self) -> String {
        format!(
            "name = \"Inn\"\n[[components]]\nid = \"door\"\nname = \"Door\"\ngroup = \"House\"\n\
             probes = [{{ kind = \"tcp\", address = \"127.0.0.1:{}\" }}]\n\
             [[components]]\nid = \"data\"\nname = \"Database\"\n\
             probes = [{{ kind = \"postgres\" }}]\n",
            self.port.number()
        )
    }
}

/// Returns the file of an article.
pub(crate) fn article(title: &str, date: &str, rest: &str) -> String {
    format!("---\ntitle: {title}\ndate: {date}\n---\n{rest}")
}
