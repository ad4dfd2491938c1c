//! Serves metrics to Prometheus, on a listener of its own.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Mutex, PoisonError};

use innkeeper_rest::{App, Filter, Method, Next, Request, Response, ServeError, Server, Stop};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use prometheus::{Registry, TextEncoder};

use super::error::TelemetryError;

/// Scrapers that may be connected at once.
const MAX_CONNECTIONS: usize = 64;

/// The listener, and the registry that it serves.
pub(super) struct PrometheusEndpoint {
    registry: Registry,
    address: SocketAddr,
    server: Mutex<Option<Server>>,
}

/// Listens, so that a port in use is found at once. Requests wait until [`PrometheusEndpoint::serve`].
pub(super) fn open(
    host: &str,
    port: u16,
    resource: Resource,
) -> Result<(SdkMeterProvider, PrometheusEndpoint), TelemetryError> {
    let listener = TcpListener::bind((without_brackets(host), port));
    let server = listener.and_then(Server::from_listener);
    let server = server.map_err(|cause| failed(host, port, cause))?;
    let registry = Registry::new();
    // The names in the code are complete, so that both exporters use the same.
    let reader = opentelemetry_prometheus::exporter()
        .with_registry(registry.clone())
        .without_counter_suffixes()
        .without_units()
        .scope_info_enabled(false)
        .build()
        .map_err(|error| TelemetryError::Exporter(error.to_string()))?;
    let provider = SdkMeterProvider::builder()
        .with_reader(reader)
        .with_resource(resource)
        .build();
    let endpoint = PrometheusEndpoint {
        registry,
        address: server.address(),
        server: Mutex::new(Some(server.connections(MAX_CONNECTIONS))),
    };
    Ok((provider, endpoint))
}

/// Checks that the host can be listened on. The port is not tried, because the server that is checked may be using it.
pub(super) fn check(host: &str, port: u16) -> Result<(), TelemetryError> {
    let bound = TcpListener::bind((without_brackets(host), 0));
    bound.map(drop).map_err(|cause| failed(host, port, cause))
}

fn without_brackets(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

fn failed(host: &str, port: u16, cause: io::Error) -> TelemetryError {
    TelemetryError::Listen {
        host: host.to_owned(),
        port,
        cause,
    }
}

impl PrometheusEndpoint {
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until stopped. A second call returns at once.
    pub(super) async fn serve(&self, stop: Stop) -> Result<(), ServeError> {
        let server = {
            let mut server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
            server.take()
        };
        let Some(server) = server else {
            return Ok(());
        };
        tracing::info!(address = %self.address, "serving metrics");
        if is_reachable(self.address) {
            tracing::warn!(
                address = %self.address,
                "other machines can reach the metrics, and nobody is asked for a password; listen on \
                 127.0.0.1, or keep strangers out with a firewall"
            );
        }
        let app = App::new().filter(MetricsPage(self.registry.clone()));
        server.stop_on(stop).serve(app).await
    }
}

/// Whether other machines may connect to an address.
fn is_reachable(address: SocketAddr) -> bool {
    !address.ip().to_canonical().is_loopback()
}

/// Responds with the metrics at every path.
struct MetricsPage(Registry);

impl Filter for MetricsPage {
    async fn apply(&self, request: &mut Request, _: Next<'_>) -> Response {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Response::error(405).header("allow", "GET, HEAD");
        }
        let mut text = String::new();
        match TextEncoder::new().encode_utf8(&self.0.gather(), &mut text) {
            Ok(()) => Response::ok()
                .content_type("text/plain; version=0.0.4; charset=utf-8")
                .header("cache-control", "no-store")
                .body(text),
            Err(error) => {
                tracing::error!(%error, "cannot encode the metrics");
                Response::error(500)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_loopback_addresses_are_out_of_reach() {
        let cases = [
            ("127.0.0.1:9100", false),
            ("127.1.2.3:9100", false),
            ("[::1]:9100", false),
            ("[::ffff:127.0.0.1]:9100", false),
            ("0.0.0.0:9100", true),
            ("[::]:9100", true),
            ("10.0.0.5:9100", true),
        ];
        for (address, expected) in cases {
            let is_reachable = super::is_reachable(address.parse().unwrap());
            assert_eq!(is_reachable, expected, "{address}");
        }
    }
}
