// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct TryLeaseParams<T1: crate::StringSql> {
    pub name: T1,
    pub holder: uuid::Uuid,
    pub until: jiff::Timestamp,
    pub now: jiff::Timestamp,
}
#[derive(Debug)]
pub struct GiveBackParams<T1: crate::StringSql> {
    pub name: T1,
    pub holder: uuid::Uuid,
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct JiffTimestampQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<jiff::Timestamp, tokio_postgres::Error>,
    mapper: fn(jiff::Timestamp) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> JiffTimestampQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(jiff::Timestamp) -> R,
    ) -> JiffTimestampQuery<'c, 'a, 's, C, R, N> {
        JiffTimestampQuery {
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
pub struct TryLeaseStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn try_lease() -> TryLeaseStmt {
    TryLeaseStmt(
        "insert into leases as l (name, holder, until) values ($1, $2, $3) on conflict (name) do update set holder = excluded.holder, until = excluded.until where l.holder = excluded.holder or l.until <= $4 or l.until > $3::timestamptz + ($3::timestamptz - $4::timestamptz) returning until",
        None,
    )
}
impl TryLeaseStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>(
        &'s self,
        client: &'c C,
        name: &'a T1,
        holder: &'a uuid::Uuid,
        until: &'a jiff::Timestamp,
        now: &'a jiff::Timestamp,
    ) -> JiffTimestampQuery<'c, 'a, 's, C, jiff::Timestamp, 4> {
        JiffTimestampQuery {
            client,
            params: [name, holder, until, now],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        TryLeaseParams<T1>,
        JiffTimestampQuery<'c, 'a, 's, C, jiff::Timestamp, 4>,
        C,
    > for TryLeaseStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a TryLeaseParams<T1>,
    ) -> JiffTimestampQuery<'c, 'a, 's, C, jiff::Timestamp, 4> {
        self.bind(
            client,
            &params.name,
            &params.holder,
            &params.until,
            &params.now,
        )
    }
}
pub struct GiveBackStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn give_back() -> GiveBackStmt {
    GiveBackStmt("delete from leases where name = $1 and holder = $2", None)
}
impl GiveBackStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>(
        &'s self,
        client: &'c C,
        name: &'a T1,
        holder: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[name, holder]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        GiveBackParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for GiveBackStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a GiveBackParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.name, &params.holder))
    }
}
