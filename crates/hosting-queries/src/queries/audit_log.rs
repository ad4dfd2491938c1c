// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertEntryParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::StringSql,
    T8: crate::JsonSql,
> {
    pub at: jiff::Timestamp,
    pub customer_id: Option<T1>,
    pub actor: T2,
    pub event: T3,
    pub target: Option<T4>,
    pub address: Option<T5>,
    pub request_id: Option<T6>,
    pub outcome: T7,
    pub details: T8,
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct InsertEntryStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_entry() -> InsertEntryStmt {
    InsertEntryStmt(
        "insert into audit_log (at, customer_id, actor, event, target, address, request_id, outcome, details) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        None,
    )
}
impl InsertEntryStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<
        'c,
        'a,
        's,
        C: GenericClient,
        T1: crate::StringSql,
        T2: crate::StringSql,
        T3: crate::StringSql,
        T4: crate::StringSql,
        T5: crate::StringSql,
        T6: crate::StringSql,
        T7: crate::StringSql,
        T8: crate::JsonSql,
    >(
        &'s self,
        client: &'c C,
        at: &'a jiff::Timestamp,
        customer_id: &'a Option<T1>,
        actor: &'a T2,
        event: &'a T3,
        target: &'a Option<T4>,
        address: &'a Option<T5>,
        request_id: &'a Option<T6>,
        outcome: &'a T7,
        details: &'a T8,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    at,
                    customer_id,
                    actor,
                    event,
                    target,
                    address,
                    request_id,
                    outcome,
                    details,
                ],
            )
            .await
    }
}
impl<
    'a,
    C: GenericClient + Send + Sync,
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::StringSql,
    T8: crate::JsonSql,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertEntryParams<T1, T2, T3, T4, T5, T6, T7, T8>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertEntryStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertEntryParams<T1, T2, T3, T4, T5, T6, T7, T8>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.at,
            &params.customer_id,
            &params.actor,
            &params.event,
            &params.target,
            &params.address,
            &params.request_id,
            &params.outcome,
            &params.details,
        ))
    }
}
pub struct DeleteEntriesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_entries() -> DeleteEntriesStmt {
    DeleteEntriesStmt("delete from audit_log where at < $1", None)
}
impl DeleteEntriesStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient>(
        &'s self,
        client: &'c C,
        before: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[before]).await
    }
}
