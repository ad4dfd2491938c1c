// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct ClaimHourlyParams<T1: crate::BytesSql, T2: crate::StringSql, T3: crate::StringSql> {
    pub address_mac: T1,
    pub kind: T2,
    pub now: jiff::Timestamp,
    pub is_paced: bool,
    pub threshold: jiff::Timestamp,
    pub name: T3,
    pub mails: i32,
    pub hour_ago: jiff::Timestamp,
    pub size: i32,
}
#[derive(Debug)]
pub struct ClaimFromBucketParams<T1: crate::BytesSql, T2: crate::StringSql, T3: crate::StringSql> {
    pub address_mac: T1,
    pub kind: T2,
    pub now: jiff::Timestamp,
    pub is_paced: bool,
    pub threshold: jiff::Timestamp,
    pub name: T3,
    pub cost: f64,
    pub capacity: f64,
}
#[derive(Debug)]
pub struct GiveBackParams<T1: crate::StringSql> {
    pub mails: i32,
    pub cost: f64,
    pub name: T1,
}
#[derive(Debug, Clone, PartialEq, Copy)]
pub struct Taken {
    pub is_marked: bool,
    pub is_counted: bool,
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct TakenQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<Taken, tokio_postgres::Error>,
    mapper: fn(Taken) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> TakenQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(Taken) -> R) -> TakenQuery<'c, 'a, 's, C, R, N> {
        TakenQuery {
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
pub struct ClaimHourlyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn claim_hourly() -> ClaimHourlyStmt {
    ClaimHourlyStmt(
        "with marked as ( insert into innkeeper_mail_sent (address_mac, kind, sent_at) select cast($1 as bytea), cast($2 as text), cast($3 as timestamptz) where cast($4 as boolean) on conflict (address_mac, kind) do update set sent_at = excluded.sent_at where innkeeper_mail_sent.sent_at <= $5 returning sent_at), counted as ( insert into innkeeper_mail_budget as b (name, since, used) select cast($6 as text), cast($3 as timestamptz), cast($7 as integer) where not cast($4 as boolean) or exists (select from marked) on conflict (name) do update set since = case when b.since <= $8 then $3 else b.since end, used = case when b.since <= $8 then 0 else b.used end + $7 where b.since <= $8 or b.used + $7 <= $9 returning b.since) select exists (select from marked) as is_marked, exists (select from counted) as is_counted",
        None,
    )
}
impl ClaimHourlyStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<
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
        address_mac: &'a T1,
        kind: &'a T2,
        now: &'a jiff::Timestamp,
        is_paced: &'a bool,
        threshold: &'a jiff::Timestamp,
        name: &'a T3,
        mails: &'a i32,
        hour_ago: &'a jiff::Timestamp,
        size: &'a i32,
    ) -> TakenQuery<'c, 'a, 's, C, Taken, 9> {
        TakenQuery {
            client,
            params: [
                address_mac,
                kind,
                now,
                is_paced,
                threshold,
                name,
                mails,
                hour_ago,
                size,
            ],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Taken, tokio_postgres::Error> {
                Ok(Taken {
                    is_marked: row.try_get(0)?,
                    is_counted: row.try_get(1)?,
                })
            },
            mapper: |it| Taken::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::BytesSql, T2: crate::StringSql, T3: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ClaimHourlyParams<T1, T2, T3>,
        TakenQuery<'c, 'a, 's, C, Taken, 9>,
        C,
    > for ClaimHourlyStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ClaimHourlyParams<T1, T2, T3>,
    ) -> TakenQuery<'c, 'a, 's, C, Taken, 9> {
        self.bind(
            client,
            &params.address_mac,
            &params.kind,
            &params.now,
            &params.is_paced,
            &params.threshold,
            &params.name,
            &params.mails,
            &params.hour_ago,
            &params.size,
        )
    }
}
pub struct ClaimFromBucketStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn claim_from_bucket() -> ClaimFromBucketStmt {
    ClaimFromBucketStmt(
        "with marked as ( insert into innkeeper_mail_sent (address_mac, kind, sent_at) select cast($1 as bytea), cast($2 as text), cast($3 as timestamptz) where cast($4 as boolean) on conflict (address_mac, kind) do update set sent_at = excluded.sent_at where innkeeper_mail_sent.sent_at <= $5 returning sent_at), counted as ( insert into innkeeper_mail_budget as b (name, since, used) select cast($6 as text), cast($3 as timestamptz) + make_interval(secs => $7), 0 where not cast($4 as boolean) or exists (select from marked) on conflict (name) do update set since = greatest(b.since, $3) + make_interval(secs => $7) where greatest(b.since, $3) + make_interval(secs => $7) <= $3 + make_interval(secs => $8) returning b.since) select exists (select from marked) as is_marked, exists (select from counted) as is_counted",
        None,
    )
}
impl ClaimFromBucketStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<
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
        address_mac: &'a T1,
        kind: &'a T2,
        now: &'a jiff::Timestamp,
        is_paced: &'a bool,
        threshold: &'a jiff::Timestamp,
        name: &'a T3,
        cost: &'a f64,
        capacity: &'a f64,
    ) -> TakenQuery<'c, 'a, 's, C, Taken, 8> {
        TakenQuery {
            client,
            params: [
                address_mac,
                kind,
                now,
                is_paced,
                threshold,
                name,
                cost,
                capacity,
            ],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Taken, tokio_postgres::Error> {
                Ok(Taken {
                    is_marked: row.try_get(0)?,
                    is_counted: row.try_get(1)?,
                })
            },
            mapper: |it| Taken::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::BytesSql, T2: crate::StringSql, T3: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ClaimFromBucketParams<T1, T2, T3>,
        TakenQuery<'c, 'a, 's, C, Taken, 8>,
        C,
    > for ClaimFromBucketStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ClaimFromBucketParams<T1, T2, T3>,
    ) -> TakenQuery<'c, 'a, 's, C, Taken, 8> {
        self.bind(
            client,
            &params.address_mac,
            &params.kind,
            &params.now,
            &params.is_paced,
            &params.threshold,
            &params.name,
            &params.cost,
            &params.capacity,
        )
    }
}
pub struct GiveBackStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn give_back() -> GiveBackStmt {
    GiveBackStmt(
        "update innkeeper_mail_budget set used = greatest(used - $1, 0), since = since - make_interval(secs => $2) where name = $3",
        None,
    )
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
        mails: &'a i32,
        cost: &'a f64,
        name: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[mails, cost, name]).await
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
        Box::pin(self.bind(client, &params.mails, &params.cost, &params.name))
    }
}
pub struct FindBudgetStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_budget() -> FindBudgetStmt {
    FindBudgetStmt(
        "select b.since from innkeeper_mail_budget b where b.name = $1",
        None,
    )
}
impl FindBudgetStmt {
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
    ) -> JiffTimestampQuery<'c, 'a, 's, C, jiff::Timestamp, 1> {
        JiffTimestampQuery {
            client,
            params: [name],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
