// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertTicketParams<T1: crate::BytesSql, T2: crate::StringSql, T3: crate::StringSql> {
    pub hash: T1,
    pub key_id: T2,
    pub machine_id: uuid::Uuid,
    pub origin: Option<T3>,
    pub expires_at: jiff::Timestamp,
}
#[derive(Debug, Clone, PartialEq)]
pub struct TakeTicket {
    pub key_id: String,
    pub machine_id: uuid::Uuid,
    pub origin: Option<String>,
    pub expires_at: jiff::Timestamp,
}
pub struct TakeTicketBorrowed<'a> {
    pub key_id: &'a str,
    pub machine_id: uuid::Uuid,
    pub origin: Option<&'a str>,
    pub expires_at: jiff::Timestamp,
}
impl<'a> From<TakeTicketBorrowed<'a>> for TakeTicket {
    fn from(
        TakeTicketBorrowed {
            key_id,
            machine_id,
            origin,
            expires_at,
        }: TakeTicketBorrowed<'a>,
    ) -> Self {
        Self {
            key_id: key_id.into(),
            machine_id,
            origin: origin.map(|v| v.into()),
            expires_at,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct TakeTicketQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<TakeTicketBorrowed, tokio_postgres::Error>,
    mapper: fn(TakeTicketBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> TakeTicketQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(TakeTicketBorrowed) -> R,
    ) -> TakeTicketQuery<'c, 'a, 's, C, R, N> {
        TakeTicketQuery {
            client: self.client,
            params: self.params,
            query: self.query,
            cached: self.cached,
            extractor: self.extractor,
            mapper,
        }
    }
    pub async fn one(self) -> Result<T, tokio_postgres::Error> {
        let row =
            crate::client::async_::one(self.client, self.query, &self.params, self.cached).await?;
        Ok((self.mapper)((self.extractor)(&row)?))
    }
    pub async fn all(self) -> Result<Vec<T>, tokio_postgres::Error> {
        self.iter().await?.try_collect().await
    }
    pub async fn opt(self) -> Result<Option<T>, tokio_postgres::Error> {
        let opt_row =
            crate::client::async_::opt(self.client, self.query, &self.params, self.cached).await?;
        Ok(opt_row
            .map(|row| {
                let extracted = (self.extractor)(&row)?;
                Ok((self.mapper)(extracted))
            })
            .transpose()?)
    }
    pub async fn iter(
        self,
    ) -> Result<
        impl futures::Stream<Item = Result<T, tokio_postgres::Error>> + 'c,
        tokio_postgres::Error,
    > {
        let stream = crate::client::async_::raw(
            self.client,
            self.query,
            crate::slice_iter(&self.params),
            self.cached,
        )
        .await?;
        let mapped = stream
            .map(move |res| {
                res.and_then(|row| {
                    let extracted = (self.extractor)(&row)?;
                    Ok((self.mapper)(extracted))
                })
            })
            .into_stream();
        Ok(mapped)
    }
}
pub struct InsertTicketStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_ticket() -> InsertTicketStmt {
    InsertTicketStmt(
        "insert into console_tickets (hash, key_id, machine_id, origin, expires_at) values ($1, $2, $3, $4, $5)",
        None,
    )
}
impl InsertTicketStmt {
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
        T1: crate::BytesSql,
        T2: crate::StringSql,
        T3: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        hash: &'a T1,
        key_id: &'a T2,
        machine_id: &'a uuid::Uuid,
        origin: &'a Option<T3>,
        expires_at: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[hash, key_id, machine_id, origin, expires_at])
            .await
    }
}
impl<
    'a,
    C: GenericClient + Send + Sync,
    T1: crate::BytesSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertTicketParams<T1, T2, T3>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertTicketStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertTicketParams<T1, T2, T3>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.hash,
            &params.key_id,
            &params.machine_id,
            &params.origin,
            &params.expires_at,
        ))
    }
}
pub struct TakeTicketStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn take_ticket() -> TakeTicketStmt {
    TakeTicketStmt(
        "delete from console_tickets where hash = $1 returning key_id, machine_id, origin, expires_at",
        None,
    )
}
impl TakeTicketStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::BytesSql>(
        &'s self,
        client: &'c C,
        hash: &'a T1,
    ) -> TakeTicketQuery<'c, 'a, 's, C, TakeTicket, 1> {
        TakeTicketQuery {
            client,
            params: [hash],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<TakeTicketBorrowed, tokio_postgres::Error> {
                    Ok(TakeTicketBorrowed {
                        key_id: row.try_get(0)?,
                        machine_id: row.try_get(1)?,
                        origin: row.try_get(2)?,
                        expires_at: row.try_get(3)?,
                    })
                },
            mapper: |it| TakeTicket::from(it),
        }
    }
}
pub struct DeleteExpiredTicketsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_expired_tickets() -> DeleteExpiredTicketsStmt {
    DeleteExpiredTicketsStmt("delete from console_tickets where expires_at <= $1", None)
}
impl DeleteExpiredTicketsStmt {
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
        now: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now]).await
    }
}
