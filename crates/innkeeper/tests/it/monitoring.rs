//! Logs, metrics and reloading, as an operator sees them.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use innkeeper_service::testing::{GrpcReceiver, TestDatabase, eventually};
use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Process, answer, complaint, folder, innkeeper};

/// Writes a settings file for a server on a free port, and returns its path.
fn settings(folder: &Path, database_url: &str, more: &str) -> String {
    let path = folder.join("auth.env");
    let text = format!(
        "AUTH_SITE_URL=http://localhost:3000\n\
         AUTH_API_EXTERNAL_URL=http://localhost:8081\n\
         AUTH_API_HOST=127.0.0.1\n\
         AUTH_PORT=0\n\
         AUTH_DB_DRIVER=postgres\n\
         AUTH_DATABASE_URL={database_url}\n\
         AUTH_JWT_SECRET=a-secret-of-more-than-thirty-two-bytes\n\
         AUTH_SMTP_HOST=localhost\n\
         AUTH_SMTP_PORT=2525\n\
         AUTH_SMTP_ADMIN_EMAIL=inn@example.com\n\
         {more}"
    );
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Returns the value in a line such as `… listening address=127.0.0.1:40123`.
fn address(line: &str) -> String {
    let (_, address) = line.trim().rsplit_once("address=").unwrap();
    address.to_owned()
}

/// Waits for the first line of the log with these words.
async fn line_with(server: &mut Process, words: &str) -> String {
    loop {
        let line = server.error_line().await;
        if line.contains(words) {
            return line;
        }
    }
}

async fn new_keys() -> (String, String) {
    let keys = answer(&mut innkeeper(&[
        "auth",
        "keys",
        "generate",
        "--algorithm",
        "ES256",
        "--json",
    ]))
    .await;
    let parsed: Value = serde_json::from_str(&keys).unwrap();
    let kid = parsed[0]["kid"].as_str().unwrap().to_owned();
    (keys.trim().to_owned(), kid)
}

async fn kids(url: &str) -> Vec<String> {
    let keys = reqwest::get(format!("{url}/.well-known/jwks.json")).await;
    let keys: Value = keys.unwrap().json().await.unwrap();
    let keys = keys["keys"].as_array().unwrap().iter();
    keys.map(|key| key["kid"].as_str().unwrap().to_owned())
        .collect()
}

/// Sends requests until it is dropped, and counts them.
struct Load {
    stop: Arc<AtomicBool>,
    answered: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Load {
    fn start(url: &str) -> Self {
        let (stop, answered) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let (stopped, counted) = (Arc::clone(&stop), Arc::clone(&answered));
        let target = format!("{url}/settings");
        let task = tokio::spawn(async move {
            let client = reqwest::Client::new();
            while !stopped.load(Ordering::Relaxed) {
                let answer = client.get(&target).send().await.unwrap();
                assert_eq!(answer.status(), 200);
                counted.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        Self {
            stop,
            answered,
            task,
        }
    }

    /// Stops the requests, none of which may have failed.
    async fn end(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.task.await.unwrap();
        self.answered.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn a_hangup_takes_new_keys_over_and_no_request_fails() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let (first, first_kid) = new_keys().await;
    let given = |keys: &str| {
        let more = format!("AUTH_JWT_KEYS='{keys}'\n");
        settings(folder.path(), database.url(), &more)
    };
    let file = given(&first);
    let mut server = Process::start(&mut innkeeper(&["auth", "serve", "-c", &file]));
    let line = line_with(&mut server, "listening address=").await;
    let url = format!("http://{}", address(&line));
    line_with(&mut server, "brought up to date").await;
    // The schema exists a moment before the server is ready.
    while reqwest::get(format!("{url}/settings"))
        .await
        .unwrap()
        .status()
        != 200
    {
        tokio::task::yield_now().await;
    }
    assert_eq!(kids(&url).await, [first_kid]);
    let load = Load::start(&url);

    let (second, second_kid) = new_keys().await;
    given(&second);
    server.signal(Signal::HUP);
    line_with(&mut server, "reloaded").await;
    assert_eq!(kids(&url).await, std::slice::from_ref(&second_kid));

    // Errors are logged, and the current settings stay in effect.
    given("not JSON");
    server.signal(Signal::HUP);
    let said = line_with(&mut server, "the settings were not reloaded").await;
    assert!(said.contains("AUTH_JWT_KEYS"), "{said}");
    assert_eq!(kids(&url).await, [second_kid]);
    assert!(load.end().await > 0);
    server.stop().await;
}

#[tokio::test]
async fn a_hangup_finds_keys_that_were_rotated_in_the_database() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let file = settings(folder.path(), database.url(), "");
    let mut server = Process::start(&mut innkeeper(&["auth", "serve", "-c", &file]));
    let line = line_with(&mut server, "listening address=").await;
    let url = format!("http://{}", address(&line));
    line_with(&mut server, "brought up to date").await;
    while reqwest::get(format!("{url}/settings"))
        .await
        .unwrap()
        .status()
        != 200
    {
        tokio::task::yield_now().await;
    }
    let rotated = answer(&mut innkeeper(&[
        "auth", "keys", "rotate", "--json", "-c", &file,
    ]))
    .await;
    let rotated: Value = serde_json::from_str(&rotated).unwrap();
    server.signal(Signal::HUP);
    line_with(&mut server, "reloaded").await;
    let kids = kids(&url).await;
    assert_eq!(kids.len(), 2);
    assert!(kids.contains(&rotated["kid"].as_str().unwrap().to_owned()));
    server.stop().await;
}

#[tokio::test]
async fn a_hangup_reads_mail_templates_again() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let template = folder.path().join("confirmation.html");
    fs::write(&template, "{{ if").unwrap();
    // The server would reload by itself, but not so soon.
    let more = format!(
        "AUTH_MAILER_TEMPLATES_CONFIRMATION=file://{}\n\
         AUTH_MAILER_TEMPLATE_RETRY_INTERVAL=1h\n",
        template.display()
    );
    let file = settings(folder.path(), database.url(), &more);
    let mut server = Process::start(&mut innkeeper(&["auth", "serve", "-c", &file]));
    let mut awaited = vec!["listening address=", "the built-in mail is used instead"];
    while !awaited.is_empty() {
        let line = server.error_line().await;
        awaited.retain(|words| !line.contains(words));
    }
    fs::write(&template, "<p>{{ .Token }}</p>").unwrap();
    server.signal(Signal::HUP);
    let line = line_with(&mut server, "a mail template is in use").await;
    assert!(line.contains("CONFIRMATION"), "{line}");
    server.stop().await;
}

#[tokio::test]
async fn a_log_file_that_was_moved_is_opened_again() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let (log, moved) = (folder.path().join("log"), folder.path().join("log.1"));
    let more = format!("AUTH_LOG_FILE={}\nAUTH_LOG_FORMAT=json\n", log.display());
    let file = settings(folder.path(), database.url(), &more);
    let server = Process::start(&mut innkeeper(&["auth", "serve", "-c", &file]));
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    eventually("it listens", async || {
        read(&log).contains("brought up to date")
    })
    .await;
    let first: Value = serde_json::from_str(read(&log).lines().next().unwrap()).unwrap();
    let url = format!("http://{}", first["address"].as_str().unwrap());

    fs::rename(&log, &moved).unwrap();
    server.signal(Signal::HUP);
    eventually("there is a new file", async || {
        read(&log).contains("reloaded")
    })
    .await;
    let before = read(&moved);
    let answer = reqwest::Client::new()
        .get(format!("{url}/user?apikey=hidden"))
        .header("x-request-id", "r-1")
        .send()
        .await;
    let status = answer.unwrap().status().as_u16();
    eventually("the request is logged", async || {
        read(&log).contains("request completed")
    })
    .await;
    assert_eq!(read(&moved), before);
    let text = read(&log);
    let mut lines = text.lines();
    let line = lines.find(|line| line.contains("request completed"));
    let line: Value = serde_json::from_str(line.unwrap()).unwrap();
    for (name, value) in [
        ("component", Value::from("api")),
        ("method", Value::from("GET")),
        ("path", Value::from("/user")),
        ("status", Value::from(status)),
        ("remote_addr", Value::from("127.0.0.1")),
        ("request_id", Value::from("r-1")),
    ] {
        assert_eq!(line[name], value, "{name}: {line}");
    }
    assert!(line["duration"].as_u64().unwrap() > 0);
    assert!(line["timestamp"].as_str().unwrap().ends_with('Z'));
    assert!(!text.contains("hidden"), "{text}");
    server.stop().await;
}

#[tokio::test]
async fn prometheus_is_answered_at_the_port_of_the_settings() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let file = settings(
        folder.path(),
        database.url(),
        "AUTH_METRICS_ENABLED=true\n\
         AUTH_METRICS_EXPORTER=prometheus\n\
         OTEL_EXPORTER_PROMETHEUS_HOST=127.0.0.1\n\
         OTEL_EXPORTER_PROMETHEUS_PORT=0\n",
    );
    let mut server = Process::start(&mut innkeeper(&["auth", "serve", "-c", &file]));
    let line = line_with(&mut server, "serving metrics").await;
    let page = reqwest::get(format!("http://{}/", address(&line))).await;
    let page = page.unwrap().text().await.unwrap();
    assert!(page.contains("\ngotrue_running 1\n"), "{page}");
    assert!(page.contains("\ntokio_workers "), "{page}");
    server.stop().await;

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replace("PROMETHEUS_PORT=0", &format!("PROMETHEUS_PORT={port}")),
    )
    .unwrap();
    let said = complaint_in_the_end(&file).await;
    assert!(
        said.contains(&format!(
            "cannot listen for metrics on 127.0.0.1 port {port}: "
        )) && said.contains("to change the port, set OTEL_EXPORTER_PROMETHEUS_PORT"),
        "{said}"
    );
}

/// Returns the error of a server that does not start.
async fn complaint_in_the_end(file: &str) -> String {
    complaint(&mut innkeeper(&["auth", "serve", "-c", file])).await
}

#[tokio::test]
async fn the_telemetry_library_tells_what_it_does_when_asked() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let file = settings(
        folder.path(),
        database.url(),
        "AUTH_TRACING_ENABLED=true\n\
         OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1\n\
         OTEL_BSP_SCHEDULE_DELAY=10\n",
    );
    let mut server =
        Process::start(innkeeper(&["auth", "serve", "-c", &file]).env("DEBUG", "true"));
    let line = line_with(&mut server, "opentelemetry").await;
    assert!(line.contains("DEBUG"), "{line}");
    server.stop().await;
}

#[tokio::test]
async fn traces_and_metrics_reach_a_collector_of_grpc() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let receiver = GrpcReceiver::start().await.unwrap();
    let more = format!(
        "AUTH_TRACING_ENABLED=true\n\
         AUTH_METRICS_ENABLED=true\n\
         OTEL_EXPORTER_OTLP_PROTOCOL=grpc\n\
         OTEL_EXPORTER_OTLP_ENDPOINT={}\n\
         OTEL_SERVICE_NAME=the-front-desk\n\
         OTEL_BSP_SCHEDULE_DELAY=10\n\
         OTEL_METRIC_EXPORT_INTERVAL=50\n",
        receiver.url()
    );
    let file = settings(folder.path(), database.url(), &more);
    let mut server = Process::start(&mut innkeeper(&["auth", "serve", "-c", &file]));
    let line = line_with(&mut server, "listening address=").await;
    let answer = reqwest::get(format!("http://{}/settings", address(&line))).await;
    answer.unwrap();
    for (method, name) in [
        ("trace.v1.TraceService", "GET /settings"),
        ("metrics.v1.MetricsService", "gotrue_running"),
    ] {
        let path = format!("/opentelemetry.proto.collector.{method}/Export");
        eventually("the collector is called", async || {
            receiver.calls().iter().any(|call| {
                call.path == path
                    && call.header("content-type") == "application/grpc"
                    && call.contains(name)
                    && call.contains("the-front-desk")
            })
        })
        .await;
    }
    server.stop().await;
}

#[tokio::test]
async fn the_hosting_server_has_metrics_and_a_log_like_that_of_the_auth_server() {
    let folder = folder();
    let (log, moved) = (folder.path().join("log"), folder.path().join("log.1"));
    // Without probes: the demo probes the server itself, which would be counted.
    let content = folder.path().join("content");
    fs::create_dir(&content).unwrap();
    let server = Process::start(
        innkeeper(&["hosting", "serve"])
            .current_dir(folder.path())
            .env("HOSTING_CONTENT_DIR", &content)
            .env("HOSTING_HOST", "127.0.0.1")
            .env("HOSTING_PORT", "0")
            .env("HOSTING_LOG_FILE", &log)
            .env("HOSTING_LOG_FORMAT", "json")
            .env("HOSTING_METRICS_ENABLED", "true")
            .env("HOSTING_METRICS_HOST", "127.0.0.1")
            .env("HOSTING_METRICS_PORT", "0"),
    );
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let address = |words: &str| {
        let text = read(&log);
        let line = text.lines().find(|line| line.contains(words)).unwrap();
        let line: Value = serde_json::from_str(line).unwrap();
        format!("http://{}", line["address"].as_str().unwrap())
    };
    eventually("it listens", async || {
        read(&log).contains("serving metrics")
    })
    .await;
    let (url, metrics) = (address("\"listening\""), address("serving metrics"));
    let health = reqwest::get(format!("{url}/health")).await;
    assert_eq!(health.unwrap().status(), 200);
    let plans = reqwest::get(format!("{url}/v1/plans?secret=hidden")).await;
    assert_eq!(plans.unwrap().status(), 200);
    let page = reqwest::get(metrics).await.unwrap().text().await.unwrap();
    for line in [
        r#"http_status_codes{code="200",http_route="/health"} 1"#,
        r#"http_status_codes{code="200",http_route="/v1/plans"} 1"#,
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    assert!(page.contains("\nprocess_resident_memory_bytes "), "{page}");

    let text = read(&log);
    assert!(text.contains("\"path\":\"/v1/plans\""), "{text}");
    assert!(
        !text.contains("/health") && !text.contains("hidden"),
        "{text}"
    );
    fs::rename(&log, &moved).unwrap();
    server.signal(Signal::HUP);
    eventually("there is a new file", async || log.exists()).await;
    server.stop().await;
    assert!(read(&log).contains("stopped"));
}

/// Returns the names of metrics in a Prometheus expression.
fn metrics_in(expression: &str) -> impl Iterator<Item = &str> {
    expression
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| word.contains('_') && !word.starts_with("__"))
        .filter(|word| !["histogram_quantile", "http_route", "label_values"].contains(word))
        .map(|word| word.strip_suffix("_bucket").unwrap_or(word))
}

#[test]
fn dashboard_and_alarms_ask_for_metrics_that_there_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let page = read("monitoring.md");
    let dashboard: Value = serde_json::from_str(&read("grafana/innkeeper.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    let asked = targets.map(|target| target["expr"].as_str().unwrap().to_owned());
    let alarms = read("grafana/alerts.yml");
    let alarms = alarms
        .lines()
        .filter_map(|line| line.trim().strip_prefix("expr: "));
    let mut seen = 0;
    for expression in asked.chain(alarms.map(str::to_owned)) {
        for name in metrics_in(&expression) {
            // The page abbreviates the second name of a pair.
            let shown = name.replace("_completed", "_submitted");
            assert!(
                page.contains(&format!("`{shown}`")),
                "{name} in {expression}"
            );
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}
