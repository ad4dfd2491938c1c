//! The connections that statements run on. Each prepares a statement once and keeps it.

use std::sync::Arc;

use deadpool_postgres::StatementCache;
use deadpool_postgres::{Client, ClientWrapper, Transaction};
use innkeeper_auth_queries::client::GenericClient;
use innkeeper_service::database::Executor;
use tokio_postgres::types::{BorrowToSql, ToSql};
use tokio_postgres::{Error, Row, RowStream, Statement, ToStatement};

/// A connection that many requests share, for single statements. Statements are pipelined: they are sent
/// without waiting for the results of earlier ones.
pub(crate) struct SharedConnection(pub(crate) Arc<ClientWrapper>);

/// A connection of the pool, used by one request at a time.
pub(crate) struct Connection(pub(crate) Client);

impl Connection {
    /// Begins a transaction, which is rolled back on drop unless it was committed.
    pub(crate) async fn transaction(&mut self) -> Result<Tx<'_>, Error> {
        Ok(Tx(self.0.transaction().await?))
    }
}

pub(crate) struct Tx<'a>(Transaction<'a>);

impl Tx<'_> {
    pub(crate) async fn commit(self) -> Result<(), Error> {
        self.0.commit().await
    }

    pub(crate) async fn rollback(self) -> Result<(), Error> {
        self.0.rollback().await
    }
}

/// A connection that may be inside a transaction.
pub(crate) trait MaybeTransaction: super::GenericClient {}

impl MaybeTransaction for SharedConnection {}

impl MaybeTransaction for Tx<'_> {}

/// Implements the trait that the generated functions need, with statements that are prepared once per
/// connection.
macro_rules! impl_generic_client {
    ($client:ty) => {
        impl Executor for $client {
            fn client(&self) -> &tokio_postgres::Client {
                Executor::client(&self.0)
            }

            fn prepared(&self) -> &StatementCache {
                self.0.prepared()
            }

            fn is_transaction(&self) -> bool {
                Executor::is_transaction(&self.0)
            }
        }

        impl GenericClient for $client {
            fn stmt_cache() -> bool {
                true
            }

            async fn prepare(&self, query: &str) -> Result<Statement, Error> {
                self.0.prepare_cached(query).await
            }

            async fn execute<T>(
                &self,
                query: &T,
                params: &[&(dyn ToSql + Sync)],
            ) -> Result<u64, Error>
            where
                T: ?Sized + ToStatement + Sync + Send,
            {
                self.0.execute(query, params).await
            }

            async fn query_one<T>(
                &self,
                statement: &T,
                params: &[&(dyn ToSql + Sync)],
            ) -> Result<Row, Error>
            where
                T: ?Sized + ToStatement + Sync + Send,
            {
                self.0.query_one(statement, params).await
            }

            async fn query_opt<T>(
                &self,
                statement: &T,
                params: &[&(dyn ToSql + Sync)],
            ) -> Result<Option<Row>, Error>
            where
                T: ?Sized + ToStatement + Sync + Send,
            {
                self.0.query_opt(statement, params).await
            }

            async fn query<T>(
                &self,
                query: &T,
                params: &[&(dyn ToSql + Sync)],
            ) -> Result<Vec<Row>, Error>
            where
                T: ?Sized + ToStatement + Sync + Send,
            {
                self.0.query(query, params).await
            }

            async fn query_raw<T, I>(&self, statement: &T, params: I) -> Result<RowStream, Error>
            where
                T: ?Sized + ToStatement + Sync + Send,
                I: IntoIterator + Sync + Send,
                I::IntoIter: ExactSizeIterator,
                I::Item: BorrowToSql,
            {
                self.0.query_raw(statement, params).await
            }
        }
    };
}

impl_generic_client!(SharedConnection);
impl_generic_client!(Tx<'_>);
