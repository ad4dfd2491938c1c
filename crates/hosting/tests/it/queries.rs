//! `innkeeper-hosting-queries` is generated from `queries/*.sql` and never edited by hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cornucopia::config::{Config, TypeMapping};

use innkeeper_service::testing::{TestDatabase, with_kept_statements};
use tokio_postgres::{Client, NoTls};

/// Returns the files of a folder and its subfolders, by their relative path.
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

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Generates the crate's sources from a migrated database.
async fn generate(destination: &Path) {
    let database = TestDatabase::empty().await.unwrap();
    let mut sql = connect(&format!(
        "{}?options=-csearch_path%3Dhosting",
        database.url()
    ))
    .await;
    innkeeper_hosting::migrate::migrate(&mut sql, "hosting")
        .await
        .unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut config = Config::builder()
        .queries(own.join("queries"))
        .destination(destination)
        .name("innkeeper-hosting-queries")
        .build();
    let rust = |name: &str| TypeMapping::Simple(name.to_owned());
    config.types.mapping = [
        ("pg_catalog.timestamptz", rust("jiff::Timestamp")),
        ("pg_catalog.date", rust("jiff::civil::Date")),
    ]
    .map(|(name, rust)| (name.to_owned(), rust))
    .into();
    config.types.derive_traits = Vec::new();
    // `gen_live` blocks on the connection, which another thread has to drive.
    let made = tokio::task::spawn_blocking(move || cornucopia::gen_live(&sql, config));
    made.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_query_crate_is_what_the_sql_makes_it() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path()).await;
    let made: BTreeMap<PathBuf, String> = files(&folder.path().join("src"))
        .into_iter()
        .map(|(name, source)| (name, with_kept_statements(&source)))
        .collect();
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hosting-queries/src");
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
