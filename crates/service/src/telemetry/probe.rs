//! Asks a collector whether it accepts what would be sent to it.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use opentelemetry_http::HttpClient as _;
use reqwest::Certificate;

use super::export;
use super::grpc::GrpcClient;
use super::options::{MetricsOptions, OtlpOptions, OtlpProtocol, TelemetryOptions};

impl TelemetryOptions {
    /// Returns the collectors, of traces and of metrics.
    pub fn collectors(&self) -> Vec<&OtlpOptions> {
        let traces = self.traces.as_ref().map(|traces| &traces.otlp);
        let metrics = match &self.metrics {
            Some(MetricsOptions::Otlp { otlp, .. }) => Some(otlp),
            _ => None,
        };
        traces.into_iter().chain(metrics).collect()
    }
}

impl OtlpOptions {
    /// Sends a message without spans and metrics to the collector. Returns why it is not accepted, without the URL.
    pub async fn probe(&self, timeout: Duration) -> Result<(), String> {
        let certificate = export::certificate(self).map_err(|error| error.to_string())?;
        let status = match self.protocol {
            OtlpProtocol::Http => self.probe_http(timeout, certificate).await?,
            OtlpProtocol::Grpc => self.probe_grpc(timeout, certificate).await?,
        };
        if status.is_success() {
            return Ok(());
        }
        Err(format!("it answers {status}"))
    }

    async fn probe_http(
        &self,
        timeout: Duration,
        certificate: Option<Certificate>,
    ) -> Result<StatusCode, String> {
        let client = reqwest::Client::builder()
            .timeout(timeout)
            .redirect(reqwest::redirect::Policy::none())
            .tls_certs_merge(certificate)
            .build();
        let client = client.map_err(|error| error.to_string())?;
        let mut request = client
            .post(self.endpoint.clone())
            .header(CONTENT_TYPE, "application/x-protobuf");
        for (name, value) in self.headers.reveal() {
            request = request.header(name, value);
        }
        // An empty message of protobuf has no bytes.
        match request.body(Vec::new()).send().await {
            Ok(response) => Ok(response.status()),
            Err(error) => Err(cause_of(&error)),
        }
    }

    /// Makes a call. Outcomes of gRPC are the statuses that mean the same.
    async fn probe_grpc(
        &self,
        timeout: Duration,
        certificate: Option<Certificate>,
    ) -> Result<StatusCode, String> {
        let client = GrpcClient::new(timeout, certificate).map_err(|error| error.to_string())?;
        let mut request = http::Request::post(self.endpoint.as_str());
        for (name, value) in self.headers.reveal() {
            request = request.header(name, value);
        }
        let request = request.body(Bytes::new());
        let request = request.map_err(|error| error.to_string())?;
        match client.send_bytes(request).await {
            Ok(response) => Ok(response.status()),
            Err(error) => Err(match error.downcast::<reqwest::Error>() {
                Ok(error) => cause_of(&error),
                Err(error) => error.to_string(),
            }),
        }
    }
}

/// Says why a request failed, without the URL.
fn cause_of(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no response in time".to_owned();
    }
    innermost(error)
}

/// Returns the message of the first cause.
fn innermost(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => innermost(cause),
        None => error.to_string(),
    }
}
