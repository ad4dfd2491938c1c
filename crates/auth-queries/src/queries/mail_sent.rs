// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct TryMarkParams<T1: crate::BytesSql, T2: crate::StringSql> {
    pub address_mac: T1,
    pub kind: T2,
    pub now: jiff::Timestamp,
    pub threshold: jiff::Timestamp,
}
#[derive(Debug)]
pub struct FindMarkParams<T1: crate::BytesSql, T2: crate::StringSql> {
    pub address_mac: T1,
    pub kind: T2,
}
#[derive(Debug)]
pub struct ForgetMarkParams<T1: crate::BytesSql, T2: crate::StringSql> {
    pub address_mac: T1,
    pub kind: T2,
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
pub struct TryMarkStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn try_mark() -> TryMarkStmt {
    TryMarkStmt(
        "insert into innkeeper_mail_sent (address_mac, kind, sent_at) values ($1, $2, $3) on conflict (address_mac, kind) do update set sent_at = excluded.sent_at where innkeeper_mail_sent.sent_at <= $4 returning sent_at",
        None,
    )
}
impl TryMarkStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::BytesSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        address_mac: &'a T1,
        kind: &'a T2,
        now: &'a jiff::Timestamp,
        threshold: &'a jiff::Timestamp,
    ) -> JiffTimestampQuery<'c, 'a, 's, C, jiff::Timestamp, 4> {
        JiffTimestampQuery {
            client,
            params: [address_mac, kind, now, threshold],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::BytesSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        TryMarkParams<T1, T2>,
        JiffTimestampQuery<'c, 'a, 's, C, jiff::Timestamp, 4>,
        C,
    > for TryMarkStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a TryMarkParams<T1, T2>,
    ) -> JiffTimestampQuery<'c, 'a, 's, C, jiff::Timestamp, 4> {
        self.bind(
            client,
            &params.address_mac,
            &params.kind,
            &params.now,
            &params.threshold,
        )
    }
}
pub struct FindMarkStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_mark() -> FindMarkStmt {
    FindMarkStmt(
        "select m.sent_at from innkeeper_mail_sent m where m.address_mac = $1 and m.kind = $2",
        None,
    )
}
impl FindMarkStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::BytesSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        address_mac: &'a T1,
        kind: &'a T2,
    ) -> JiffTimestampQuery<'c, 'a, 's, C, jiff::Timestamp, 2> {
        JiffTimestampQuery {
            client,
            params: [address_mac, kind],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::BytesSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        FindMarkParams<T1, T2>,
        JiffTimestampQuery<'c, 'a, 's, C, jiff::Timestamp, 2>,
        C,
    > for FindMarkStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a FindMarkParams<T1, T2>,
    ) -> JiffTimestampQuery<'c, 'a, 's, C, jiff::Timestamp, 2> {
        self.bind(client, &params.address_mac, &params.kind)
    }
}
pub struct ForgetMarkStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn forget_mark() -> ForgetMarkStmt {
    ForgetMarkStmt(
        "delete from innkeeper_mail_sent where address_mac = $1 and kind = $2",
        None,
    )
}
impl ForgetMarkStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::BytesSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        address_mac: &'a T1,
        kind: &'a T2,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[address_mac, kind]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::BytesSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        ForgetMarkParams<T1, T2>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for ForgetMarkStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a ForgetMarkParams<T1, T2>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.address_mac, &params.kind))
    }
}
pub struct ForgetBeforeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn forget_before() -> ForgetBeforeStmt {
    ForgetBeforeStmt("delete from innkeeper_mail_sent where sent_at < $1", None)
}
impl ForgetBeforeStmt {
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
        threshold: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[threshold]).await
    }
}
