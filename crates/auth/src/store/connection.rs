//! The connections that statements run on. All of them keep statements prepared.

use std::sync::Arc;

use deadpool_postgres::{Client, ClientWrapper, Transaction};
use innkeeper_auth_queries::client::GenericClient;
use tokio_postgres::types::{BorrowToSql, ToSql};
use tokio_postgres::{Error, Row, RowStream, Statement, ToStatement};

/// One of the connections that many requests share: single statements, sent without waiting for the
/// answers of the ones before.
pub(crate) struct Shared(pub(crate) Arc<ClientWrapper>);

/// A connection that one request has to itself.
pub(crate) struct Connection(pub(crate) Client);

impl Connection {
    /// Begins a transaction; it is undone unless it is committed.
    pub(crate) async fn transaction(&mut self) -> Result<Tx<'_>, Error> {
        Ok(Tx(self.0.transaction().await?))
    }
}

/// A transaction.
pub(crate) struct Tx<'a>(Transaction<'a>);

impl Tx<'_> {
    /// Lets everything stand that was done.
    pub(crate) async fn commit(self) -> Result<(), Error> {
        self.0.commit().await
    }

    /// Undoes everything that was done.
    pub(crate) async fn rollback(self) -> Result<(), Error> {
        self.0.rollback().await
    }
}

/// A connection that knows whether a transaction is under way on it.
pub(crate) trait Conn: GenericClient {
    /// Whether what is done here can still be undone.
    fn is_transaction(&self) -> bool;
}

impl Conn for Shared {
    fn is_transaction(&self) -> bool {
        false
    }
}

impl Conn for Tx<'_> {
    fn is_transaction(&self) -> bool {
        true
    }
}

/// What the generated functions need, with statements that are prepared once on each connection.
macro_rules! prepares_once {
    ($client:ty) => {
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

prepares_once!(Shared);
prepares_once!(Tx<'_>);
