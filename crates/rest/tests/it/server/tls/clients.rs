//! Client certificates.

use innkeeper_rest::{App, ClientCertificate, RestApi, Tls, resource};
use rustls::ClientConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::certificates::{Authority, Folder, Issued};
use super::{Running, builder, connect};

struct Me;

#[resource("/me")]
impl Me {
    #[get]
    fn names(&self, #[value] certificate: Option<ClientCertificate>) -> String {
        certificate.map_or("nobody".to_owned(), |certificate| {
            certificate.dns_names().join(" and ")
        })
    }
}

struct Setup {
    server: Running,
    servers: Authority,
    clients: Authority,
    folder: Folder,
    tls: Tls,
}

fn serve(change: impl FnOnce(Tls, &Folder) -> Tls) -> Setup {
    let (servers, clients) = (Authority::new("servers"), Authority::new("clients"));
    let folder = Folder::new();
    folder.write("clients.pem", clients.pem());
    let tls = change(folder.tls(&servers.issue(&["localhost"])), &folder);
    let (app, handle) = (App::new().mount("/", RestApi::new(Me)), tls.clone());
    Setup {
        server: Running::with(app, |server| server.tls(tls)),
        servers,
        clients,
        folder,
        tls: handle,
    }
}

impl Setup {
    fn with(&self, issued: &Issued) -> ClientConfig {
        let certificate = CertificateDer::from_pem_slice(issued.certificate.as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(issued.key.as_bytes()).unwrap();
        builder(self.servers.roots())
            .with_client_auth_cert(vec![certificate], key)
            .unwrap()
    }

    /// Returns the response body, or the error that the client gets.
    async fn ask(&self, config: ClientConfig) -> Result<String, String> {
        let connected = connect(self.server.address, "localhost", config).await;
        let mut wire = connected.map_err(|error| error.to_string())?;
        // With TLS 1.3 the server rejects a client certificate only after the handshake.
        let request = "GET /me HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
        let _ = wire.try_send(request).await;
        let answer = wire
            .bytes_to_the_end()
            .await
            .map_err(|error| error.to_string())?;
        let answer = String::from_utf8(answer).unwrap();
        Ok(answer.split("\r\n\r\n").nth(1).unwrap().to_owned())
    }
}

#[tokio::test]
async fn handlers_see_whose_certificate_it_is() {
    let setup = serve(|tls, folder| {
        tls.require_client_certificates(folder.path("clients.pem"))
            .unwrap()
    });
    let ada = setup.clients.issue(&["ada.test", "countess.test"]);
    let told = setup.ask(setup.with(&ada)).await;
    assert_eq!(told.unwrap(), "ada.test and countess.test");
}

#[tokio::test]
async fn who_has_none_or_another_is_not_let_in() {
    let setup = serve(|tls, folder| {
        tls.require_client_certificates(folder.path("clients.pem"))
            .unwrap()
    });
    let refused = setup.ask(setup.servers.client()).await.unwrap_err();
    assert!(refused.contains("CertificateRequired"), "{refused}");
    let forged = Authority::new("clients").issue(&["ada.test"]);
    assert!(setup.ask(setup.with(&forged)).await.is_err());
}

#[tokio::test]
async fn who_has_none_may_be_let_in() {
    let setup = serve(|tls, folder| {
        tls.ask_for_client_certificates(folder.path("clients.pem"))
            .unwrap()
    });
    assert_eq!(setup.ask(setup.servers.client()).await.unwrap(), "nobody");
    let ada = setup.clients.issue(&["ada.test"]);
    assert_eq!(setup.ask(setup.with(&ada)).await.unwrap(), "ada.test");
    let forged = Authority::new("clients").issue(&["ada.test"]);
    assert!(setup.ask(setup.with(&forged)).await.is_err());
}

#[tokio::test]
async fn authorities_are_read_again_with_the_certificates() {
    let setup = serve(|tls, folder| {
        tls.require_client_certificates(folder.path("clients.pem"))
            .unwrap()
    });
    let newer = Authority::new("newer clients");
    let (ada, bob) = (
        setup.clients.issue(&["ada.test"]),
        newer.issue(&["bob.test"]),
    );
    let ada = setup.with(&ada);
    assert_eq!(setup.ask(ada.clone()).await.unwrap(), "ada.test");
    assert!(setup.ask(setup.with(&bob)).await.is_err());

    setup.folder.write("clients.pem", newer.pem());
    setup.tls.reload().unwrap();
    assert_eq!(setup.ask(setup.with(&bob)).await.unwrap(), "bob.test");
    // The session that the client's configuration has stored is not resumed either.
    assert!(setup.ask(ada).await.is_err());
}
