//! Traces and metrics, on and off.

use innkeeper_service::telemetry::MetricsOptions;

use super::{std_faults, std_with};

#[test]
fn traces_and_metrics_are_off_until_they_are_switched_on() {
    let config = std_with(&[("OTEL_EXPORTER_OTLP_PROTOCOL", "zipkin")]);
    let options = config.telemetry.options(config.profile);
    assert!(options.traces.is_none() && options.metrics.is_none());
    assert_eq!(config.telemetry.prometheus_host, "0.0.0.0");

    let config = std_with(&[
        ("AUTH_TRACING_ENABLED", "true"),
        ("AUTH_METRICS_ENABLED", "true"),
        ("AUTH_METRICS_EXPORTER", "prometheus"),
        ("OTEL_EXPORTER_PROMETHEUS_HOST", "127.0.0.1"),
        ("OTEL_SERVICE_NAME", "front-desk"),
        ("OTEL_RESOURCE_ATTRIBUTES", "team=inn"),
    ]);
    let options = config.telemetry.options(config.profile);
    let traces = options.traces.unwrap();
    assert_eq!(
        traces.otlp.endpoint.as_str(),
        "http://localhost:4318/v1/traces"
    );
    assert!(matches!(
        options.metrics,
        Some(MetricsOptions::Prometheus { host, port: 9100 }) if host == "127.0.0.1"
    ));
    let last = |name: &str| {
        let mut found = options.attributes.iter().rev();
        found
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    };
    assert_eq!(last("service.name"), Some("front-desk"));
    assert_eq!(last("team"), Some("inn"));
    for name in ["auth.version", "gotrue.version"] {
        assert_eq!(last(name), Some(crate::base::VERSION));
    }
}

#[test]
fn exporters_and_protocols_that_do_not_exist_stop_the_start() {
    for (settings, fault) in [
        (
            &[("AUTH_TRACING_EXPORTER", "zipkin")][..],
            "AUTH_TRACING_EXPORTER: expected one of opentelemetry, found `zipkin`",
        ),
        (
            &[("AUTH_METRICS_EXPORTER", "statsd")],
            "AUTH_METRICS_EXPORTER: expected one of opentelemetry, prometheus, found `statsd`",
        ),
        (
            &[
                ("AUTH_TRACING_ENABLED", "true"),
                ("OTEL_EXPORTER_OTLP_PROTOCOL", "zipkin"),
            ],
            "OTEL_EXPORTER_OTLP_PROTOCOL: only `http/protobuf` and `grpc` are supported",
        ),
        (
            &[
                ("AUTH_METRICS_ENABLED", "true"),
                ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/json"),
            ],
            "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: only `http/protobuf` and `grpc` are supported",
        ),
    ] {
        assert_eq!(std_faults(settings), [fault]);
    }
}
