//! TLS connections, with a client that verifies certificates.

mod certificates;
mod clients;
mod faults;
mod handshakes;
mod reload;
mod serving;

use std::net::SocketAddr;
use std::sync::Arc;

use innkeeper_rest::{App, Request, Response, RestApi, Server, resource};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::wire::{Running, Wire, soon};
use certificates::{Authority, Folder};

struct Words;

#[resource("/words")]
impl Words {
    #[get]
    fn list(&self) -> &'static str {
        "all words"
    }

    #[post]
    fn echo(&self, #[body] text: String) -> String {
        text
    }

    #[get("/peer")]
    fn peer(&self, #[request] request: &Request) -> Option<String> {
        request.peer().map(|peer| peer.to_string())
    }

    #[get("/encrypted")]
    fn is_encrypted(&self, #[request] request: &Request) -> bool {
        request.is_encrypted()
    }

    #[get("/endless")]
    fn endless(&self) -> Response {
        let parts = futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>("x".repeat(1000)));
        Response::ok().stream(parts)
    }
}

fn app() -> App {
    App::new().mount("/", RestApi::new(Words))
}

/// A server with a certificate for `localhost`, and the authority that its clients trust.
struct Setup {
    server: Running,
    authority: Authority,
    _folder: Folder,
}

fn serve(configure: impl FnOnce(Server) -> Server) -> Setup {
    let (authority, folder) = (Authority::new("root"), Folder::new());
    let tls = folder.tls(&authority.issue(&["localhost"]));
    Setup {
        server: Running::with(app(), |server| configure(server.tls(tls))),
        authority,
        _folder: folder,
    }
}

impl Setup {
    async fn connect(&self) -> Wire<TlsStream<TcpStream>> {
        connect(self.server.address, "localhost", self.authority.client())
            .await
            .unwrap()
    }
}

/// Returns a client configuration that trusts these authorities.
fn client(roots: RootCertStore) -> ClientConfig {
    builder(roots).with_no_client_auth()
}

fn builder(
    roots: RootCertStore,
) -> rustls::ConfigBuilder<ClientConfig, rustls::client::WantsClientCert> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
}

async fn connect(
    address: SocketAddr,
    name: &str,
    config: ClientConfig,
) -> std::io::Result<Wire<TlsStream<TcpStream>>> {
    let socket = soon(TcpStream::connect(address)).await?;
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    Ok(Wire::over(soon(connector.connect(name, socket)).await?))
}
