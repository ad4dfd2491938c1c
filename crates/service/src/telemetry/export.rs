//! Sends spans and metrics to a collector. The library's threads send them; requests never wait.

use std::sync::Arc;
use std::time::Duration;

use opentelemetry_http::HttpClient;
use opentelemetry_otlp::{
    Compression, MetricExporter, Protocol, SpanExporter, WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler as LibrarySampler, SdkTracerProvider,
};

use super::error::TelemetryError;
use super::grpc::GrpcClient;
use super::options::{OtlpOptions, OtlpProtocol, Sampler, TraceOptions};

/// Returns a provider that sends spans in batches. While the collector is down, spans that do not fit
/// into the queue are dropped.
pub(super) fn tracer_provider(
    options: &TraceOptions,
    resource: Resource,
) -> Result<SdkTracerProvider, TelemetryError> {
    let exporter = configured(SpanExporter::builder().with_http(), &options.otlp)?
        .build()
        .map_err(failed)?;
    let batches = BatchConfigBuilder::default()
        .with_scheduled_delay(options.delay)
        .build();
    let processor = BatchSpanProcessor::builder(exporter)
        .with_batch_config(batches)
        .build();
    Ok(SdkTracerProvider::builder()
        .with_span_processor(processor)
        .with_sampler(sampler(options.sampler))
        .with_resource(resource)
        .build())
}

/// Returns a provider that sends all metrics at an interval.
pub(super) fn meter_provider(
    otlp: &OtlpOptions,
    interval: Duration,
    resource: Resource,
) -> Result<SdkMeterProvider, TelemetryError> {
    let exporter = configured(MetricExporter::builder().with_http(), otlp)?
        .build()
        .map_err(failed)?;
    let reader = PeriodicReader::builder(exporter)
        .with_interval(interval)
        .build();
    Ok(SdkMeterProvider::builder()
        .with_reader(reader)
        .with_resource(resource)
        .build())
}

/// Checks that an exporter can be created.
pub(super) fn check(otlp: &OtlpOptions) -> Result<(), TelemetryError> {
    let builder = configured(SpanExporter::builder().with_http(), otlp)?;
    builder.build().map(drop).map_err(failed)
}

/// Sets all options of an exporter. The library would read them from the environment, but here they may
/// also come from a file.
fn configured<B>(builder: B, otlp: &OtlpOptions) -> Result<B, TelemetryError>
where
    B: WithExportConfig + WithHttpConfig,
{
    let builder = builder
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(otlp.endpoint.as_str())
        .with_timeout(otlp.timeout)
        .with_headers(otlp.headers.reveal().clone())
        .with_shared_http_client(client(otlp)?);
    Ok(if otlp.gzip {
        builder.with_compression(Compression::Gzip)
    } else {
        builder
    })
}

/// Returns the client that sends the messages.
fn client(otlp: &OtlpOptions) -> Result<Arc<dyn HttpClient>, TelemetryError> {
    let certificate = certificate(otlp)?;
    Ok(match otlp.protocol {
        OtlpProtocol::Http => Arc::new(http_client(otlp, certificate)?),
        OtlpProtocol::Grpc => Arc::new(GrpcClient::new(otlp.timeout, certificate).map_err(failed)?),
    })
}

/// Reads the authority that is trusted besides those of the system.
pub(super) fn certificate(
    otlp: &OtlpOptions,
) -> Result<Option<reqwest::Certificate>, TelemetryError> {
    let Some(path) = &otlp.certificate else {
        return Ok(None);
    };
    let unusable = |cause: String| TelemetryError::Exporter(format!("{}: {cause}", path.display()));
    let text = std::fs::read(path).map_err(|error| unusable(error.to_string()))?;
    let certificate = reqwest::Certificate::from_pem(&text);
    certificate
        .map(Some)
        .map_err(|error| unusable(error.to_string()))
}

/// Returns a blocking HTTP client that does not follow redirects.
fn http_client(
    otlp: &OtlpOptions,
    certificate: Option<reqwest::Certificate>,
) -> Result<reqwest::blocking::Client, TelemetryError> {
    let builder = reqwest::blocking::Client::builder()
        .timeout(otlp.timeout)
        .redirect(reqwest::redirect::Policy::none())
        .tls_certs_merge(certificate);
    // A blocking client must not be built on a thread of an asynchronous runtime.
    let built = std::thread::spawn(move || builder.build()).join();
    match built {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(error)) => Err(TelemetryError::Exporter(error.to_string())),
        Err(_) => Err(TelemetryError::Exporter(
            "the HTTP client cannot be built".to_owned(),
        )),
    }
}

fn sampler(sampler: Sampler) -> LibrarySampler {
    let root = if sampler.share >= 1.0 {
        LibrarySampler::AlwaysOn
    } else if sampler.share <= 0.0 {
        LibrarySampler::AlwaysOff
    } else {
        LibrarySampler::TraceIdRatioBased(sampler.share)
    };
    if sampler.follows_caller {
        LibrarySampler::ParentBased(Box::new(root))
    } else {
        root
    }
}

fn failed(error: impl std::fmt::Display) -> TelemetryError {
    TelemetryError::Exporter(error.to_string())
}
