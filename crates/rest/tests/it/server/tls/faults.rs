//! Certificates that do not load: the error names the file and the cause.

use innkeeper_rest::{ServeError, Server, Tls};
use rcgen::date_time_ymd;

use super::certificates::{Authority, Folder};
use super::{Running, app, connect};
use crate::errors::log::Log;

/// Returns the error for these files, without the folder's path.
fn fault(certificate: impl AsRef<[u8]>, key: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    let certificate = folder.write("cert.pem", certificate);
    let key = folder.write("key.pem", key);
    let error = Tls::from_files(certificate, key).unwrap_err();
    let file = error.file().unwrap().to_owned();
    let text = error.to_string();
    assert!(text.starts_with(&format!("{}: ", file.display())), "{text}");
    text.replace(
        &format!(
            "{}/",
            folder.path("").display().to_string().trim_end_matches('/')
        ),
        "",
    )
}

#[test]
fn files_that_are_not_there_are_named() {
    let folder = Folder::new();
    let good = Authority::new("root").issue(&["localhost"]);
    let certificate = folder.write("cert.pem", &good.certificate);
    let missing = folder.path("missing.pem");
    let error = Tls::from_files(&missing, &missing).unwrap_err();
    assert_eq!(error.file(), Some(&*missing));
    let text = error.to_string();
    assert!(
        text.contains("missing.pem: cannot be read: No such file"),
        "{text}"
    );
    let error = Tls::from_files(&certificate, &missing).unwrap_err();
    assert_eq!(error.file(), Some(&*missing));
    // A folder is not a file.
    let error = Tls::from_files(folder.path(""), &certificate).unwrap_err();
    assert!(error.to_string().contains("cannot be read"), "{error}");
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let authority = Authority::new("root");
    let good = authority.issue(&["localhost"]);
    let other = authority.issue(&["localhost"]);
    let (certificate, key) = (&*good.certificate, &*good.key);
    let cut = certificate.split("-----END").next().unwrap();
    let swapped = certificate.replacen('M', "A", 1);
    for (certificate, key, expected) in [
        ("", key, "cert.pem: it is not PEM"),
        ("a certificate", key, "cert.pem: it is not PEM"),
        (certificate, "\0\u{1}\u{2}", "key.pem: it is not PEM"),
        (key, key, "cert.pem: there is no certificate in it"),
        (
            certificate,
            certificate,
            "key.pem: there is no private key in it",
        ),
        (
            certificate,
            &*other.key,
            "key.pem: the key does not belong to the certificate in cert.pem",
        ),
        (
            certificate,
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n",
            "key.pem: the private key is encrypted; it is needed without a passphrase",
        ),
    ] {
        assert_eq!(fault(certificate, key), expected);
    }
    for (certificate, key, start) in [
        (
            cut,
            key,
            "cert.pem: it is not well-formed PEM: missing section end",
        ),
        (
            &*swapped,
            key,
            "cert.pem: the first certificate is malformed: ",
        ),
        (
            "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n",
            key,
            "cert.pem: it is not well-formed PEM: ",
        ),
        (
            certificate,
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "key.pem: the private key cannot be used: ",
        ),
    ] {
        let text = fault(certificate, key);
        assert!(text.starts_with(start), "{text}");
    }
}

#[test]
fn a_fault_in_a_text_names_no_file() {
    let good = Authority::new("root").issue(&["localhost"]);
    let error = Tls::from_pem("nothing", &good.key).unwrap_err();
    assert_eq!(error.file(), None);
    assert_eq!(error.to_string(), "the certificate: it is not PEM");
    let tls = Tls::from_pem(&good.certificate, &good.key).unwrap();
    tls.reload().unwrap();
}

#[test]
fn a_further_certificate_and_authorities_are_checked_as_well() {
    let (authority, folder) = (Authority::new("root"), Folder::new());
    let tls = folder.tls(&authority.issue(&["localhost"]));
    let nothing = folder.write("nothing.pem", "nothing");
    let error = tls.clone().and_files(&nothing, &nothing).unwrap_err();
    assert_eq!(error.file(), Some(&*nothing));
    let error = tls.require_client_certificates(&nothing).unwrap_err();
    assert_eq!(error.file(), Some(&*nothing));
}

#[test]
fn a_fault_is_an_error_of_serving() {
    fn server() -> Result<Server, ServeError> {
        let tls = Tls::from_files("/nowhere/cert.pem", "/nowhere/key.pem")?;
        Ok(Server::bind("127.0.0.1:0")?.tls(tls))
    }
    let error = server().unwrap_err();
    assert!(matches!(error, ServeError::Tls(_)));
    assert!(
        error
            .to_string()
            .starts_with("/nowhere/cert.pem: cannot be read")
    );
}

#[tokio::test]
async fn an_expired_certificate_is_warned_about_and_served() {
    let log = Log::start();
    let (authority, folder) = (Authority::new("root"), Folder::new());
    let expired = authority.issue_with(&["localhost"], |params| {
        params.not_after = date_time_ymd(2020, 1, 1);
    });
    let tls = folder.tls(&expired);
    let server = Running::with(app(), |server| server.tls(tls));
    let text = log.text();
    assert!(text.contains("WARN"), "{text}");
    assert!(
        text.contains("cert.pem: the certificate expired "),
        "{text}"
    );
    let refused = connect(server.address, "localhost", authority.client()).await;
    let error = refused.err().unwrap().to_string();
    assert!(error.contains("expired"), "{error}");
}
