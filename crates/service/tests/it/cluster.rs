//! The private PostgreSQL.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::process::{Command, Stdio};

use innkeeper_service::cluster::{Cluster, ClusterError, ClusterOptions};
use innkeeper_service::testing::{HeldPort, eventually};
use rustix::process::{Pid, Signal, kill_process};
use tokio_postgres::NoTls;
use tokio_postgres::error::SqlState;

use crate::support::{Folder, connect};

/// The variable that names the folder for [`owner_to_be_killed`].
const FOLDER: &str = "INNKEEPER_TEST_CLUSTER";

async fn write(cluster: &Cluster, value: i32) {
    let client = connect(&cluster.url("app")).await;
    client
        .batch_execute(&format!(
            "create table if not exists t (a int); insert into t values ({value})"
        ))
        .await
        .unwrap();
}

async fn read(cluster: &Cluster) -> Vec<i32> {
    let client = connect(&cluster.url("app")).await;
    let rows = client
        .query("select a from t order by a", &[])
        .await
        .unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn data_survives_a_stop_and_the_next_start() {
    let (folder, port) = (Folder::new(), HeldPort::take().unwrap());
    let mut options = ClusterOptions::new(&folder.0);
    options.port = Some(port.number());
    let cluster = Cluster::start(options.clone()).await.unwrap();
    cluster.ensure_database("app").await.unwrap();
    cluster.ensure_database("app").await.unwrap();
    write(&cluster, 1).await;
    let row = connect(&cluster.url("postgres"))
        .await
        .query_one(
            "select current_setting('fsync'), current_setting('listen_addresses')",
            &[],
        )
        .await
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "on");
    assert_eq!(row.get::<_, &str>(1), "127.0.0.1");
    cluster.stop().await.unwrap();
    assert!(!folder.0.join("data/postmaster.pid").exists());

    let cluster = Cluster::start(options).await.unwrap();
    assert_eq!(cluster.port(), port.number());
    assert_eq!(read(&cluster).await, [1]);
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn nobody_gets_in_without_the_password_and_nobody_else_can_read_it() {
    let folder = Folder::new();
    let cluster = folder.start(&[]).await;
    let mode = |name: &str| {
        fs::metadata(folder.0.join(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(""), 0o700);
    assert_eq!(mode("password"), 0o600);
    let password = fs::read_to_string(folder.0.join("password")).unwrap();
    let url = cluster.url("postgres");
    assert!(url.contains(&password));
    let error = tokio_postgres::connect(&url.replace(&password, "guess"), NoTls)
        .await
        .err()
        .unwrap();
    assert_eq!(error.code(), Some(&SqlState::INVALID_PASSWORD), "{error}");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_killed_server_recovers_what_was_committed() {
    let folder = Folder::new();
    let cluster = Cluster::start(ClusterOptions::new(&folder.0))
        .await
        .unwrap();
    cluster.ensure_database("app").await.unwrap();
    write(&cluster, 1).await;
    let _busy = connect(&cluster.url("app")).await;
    let pid = Pid::from_raw(i32::try_from(cluster.pid().unwrap()).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();

    let again = Cluster::start(ClusterOptions::new(&folder.0))
        .await
        .unwrap();
    assert_eq!(read(&again).await, [1]);
    again.stop().await.unwrap();
    assert!(matches!(
        cluster.stop().await,
        Err(ClusterError::Failed { .. })
    ));
}

#[tokio::test]
async fn a_lock_file_that_names_another_process_does_not_stop_the_start() {
    let folder = Folder::new();
    folder.start(&[]).await.stop().await.unwrap();
    let lock = format!(
        "{}\n{}\n0\n5432\n\n\n\nready\n",
        std::process::id(),
        folder.0.join("data").display()
    );
    fs::write(folder.0.join("data/postmaster.pid"), lock).unwrap();
    folder.start(&[]).await.stop().await.unwrap();
}

#[tokio::test]
async fn a_server_ends_with_its_owner_and_the_next_one_goes_on() {
    let folder = Folder::new();
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "cluster::owner_to_be_killed"])
        .env(FOLDER, &folder.0)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    eventually("the other process has a cluster", async || {
        folder.0.join("started").exists()
    })
    .await;
    owner.kill().unwrap();
    owner.wait().unwrap();

    let cluster = Cluster::start(folder.options()).await.unwrap();
    assert_eq!(read(&cluster).await, [7]);
    cluster.stop().await.unwrap();
}

/// Not a test by itself: the process that the test above kills.
#[tokio::test]
#[ignore = "runs in a process of its own, started by another test"]
async fn owner_to_be_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let mut options = ClusterOptions::new(&folder);
    options.durable = false;
    let cluster = Cluster::start(options).await.unwrap();
    cluster.ensure_database("app").await.unwrap();
    write(&cluster, 7).await;
    fs::write(cluster.data_dir().join("started"), "").unwrap();
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_folder_in_use_is_refused_and_its_server_left_alone() {
    let folder = Folder::new();
    let cluster = folder.start(&[]).await;
    let error = Cluster::start(folder.options()).await.unwrap_err();
    assert!(matches!(error, ClusterError::Running { .. }), "{error}");
    connect(&cluster.url("postgres")).await;
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_port_in_use_is_named_in_the_error() {
    let first = Folder::new();
    let cluster = first.start(&[]).await;
    let second = Folder::new();
    let mut options = second.options();
    options.port = Some(cluster.port());
    let error = Cluster::start(options).await.unwrap_err().to_string();
    assert!(error.contains(&cluster.port().to_string()), "{error}");
    assert!(error.contains("in use"), "{error}");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn data_of_another_release_is_refused_and_kept() {
    let folder = Folder::new();
    folder.start(&[]).await.stop().await.unwrap();
    let version = folder.0.join("data/PG_VERSION");
    fs::write(&version, "9.6\n").unwrap();
    let error = Cluster::start(folder.options()).await.unwrap_err();
    assert!(matches!(error, ClusterError::Version { .. }), "{error}");
    assert!(error.to_string().contains("PostgreSQL 9.6"), "{error}");
    assert!(version.exists());
}

#[tokio::test]
async fn a_folder_whose_creation_was_cut_short_is_made_again() {
    let folder = Folder::new();
    fs::create_dir_all(folder.0.join("data.new/base")).unwrap();
    fs::write(folder.0.join("password"), "old").unwrap();
    folder.start(&[]).await.stop().await.unwrap();
    assert!(!folder.0.join("data.new").exists());
}

#[tokio::test]
async fn a_server_that_somebody_else_ends_is_noticed() {
    let folder = Folder::new();
    let mut cluster = folder.start(&[]).await;
    let pid = i32::try_from(cluster.pid().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::QUIT).unwrap();
    cluster.ended().await;
    assert!(cluster.log().is_file());
}

#[tokio::test]
async fn a_deleted_cluster_leaves_nothing() {
    let folder = Folder::new();
    Cluster::delete(&folder.0).await.unwrap();
    let cluster = folder.start(&[]).await;
    let url = cluster.url("postgres");
    // The server stops after the drop, and deleting waits for that.
    drop(cluster);
    Cluster::delete(&folder.0).await.unwrap();
    assert!(!folder.0.exists());
    assert!(tokio_postgres::connect(&url, NoTls).await.is_err());
}

#[tokio::test]
async fn a_cluster_in_use_is_not_deleted() {
    let folder = Folder::new();
    let cluster = folder.start(&[]).await;
    let error = Cluster::delete(&folder.0).await.unwrap_err();
    assert!(matches!(error, ClusterError::Running { .. }), "{error}");
    connect(&cluster.url("postgres")).await;
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_folder_that_the_server_cannot_get_to_is_named() {
    if !rustix::process::geteuid().is_root() {
        // Other users run the server as themselves.
        return;
    }
    let folder = Folder::new();
    fs::DirBuilder::new().mode(0o700).create(&folder.0).unwrap();
    let error = Cluster::start(ClusterOptions::new(folder.0.join("deep/down")))
        .await
        .unwrap_err();
    assert!(matches!(error, ClusterError::OutOfReach { .. }), "{error}");
    assert!(
        error.to_string().contains(folder.0.to_str().unwrap()),
        "{error}"
    );
}

#[tokio::test]
async fn a_long_path_has_no_socket_but_works() {
    let folder = Folder::new();
    let deep = folder.0.join("x".repeat(60)).join("y".repeat(60));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(deep.parent().unwrap())
        .unwrap();
    let mut options = folder.options();
    options.data_dir = deep;
    let cluster = Cluster::start(options).await.unwrap();
    connect(&cluster.url("postgres")).await;
    cluster.stop().await.unwrap();
}
