// This file was generated with `cornucopia`. Do not modify.

#[derive(Clone, Copy, Debug)]
pub struct SweepSessionsParams {
    pub after: uuid::Uuid,
    pub batch: i64,
    pub ended: jiff::Timestamp,
    pub timeboxed: Option<jiff::Timestamp>,
    pub idle: Option<jiff::Timestamp>,
}
#[derive(Clone, Copy, Debug)]
pub struct SweepOneTimeTokensParams {
    pub after: uuid::Uuid,
    pub batch: i64,
    pub sent: jiff::Timestamp,
}
#[derive(Clone, Copy, Debug)]
pub struct SweepOneTimeCodesParams {
    pub after: uuid::Uuid,
    pub batch: i64,
    pub sent: jiff::Timestamp,
}
#[derive(Clone, Copy, Debug)]
pub struct SweepEarlierLinksParams {
    pub after: uuid::Uuid,
    pub batch: i64,
    pub sent: jiff::Timestamp,
}
#[derive(Clone, Copy, Debug)]
pub struct SweepFlowStatesParams {
    pub after: uuid::Uuid,
    pub batch: i64,
    pub touched: jiff::Timestamp,
}
#[derive(Clone, Copy, Debug)]
pub struct SweepRefreshTokensParams {
    pub after: i64,
    pub batch: i64,
    pub ended: jiff::Timestamp,
}
#[derive(Clone, Copy, Debug)]
pub struct SweepOutboxParams {
    pub after: uuid::Uuid,
    pub batch: i64,
    pub delivered: jiff::Timestamp,
    pub failed: jiff::Timestamp,
}
#[derive(Clone, Copy, Debug)]
pub struct SweepAuditLogParams {
    pub after: uuid::Uuid,
    pub batch: i64,
    pub written: jiff::Timestamp,
}
#[derive(Clone, Copy, Debug)]
pub struct SweepAnonymousUsersParams {
    pub after: uuid::Uuid,
    pub batch: i64,
    pub created: jiff::Timestamp,
    pub used: Option<jiff::Timestamp>,
}
#[derive(Clone, Copy, Debug)]
pub struct SweepFactorsParams {
    pub after: uuid::Uuid,
    pub batch: i64,
    pub enrolled: jiff::Timestamp,
}
#[derive(Clone, Copy, Debug)]
pub struct SweepChallengesParams {
    pub after: uuid::Uuid,
    pub batch: i64,
    pub opened: jiff::Timestamp,
}
#[derive(Clone, Copy, Debug)]
pub struct SweepWebauthnChallengesParams {
    pub after: uuid::Uuid,
    pub batch: i64,
    pub expired: jiff::Timestamp,
}
#[derive(Debug, Clone, PartialEq, Copy)]
pub struct Swept {
    pub last: Option<uuid::Uuid>,
    pub gone: i64,
}
#[derive(Debug, Clone, PartialEq, Copy)]
pub struct SweptTokens {
    pub last: Option<i64>,
    pub gone: i64,
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct BoolQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<bool, tokio_postgres::Error>,
    mapper: fn(bool) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> BoolQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(bool) -> R) -> BoolQuery<'c, 'a, 's, C, R, N> {
        BoolQuery {
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
pub struct SweptQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<Swept, tokio_postgres::Error>,
    mapper: fn(Swept) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> SweptQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(Swept) -> R) -> SweptQuery<'c, 'a, 's, C, R, N> {
        SweptQuery {
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
pub struct SweptTokensQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<SweptTokens, tokio_postgres::Error>,
    mapper: fn(SweptTokens) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> SweptTokensQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(SweptTokens) -> R) -> SweptTokensQuery<'c, 'a, 's, C, R, N> {
        SweptTokensQuery {
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
pub struct TryLockStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn try_lock() -> TryLockStmt {
    TryLockStmt(
        "select pg_try_advisory_xact_lock($1, hashtext(current_schema()::text)) as locked",
        None,
    )
}
impl TryLockStmt {
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
        key: &'a i32,
    ) -> BoolQuery<'c, 'a, 's, C, bool, 1> {
        BoolQuery {
            client,
            params: [key],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
pub struct SweepSessionsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sweep_sessions() -> SweepSessionsStmt {
    SweepSessionsStmt(
        "with seen as ( select s.id from sessions s where s.id > $1 order by s.id limit $2), gone as ( delete from sessions s using seen where s.id = seen.id and (s.not_after < $3 or s.created_at < $4 or coalesce(s.refreshed_at at time zone 'UTC', (select max(t.updated_at) from refresh_tokens t where t.session_id = s.id), s.created_at) < $5) returning s.id) select (select seen.id from seen order by seen.id desc limit 1) as last, (select count(*) from gone) as gone",
        None,
    )
}
impl SweepSessionsStmt {
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
        after: &'a uuid::Uuid,
        batch: &'a i64,
        ended: &'a jiff::Timestamp,
        timeboxed: &'a Option<jiff::Timestamp>,
        idle: &'a Option<jiff::Timestamp>,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 5> {
        SweptQuery {
            client,
            params: [after, batch, ended, timeboxed, idle],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Swept, tokio_postgres::Error> {
                Ok(Swept {
                    last: row.try_get(0)?,
                    gone: row.try_get(1)?,
                })
            },
            mapper: |it| Swept::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SweepSessionsParams,
        SweptQuery<'c, 'a, 's, C, Swept, 5>,
        C,
    > for SweepSessionsStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SweepSessionsParams,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 5> {
        self.bind(
            client,
            &params.after,
            &params.batch,
            &params.ended,
            &params.timeboxed,
            &params.idle,
        )
    }
}
pub struct SweepOneTimeTokensStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sweep_one_time_tokens() -> SweepOneTimeTokensStmt {
    SweepOneTimeTokensStmt(
        "with seen as ( select t.id from one_time_tokens t where t.id > $1 order by t.id limit $2), gone as ( delete from one_time_tokens t using seen, users u where t.id = seen.id and u.id = t.user_id and greatest(t.created_at at time zone 'UTC', t.updated_at at time zone 'UTC', case t.token_type::text when 'confirmation_token' then u.confirmation_sent_at when 'recovery_token' then u.recovery_sent_at when 'reauthentication_token' then u.reauthentication_sent_at when 'phone_change_token' then u.phone_change_sent_at else u.email_change_sent_at end) < $3 returning t.id) select (select seen.id from seen order by seen.id desc limit 1) as last, (select count(*) from gone) as gone",
        None,
    )
}
impl SweepOneTimeTokensStmt {
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
        after: &'a uuid::Uuid,
        batch: &'a i64,
        sent: &'a jiff::Timestamp,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        SweptQuery {
            client,
            params: [after, batch, sent],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Swept, tokio_postgres::Error> {
                Ok(Swept {
                    last: row.try_get(0)?,
                    gone: row.try_get(1)?,
                })
            },
            mapper: |it| Swept::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SweepOneTimeTokensParams,
        SweptQuery<'c, 'a, 's, C, Swept, 3>,
        C,
    > for SweepOneTimeTokensStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SweepOneTimeTokensParams,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        self.bind(client, &params.after, &params.batch, &params.sent)
    }
}
pub struct SweepOneTimeCodesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sweep_one_time_codes() -> SweepOneTimeCodesStmt {
    SweepOneTimeCodesStmt(
        "with seen as ( select c.user_id, c.token_type from innkeeper_one_time_codes c where c.user_id > $1 order by c.user_id fetch first $2 rows with ties), gone as ( delete from innkeeper_one_time_codes c using seen, users u where c.user_id = seen.user_id and c.token_type = seen.token_type and u.id = c.user_id and greatest(c.created_at, case c.token_type::text when 'confirmation_token' then u.confirmation_sent_at when 'recovery_token' then u.recovery_sent_at when 'reauthentication_token' then u.reauthentication_sent_at when 'phone_change_token' then u.phone_change_sent_at else u.email_change_sent_at end) < $3 returning c.user_id) select (select seen.user_id from seen order by seen.user_id desc limit 1) as last, (select count(*) from gone) as gone",
        None,
    )
}
impl SweepOneTimeCodesStmt {
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
        after: &'a uuid::Uuid,
        batch: &'a i64,
        sent: &'a jiff::Timestamp,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        SweptQuery {
            client,
            params: [after, batch, sent],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Swept, tokio_postgres::Error> {
                Ok(Swept {
                    last: row.try_get(0)?,
                    gone: row.try_get(1)?,
                })
            },
            mapper: |it| Swept::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SweepOneTimeCodesParams,
        SweptQuery<'c, 'a, 's, C, Swept, 3>,
        C,
    > for SweepOneTimeCodesStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SweepOneTimeCodesParams,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        self.bind(client, &params.after, &params.batch, &params.sent)
    }
}
pub struct SweepEarlierLinksStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sweep_earlier_links() -> SweepEarlierLinksStmt {
    SweepEarlierLinksStmt(
        "with seen as ( select e.user_id, e.link_hash from innkeeper_earlier_links e where e.user_id > $1 order by e.user_id fetch first $2 rows with ties), gone as ( delete from innkeeper_earlier_links e using seen where e.link_hash = seen.link_hash and e.created_at < $3 returning e.user_id) select (select seen.user_id from seen order by seen.user_id desc limit 1) as last, (select count(*) from gone) as gone",
        None,
    )
}
impl SweepEarlierLinksStmt {
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
        after: &'a uuid::Uuid,
        batch: &'a i64,
        sent: &'a jiff::Timestamp,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        SweptQuery {
            client,
            params: [after, batch, sent],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Swept, tokio_postgres::Error> {
                Ok(Swept {
                    last: row.try_get(0)?,
                    gone: row.try_get(1)?,
                })
            },
            mapper: |it| Swept::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SweepEarlierLinksParams,
        SweptQuery<'c, 'a, 's, C, Swept, 3>,
        C,
    > for SweepEarlierLinksStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SweepEarlierLinksParams,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        self.bind(client, &params.after, &params.batch, &params.sent)
    }
}
pub struct SweepFlowStatesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sweep_flow_states() -> SweepFlowStatesStmt {
    SweepFlowStatesStmt(
        "with seen as ( select f.id from flow_state f where f.id > $1 order by f.id limit $2), gone as ( delete from flow_state f using seen where f.id = seen.id and greatest(f.created_at, f.updated_at, f.auth_code_issued_at) < $3 returning f.id) select (select seen.id from seen order by seen.id desc limit 1) as last, (select count(*) from gone) as gone",
        None,
    )
}
impl SweepFlowStatesStmt {
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
        after: &'a uuid::Uuid,
        batch: &'a i64,
        touched: &'a jiff::Timestamp,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        SweptQuery {
            client,
            params: [after, batch, touched],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Swept, tokio_postgres::Error> {
                Ok(Swept {
                    last: row.try_get(0)?,
                    gone: row.try_get(1)?,
                })
            },
            mapper: |it| Swept::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SweepFlowStatesParams,
        SweptQuery<'c, 'a, 's, C, Swept, 3>,
        C,
    > for SweepFlowStatesStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SweepFlowStatesParams,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        self.bind(client, &params.after, &params.batch, &params.touched)
    }
}
pub struct SweepRefreshTokensStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sweep_refresh_tokens() -> SweepRefreshTokensStmt {
    SweepRefreshTokensStmt(
        "with seen as ( select t.id from refresh_tokens t where t.id > $1 order by t.id limit $2), gone as ( delete from refresh_tokens t using seen where t.id = seen.id and t.session_id is null and t.revoked and coalesce(t.updated_at, t.created_at) < $3 returning t.id) select (select seen.id from seen order by seen.id desc limit 1) as last, (select count(*) from gone) as gone",
        None,
    )
}
impl SweepRefreshTokensStmt {
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
        after: &'a i64,
        batch: &'a i64,
        ended: &'a jiff::Timestamp,
    ) -> SweptTokensQuery<'c, 'a, 's, C, SweptTokens, 3> {
        SweptTokensQuery {
            client,
            params: [after, batch, ended],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<SweptTokens, tokio_postgres::Error> {
                Ok(SweptTokens {
                    last: row.try_get(0)?,
                    gone: row.try_get(1)?,
                })
            },
            mapper: |it| SweptTokens::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SweepRefreshTokensParams,
        SweptTokensQuery<'c, 'a, 's, C, SweptTokens, 3>,
        C,
    > for SweepRefreshTokensStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SweepRefreshTokensParams,
    ) -> SweptTokensQuery<'c, 'a, 's, C, SweptTokens, 3> {
        self.bind(client, &params.after, &params.batch, &params.ended)
    }
}
pub struct SweepOutboxStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sweep_outbox() -> SweepOutboxStmt {
    SweepOutboxStmt(
        "with seen as ( select o.id from innkeeper_outbox o where o.id > $1 order by o.id limit $2), gone as ( delete from innkeeper_outbox o using seen where o.id = seen.id and ((o.state = 'delivered' and o.ended_at < $3) or (o.state = 'failed' and o.ended_at < $4)) returning o.id) select (select seen.id from seen order by seen.id desc limit 1) as last, (select count(*) from gone) as gone",
        None,
    )
}
impl SweepOutboxStmt {
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
        after: &'a uuid::Uuid,
        batch: &'a i64,
        delivered: &'a jiff::Timestamp,
        failed: &'a jiff::Timestamp,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 4> {
        SweptQuery {
            client,
            params: [after, batch, delivered, failed],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Swept, tokio_postgres::Error> {
                Ok(Swept {
                    last: row.try_get(0)?,
                    gone: row.try_get(1)?,
                })
            },
            mapper: |it| Swept::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SweepOutboxParams,
        SweptQuery<'c, 'a, 's, C, Swept, 4>,
        C,
    > for SweepOutboxStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SweepOutboxParams,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 4> {
        self.bind(
            client,
            &params.after,
            &params.batch,
            &params.delivered,
            &params.failed,
        )
    }
}
pub struct SweepAuditLogStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sweep_audit_log() -> SweepAuditLogStmt {
    SweepAuditLogStmt(
        "with seen as ( select a.id from audit_log_entries a where a.id > $1 order by a.id limit $2), gone as ( delete from audit_log_entries a using seen where a.id = seen.id and a.created_at < $3 returning a.id) select (select seen.id from seen order by seen.id desc limit 1) as last, (select count(*) from gone) as gone",
        None,
    )
}
impl SweepAuditLogStmt {
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
        after: &'a uuid::Uuid,
        batch: &'a i64,
        written: &'a jiff::Timestamp,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        SweptQuery {
            client,
            params: [after, batch, written],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Swept, tokio_postgres::Error> {
                Ok(Swept {
                    last: row.try_get(0)?,
                    gone: row.try_get(1)?,
                })
            },
            mapper: |it| Swept::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SweepAuditLogParams,
        SweptQuery<'c, 'a, 's, C, Swept, 3>,
        C,
    > for SweepAuditLogStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SweepAuditLogParams,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        self.bind(client, &params.after, &params.batch, &params.written)
    }
}
pub struct SweepAnonymousUsersStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sweep_anonymous_users() -> SweepAnonymousUsersStmt {
    SweepAnonymousUsersStmt(
        "with seen as ( select u.id from users u where u.is_anonymous and u.id > $1 order by u.id limit $2), gone as ( delete from users u using seen where u.id = seen.id and u.is_anonymous and u.created_at < $3 and ($4::timestamptz is null or greatest(u.created_at, u.updated_at, u.last_sign_in_at, (select max(s.refreshed_at at time zone 'UTC') from sessions s where s.user_id = u.id)) < $4) returning u.id) select (select seen.id from seen order by seen.id desc limit 1) as last, (select count(*) from gone) as gone",
        None,
    )
}
impl SweepAnonymousUsersStmt {
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
        after: &'a uuid::Uuid,
        batch: &'a i64,
        created: &'a jiff::Timestamp,
        used: &'a Option<jiff::Timestamp>,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 4> {
        SweptQuery {
            client,
            params: [after, batch, created, used],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Swept, tokio_postgres::Error> {
                Ok(Swept {
                    last: row.try_get(0)?,
                    gone: row.try_get(1)?,
                })
            },
            mapper: |it| Swept::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SweepAnonymousUsersParams,
        SweptQuery<'c, 'a, 's, C, Swept, 4>,
        C,
    > for SweepAnonymousUsersStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SweepAnonymousUsersParams,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 4> {
        self.bind(
            client,
            &params.after,
            &params.batch,
            &params.created,
            &params.used,
        )
    }
}
pub struct SweepFactorsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sweep_factors() -> SweepFactorsStmt {
    SweepFactorsStmt(
        "with seen as ( select f.id from mfa_factors f where f.id > $1 order by f.id limit $2), gone as ( delete from mfa_factors f using seen where f.id = seen.id and f.status = 'unverified' and f.created_at < $3 returning f.id) select (select seen.id from seen order by seen.id desc limit 1) as last, (select count(*) from gone) as gone",
        None,
    )
}
impl SweepFactorsStmt {
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
        after: &'a uuid::Uuid,
        batch: &'a i64,
        enrolled: &'a jiff::Timestamp,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        SweptQuery {
            client,
            params: [after, batch, enrolled],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Swept, tokio_postgres::Error> {
                Ok(Swept {
                    last: row.try_get(0)?,
                    gone: row.try_get(1)?,
                })
            },
            mapper: |it| Swept::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SweepFactorsParams,
        SweptQuery<'c, 'a, 's, C, Swept, 3>,
        C,
    > for SweepFactorsStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SweepFactorsParams,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        self.bind(client, &params.after, &params.batch, &params.enrolled)
    }
}
pub struct SweepChallengesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sweep_challenges() -> SweepChallengesStmt {
    SweepChallengesStmt(
        "with seen as ( select c.id from mfa_challenges c where c.id > $1 order by c.id limit $2), gone as ( delete from mfa_challenges c using seen where c.id = seen.id and c.created_at < $3 returning c.id) select (select seen.id from seen order by seen.id desc limit 1) as last, (select count(*) from gone) as gone",
        None,
    )
}
impl SweepChallengesStmt {
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
        after: &'a uuid::Uuid,
        batch: &'a i64,
        opened: &'a jiff::Timestamp,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        SweptQuery {
            client,
            params: [after, batch, opened],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Swept, tokio_postgres::Error> {
                Ok(Swept {
                    last: row.try_get(0)?,
                    gone: row.try_get(1)?,
                })
            },
            mapper: |it| Swept::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SweepChallengesParams,
        SweptQuery<'c, 'a, 's, C, Swept, 3>,
        C,
    > for SweepChallengesStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SweepChallengesParams,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        self.bind(client, &params.after, &params.batch, &params.opened)
    }
}
pub struct SweepWebauthnChallengesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sweep_webauthn_challenges() -> SweepWebauthnChallengesStmt {
    SweepWebauthnChallengesStmt(
        "with seen as ( select c.id from webauthn_challenges c where c.id > $1 order by c.id limit $2), gone as ( delete from webauthn_challenges c using seen where c.id = seen.id and c.expires_at < $3 returning c.id) select (select seen.id from seen order by seen.id desc limit 1) as last, (select count(*) from gone) as gone",
        None,
    )
}
impl SweepWebauthnChallengesStmt {
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
        after: &'a uuid::Uuid,
        batch: &'a i64,
        expired: &'a jiff::Timestamp,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        SweptQuery {
            client,
            params: [after, batch, expired],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Swept, tokio_postgres::Error> {
                Ok(Swept {
                    last: row.try_get(0)?,
                    gone: row.try_get(1)?,
                })
            },
            mapper: |it| Swept::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SweepWebauthnChallengesParams,
        SweptQuery<'c, 'a, 's, C, Swept, 3>,
        C,
    > for SweepWebauthnChallengesStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SweepWebauthnChallengesParams,
    ) -> SweptQuery<'c, 'a, 's, C, Swept, 3> {
        self.bind(client, &params.after, &params.batch, &params.expired)
    }
}
