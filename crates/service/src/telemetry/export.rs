//! Sending spans and figures to a collector. Threads of the library send; requests never wait for them.

use std::sync::Arc;
use std::time::Duration;

use opentelemetry_otlp::{
    Compression, MetricExporter, Protocol, SpanExporter, WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler as LibrarySampler, SdkTracerProvider,
};

use super::{OtlpOptions, Sampler, TelemetryError, TraceOptions};

/// Sends spans in batches. What does not fit into the queue while the collector is away is dropped.
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

/// Sends all figures again and again.
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

/// Says everything itself: what the library finds in the environment may stand in a file with us.
fn configured<B>(builder: B, otlp: &OtlpOptions) -> Result<B, TelemetryError>
where
    B: WithExportConfig + WithHttpConfig,
{
    let builder = builder
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(otlp.endpoint.as_str())
        .with_timeout(otlp.timeout)
        .with_headers(otlp.headers.reveal().clone())
        .with_shared_http_client(Arc::new(client(otlp)?));
    Ok(if otlp.gzip {
        builder.with_compression(Compression::Gzip)
    } else {
        builder
    })
}

/// A client that blocks its thread and follows no redirects.
fn client(otlp: &OtlpOptions) -> Result<reqwest::blocking::Client, TelemetryError> {
    let mut builder = reqwest::blocking::Client::builder()
        .timeout(otlp.timeout)
        .redirect(reqwest::redirect::Policy::none());
    if let Some(path) = &otlp.certificate {
        let unusable =
            |cause: String| TelemetryError::Exporter(format!("{}: {cause}", path.display()));
        let text = std::fs::read(path).map_err(|error| unusable(error.to_string()))?;
        let certificate =
            reqwest::Certificate::from_pem(&text).map_err(|error| unusable(error.to_string()))?;
        builder = builder.tls_certs_merge([certificate]);
    }
    // It must not be made on a thread of an asynchronous runtime.
    let made = std::thread::spawn(move || builder.build()).join();
    match made {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(error)) => Err(TelemetryError::Exporter(error.to_string())),
        Err(_) => Err(TelemetryError::Exporter("no client".to_owned())),
    }
}

fn sampler(wanted: Sampler) -> LibrarySampler {
    let root = if wanted.share >= 1.0 {
        LibrarySampler::AlwaysOn
    } else if wanted.share <= 0.0 {
        LibrarySampler::AlwaysOff
    } else {
        LibrarySampler::TraceIdRatioBased(wanted.share)
    };
    if wanted.follows_caller {
        LibrarySampler::ParentBased(Box::new(root))
    } else {
        root
    }
}

fn failed(error: impl std::fmt::Display) -> TelemetryError {
    TelemetryError::Exporter(error.to_string())
}
