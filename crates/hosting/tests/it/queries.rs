//! The statements of the store.

use innkeeper_service::testing::{TestDatabase, check_statements};
use tokio_postgres::NoTls;

#[tokio::test]
async fn every_statement_is_what_the_database_says() {
    let database = TestDatabase::empty().await.unwrap();
    let url = format!("{}?options=-csearch_path%3Dhosting", database.url());
    let (mut sql, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    innkeeper_hosting::migrate::migrate(&mut sql, "hosting")
        .await
        .unwrap();
    let problems = check_statements(&sql, innkeeper_hosting::statements()).await;
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
