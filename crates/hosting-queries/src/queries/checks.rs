// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertChecksParams<
    T1: crate::StringSql,
    T2: crate::ArraySql<Item = T1>,
    T3: crate::ArraySql<Item = jiff::Timestamp>,
    T4: crate::ArraySql<Item = i32>,
    T5: crate::ArraySql<Item = i32>,
    T6: crate::ArraySql<Item = bool>,
    T7: crate::ArraySql<Item = i32>,
> {
    pub components: T2,
    pub ats: T3,
    pub observed_ms: T4,
    pub down_ms: T5,
    pub failed: T6,
    pub latency_ms: T7,
}
#[derive(Clone, Copy, Debug)]
pub struct DaysParams {
    pub now: jiff::Timestamp,
    pub days: i32,
}
#[derive(Debug, Clone, PartialEq)]
pub struct Days {
    pub component: String,
    pub day: jiff::civil::Date,
    pub observed_ms: i64,
    pub down_ms: i64,
}
pub struct DaysBorrowed<'a> {
    pub component: &'a str,
    pub day: jiff::civil::Date,
    pub observed_ms: i64,
    pub down_ms: i64,
}
impl<'a> From<DaysBorrowed<'a>> for Days {
    fn from(
        DaysBorrowed {
            component,
            day,
            observed_ms,
            down_ms,
        }: DaysBorrowed<'a>,
    ) -> Self {
        Self {
            component: component.into(),
            day,
            observed_ms,
            down_ms,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct Uptime {
    pub component: String,
    pub since: Option<jiff::Timestamp>,
    pub observed_1: i64,
    pub down_1: i64,
    pub observed_7: i64,
    pub down_7: i64,
    pub observed_30: i64,
    pub down_30: i64,
    pub observed_90: i64,
    pub down_90: i64,
}
pub struct UptimeBorrowed<'a> {
    pub component: &'a str,
    pub since: Option<jiff::Timestamp>,
    pub observed_1: i64,
    pub down_1: i64,
    pub observed_7: i64,
    pub down_7: i64,
    pub observed_30: i64,
    pub down_30: i64,
    pub observed_90: i64,
    pub down_90: i64,
}
impl<'a> From<UptimeBorrowed<'a>> for Uptime {
    fn from(
        UptimeBorrowed {
            component,
            since,
            observed_1,
            down_1,
            observed_7,
            down_7,
            observed_30,
            down_30,
            observed_90,
            down_90,
        }: UptimeBorrowed<'a>,
    ) -> Self {
        Self {
            component: component.into(),
            since,
            observed_1,
            down_1,
            observed_7,
            down_7,
            observed_30,
            down_30,
            observed_90,
            down_90,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct DaysQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<DaysBorrowed, tokio_postgres::Error>,
    mapper: fn(DaysBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> DaysQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(DaysBorrowed) -> R) -> DaysQuery<'c, 'a, 's, C, R, N> {
        DaysQuery {
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
pub struct UptimeQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<UptimeBorrowed, tokio_postgres::Error>,
    mapper: fn(UptimeBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> UptimeQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(UptimeBorrowed) -> R) -> UptimeQuery<'c, 'a, 's, C, R, N> {
        UptimeQuery {
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
pub struct InsertChecksStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_checks() -> InsertChecksStmt {
    InsertChecksStmt(
        "insert into checks (component, at, observed_ms, down_ms, failed, latency_ms) select n.component, n.at, n.observed_ms, n.down_ms, n.failed, nullif(n.latency_ms, -1) from unnest( $1::text[], $2::timestamptz[], $3::integer[], $4::integer[], $5::boolean[], $6::integer[] ) as n (component, at, observed_ms, down_ms, failed, latency_ms) where n.at > coalesce( (select max(c.at) from checks c where c.component = n.component), '-infinity' ) on conflict (component, at) do nothing",
        None,
    )
}
impl InsertChecksStmt {
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
        T2: crate::ArraySql<Item = T1>,
        T3: crate::ArraySql<Item = jiff::Timestamp>,
        T4: crate::ArraySql<Item = i32>,
        T5: crate::ArraySql<Item = i32>,
        T6: crate::ArraySql<Item = bool>,
        T7: crate::ArraySql<Item = i32>,
    >(
        &'s self,
        client: &'c C,
        components: &'a T2,
        ats: &'a T3,
        observed_ms: &'a T4,
        down_ms: &'a T5,
        failed: &'a T6,
        latency_ms: &'a T7,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[components, ats, observed_ms, down_ms, failed, latency_ms],
            )
            .await
    }
}
impl<
    'a,
    C: GenericClient + Send + Sync,
    T1: crate::StringSql,
    T2: crate::ArraySql<Item = T1>,
    T3: crate::ArraySql<Item = jiff::Timestamp>,
    T4: crate::ArraySql<Item = i32>,
    T5: crate::ArraySql<Item = i32>,
    T6: crate::ArraySql<Item = bool>,
    T7: crate::ArraySql<Item = i32>,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertChecksParams<T1, T2, T3, T4, T5, T6, T7>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertChecksStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertChecksParams<T1, T2, T3, T4, T5, T6, T7>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.components,
            &params.ats,
            &params.observed_ms,
            &params.down_ms,
            &params.failed,
            &params.latency_ms,
        ))
    }
}
pub struct SumUpStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sum_up() -> SumUpStmt {
    SumUpStmt(
        "with old as ( delete from checks where at < $1 returning component, at, observed_ms, down_ms, failed ) insert into check_days as d (component, day, observed_ms, down_ms, checks, failures) select o.component, (o.at at time zone 'UTC')::date, sum(o.observed_ms), sum(o.down_ms), count(*)::integer, (count(*) filter (where o.failed))::integer from old o group by 1, 2 on conflict (component, day) do update set observed_ms = d.observed_ms + excluded.observed_ms, down_ms = d.down_ms + excluded.down_ms, checks = d.checks + excluded.checks, failures = d.failures + excluded.failures",
        None,
    )
}
impl SumUpStmt {
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
pub struct ForgetDaysStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn forget_days() -> ForgetDaysStmt {
    ForgetDaysStmt("delete from check_days where day < $1", None)
}
impl ForgetDaysStmt {
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
        before: &'a jiff::civil::Date,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[before]).await
    }
}
pub struct DaysStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn days() -> DaysStmt {
    DaysStmt(
        "with seen as ( select c.component, (c.at at time zone 'UTC')::date as day, c.observed_ms::bigint as observed_ms, c.down_ms::bigint as down_ms from checks c union all select d.component, d.day, d.observed_ms, d.down_ms from check_days d ) select s.component, s.day, sum(s.observed_ms)::bigint as observed_ms, sum(s.down_ms)::bigint as down_ms from seen s where s.day > ($1::timestamptz at time zone 'UTC')::date - $2::integer group by s.component, s.day order by s.component, s.day",
        None,
    )
}
impl DaysStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient>(
        &'s self,
        client: &'c C,
        now: &'a jiff::Timestamp,
        days: &'a i32,
    ) -> DaysQuery<'c, 'a, 's, C, Days, 2> {
        DaysQuery {
            client,
            params: [now, days],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<DaysBorrowed, tokio_postgres::Error> {
                Ok(DaysBorrowed {
                    component: row.try_get(0)?,
                    day: row.try_get(1)?,
                    observed_ms: row.try_get(2)?,
                    down_ms: row.try_get(3)?,
                })
            },
            mapper: |it| Days::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<'c, 'a, 's, DaysParams, DaysQuery<'c, 'a, 's, C, Days, 2>, C>
    for DaysStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a DaysParams,
    ) -> DaysQuery<'c, 'a, 's, C, Days, 2> {
        self.bind(client, &params.now, &params.days)
    }
}
pub struct UptimeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn uptime() -> UptimeStmt {
    UptimeStmt(
        "with seen as ( select c.component, c.at, c.observed_ms::bigint as observed_ms, c.down_ms::bigint as down_ms from checks c union all select d.component, d.day::timestamp at time zone 'UTC', d.observed_ms, d.down_ms from check_days d where d.day >= ($1::timestamptz at time zone 'UTC')::date - 90 ) select s.component, min(s.at) as since, coalesce(sum(s.observed_ms) filter (where s.at > $1 - interval '1 day'), 0)::bigint as observed_1, coalesce(sum(s.down_ms) filter (where s.at > $1 - interval '1 day'), 0)::bigint as down_1, coalesce(sum(s.observed_ms) filter (where s.at > $1 - interval '7 days'), 0)::bigint as observed_7, coalesce(sum(s.down_ms) filter (where s.at > $1 - interval '7 days'), 0)::bigint as down_7, coalesce(sum(s.observed_ms) filter (where s.at > $1 - interval '30 days'), 0)::bigint as observed_30, coalesce(sum(s.down_ms) filter (where s.at > $1 - interval '30 days'), 0)::bigint as down_30, coalesce(sum(s.observed_ms), 0)::bigint as observed_90, coalesce(sum(s.down_ms), 0)::bigint as down_90 from seen s group by s.component",
        None,
    )
}
impl UptimeStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient>(
        &'s self,
        client: &'c C,
        now: &'a jiff::Timestamp,
    ) -> UptimeQuery<'c, 'a, 's, C, Uptime, 1> {
        UptimeQuery {
            client,
            params: [now],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UptimeBorrowed, tokio_postgres::Error> {
                    Ok(UptimeBorrowed {
                        component: row.try_get(0)?,
                        since: row.try_get(1)?,
                        observed_1: row.try_get(2)?,
                        down_1: row.try_get(3)?,
                        observed_7: row.try_get(4)?,
                        down_7: row.try_get(5)?,
                        observed_30: row.try_get(6)?,
                        down_30: row.try_get(7)?,
                        observed_90: row.try_get(8)?,
                        down_90: row.try_get(9)?,
                    })
                },
            mapper: |it| Uptime::from(it),
        }
    }
}
