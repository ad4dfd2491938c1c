//! nginx in front of the replicas, configured as in the guide.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use innkeeper_service::random;
use innkeeper_service::testing::eventually;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// The proxy and its address.
pub(super) struct Proxy {
    folder: TempDir,
    nginx: Child,
    /// A loopback address that nothing else uses, so that the ports are free.
    host: String,
}

/// The addresses of the replicas.
#[derive(Clone, Default)]
pub(super) struct Upstreams {
    pub(super) auth: Vec<String>,
    pub(super) hosting: Vec<String>,
}

impl Proxy {
    pub(super) async fn start(upstreams: &Upstreams) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, c, _] = random::bytes::<4>().map(|byte| byte % 254 + 1);
        let host = format!("127.{a}.{b}.{c}");
        let config = folder.path().join("nginx.conf");
        fs::write(&config, configuration(&folder, &host, upstreams)).unwrap();
        let nginx = Command::new(program())
            .arg("-p")
            .arg(folder.path())
            .arg("-c")
            .arg(&config)
            .args(["-e", "error.log"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let proxy = Self {
            folder,
            nginx,
            host,
        };
        proxy.until(|proxy| !proxy.workers().is_empty()).await;
        proxy
    }

    pub(super) fn auth_url(&self) -> String {
        format!("http://{}:8081", self.host)
    }

    pub(super) fn hosting_url(&self) -> String {
        format!("http://{}:8080", self.host)
    }

    /// Changes the upstreams, and waits until the old ones are out of use.
    pub(super) async fn reload(&self, upstreams: &Upstreams) {
        let before = self.workers();
        let text = configuration(&self.folder, &self.host, upstreams);
        fs::write(self.folder.path().join("nginx.conf"), text).unwrap();
        self.signal(Signal::HUP);
        self.until(|proxy| {
            let now = proxy.workers();
            !now.is_empty() && now.is_disjoint(&before)
        })
        .await;
    }

    pub(super) async fn stop(mut self) {
        self.signal(Signal::QUIT);
        self.nginx.wait().await.unwrap();
    }

    fn pid(&self) -> u32 {
        self.nginx.id().unwrap()
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.pid()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    async fn until(&self, holds: impl Fn(&Self) -> bool) {
        eventually("nginx has the workers", async || {
            let log = fs::read_to_string(self.folder.path().join("error.log"));
            if holds(self) { Ok(()) } else { Err(log) }
        })
        .await;
    }

    /// Returns the worker processes.
    fn workers(&self) -> BTreeSet<String> {
        let first = self.pid();
        let children = fs::read_to_string(format!("/proc/{first}/task/{first}/children"));
        let children = children.unwrap_or_default();
        children.split_whitespace().map(str::to_owned).collect()
    }
}

/// Finds nginx, which Debian installs outside the PATH of normal users.
fn program() -> PathBuf {
    let places = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&places).chain([PathBuf::from("/usr/sbin")]);
    let mut found = places.map(|place| place.join("nginx"));
    found.find(|program| program.is_file()).unwrap()
}

fn configuration(folder: &TempDir, host: &str, upstreams: &Upstreams) -> String {
    let servers = |addresses: &[String]| -> String {
        let lines = addresses.iter().map(|address| format!("server {address};"));
        lines.collect()
    };
    let (auth, hosting) = (servers(&upstreams.auth), servers(&upstreams.hosting));
    let folder = folder.path().display();
    // Without retries, so that clients see every failed request.
    let location = "proxy_next_upstream off; proxy_http_version 1.1;
        proxy_set_header Host $http_host; proxy_set_header Connection \"\";
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;";
    format!(
        "user root; daemon off; worker_processes 1; pid nginx.pid;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/1; uwsgi_temp_path {folder}/2; scgi_temp_path {folder}/3;
    upstream auth {{ {auth} }}
    upstream hosting {{ {hosting} }}
    server {{ listen {host}:8081; location / {{ proxy_pass http://auth; {location} }} }}
    server {{ listen {host}:8080; location / {{ proxy_pass http://hosting; {location} }} }}
}}
"
    )
}
