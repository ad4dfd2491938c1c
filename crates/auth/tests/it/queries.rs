//! The statements of the store.

use innkeeper_service::testing::check_statements;

use crate::support::TestApp;

#[tokio::test]
async fn a_connection_keeps_its_database_when_the_server_is_gone() {
    let sql = TestApp::start().await.sql().await;
    // The next start deletes databases without a connection.
    let next = TestApp::start().await;
    sql.query("select from users", &[]).await.unwrap();
    drop(next);
}

#[tokio::test]
async fn every_statement_is_what_the_database_says() {
    let sql = TestApp::start().await.sql().await;
    let problems = check_statements(&sql, innkeeper_auth::statements()).await;
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The statements of `make bench-auth`.
#[path = "../../../../benches/auth/src/statements.rs"]
mod benchmark;

#[test]
fn the_benchmark_runs_the_same_statements() {
    for (name, parameters) in benchmark::USED {
        let (file, function) = name.split_once("::").unwrap();
        let known = innkeeper_auth::statements()
            .find(|known| known.module.ends_with(file) && known.name == function)
            .unwrap_or_else(|| panic!("{name} is gone"));
        let mut used = parameters.to_vec();
        let mut names: Vec<&str> = known.parameters.iter().map(|known| known.name).collect();
        used.sort_unstable();
        names.sort_unstable();
        assert_eq!(used, names, "{name}");
    }
}
