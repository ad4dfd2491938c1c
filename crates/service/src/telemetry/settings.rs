//! The standard settings of OpenTelemetry, for every server.
//!
//! The library would find them in the environment by itself. Here they are read like all other
//! settings, so that they may stand in a file, and what is wrong with them is told at the start.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use innkeeper_rest::{HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use url::Url;

use super::{OtlpOptions, Sampler};
use crate::secret::Secret;
use crate::settings::{Kind, Reader, Setting};

/// The only way in which collectors are spoken to.
const PROTOCOL: &str = "http/protobuf";
const PAIRS: Kind = Kind::Other("pairs `key=value` with commas");
const MILLISECONDS: Kind = Kind::Other("a whole number of milliseconds from 1");

/// The standard settings, to be a section of a server's table.
pub const OTEL_SETTINGS: &[Setting] = &[
    Setting::new(
        "OTEL_SERVICE_NAME",
        Kind::Text,
        "What the server is called in traces and metrics.",
    )
    .bare(),
    Setting::new(
        "OTEL_RESOURCE_ATTRIBUTES",
        PAIRS,
        "What else stands on every span and metric.",
    )
    .bare(),
    Setting::new(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        Kind::Url,
        "The collector; `/v1/traces` and `/v1/metrics` are added.",
    )
    .bare()
    .default(&["http://localhost:4318"]),
    Setting::new(
        "OTEL_EXPORTER_OTLP_<SIGNAL>_ENDPOINT",
        Kind::Url,
        "The full address for one signal, instead.",
    )
    .words(SIGNALS)
    .bare(),
    Setting::new(
        "OTEL_EXPORTER_OTLP_HEADERS",
        PAIRS,
        "Headers for the collector, often with a key.",
    )
    .bare()
    .secret(),
    Setting::new(
        "OTEL_EXPORTER_OTLP_<SIGNAL>_HEADERS",
        PAIRS,
        "Headers for one signal, instead.",
    )
    .words(SIGNALS)
    .bare()
    .secret(),
    Setting::new(
        "OTEL_EXPORTER_OTLP_TIMEOUT",
        MILLISECONDS,
        "How long the collector may take to answer.",
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
        "How the collector is spoken to: only `http/protobuf`.",
    )
    .bare()
    .default(&[PROTOCOL]),
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
        "Whether what is sent is compressed.",
    )
    .bare()
    .default(&["none"]),
    Setting::new(
        "OTEL_EXPORTER_OTLP_CERTIFICATE",
        Kind::Path,
        "An authority to trust besides those of the system.",
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
        "The share that is traced, from 0 to 1.",
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

/// What will be sent to a collector. What will not be is not checked: other programs share these
/// names.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// Traces.
    pub traces: bool,
    /// Metrics.
    pub metrics: bool,
}

/// The standard settings, read.
#[derive(Debug, Clone)]
pub struct Otel {
    /// `OTEL_SERVICE_NAME`.
    pub service_name: Option<String>,
    /// `OTEL_RESOURCE_ATTRIBUTES`.
    pub attributes: Vec<(String, String)>,
    /// Where traces go, if they go anywhere.
    pub traces: Option<OtlpOptions>,
    /// Where metrics go, if they are sent.
    pub metrics: Option<OtlpOptions>,
    /// `OTEL_TRACES_SAMPLER` and its `_ARG`.
    pub sampler: Sampler,
    /// `OTEL_BSP_SCHEDULE_DELAY`, default 5 s.
    pub delay: Duration,
    /// `OTEL_METRIC_EXPORT_INTERVAL`, default 60 s.
    pub interval: Duration,
}

impl Otel {
    /// Reads the settings of what is wanted.
    pub fn read(reader: &mut Reader, wanted: Wanted) -> Self {
        let is_any = wanted.traces || wanted.metrics;
        let traces = otlp(reader, "TRACES", wanted.traces);
        let metrics = otlp(reader, "METRICS", wanted.metrics);
        Self {
            service_name: reader.optional("OTEL_SERVICE_NAME"),
            attributes: read_if(reader, is_any, "OTEL_RESOURCE_ATTRIBUTES", pairs)
                .unwrap_or_default(),
            traces,
            metrics,
            sampler: sampler(reader, wanted.traces),
            delay: milliseconds(reader, wanted.traces, "OTEL_BSP_SCHEDULE_DELAY"),
            interval: milliseconds(reader, wanted.metrics, "OTEL_METRIC_EXPORT_INTERVAL"),
        }
    }
}

/// Reads a setting that matters only sometimes.
fn read_if<T>(
    reader: &mut Reader,
    matters: bool,
    name: &str,
    parse: fn(&str) -> Option<T>,
) -> Option<T> {
    if !matters {
        // It is a setting all the same.
        reader.is_set(name);
        return None;
    }
    reader.parsed(name, |text, setting| {
        parse(text).ok_or_else(|| format!("expected {}", setting.kind.expects()))
    })
}

fn otlp(reader: &mut Reader, signal: &str, is_wanted: bool) -> Option<OtlpOptions> {
    let own = |what: &str| format!("OTEL_EXPORTER_OTLP_{signal}_{what}");
    let both = |reader: &mut Reader, what: &str| {
        let own = own(what);
        if reader.is_set(&own) {
            own
        } else {
            format!("OTEL_EXPORTER_OTLP_{what}")
        }
    };
    let protocol = both(reader, "PROTOCOL");
    let spoken: String = reader.get(&protocol);
    if is_wanted && spoken.trim() != PROTOCOL {
        reader.fault(&protocol, &format!("only `{PROTOCOL}` is supported"));
    }
    let full: Option<Url> = read_if(reader, is_wanted, &own("ENDPOINT"), url);
    let base: Option<Url> = read_if(reader, is_wanted, "OTEL_EXPORTER_OTLP_ENDPOINT", url);
    let headers = both(reader, "HEADERS");
    let headers = read_if(reader, is_wanted, &headers, headers_of);
    let timeout = both(reader, "TIMEOUT");
    let timeout = milliseconds(reader, is_wanted, &timeout);
    let compression = "OTEL_EXPORTER_OTLP_COMPRESSION";
    let gzip = read_if(reader, is_wanted, compression, |text| {
        match text.trim().to_ascii_lowercase().as_str() {
            "gzip" => Some(true),
            "none" => Some(false),
            _ => None,
        }
    });
    let certificate: Option<PathBuf> = reader.optional("OTEL_EXPORTER_OTLP_CERTIFICATE");
    let endpoint = full.or_else(|| {
        let mut url = base?;
        let path = format!(
            "{}/v1/{}",
            url.path().trim_end_matches('/'),
            signal.to_ascii_lowercase()
        );
        url.set_path(&path);
        Some(url)
    });
    Some(OtlpOptions {
        endpoint: endpoint.filter(|_| is_wanted)?,
        headers: Secret::new(headers.unwrap_or_default()),
        timeout,
        gzip: gzip.unwrap_or_default(),
        certificate,
    })
}

fn sampler(reader: &mut Reader, is_wanted: bool) -> Sampler {
    let kind = read_if(reader, is_wanted, "OTEL_TRACES_SAMPLER", |text| {
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
    let argument = read_if(reader, is_wanted, "OTEL_TRACES_SAMPLER_ARG", |text| {
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

fn milliseconds(reader: &mut Reader, matters: bool, name: &str) -> Duration {
    let read = read_if(reader, matters, name, |text| {
        text.trim().parse().ok().filter(|number| *number > 0)
    });
    Duration::from_millis(read.unwrap_or(10_000))
}

fn url(text: &str) -> Option<Url> {
    let url = Url::parse(text.trim()).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// `key=value,key=value`, values percent-encoded.
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

    use super::{OTEL_SETTINGS, Otel, Wanted};
    use crate::settings::{Reader, Section};

    const TABLE: &[Section] = &[Section {
        title: "OpenTelemetry",
        settings: OTEL_SETTINGS,
    }];
    const BOTH: Wanted = Wanted {
        traces: true,
        metrics: true,
    };

    fn read(wanted: Wanted, settings: &[(&str, &str)]) -> Result<Otel, String> {
        let pairs = settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut reader = Reader::new(TABLE, &["INN_"]).with_environment(pairs);
        let otel = Otel::read(&mut reader, wanted);
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
    fn what_is_wrong_is_a_fault_only_if_it_matters() {
        let wrong = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
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
            faults.contains("OTEL_EXPORTER_OTLP_PROTOCOL: only `http/protobuf` is supported"),
            "{faults}"
        );
        assert!(!faults.contains("secret words"), "{faults}");
        let otel = read(Wanted::default(), &wrong).unwrap();
        assert!(otel.traces.is_none() && otel.metrics.is_none());
    }
}
