//! A static file of 10 kB from disk and from memory, and its 304, compared with actix-files and nginx.
//!
//! Their headers differ, so only status and body are compared. Threads that wait for disks make
//! instruction counts random, so processor time and throughput are measured instead.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};

use crate::cases::{Case, OK, Variant};
use crate::process::Running;
use crate::results::Results;
use crate::server::Server;
use crate::wire::Answer;
use crate::{Places, Plan, load, report};

const SERVERS: [Server; 4] = [
    Server::Files,
    Server::Loaded,
    Server::ActixFiles,
    Server::Nginx,
];

/// Sun, 06 Nov 1994 08:49:37 GMT
const MODIFIED: u64 = 784_111_777;

const LINE: &str =
    "Seventy-nine characters and a line break make eighty bytes for each such line.\n";
const LINES: usize = 128;

impl Places {
    /// Returns the path of the unpacked nginx.
    pub(crate) fn nginx(&self) -> PathBuf {
        self.binaries.join("../nginx/usr/sbin/nginx")
    }

    /// Returns the folder of served files.
    fn root(&self) -> PathBuf {
        self.output.join("root")
    }
}

/// Configures a server of static files.
pub(crate) fn configure(
    command: &mut Command,
    places: &Places,
    server: Server,
    address: SocketAddr,
) -> Result<()> {
    if server == Server::Nginx {
        let configuration = places.output.join("nginx.conf");
        let output = fs::canonicalize(&places.output)?;
        fs::write(
            &configuration,
            nginx(&output.display().to_string(), address),
        )?;
        command.arg("-p").arg(&output).arg("-c").arg(&configuration);
        return Ok(());
    }
    if server == Server::Loaded {
        command.env("LOADED", "1");
    }
    command.env("ROOT", places.root());
    Ok(())
}

/// Returns a configuration with one process on one thread, no log, and buffers that fit the file.
fn nginx(output: &str, address: SocketAddr) -> String {
    format!(
        "daemon off; master_process off; worker_processes 1;
error_log stderr crit; pid {output}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
    access_log off; tcp_nodelay on; tcp_nopush on; sendfile on;
    types {{ text/plain txt; }}
    keepalive_requests 100000000;
    client_body_temp_path {output}/nginx-body; proxy_temp_path {output}/nginx-proxy;
    fastcgi_temp_path {output}/nginx-fastcgi; uwsgi_temp_path {output}/nginx-uwsgi;
    scgi_temp_path {output}/nginx-scgi;
    server {{ listen {address}; location /files/ {{ alias {output}/root/; }} }}
}}
"
    )
}

/// Measures all servers of static files. Without nginx, its column is missing.
pub(crate) fn measure(places: Places, rounds: usize, results: &mut Results) -> Result<()> {
    let built = |server: &&Server| server.binary(&places).is_file();
    let servers: Vec<Server> = SERVERS.iter().filter(built).copied().collect();
    if servers.is_empty() {
        return Ok(());
    }
    fs::create_dir_all(places.root())?;
    let path = places.root().join("10k.txt");
    fs::write(&path, LINE.repeat(LINES))?;
    let modified = UNIX_EPOCH + Duration::from_secs(MODIFIED);
    let file = File::options().write(true).open(&path)?;
    file.set_modified(modified).context("dating the file")?;
    let plan = Plan {
        places,
        servers,
        cases: cases(),
    };
    verify(&plan)?;
    load::measure(&plan, rounds, results)?;
    report::load(results, &plan);
    Ok(())
}

fn cases() -> Vec<Case> {
    let case = |name: &str, condition: &str, status| Case {
        name: name.to_owned(),
        variant: Variant::Plain,
        request: format!("GET /files/10k.txt HTTP/1.1\r\nhost: 127.0.0.1\r\n{condition}\r\n")
            .into_bytes(),
        depth: 1,
        headers: Vec::new(),
        body: "",
        status,
    };
    let condition = "if-modified-since: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    vec![
        case("file", "", OK),
        case("file+304", condition, "HTTP/1.1 304 Not Modified"),
    ]
}

fn verify(plan: &Plan) -> Result<()> {
    let start = |&server| Running::start(&plan.places, server);
    let running: Vec<_> = plan.servers.iter().map(start).collect::<Result<_>>()?;
    for server in &running {
        for case in &plan.cases {
            let answer = Answer::fetch(server.address, &case.request)?;
            let (name, status) = (server.server, &answer.status);
            ensure!(status == case.status, "{name}, {}: {status}", case.name);
            let whole = if case.status == OK { LINES } else { 0 };
            ensure!(
                answer.body == LINE.repeat(whole),
                "{name}, {}: another body",
                case.name
            );
        }
    }
    running.into_iter().try_for_each(Running::stop)
}
