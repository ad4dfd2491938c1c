//! Encrypted connections, as the URL requires.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use innkeeper_service::cluster::Cluster;
use innkeeper_service::database::{Database, DatabaseOptions};

use crate::support::Folder;

fn certificates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/certificates")
}

/// Starts a server with a certificate for `localhost` from an authority that no system trusts.
async fn encrypted(folder: &Folder) -> Cluster {
    folder.start(&[]).await.stop().await.unwrap();
    let owner = fs::metadata(&folder.0).unwrap();
    for name in ["server.crt", "server.key"] {
        let copy = folder.0.join(name);
        fs::copy(certificates().join(name), &copy).unwrap();
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o600)).unwrap();
        chown(&copy, Some(owner.uid()), Some(owner.gid())).unwrap();
    }
    let path = |name: &str| folder.0.join(name).display().to_string();
    folder
        .start(&[
            ("ssl", "on"),
            ("ssl_cert_file", &path("server.crt")),
            ("ssl_key_file", &path("server.key")),
        ])
        .await
}

/// Whether a connection is encrypted; `None` if it cannot be opened.
async fn is_encrypted(url: String) -> Option<bool> {
    let database = Database::new(DatabaseOptions::new(url, "public")).unwrap();
    let connection = match database.connection().await {
        Ok(connection) => connection,
        Err(error) => {
            assert!(error.is_unavailable(), "{error}");
            return None;
        }
    };
    let row = connection
        .query_one(
            "select ssl from pg_stat_ssl where pid = pg_backend_pid()",
            &[],
        )
        .await
        .unwrap();
    Some(row.get(0))
}

#[tokio::test]
async fn the_sslmode_decides_what_is_encrypted_and_whom_we_trust() {
    let folder = Folder::new();
    let cluster = encrypted(&folder).await;
    let ours = format!("&sslrootcert={}", certificates().join("ca.crt").display());
    let cases = [
        ("127.0.0.1", "disable", "", Some(false)),
        ("127.0.0.1", "prefer", "", Some(true)),
        ("127.0.0.1", "require", "", Some(true)),
        ("localhost", "verify-full", &ours, Some(true)),
        ("127.0.0.1", "verify-full", &ours, None),
        ("127.0.0.1", "verify-ca", &ours, Some(true)),
        ("127.0.0.1", "require", &ours, Some(true)),
        ("localhost", "verify-full", "", None),
        ("localhost", "verify-ca", "", None),
    ];
    for (host, mode, roots, expected) in cases {
        let url = cluster.url("postgres").replace("127.0.0.1", host);
        let url = format!("{url}?sslmode={mode}{roots}");
        assert_eq!(is_encrypted(url).await, expected, "{host} {mode} {roots}");
    }
    cluster.stop().await.unwrap();
}

#[test]
fn a_file_of_authorities_that_cannot_be_used_is_a_fault_of_the_url() {
    let key = certificates().join("server.key");
    for file in ["/nowhere/ca.crt", key.to_str().unwrap()] {
        let url = format!("postgres://me:secret@host/app?sslmode=verify-full&sslrootcert={file}");
        let error = Database::new(DatabaseOptions::new(url, "auth")).unwrap_err();
        assert!(!error.is_unavailable());
        assert!(error.to_string().contains(file), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
