//! The server behind a proxy that speaks TLS; the server itself speaks plain HTTP.

use std::sync::Arc;

use innkeeper_rest::filter::TrustedProxies;
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::support::TestApp;
use crate::support::served::Served;

const AUTHORITY: &str = include_str!("../../fixtures/tls/ca.pem");
const CERTIFICATE: &str = include_str!("../../fixtures/tls/localhost.pem");
const KEY: &str = include_str!("../../fixtures/tls/localhost.key");

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

fn acceptor() -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Accepts connections with TLS and passes their requests on to the server at this address.
async fn proxy(listener: TcpListener, server: String) {
    while let Ok((stream, _)) = listener.accept().await {
        let server = server.clone();
        tokio::spawn(async move {
            // The client may have sent anything.
            forward(stream, &server).await.ok();
        });
    }
}

/// Passes the one request of a connection on, with the address of the client.
async fn forward(stream: TcpStream, server: &str) -> std::io::Result<()> {
    let mut client = BufReader::new(acceptor().accept(stream).await?);
    let mut server = TcpStream::connect(server).await?;
    let mut head = String::new();
    client.read_line(&mut head).await?;
    head.push_str(
        "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: https\r\nConnection: close\r\n",
    );
    server.write_all(head.as_bytes()).await?;
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

fn client() -> reqwest::Client {
    let authority = reqwest::Certificate::from_pem(AUTHORITY.as_bytes()).unwrap();
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(Policy::none());
    client.tls_certs_only([authority]).build().unwrap()
}

#[tokio::test]
async fn clients_links_and_addresses_are_right_behind_a_proxy_that_speaks_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://localhost:{}",
        listener.local_addr().unwrap().port()
    );
    let app = TestApp::with(|config| {
        config.api.external_url = url.parse().unwrap();
        config.trusted_proxies = TrustedProxies::new(["127.0.0.1"]).unwrap();
    })
    .await;
    let served = Served::start(app);
    let address = served.url.trim_start_matches("http://").to_owned();
    tokio::spawn(proxy(listener, address));
    let client = client();
    let post = async |target: &str| {
        let body = json!({ "email": ADA, "password": PASSWORD });
        let answer = client.post(format!("{url}{target}")).json(&body).send();
        let answer = answer.await.unwrap();
        assert_eq!(answer.status(), 200);
        answer.json::<Value>().await.unwrap()
    };

    post("/signup").await;
    let link = served.app.mailbox.next_to(ADA).await.link().to_string();
    assert!(link.starts_with(&format!("{url}/verify?token=")), "{link}");
    let answer = client.get(&link).send().await.unwrap();
    assert_eq!(answer.status(), 303);
    let location = answer.headers()["location"].to_str().unwrap();
    assert!(location.contains("#access_token="), "{location}");
    let session = post("/token?grant_type=password").await;
    assert_eq!(session["user"]["email"], ADA);
    let sql = served.app.sql().await;
    let rows = sql
        .query("select distinct host(ip) from sessions", &[])
        .await
        .unwrap();
    let addresses: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(addresses, ["203.0.113.9"]);

    // TLS ends at the proxy.
    let direct = served.url.replace("http://127.0.0.1", "https://localhost");
    assert!(client.get(format!("{direct}/health")).send().await.is_err());
    served.stop().await;
}
