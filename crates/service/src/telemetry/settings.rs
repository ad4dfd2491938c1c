//! The standard settings of OpenTelemetry, for every server.
//!
//! The OpenTelemetry library would read them from the environment. Here they are read like all other
//! settings, so that they may also be in a file, and errors in them are reported at the start.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use innkeeper_rest::{HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use url::Url;

use super::options::{OtlpOptions, OtlpProtocol, Sampler};
use crate::secret::Secret;
use crate::settings::{Kind, Reader, Setting};

const HTTP: &str = "http/protobuf";
const GRPC: &str = "grpc";
/// The collector of gRPC without a setting.
const GRPC_ENDPOINT: &str = "http://localhost:4317";
const PAIRS: Kind = Kind::Other("pairs `key=value` with commas");
const MILLISECONDS: Kind = Kind::Other("a whole number of milliseconds from 1");

/// The standard settings, for a section of a server's table of settings.
pub const OTEL_SETTINGS: &[Setting] = &[
    Setting::new(
        "OTEL_SERVICE_NAME",
        Kind::Text,
        "The name of the server in traces and metrics.",
    )
    .bare(),
    Setting::new(
        "OTEL_RESOURCE_ATTRIBUTES",
        PAIRS,
        "Further attributes of all spans and metrics.",
    )
    .bare(),
    Setting::new(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        Kind::Url,
        "The URL of the collector; `/v1/traces` and `/v1/metrics` are appended. With `grpc` the default is \
         `http://localhost:4317`, and a path has no meaning.",
    )
    .bare()
    .default(&["http://localhost:4318"]),
    Setting::new(
        "OTEL_EXPORTER_OTLP_<SIGNAL>_ENDPOINT",
        Kind::Url,
        "The full URL for one signal, instead.",
    )
    .words(SIGNALS)
    .bare(),
    Setting::new(
        "OTEL_EXPORTER_OTLP_HEADERS",
        PAIRS,
        "Headers of requests to the collector, often with an API key.",
    )
    .bare()
    .secret(),
    Setting::new(
        "OTEL_EXPORTER_OTLP_<SIGNAL>_HEADERS",
        PAIRS,
        "The headers for one signal, instead.",
    )
    .words(SIGNALS)
    .bare()
    .secret(),
    Setting::new(
        "OTEL_EXPORTER_OTLP_TIMEOUT",
        MILLISECONDS,
        "The time-out of requests to the collector.",
    )
    .bare()
    .default(&["10000"]),
    Setting::new(
        "OTEL_EXPORTER_OTLP_<SIGNAL>_TIMEOUT",
        MILLISECONDS,
        "The same for one signal, instead.",
    )
    .words(SIGNALS)
    .bare(),
    Setting::new(
        "OTEL_EXPORTER_OTLP_PROTOCOL",
        Kind::Text,
        "The protocol: `http/protobuf` or `grpc`.",
    )
    .bare()
    .default(&[HTTP]),
    Setting::new(
        "OTEL_EXPORTER_OTLP_<SIGNAL>_PROTOCOL",
        Kind::Text,
        "The same for one signal, instead.",
    )
    .words(SIGNALS)
    .bare(),
    Setting::new(
        "OTEL_EXPORTER_OTLP_COMPRESSION",
        Kind::OneOf(&["none", "gzip"]),
        "The compression of requests to the collector.",
    )
    .bare()
    .default(&["none"]),
    Setting::new(
        "OTEL_EXPORTER_OTLP_CERTIFICATE",
        Kind::Path,
        "A PEM file with an authority to trust besides those of the system.",
    )
    .bare(),
    Setting::new(
        "OTEL_TRACES_SAMPLER",
        Kind::OneOf(&[
            "always_on",
            "always_off",
            "traceidratio",
            "parentbased_always_on",
            "parentbased_always_off",
            "parentbased_traceidratio",
        ]),
        "Which requests are traced.",
    )
    .bare()
    .default(&["parentbased_always_on"]),
    Setting::new(
        "OTEL_TRACES_SAMPLER_ARG",
        Kind::Number,
        "The share of requests that is traced, from 0 to 1.",
    )
    .bare()
    .default(&["1"]),
    Setting::new(
        "OTEL_BSP_SCHEDULE_DELAY",
        MILLISECONDS,
        "How long spans are collected before they are sent.",
    )
    .bare()
    .default(&["5000"]),
    Setting::new(
        "OTEL_METRIC_EXPORT_INTERVAL",
        MILLISECONDS,
        "How often metrics are sent.",
    )
    .bare()
    .default(&["60000"]),
];

const SIGNALS: &[&str] = &["TRACES", "METRICS"];

/// The signals that are sent to a collector. The settings of other signals are not checked, because other
/// programs use the same names.
#[derive(Debug, Clone, Copy, Default)]
pub struct OtelSignals {
    /// Traces.
    pub traces: bool,
    /// Metrics.
    pub metrics: bool,
}

/// The values of the standard settings.
#[derive(Debug, Clone)]
pub struct OtelConfig {
    /// `OTEL_SERVICE_NAME`.
    pub service_name: Option<String>,
    /// `OTEL_RESOURCE_ATTRIBUTES`.
    pub attributes: Vec<(String, String)>,
    /// The collector of traces; `None` if they are not sent.
    pub traces: Option<OtlpOptions>,
    /// The collector of metrics; `None` if they are not sent.
    pub metrics: Option<OtlpOptions>,
    /// `OTEL_TRACES_SAMPLER` and its `_ARG`.
    pub sampler: Sampler,
    /// `OTEL_BSP_SCHEDULE_DELAY`, default 5 s.
    pub delay: Duration,
    /// `OTEL_METRIC_EXPORT_INTERVAL`, default 60 s.
    pub interval: Duration,
}

impl OtelConfig {
    /// Reads the settings of these signals.
    pub fn read(reader: &mut Reader, signals: OtelSignals) -> Self {
        let is_any = signals.traces || signals.metrics;
        let traces = otlp(reader, "TRACES", signals.traces);
        let metrics = otlp(reader, "METRICS", signals.metrics);
        Self {
            service_name: reader.optional("OTEL_SERVICE_NAME"),
            attributes: read_if(reader, is_any, "OTEL_RESOURCE_ATTRIBUTES", pairs)
                .unwrap_or_default(),
            traces,
            metrics,
            sampler: sampler(reader, signals.traces),
            delay: milliseconds(reader, signals.traces, "OTEL_BSP_SCHEDULE_DELAY"),
            interval: milliseconds(reader, signals.metrics, "OTEL_METRIC_EXPORT_INTERVAL"),
        }
    }
}

/// Reads a setting if its signal is used.
fn read_if<T>(
    reader: &mut Reader,
    is_used: bool,
    name: &str,
    parse: fn(&str) -> Option<T>,
) -> Option<T> {
    if !is_used {
        // Marks it as asked for, as it is a known setting all the same.
        reader.is_set(name);
        return None;
    }
    reader.parsed(name, |text, setting| {
        parse(text).ok_or_else(|| format!("expected {}", setting.kind.expects()))
    })
}

fn otlp(reader: &mut Reader, signal: &str, is_used: bool) -> Option<OtlpOptions> {
    let signal_name = |suffix: &str| format!("OTEL_EXPORTER_OTLP_{signal}_{suffix}");
    // The name of the signal's own setting if it is set, or of the one for all signals.
    let effective_name = |reader: &mut Reader, suffix: &str| {
        let name = signal_name(suffix);
        if reader.is_set(&name) {
            name
        } else {
            format!("OTEL_EXPORTER_OTLP_{suffix}")
        }
    };
    let protocol = effective_name(reader, "PROTOCOL");
    let protocol = protocol_of(reader, &protocol, is_used);
    let full: Option<Url> = read_if(reader, is_used, &signal_name("ENDPOINT"), url);
    let base: Option<Url> = read_if(reader, is_used, "OTEL_EXPORTER_OTLP_ENDPOINT", url);
    let headers = effective_name(reader, "HEADERS");
    let headers = read_if(reader, is_used, &headers, headers_of);
    let timeout = effective_name(reader, "TIMEOUT");
    let timeout = milliseconds(reader, is_used, &timeout);
    let compression = "OTEL_EXPORTER_OTLP_COMPRESSION";
    let gzip = read_if(reader, is_used, compression, |text| {
        match text.trim().to_ascii_lowercase().as_str() {
            "gzip" => Some(true),
            "none" => Some(false),
            _ => None,
        }
    });
    let certificate: Option<PathBuf> = reader.optional("OTEL_EXPORTER_OTLP_CERTIFICATE");
    let endpoint = match protocol {
        OtlpProtocol::Http => full.or_else(|| Some(http_endpoint(base?, signal))),
        OtlpProtocol::Grpc => {
            let is_set = reader.is_set("OTEL_EXPORTER_OTLP_ENDPOINT");
            let base = if is_set { base } else { url(GRPC_ENDPOINT) };
            full.or(base).map(|url| grpc_endpoint(url, signal))
        }
    };
    Some(OtlpOptions {
        protocol,
        endpoint: endpoint.filter(|_| is_used)?,
        headers: Secret::new(headers.unwrap_or_default()),
        timeout,
        gzip: gzip.unwrap_or_default(),
        certificate,
    })
}

fn protocol_of(reader: &mut Reader, name: &str, is_used: bool) -> OtlpProtocol {
    let text: String = reader.get(name);
    match text.trim() {
        GRPC => OtlpProtocol::Grpc,
        HTTP => OtlpProtocol::Http,
        _ => {
            if is_used {
                let problem = format!("only `{HTTP}` and `{GRPC}` are supported");
                reader.fault(name, &problem);
            }
            OtlpProtocol::Http
        }
    }
}

/// Returns the URL of a signal at a collector of OTLP over HTTP.
fn http_endpoint(mut base: Url, signal: &str) -> Url {
    let path = format!(
        "{}/v1/{}",
        base.path().trim_end_matches('/'),
        signal.to_ascii_lowercase()
    );
    base.set_path(&path);
    base
}

/// Returns the URL of a signal's method at a collector of OTLP over gRPC.
fn grpc_endpoint(mut base: Url, signal: &str) -> Url {
    let service = match signal {
        "TRACES" => "trace.v1.TraceService",
        _ => "metrics.v1.MetricsService",
    };
    base.set_path(&format!("/opentelemetry.proto.collector.{service}/Export"));
    base.set_query(None);
    base
}

fn sampler(reader: &mut Reader, is_used: bool) -> Sampler {
    let kind = read_if(reader, is_used, "OTEL_TRACES_SAMPLER", |text| {
        let text = text.trim().to_ascii_lowercase();
        let follows_caller = text.starts_with("parentbased_");
        let share = match text.trim_start_matches("parentbased_") {
            "always_on" => Some(1.0),
            "always_off" => Some(0.0),
            "traceidratio" => None,
            _ => return None,
        };
        Some((follows_caller, share))
    });
    let argument = read_if(reader, is_used, "OTEL_TRACES_SAMPLER_ARG", |text| {
        let share: f64 = text.trim().parse().ok()?;
        (0.0..=1.0).contains(&share).then_some(share)
    });
    let Some((follows_caller, share)) = kind else {
        return Sampler::default();
    };
    Sampler {
        share: share.or(argument).unwrap_or(1.0),
        follows_caller,
    }
}

fn milliseconds(reader: &mut Reader, is_used: bool, name: &str) -> Duration {
    let read = read_if(reader, is_used, name, |text| {
        text.trim().parse().ok().filter(|number| *number > 0)
    });
    Duration::from_millis(read.unwrap_or(10_000))
}

fn url(text: &str) -> Option<Url> {
    let url = Url::parse(text.trim()).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// Parses `key=value,key=value` with percent-encoded values.
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let parts = text.split(',').map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (key, value) = part.split_once('=')?;
            let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
            let key = key.trim();
            (!key.is_empty()).then(|| (key.to_owned(), value.into_owned()))
        })
        .collect()
}

fn headers_of(text: &str) -> Option<HashMap<String, String>> {
    let pairs = pairs(text)?.into_iter();
    pairs
        .map(|(name, value)| {
            HeaderName::try_from(name.as_str()).ok()?;
            HeaderValue::try_from(value.as_str()).ok()?;
            Some((name, value))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{OTEL_SETTINGS, OtelConfig, OtelSignals, OtlpProtocol};
    use crate::settings::{Reader, Section};

    const TABLE: &[Section] = &[Section {
        title: "OpenTelemetry",
        settings: OTEL_SETTINGS,
    }];
    const BOTH: OtelSignals = OtelSignals {
        traces: true,
        metrics: true,
    };

    fn read(signals: OtelSignals, settings: &[(&str, &str)]) -> Result<OtelConfig, String> {
        let pairs = settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut reader = Reader::new(TABLE, &["INN_"]).with_environment(pairs);
        let otel = OtelConfig::read(&mut reader, signals);
        assert_eq!(reader.never_asked(), Vec::<&str>::new());
        reader
            .finish()
            .map(|()| otel)
            .map_err(|faults| faults.to_string())
    }

    #[test]
    fn without_settings_a_local_collector_gets_everything_in_its_own_time() {
        let otel = read(BOTH, &[]).unwrap();
        let (traces, metrics) = (otel.traces.unwrap(), otel.metrics.unwrap());
        assert_eq!(traces.endpoint.as_str(), "http://localhost:4318/v1/traces");
        assert_eq!(
            metrics.endpoint.as_str(),
            "http://localhost:4318/v1/metrics"
        );
        assert_eq!(traces.timeout, Duration::from_secs(10));
        assert_eq!(otel.delay, Duration::from_secs(5));
        assert_eq!(otel.interval, Duration::from_mins(1));
        assert!((otel.sampler.share - 1.0).abs() < f64::EPSILON && otel.sampler.follows_caller);
    }

    #[test]
    fn a_signal_has_settings_of_its_own() {
        let otel = read(
            BOTH,
            &[
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://one.example/otlp/"),
                ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://two.example/t"),
                ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b, x-more=c"),
                ("INN_OTEL_EXPORTER_OTLP_METRICS_HEADERS", "x-key=d"),
                ("OTEL_EXPORTER_OTLP_TIMEOUT", "500"),
                ("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "700"),
                ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
                ("OTEL_TRACES_SAMPLER", "traceidratio"),
                ("OTEL_TRACES_SAMPLER_ARG", "0.25"),
                ("OTEL_RESOURCE_ATTRIBUTES", "team=front%20desk,floor=1"),
            ],
        )
        .unwrap();
        let (traces, metrics) = (otel.traces.unwrap(), otel.metrics.unwrap());
        assert_eq!(traces.endpoint.as_str(), "http://two.example/t");
        assert_eq!(
            metrics.endpoint.as_str(),
            "https://one.example/otlp/v1/metrics"
        );
        assert_eq!(traces.headers.reveal()["x-key"], "a b");
        assert_eq!(traces.headers.reveal()["x-more"], "c");
        assert_eq!(metrics.headers.reveal().len(), 1);
        assert_eq!(traces.timeout, Duration::from_millis(500));
        assert_eq!(metrics.timeout, Duration::from_millis(700));
        assert!(traces.gzip && metrics.gzip);
        assert!((otel.sampler.share - 0.25).abs() < 1e-9 && !otel.sampler.follows_caller);
        let team = ("team".to_owned(), "front desk".to_owned());
        assert_eq!(otel.attributes[0], team);
    }

    #[test]
    fn a_collector_of_grpc_has_a_port_and_paths_of_its_own() {
        const TRACE: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
        const METRICS: &str = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
        let grpc = ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
        let endpoints = |settings: &[(&str, &str)]| {
            let otel = read(BOTH, settings).unwrap();
            [otel.traces, otel.metrics].map(|otlp| {
                let otlp = otlp.unwrap();
                (otlp.protocol, otlp.endpoint.to_string())
            })
        };
        let (http, over_grpc) = (OtlpProtocol::Http, OtlpProtocol::Grpc);
        assert_eq!(
            endpoints(&[grpc]),
            [
                (over_grpc, format!("http://localhost:4317{TRACE}")),
                (over_grpc, format!("http://localhost:4317{METRICS}")),
            ]
        );
        let given = ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://one.example:9/");
        let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://two.example/t");
        assert_eq!(
            endpoints(&[grpc, given, own]),
            [
                (over_grpc, format!("http://two.example{TRACE}")),
                (over_grpc, format!("https://one.example:9{METRICS}")),
            ]
        );
        let one = ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "grpc");
        assert_eq!(
            endpoints(&[one]),
            [
                (http, "http://localhost:4318/v1/traces".to_owned()),
                (over_grpc, format!("http://localhost:4317{METRICS}")),
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_a_fault_only_if_it_matters() {
        let wrong = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "0"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "secret words"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "zip"),
            ("OTEL_TRACES_SAMPLER", "jaeger_remote"),
            ("OTEL_TRACES_SAMPLER_ARG", "2"),
            ("OTEL_BSP_SCHEDULE_DELAY", "soon"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "-1"),
            ("OTEL_RESOURCE_ATTRIBUTES", "team"),
        ];
        let faults = read(BOTH, &wrong).unwrap_err();
        for (name, _) in wrong {
            assert!(faults.contains(&format!("{name}: ")), "{name}: {faults}");
        }
        assert!(
            faults.contains(
                "OTEL_EXPORTER_OTLP_PROTOCOL: only `http/protobuf` and `grpc` are supported"
            ),
            "{faults}"
        );
        assert!(!faults.contains("secret words"), "{faults}");
        let otel = read(OtelSignals::default(), &wrong).unwrap();
        assert!(otel.traces.is_none() && otel.metrics.is_none());
    }
}
