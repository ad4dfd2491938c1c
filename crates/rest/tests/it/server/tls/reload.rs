//! Certificates that change while the server runs, and several certificates at once.

use std::time::Duration;

use innkeeper_rest::Tls;
use rcgen::date_time_ymd;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use super::certificates::{Authority, Folder, Issued};
use super::{Running, Wire, app, connect, soon};
use crate::errors::log::Log;
use crate::eventually::eventually;

/// Returns whether the server presented this certificate.
fn shows(wire: &Wire<TlsStream<TcpStream>>, issued: &Issued) -> bool {
    let expected = CertificateDer::from_pem_slice(issued.certificate.as_bytes()).unwrap();
    let (_, connection) = wire.stream().get_ref();
    connection.peer_certificates().unwrap()[0] == expected
}

struct Setup {
    server: Running,
    authority: Authority,
    folder: Folder,
    tls: Tls,
    first: Issued,
}

fn serve(change: impl FnOnce(Tls) -> Tls) -> Setup {
    let (authority, folder) = (Authority::new("root"), Folder::new());
    let first = authority.issue(&["localhost"]);
    let tls = change(folder.tls(&first));
    let handle = tls.clone();
    Setup {
        server: Running::with(app(), |server| server.tls(tls)),
        authority,
        folder,
        tls: handle,
        first,
    }
}

impl Setup {
    async fn connect(&self) -> Wire<TlsStream<TcpStream>> {
        connect(self.server.address, "localhost", self.authority.client())
            .await
            .unwrap()
    }

    async fn until_it_shows(&self, issued: &Issued) {
        soon(async { while !shows(&self.connect().await, issued) {} }).await;
    }
}

#[tokio::test]
async fn a_reload_changes_new_connections_and_leaves_open_ones() {
    let setup = serve(|tls| tls);
    let mut open = setup.connect().await;
    assert!(shows(&open, &setup.first));
    open.get("/words").await;

    let second = setup.authority.issue(&["localhost"]);
    setup.folder.put(&second);
    assert!(
        shows(&setup.connect().await, &setup.first),
        "not before it is told"
    );
    setup.tls.reload().unwrap();
    let mut new = setup.connect().await;
    assert!(shows(&new, &second));
    assert_eq!(new.get("/words").await.text(), "all words");
    assert_eq!(open.get("/words").await.text(), "all words");
}

#[tokio::test]
async fn what_cannot_be_used_changes_nothing() {
    let setup = serve(|tls| tls);
    let second = setup.authority.issue(&["localhost"]);
    let expired = setup.authority.issue_with(&["localhost"], |params| {
        params.not_after = date_time_ymd(2020, 1, 1);
    });
    let early = setup.authority.issue_with(&["localhost"], |params| {
        params.not_before = date_time_ymd(4000, 1, 1);
    });
    for (certificate, key, fault) in [
        (
            &*second.certificate,
            &*setup.first.key,
            "key.pem: the key does not belong to",
        ),
        ("nothing", &second.key, "cert.pem: it is not PEM"),
        ("", &second.key, "cert.pem: it is not PEM"),
        (&second.certificate, "", "key.pem: it is not PEM"),
        (
            &expired.certificate,
            &expired.key,
            "cert.pem: the certificate expired ",
        ),
        (
            &early.certificate,
            &early.key,
            "cert.pem: the certificate is not valid for another ",
        ),
    ] {
        setup.folder.write("cert.pem", certificate);
        setup.folder.write("key.pem", key);
        let error = setup.tls.reload().unwrap_err().to_string();
        assert!(error.contains(fault), "{error}");
        assert!(shows(&setup.connect().await, &setup.first), "{fault}");
    }
    setup.folder.put(&second);
    setup.tls.reload().unwrap();
    assert!(shows(&setup.connect().await, &second));
}

#[tokio::test]
async fn files_that_are_watched_are_read_when_they_change() {
    let log = Log::start();
    let setup = serve(|tls| tls.watch(Duration::from_millis(10)));
    let second = setup.authority.issue(&["localhost"]);
    setup.folder.put(&second);
    setup.until_it_shows(&second).await;

    setup.folder.write("cert.pem", "-----BEGIN NONSENSE-----");
    eventually("the log says so", async || {
        log.text().contains("keeping the old ones")
    })
    .await;
    assert!(shows(&setup.connect().await, &second));
    assert!(log.text().contains("cert.pem: "), "{}", log.text());

    let third = setup.authority.issue(&["localhost"]);
    setup.folder.put(&third);
    setup.until_it_shows(&third).await;
}

#[tokio::test]
async fn a_new_pair_may_be_put_in_place_by_renaming_a_folder() {
    let (authority, folder) = (Authority::new("root"), Folder::new());
    let (first, second) = (
        authority.issue(&["localhost"]),
        authority.issue(&["localhost"]),
    );
    for (name, issued) in [("1", &first), ("2", &second)] {
        std::fs::create_dir(folder.path(name)).unwrap();
        folder.write(&format!("{name}/cert.pem"), &issued.certificate);
        folder.write(&format!("{name}/key.pem"), &issued.key);
    }
    std::os::unix::fs::symlink("1", folder.path("current")).unwrap();
    let tls = Tls::from_files(
        folder.path("current/cert.pem"),
        folder.path("current/key.pem"),
    );
    let tls = tls.unwrap().watch(Duration::from_millis(10));
    let server = Running::with(app(), |server| server.tls(tls));
    std::os::unix::fs::symlink("2", folder.path("next")).unwrap();
    std::fs::rename(folder.path("next"), folder.path("current")).unwrap();
    soon(async {
        loop {
            let wire = connect(server.address, "localhost", authority.client()).await;
            if shows(&wire.unwrap(), &second) {
                break;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_client_gets_the_certificate_for_the_name_it_asks_for() {
    let (authority, folder) = (Authority::new("root"), Folder::new());
    let default = authority.issue(&["localhost", "127.0.0.1"]);
    let exact = authority.issue(&["www.example.org", "Example.org"]);
    let wild = authority.issue(&["*.example.org"]);
    let mut tls = folder.tls(&default);
    for (name, issued) in [("exact", &exact), ("wild", &wild)] {
        let certificate = folder.write(&format!("{name}.pem"), &issued.certificate);
        let key = folder.write(&format!("{name}.key"), &issued.key);
        tls = tls.and_files(certificate, key).unwrap();
    }
    let server = Running::with(app(), |server| server.tls(tls));
    for (name, expected) in [
        ("www.example.org", &exact),
        ("WWW.EXAMPLE.ORG", &exact),
        ("example.org", &exact),
        ("other.example.org", &wild),
        ("localhost", &default),
        // SNI cannot carry an IP address, so the client sends no name.
        ("127.0.0.1", &default),
    ] {
        let wire = connect(server.address, name, authority.client()).await;
        assert!(shows(&wire.unwrap(), expected), "{name}");
    }
    let unknown = connect(server.address, "elsewhere.test", authority.client()).await;
    let error = unknown.err().unwrap().to_string();
    assert!(error.contains("not valid for name"), "{error}");
}
