//! The databases of tests.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use innkeeper_service::testing::{TestDatabase, TestDatabaseError, eventually};

use crate::support::{Folder, connect};

static PREPARED: AtomicUsize = AtomicUsize::new(0);

/// The variable that names the file for [`process_to_be_killed`].
const FILE: &str = "INNKEEPER_TEST_FILE";

async fn prepared() -> TestDatabase {
    TestDatabase::create(|url| async move {
        PREPARED.fetch_add(1, Ordering::Relaxed);
        let client = connect(&url).await;
        client.batch_execute("create table t (a int)").await
    })
    .await
    .unwrap()
}

#[tokio::test]
async fn every_test_has_a_copy_of_its_own_of_a_template_prepared_once() {
    let (first, second, third) = tokio::join!(prepared(), prepared(), prepared());
    assert_eq!(PREPARED.load(Ordering::Relaxed), 1);
    connect(first.url())
        .await
        .batch_execute("insert into t values (1)")
        .await
        .unwrap();
    for other in [second, third] {
        let rows = connect(other.url())
            .await
            .query("select a from t", &[])
            .await
            .unwrap();
        assert!(rows.is_empty());
    }
}

#[tokio::test]
async fn a_template_that_fails_says_why() {
    let error = TestDatabase::create(|_| async { Err("no such file") })
        .await
        .unwrap_err();
    assert!(matches!(&error, TestDatabaseError::Setup(_)));
    assert!(error.to_string().contains("no such file"));
}

#[tokio::test]
async fn the_server_and_its_folder_go_when_the_tests_are_killed() {
    let folder = Folder::new();
    fs::create_dir(&folder.0).unwrap();
    let file = folder.0.join("where");
    let mut tests = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "template::process_to_be_killed"])
        .env(FILE, &file)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    eventually("the other process has a server", async || {
        fs::read_to_string(&file).is_ok_and(|place| place.ends_with('\n'))
    })
    .await;
    let place = PathBuf::from(fs::read_to_string(&file).unwrap().trim());
    assert!(place.exists());
    tests.kill().unwrap();
    tests.wait().unwrap();
    eventually("the folder is gone", async || !place.exists()).await;
}

/// Not a test by itself: the process that the test above kills.
#[tokio::test]
#[ignore = "runs in a process of its own, started by another test"]
async fn process_to_be_killed() {
    let Some(file) = std::env::var_os(FILE) else {
        return;
    };
    let url = TestDatabase::administration().await.unwrap();
    let row = connect(&url)
        .await
        .query_one("select current_setting('data_directory')", &[])
        .await
        .unwrap();
    fs::write(file, format!("{}\n", row.get::<_, &str>(0))).unwrap();
    std::future::pending::<()>().await;
}
