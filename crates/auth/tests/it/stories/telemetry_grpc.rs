//! Traces and metrics that are sent by gRPC, as a collector receives them over HTTP/2.

use std::io::Read;
use std::net::TcpListener;
use std::time::Duration;

use bytes::Bytes;
use flate2::read::GzDecoder;
use innkeeper_auth::config::Config;
use innkeeper_service::telemetry::{OtlpOptions, OtlpProtocol};
use innkeeper_service::testing::{GrpcCall, GrpcReceiver, HeldPort, eventually};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use prost::Message;

use crate::support::TestApp;
use crate::support::collector::{attributes, options};
use crate::support::served::Served;

const TRACES: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const METRICS: &str = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";

/// Returns the options for a method of a collector.
fn grpc(url: &str, path: &str) -> OtlpOptions {
    OtlpOptions {
        protocol: OtlpProtocol::Grpc,
        endpoint: format!("{url}{path}").parse().unwrap(),
        ..options("unused.example", "traces")
    }
}

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

/// Waits for a call that satisfies a condition.
async fn call(receiver: &GrpcReceiver, holds: impl Fn(&GrpcCall) -> bool) -> GrpcCall {
    eventually("the collector is called", async || {
        let calls = receiver.calls();
        let wanted = calls.iter().find(|call| holds(call)).cloned();
        wanted.ok_or(calls)
    })
    .await
}

/// Returns the names of the spans in a message, and the name of their server.
fn spans_in(message: &Bytes) -> (Vec<String>, String) {
    let sent = ExportTraceServiceRequest::decode(message.as_ref()).unwrap();
    let mut names = Vec::new();
    let mut server = String::new();
    for part in sent.resource_spans {
        let names_of_server = attributes(&part.resource.unwrap().attributes);
        server.clone_from(&names_of_server["service.name"]);
        let spans = part.scope_spans.into_iter().flat_map(|scope| scope.spans);
        names.extend(spans.map(|span| span.name));
    }
    (names, server)
}

#[tokio::test]
async fn spans_and_metrics_are_calls_of_a_collector() {
    let receiver = GrpcReceiver::start().await.unwrap();
    let (traces, metrics) = (
        grpc(&receiver.url(), TRACES),
        grpc(&receiver.url(), METRICS),
    );
    let app = TestApp::with(|config| {
        trace_to(config, traces);
        measure_to(config, metrics);
    })
    .await;
    let served = Served::start(app);
    assert_eq!(served.get("/settings", &[]).await.status(), 200);

    let span_call = call(&receiver, |call| call.path == TRACES).await;
    assert_eq!(span_call.header("content-type"), "application/grpc");
    assert_eq!(span_call.header("te"), "trailers");
    assert_eq!(span_call.header("x-inn-key"), "front desk");
    assert!(!span_call.is_compressed && span_call.header("grpc-encoding").is_empty());
    let (names, service_name) = spans_in(&span_call.message);
    assert!(names.contains(&"GET /settings".to_owned()), "{names:?}");
    assert_eq!(service_name, "innkeeper-auth");

    // The first export may come before all metrics are there.
    let is_measured = |call: &GrpcCall| call.path == METRICS && call.contains("gotrue_running");
    let measured = call(&receiver, is_measured).await;
    assert_eq!(measured.header("content-type"), "application/grpc");
    let sent = ExportMetricsServiceRequest::decode(measured.message.as_ref()).unwrap();
    let parts = sent.resource_metrics.into_iter();
    let scopes = parts.flat_map(|part| part.scope_metrics);
    let mut metrics = scopes.flat_map(|scope| scope.metrics);
    assert!(metrics.any(|metric| metric.name == "gotrue_running"));
    served.stop().await;
}

#[tokio::test]
async fn messages_can_be_compressed() {
    let receiver = GrpcReceiver::start().await.unwrap();
    let mut otlp = grpc(&receiver.url(), TRACES);
    otlp.gzip = true;
    let app = TestApp::with(|config| trace_to(config, otlp)).await;
    let served = Served::start(app);
    assert_eq!(served.get("/settings", &[]).await.status(), 200);
    let span_call = call(&receiver, |_| true).await;
    assert!(span_call.is_compressed);
    assert_eq!(span_call.header("grpc-encoding"), "gzip");
    assert_eq!(span_call.header("content-encoding"), "");
    let mut message = Vec::new();
    GzDecoder::new(span_call.message.as_ref())
        .read_to_end(&mut message)
        .unwrap();
    let (names, _) = spans_in(&message.into());
    assert!(names.contains(&"GET /settings".to_owned()), "{names:?}");
    served.stop().await;
}

#[tokio::test]
async fn a_collector_that_is_busy_is_called_again_and_one_that_refuses_is_not() {
    let receiver = GrpcReceiver::start().await.unwrap();
    let otlp = grpc(&receiver.url(), TRACES);
    let app = TestApp::with(|config| trace_to(config, otlp)).await;
    let served = Served::start(app);
    // Unavailable.
    receiver.refuse_next(14);
    assert_eq!(served.get("/settings", &[]).await.status(), 200);
    eventually("the call is repeated", async || {
        let calls = receiver.calls();
        let sent = calls.iter().filter(|call| call.contains("GET /settings"));
        sent.count() == 2
    })
    .await;

    // Unauthenticated.
    receiver.refuse_next(16);
    assert_eq!(served.get("/health", &[]).await.status(), 200);
    call(&receiver, |call| call.contains("GET /health")).await;
    // The exporter goes on with the next span only when it has given up the one before.
    assert_eq!(served.get("/user", &[]).await.status(), 401);
    call(&receiver, |call| call.contains("GET /user")).await;
    let calls = receiver.calls();
    let refused = calls.iter().filter(|call| call.contains("GET /health"));
    assert_eq!(refused.count(), 1);
    served.stop().await;
}

/// The timeout of an export is an hour, that of the end a minute.
#[tokio::test]
async fn a_silent_collector_holds_up_neither_requests_nor_the_end() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let away = HeldPort::take().unwrap();
    for address in [silent.local_addr().unwrap(), away.address()] {
        let url = format!("http://{address}");
        let app = TestApp::with(|config| {
            trace_to(config, grpc(&url, TRACES));
            measure_to(config, grpc(&url, METRICS));
        })
        .await;
        let served = Served::start(app);
        for _ in 0..10 {
            assert_eq!(served.get("/settings", &[]).await.status(), 200);
        }
        served.stop().await;
    }
}
