//! SQL, one file per table. The statements are in `queries/*.sql`; the functions made from them are
//! called from here only.

pub(crate) mod audit;
pub(crate) mod flow_states;
pub(crate) mod identities;
pub(crate) mod mail_sent;
pub(crate) mod one_time_tokens;
pub(crate) mod refresh_tokens;
pub(crate) mod sessions;
pub(crate) mod signing_keys;
pub(crate) mod user_list;
pub(crate) mod users;

use std::sync::Arc;

use deadpool_postgres::ClientWrapper;
pub(crate) use innkeeper_auth_queries::client::GenericClient;
use innkeeper_service::database::DatabaseError;
use tokio_postgres::types::{BorrowToSql, ToSql};
use tokio_postgres::{Error, Row, RowStream, Statement, ToStatement};

/// What every function here returns.
pub(crate) type Result<T> = std::result::Result<T, DatabaseError>;

/// One of the connections that many requests share: single statements, sent without waiting for the
/// answers of the ones before.
pub(crate) struct Shared(pub(crate) Arc<ClientWrapper>);

impl GenericClient for Shared {
    fn stmt_cache() -> bool {
        true
    }

    async fn prepare(&self, query: &str) -> std::result::Result<Statement, Error> {
        self.0.prepare_cached(query).await
    }

    async fn execute<T>(
        &self,
        query: &T,
        params: &[&(dyn ToSql + Sync)],
    ) -> std::result::Result<u64, Error>
    where
        T: ?Sized + ToStatement + Sync + Send,
    {
        self.0.execute(query, params).await
    }

    async fn query_one<T>(
        &self,
        statement: &T,
        params: &[&(dyn ToSql + Sync)],
    ) -> std::result::Result<Row, Error>
    where
        T: ?Sized + ToStatement + Sync + Send,
    {
        self.0.query_one(statement, params).await
    }

    async fn query_opt<T>(
        &self,
        statement: &T,
        params: &[&(dyn ToSql + Sync)],
    ) -> std::result::Result<Option<Row>, Error>
    where
        T: ?Sized + ToStatement + Sync + Send,
    {
        self.0.query_opt(statement, params).await
    }

    async fn query<T>(
        &self,
        query: &T,
        params: &[&(dyn ToSql + Sync)],
    ) -> std::result::Result<Vec<Row>, Error>
    where
        T: ?Sized + ToStatement + Sync + Send,
    {
        self.0.query(query, params).await
    }

    async fn query_raw<T, I>(
        &self,
        statement: &T,
        params: I,
    ) -> std::result::Result<RowStream, Error>
    where
        T: ?Sized + ToStatement + Sync + Send,
        I: IntoIterator + Sync + Send,
        I::IntoIter: ExactSizeIterator,
        I::Item: BorrowToSql,
    {
        self.0.query_raw(statement, params).await
    }
}
