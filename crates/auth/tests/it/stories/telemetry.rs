//! Traces and metrics, as received by a collector and by Prometheus.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::time::Duration;

use innkeeper_auth::config::{Config, MetricsExporter};
use innkeeper_service::telemetry::OtlpOptions;
use innkeeper_service::testing::HeldPort;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Number;
use serde_json::json;

use crate::support::collector::{Collector, attributes, options};
use crate::support::served::Served;
use crate::support::{TestApp, eventually, hex};

fn trace_to(config: &mut Config, otlp: OtlpOptions) {
    config.telemetry.tracing_enabled = true;
    config.telemetry.otel.traces = Some(otlp);
    config.telemetry.otel.delay = Duration::from_millis(5);
}

fn measure_to(config: &mut Config, otlp: OtlpOptions) {
    config.telemetry.metrics_enabled = true;
    config.telemetry.otel.metrics = Some(otlp);
    config.telemetry.otel.interval = Duration::from_millis(20);
}

fn serve_metrics(config: &mut Config) {
    config.telemetry.metrics_enabled = true;
    config.telemetry.metrics_exporter = MetricsExporter::Prometheus;
    "127.0.0.1".clone_into(&mut config.telemetry.prometheus_host);
    config.telemetry.prometheus_port = 0;
}

/// Parses a metrics page into values, by name and labels.
fn parsed(page: &str) -> BTreeMap<String, f64> {
    let lines = page.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect()
}

/// Returns whether a value equals this integer.
fn is(value: f64, number: u32) -> bool {
    (value - f64::from(number)).abs() < 1e-9
}

/// Asserts that each of these attributes is present with its value.
#[track_caller]
fn assert_has(found: &BTreeMap<String, String>, expected: &[(&str, &str)]) {
    for (name, value) in expected {
        assert_eq!(found.get(*name).map(String::as_str), Some(*value), "{name}");
    }
}

/// The `traceparent` of a client.
const CALLER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[tokio::test]
async fn every_request_is_a_span_with_its_route_and_its_parameters() {
    let collector = Collector::start();
    let otlp = collector.options("traces");
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.telemetry.otel.attributes = vec![("team".to_owned(), "inn".to_owned())];
        trace_to(config, otlp);
    })
    .await;
    let served = Served::start(app);
    let user = served
        .app
        .signed_up("ada@example.com", "a-password-9")
        .await;
    let id = user["user"]["id"].as_str().unwrap().to_owned();
    let key = format!("Bearer {}", served.app.service_key());
    let headers = [
        ("authorization", key.as_str()),
        ("user-agent", "a-browser"),
        ("traceparent", CALLER),
    ];
    let target = format!("/admin/users/{id}?secret=in-the-query");
    let answer = served.get(&target, &headers).await;
    assert_eq!(answer.status(), 200);
    let request_id = answer.headers()["x-request-id"]
        .to_str()
        .unwrap()
        .to_owned();

    let span = collector.span("GET /admin/users/{user_id}").await;
    let found = attributes(&span.attributes);
    let expected = [
        ("http.method", "GET"),
        ("http.route", "/admin/users/{user_id}"),
        ("http.route.params.user_id", id.as_str()),
        ("http.route.param.user_id", id.as_str()),
        ("http.status_code", "200"),
        ("request.id", request_id.as_str()),
    ];
    assert_has(&found, &expected);
    assert_eq!(hex(&span.trace_id), "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(hex(&span.parent_span_id), "b7ad6b7169203331");
    assert!(span.end_time_unix_nano > span.start_time_unix_nano);
    let everything = format!("{span:?}");
    assert!(!everything.contains("a-browser") && !everything.contains("in-the-query"));

    let told = collector.until(|told| !told.spans.is_empty()).await;
    let version = env!("CARGO_PKG_VERSION");
    let expected = [
        ("auth.version", version),
        ("gotrue.version", version),
        ("service.name", "innkeeper-auth"),
        ("team", "inn"),
    ];
    assert_has(&told.resource, &expected);
    assert_eq!(told.headers["x-inn-key"], "front desk");
    assert_eq!(told.headers["content-type"], "application/x-protobuf");
    served.stop().await;
}

#[tokio::test]
async fn refusals_and_unknown_paths_are_spans_too() {
    let collector = Collector::start();
    let otlp = collector.options("traces");
    let app = TestApp::with(|config| trace_to(config, otlp)).await;
    let served = Served::start(app);
    // A filter refuses this request before routing.
    assert_eq!(served.get("/user", &[]).await.status(), 401);
    assert_eq!(
        served.get("/nowhere/ada@example.com", &[]).await.status(),
        404
    );
    let refused = attributes(&collector.span("GET /user").await.attributes);
    assert_eq!(refused["http.route"], "/user");
    assert_eq!(refused["http.status_code"], "401");
    assert_eq!(refused["error.type"], "no_authorization");
    let unknown = attributes(&collector.span("GET").await.attributes);
    assert!(!unknown.contains_key("http.route"), "{unknown:?}");
    served.stop().await;
}

#[tokio::test]
async fn what_has_not_been_sent_is_sent_before_the_server_ends() {
    let collector = Collector::start();
    let (traces, metrics) = (collector.options("traces"), collector.options("metrics"));
    let app = TestApp::with(|config| {
        trace_to(config, traces);
        measure_to(config, metrics);
        // Nothing is exported while the server runs.
        config.telemetry.otel.delay = Duration::from_hours(1);
        config.telemetry.otel.interval = Duration::from_hours(1);
    })
    .await;
    let served = Served::start(app);
    assert_eq!(served.get("/settings", &[]).await.status(), 200);
    served.stop().await;
    collector.span("GET /settings").await;
    let told = collector.until(|told| !told.metrics.is_empty()).await;
    assert!(
        told.metrics
            .iter()
            .any(|metric| metric.name == "gotrue_running")
    );
}

#[tokio::test]
async fn metrics_are_pushed_to_a_collector() {
    let collector = Collector::start();
    let mut otlp = collector.options("metrics");
    otlp.gzip = false;
    let app = TestApp::with(|config| measure_to(config, otlp)).await;
    let served = Served::start(app);
    for _ in 0..3 {
        assert_eq!(served.get("/settings", &[]).await.status(), 200);
    }
    let told = collector
        .until(|told| {
            let codes = told
                .metrics
                .iter()
                .find(|metric| metric.name == "http_status_codes");
            let Some(Data::Sum(sum)) = codes.and_then(|metric| metric.data.clone()) else {
                return false;
            };
            sum.data_points.iter().any(|point| {
                let labels = attributes(&point.attributes);
                labels.get("http_route").map(String::as_str) == Some("/settings")
                    && labels.get("code").map(String::as_str) == Some("200")
                    && point.value == Some(Number::AsInt(3))
            })
        })
        .await;
    let names: Vec<&str> = told
        .metrics
        .iter()
        .map(|metric| metric.name.as_str())
        .collect();
    for name in [
        "gotrue_running",
        "http_server_request_duration_seconds",
        "process_resident_memory_bytes",
        "tokio_alive_tasks",
        "db_client_connections",
        "global_auth_version_minor",
    ] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    assert_eq!(told.resource["auth.version"], env!("CARGO_PKG_VERSION"));
    served.stop().await;
}

/// The metrics after two sign-ups, of which one was too soon, and two requests that fail.
const VALUES: &[(&str, u32)] = &[
    ("gotrue_running", 1),
    (r#"http_status_codes{code="200",http_route="/signup"}"#, 1),
    (r#"http_status_codes{code="429",http_route="/signup"}"#, 1),
    (r#"http_status_codes{code="401",http_route="/user"}"#, 1),
    (r#"http_status_codes{code="404",http_route="none"}"#, 1),
    (
        r#"http_server_request_duration_seconds_count{code="401",http_route="/user",method="GET"}"#,
        1,
    ),
    (r#"gotrue_email_rate_limit_counter{path="/signup"}"#, 1),
    (
        r#"global_auth_email_send_operations_total{type="confirmation"}"#,
        1,
    ),
    ("global_auth_email_send_errors_total", 0),
    // A sign-up that comes too soon is refused before its password is hashed, whoever it is for.
    ("gotrue_generate_from_password_submitted", 1),
    ("gotrue_generate_from_password_completed", 1),
    ("gotrue_compare_hash_and_password_completed", 0),
    ("gotrue_cleanup_affected_rows", 0),
    ("db_client_connections_pending_requests", 0),
    ("global_auth_version_major", 0),
    ("global_auth_version_minor", 1),
    ("global_auth_version_rc", 0),
    ("auth_mails_waiting", 0),
];

/// Metrics whose values depend on the machine.
const NAMES: &[&str] = &[
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "process_open_fds",
    "process_start_time_seconds",
    "process_threads",
    "tokio_workers",
    "tokio_alive_tasks",
    r#"db_client_connections{state="used"}"#,
    r#"db_client_connections{state="idle"}"#,
];

#[tokio::test]
async fn prometheus_fetches_metrics_from_a_port_of_their_own_at_any_path() {
    let app = TestApp::with(serve_metrics).await;
    let served = Served::start(app);
    let app = &served.app;
    let body = json!({ "email": "ada@example.com", "password": "a-password-9" });
    let signed_up = served
        .client
        .post(format!("{}/signup", served.url))
        .json(&body);
    assert_eq!(signed_up.send().await.unwrap().status(), 200);
    app.mailbox.next_to("ada@example.com").await;
    // This sign-up is too soon after the first.
    let again = served
        .client
        .post(format!("{}/signup", served.url))
        .json(&body);
    assert_eq!(again.send().await.unwrap().status(), 429);
    assert_eq!(served.get("/user", &[]).await.status(), 401);
    assert_eq!(served.get("/a/strange/path", &[]).await.status(), 404);
    app.auth.clean_up().await.unwrap();

    // The mailbox has the mail a moment before the server records it, and waiting mails are counted every
    // few seconds.
    let page = eventually("the mail is counted", async || {
        let page = served.metrics("/").await;
        let waiting = parsed(&page).get("auth_mails_waiting").copied();
        let is_sent = page.contains("global_auth_email_send_operations_total{")
            && waiting.is_none_or(|waiting| is(waiting, 0));
        if is_sent { Ok(page) } else { Err(page) }
    })
    .await;
    assert!(served.metrics("/metrics").await.contains("gotrue_running"));
    let figures = parsed(&page);
    for (name, value) in VALUES {
        let found = figures.get(*name).copied();
        assert!(
            found.is_some_and(|found| is(found, *value)),
            "{name}: {found:?}\n{page}"
        );
    }
    for name in NAMES {
        assert!(figures.contains_key(*name), "{name}\n{page}");
    }
    assert!(figures["process_resident_memory_bytes"] > 1e6);
    assert!(page.contains("# TYPE http_status_codes counter"), "{page}");
    assert!(page.contains("auth_version="), "{page}");

    let address = app.auth.metrics_address().unwrap();
    let posted = served
        .client
        .post(format!("http://{address}/"))
        .send()
        .await;
    assert_eq!(posted.unwrap().status(), 405);
    served.stop().await;
}

#[tokio::test]
async fn metrics_and_traces_that_are_off_open_nothing() {
    let app = TestApp::start().await;
    assert_eq!(app.auth.metrics_address(), None);
}

/// A silent collector would delay anything that waits for its response: the export timeout is an hour, the
/// test's ten minutes.
#[tokio::test]
async fn a_collector_that_is_silent_or_away_holds_up_neither_requests_nor_the_end() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let away = HeldPort::take().unwrap();
    for address in [address, away.address().to_string()] {
        let app = TestApp::with(|config| {
            trace_to(config, options(&address, "traces"));
            measure_to(config, options(&address, "metrics"));
        })
        .await;
        let served = Served::start(app);
        let requests = async {
            // More spans than the queue holds.
            for _ in 0..2100 {
                assert_eq!(served.app.get("/settings").await.status, 200);
            }
            assert_eq!(served.get("/settings", &[]).await.status(), 200);
        };
        let answered = tokio::time::timeout(Duration::from_mins(10), requests).await;
        answered.unwrap();
        served.stop().await;
    }
}
