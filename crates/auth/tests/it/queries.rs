//! `innkeeper-auth-queries` is generated from `queries/*.sql` and never edited by hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cornucopia::config::{Config, TypeMapping};
use innkeeper_service::testing::with_kept_statements;

use crate::support::TestApp;

/// Returns the contents of all files below a folder, by relative path.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// Generates the crate's sources from a migrated database.
async fn generate(destination: &Path) {
    let sql = TestApp::start().await.sql().await;
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut config = Config::builder()
        .queries(own.join("queries"))
        .destination(destination)
        .name("innkeeper-auth-queries")
        .build();
    let rust = |name: &str| TypeMapping::Simple(name.to_owned());
    config.types.mapping = [
        ("pg_catalog.timestamptz", rust("jiff::Timestamp")),
        ("pg_catalog.timestamp", rust("jiff::civil::DateTime")),
    ]
    .map(|(name, rust)| (name.to_owned(), rust))
    .into();
    config.types.derive_traits = Vec::new();
    // `gen_live` blocks on its connection, which must be driven by another thread.
    let made = tokio::task::spawn_blocking(move || cornucopia::gen_live(&sql, config));
    made.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_connection_keeps_its_database_when_the_server_is_gone() {
    let sql = TestApp::start().await.sql().await;
    // The next start deletes databases without a connection.
    let next = TestApp::start().await;
    sql.query("select from users", &[]).await.unwrap();
    drop(next);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_query_crate_is_what_the_sql_makes_it() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path()).await;
    let made: BTreeMap<PathBuf, String> = files(&folder.path().join("src"))
        .into_iter()
        .map(|(name, source)| (name, with_kept_statements(&source)))
        .collect();
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../auth-queries/src");
    if std::env::var_os("UPDATE_QUERIES").is_some() {
        fs::remove_dir_all(&committed).unwrap();
        for (name, text) in &made {
            let path = committed.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let present = files(&committed);
    let names: Vec<&PathBuf> = present.keys().collect();
    assert_eq!(names, made.keys().collect::<Vec<_>>());
    for (name, text) in &made {
        assert!(
            present[name] == *text,
            "{} is not what the SQL makes it: run this test with UPDATE_QUERIES=1",
            name.display()
        );
    }
}
