// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertMailParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
> {
    pub id: uuid::Uuid,
    pub channel: T1,
    pub kind: T2,
    pub recipient: T3,
    pub sealed: T4,
    pub now: jiff::Timestamp,
    pub give_up_at: jiff::Timestamp,
}
#[derive(Debug)]
pub struct ClaimDueParams<T1: crate::StringSql> {
    pub channel: T1,
    pub now: jiff::Timestamp,
    pub fresh: i64,
    pub again: i64,
    pub claim: uuid::Uuid,
    pub lease_end: jiff::Timestamp,
}
#[derive(Debug)]
pub struct RenewClaimsParams<T1: crate::ArraySql<Item = uuid::Uuid>> {
    pub lease_end: jiff::Timestamp,
    pub ids: T1,
    pub claim: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct ReleaseClaimsParams {
    pub now: jiff::Timestamp,
    pub claim: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct SetDeliveredParams {
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct SetWaitingParams<T1: crate::StringSql> {
    pub error: T1,
    pub next_try_at: jiff::Timestamp,
    pub id: uuid::Uuid,
    pub claim: uuid::Uuid,
}
#[derive(Debug)]
pub struct SetFailedParams<T1: crate::StringSql> {
    pub error: T1,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
    pub claim: uuid::Uuid,
}
#[derive(Debug)]
pub struct ListMailsParams<T1: crate::StringSql> {
    pub state: T1,
    pub size: i64,
    pub skipped: i64,
}
#[derive(Clone, Copy, Debug)]
pub struct RetryMailParams {
    pub now: jiff::Timestamp,
    pub give_up_at: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct RetryFailedParams {
    pub now: jiff::Timestamp,
    pub give_up_at: jiff::Timestamp,
}
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedRow {
    pub id: uuid::Uuid,
    pub sealed: String,
    pub tries: i32,
    pub created_at: jiff::Timestamp,
    pub give_up_at: jiff::Timestamp,
}
pub struct ClaimedRowBorrowed<'a> {
    pub id: uuid::Uuid,
    pub sealed: &'a str,
    pub tries: i32,
    pub created_at: jiff::Timestamp,
    pub give_up_at: jiff::Timestamp,
}
impl<'a> From<ClaimedRowBorrowed<'a>> for ClaimedRow {
    fn from(
        ClaimedRowBorrowed {
            id,
            sealed,
            tries,
            created_at,
            give_up_at,
        }: ClaimedRowBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            sealed: sealed.into(),
            tries,
            created_at,
            give_up_at,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct MailRow {
    pub id: uuid::Uuid,
    pub kind: String,
    pub state: String,
    pub recipient: String,
    pub tries: i32,
    pub last_error: Option<String>,
    pub next_try_at: jiff::Timestamp,
    pub created_at: jiff::Timestamp,
    pub ended_at: Option<jiff::Timestamp>,
}
pub struct MailRowBorrowed<'a> {
    pub id: uuid::Uuid,
    pub kind: &'a str,
    pub state: &'a str,
    pub recipient: &'a str,
    pub tries: i32,
    pub last_error: Option<&'a str>,
    pub next_try_at: jiff::Timestamp,
    pub created_at: jiff::Timestamp,
    pub ended_at: Option<jiff::Timestamp>,
}
impl<'a> From<MailRowBorrowed<'a>> for MailRow {
    fn from(
        MailRowBorrowed {
            id,
            kind,
            state,
            recipient,
            tries,
            last_error,
            next_try_at,
            created_at,
            ended_at,
        }: MailRowBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            kind: kind.into(),
            state: state.into(),
            recipient: recipient.into(),
            tries,
            last_error: last_error.map(|v| v.into()),
            next_try_at,
            created_at,
            ended_at,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct UuidUuidQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<uuid::Uuid, tokio_postgres::Error>,
    mapper: fn(uuid::Uuid) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> UuidUuidQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(uuid::Uuid) -> R) -> UuidUuidQuery<'c, 'a, 's, C, R, N> {
        UuidUuidQuery {
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
pub struct ClaimedRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ClaimedRowBorrowed, tokio_postgres::Error>,
    mapper: fn(ClaimedRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ClaimedRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(ClaimedRowBorrowed) -> R,
    ) -> ClaimedRowQuery<'c, 'a, 's, C, R, N> {
        ClaimedRowQuery {
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
pub struct MailRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<MailRowBorrowed, tokio_postgres::Error>,
    mapper: fn(MailRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> MailRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(MailRowBorrowed) -> R) -> MailRowQuery<'c, 'a, 's, C, R, N> {
        MailRowQuery {
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
pub struct I64Query<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<i64, tokio_postgres::Error>,
    mapper: fn(i64) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> I64Query<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(i64) -> R) -> I64Query<'c, 'a, 's, C, R, N> {
        I64Query {
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
pub struct StringQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<&str, tokio_postgres::Error>,
    mapper: fn(&str) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> StringQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(&str) -> R) -> StringQuery<'c, 'a, 's, C, R, N> {
        StringQuery {
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
pub struct InsertMailStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_mail() -> InsertMailStmt {
    InsertMailStmt(
        "insert into innkeeper_outbox (id, channel, kind, recipient, sealed, next_try_at, give_up_at, created_at) values ($1, $2, $3, $4, $5, $6, $7, $6) returning id",
        None,
    )
}
impl InsertMailStmt {
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
        T1: crate::StringSql,
        T2: crate::StringSql,
        T3: crate::StringSql,
        T4: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        id: &'a uuid::Uuid,
        channel: &'a T1,
        kind: &'a T2,
        recipient: &'a T3,
        sealed: &'a T4,
        now: &'a jiff::Timestamp,
        give_up_at: &'a jiff::Timestamp,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 7> {
        UuidUuidQuery {
            client,
            params: [id, channel, kind, recipient, sealed, now, give_up_at],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<
    'c,
    'a,
    's,
    C: GenericClient,
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        InsertMailParams<T1, T2, T3, T4>,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 7>,
        C,
    > for InsertMailStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a InsertMailParams<T1, T2, T3, T4>,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 7> {
        self.bind(
            client,
            &params.id,
            &params.channel,
            &params.kind,
            &params.recipient,
            &params.sealed,
            &params.now,
            &params.give_up_at,
        )
    }
}
pub struct ClaimDueStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn claim_due() -> ClaimDueStmt {
    ClaimDueStmt(
        "with fresh as ( select o.id from innkeeper_outbox o where o.state in ('waiting', 'sending') and o.channel = $1 and o.tries = 0 and o.next_try_at <= $2 order by o.next_try_at limit $3 for update skip locked), again as ( select o.id from innkeeper_outbox o where o.state in ('waiting', 'sending') and o.channel = $1 and o.tries > 0 and o.next_try_at <= $2 order by o.next_try_at limit $4 for update skip locked) update innkeeper_outbox o set state = 'sending', tries = o.tries + 1, claim = $5, next_try_at = $6 where o.id in (select fresh.id from fresh union all select again.id from again) returning o.id, o.sealed, o.tries, o.created_at, o.give_up_at",
        None,
    )
}
impl ClaimDueStmt {
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
        channel: &'a T1,
        now: &'a jiff::Timestamp,
        fresh: &'a i64,
        again: &'a i64,
        claim: &'a uuid::Uuid,
        lease_end: &'a jiff::Timestamp,
    ) -> ClaimedRowQuery<'c, 'a, 's, C, ClaimedRow, 6> {
        ClaimedRowQuery {
            client,
            params: [channel, now, fresh, again, claim, lease_end],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ClaimedRowBorrowed, tokio_postgres::Error> {
                    Ok(ClaimedRowBorrowed {
                        id: row.try_get(0)?,
                        sealed: row.try_get(1)?,
                        tries: row.try_get(2)?,
                        created_at: row.try_get(3)?,
                        give_up_at: row.try_get(4)?,
                    })
                },
            mapper: |it| ClaimedRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ClaimDueParams<T1>,
        ClaimedRowQuery<'c, 'a, 's, C, ClaimedRow, 6>,
        C,
    > for ClaimDueStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ClaimDueParams<T1>,
    ) -> ClaimedRowQuery<'c, 'a, 's, C, ClaimedRow, 6> {
        self.bind(
            client,
            &params.channel,
            &params.now,
            &params.fresh,
            &params.again,
            &params.claim,
            &params.lease_end,
        )
    }
}
pub struct RenewClaimsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn renew_claims() -> RenewClaimsStmt {
    RenewClaimsStmt(
        "update innkeeper_outbox set next_try_at = $1 where id = any($2) and claim = $3 and state = 'sending'",
        None,
    )
}
impl RenewClaimsStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::ArraySql<Item = uuid::Uuid>>(
        &'s self,
        client: &'c C,
        lease_end: &'a jiff::Timestamp,
        ids: &'a T1,
        claim: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[lease_end, ids, claim]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::ArraySql<Item = uuid::Uuid>>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        RenewClaimsParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for RenewClaimsStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a RenewClaimsParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.lease_end, &params.ids, &params.claim))
    }
}
pub struct ReleaseClaimsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn release_claims() -> ReleaseClaimsStmt {
    ReleaseClaimsStmt(
        "update innkeeper_outbox set state = 'waiting', claim = null, next_try_at = $1 where claim = $2 and state = 'sending'",
        None,
    )
}
impl ReleaseClaimsStmt {
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
        claim: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now, claim]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        ReleaseClaimsParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for ReleaseClaimsStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a ReleaseClaimsParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.claim))
    }
}
pub struct SetDeliveredStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_delivered() -> SetDeliveredStmt {
    SetDeliveredStmt(
        "update innkeeper_outbox set state = 'delivered', sealed = null, claim = null, last_error = null, ended_at = $1 where id = $2 returning id",
        None,
    )
}
impl SetDeliveredStmt {
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
        id: &'a uuid::Uuid,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 2> {
        UuidUuidQuery {
            client,
            params: [now, id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        SetDeliveredParams,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 2>,
        C,
    > for SetDeliveredStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SetDeliveredParams,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 2> {
        self.bind(client, &params.now, &params.id)
    }
}
pub struct SetWaitingStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_waiting() -> SetWaitingStmt {
    SetWaitingStmt(
        "update innkeeper_outbox set state = 'waiting', claim = null, last_error = $1, next_try_at = $2 where id = $3 and claim = $4 returning id",
        None,
    )
}
impl SetWaitingStmt {
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
        error: &'a T1,
        next_try_at: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
        claim: &'a uuid::Uuid,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 4> {
        UuidUuidQuery {
            client,
            params: [error, next_try_at, id, claim],
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
        SetWaitingParams<T1>,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 4>,
        C,
    > for SetWaitingStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SetWaitingParams<T1>,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 4> {
        self.bind(
            client,
            &params.error,
            &params.next_try_at,
            &params.id,
            &params.claim,
        )
    }
}
pub struct SetFailedStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_failed() -> SetFailedStmt {
    SetFailedStmt(
        "update innkeeper_outbox set state = 'failed', sealed = case channel when 'sms' then null else sealed end, claim = null, last_error = $1, ended_at = $2 where id = $3 and claim = $4 returning id",
        None,
    )
}
impl SetFailedStmt {
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
        error: &'a T1,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
        claim: &'a uuid::Uuid,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 4> {
        UuidUuidQuery {
            client,
            params: [error, now, id, claim],
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
        SetFailedParams<T1>,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 4>,
        C,
    > for SetFailedStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SetFailedParams<T1>,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 4> {
        self.bind(
            client,
            &params.error,
            &params.now,
            &params.id,
            &params.claim,
        )
    }
}
pub struct ListMailsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_mails() -> ListMailsStmt {
    ListMailsStmt(
        "select o.id, o.kind, o.state, o.recipient, o.tries, o.last_error, o.next_try_at, o.created_at, o.ended_at from innkeeper_outbox o where ($1 = '' or o.state = $1) and o.channel = 'mail' order by o.created_at desc, o.id desc limit $2 offset $3",
        None,
    )
}
impl ListMailsStmt {
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
        state: &'a T1,
        size: &'a i64,
        skipped: &'a i64,
    ) -> MailRowQuery<'c, 'a, 's, C, MailRow, 3> {
        MailRowQuery {
            client,
            params: [state, size, skipped],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<MailRowBorrowed, tokio_postgres::Error> {
                    Ok(MailRowBorrowed {
                        id: row.try_get(0)?,
                        kind: row.try_get(1)?,
                        state: row.try_get(2)?,
                        recipient: row.try_get(3)?,
                        tries: row.try_get(4)?,
                        last_error: row.try_get(5)?,
                        next_try_at: row.try_get(6)?,
                        created_at: row.try_get(7)?,
                        ended_at: row.try_get(8)?,
                    })
                },
            mapper: |it| MailRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ListMailsParams<T1>,
        MailRowQuery<'c, 'a, 's, C, MailRow, 3>,
        C,
    > for ListMailsStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ListMailsParams<T1>,
    ) -> MailRowQuery<'c, 'a, 's, C, MailRow, 3> {
        self.bind(client, &params.state, &params.size, &params.skipped)
    }
}
pub struct CountMailsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn count_mails() -> CountMailsStmt {
    CountMailsStmt(
        "select count(*) as total from innkeeper_outbox o where ($1 = '' or o.state = $1) and o.channel = 'mail'",
        None,
    )
}
impl CountMailsStmt {
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
        state: &'a T1,
    ) -> I64Query<'c, 'a, 's, C, i64, 1> {
        I64Query {
            client,
            params: [state],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
pub struct CountWaitingStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn count_waiting() -> CountWaitingStmt {
    CountWaitingStmt(
        "select (select count(*) from innkeeper_outbox o where o.state in ('waiting', 'sending') and o.channel = $1 and o.tries = 0) + (select count(*) from innkeeper_outbox o where o.state in ('waiting', 'sending') and o.channel = $1 and o.tries > 0) as waiting",
        None,
    )
}
impl CountWaitingStmt {
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
        channel: &'a T1,
    ) -> I64Query<'c, 'a, 's, C, i64, 1> {
        I64Query {
            client,
            params: [channel],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
pub struct RetryMailStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn retry_mail() -> RetryMailStmt {
    RetryMailStmt(
        "update innkeeper_outbox set state = 'waiting', next_try_at = $1, give_up_at = $2, ended_at = null where id = $3 and channel = 'mail' and state in ('waiting', 'failed') returning id, kind, state, recipient, tries, last_error, next_try_at, created_at, ended_at",
        None,
    )
}
impl RetryMailStmt {
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
        give_up_at: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> MailRowQuery<'c, 'a, 's, C, MailRow, 3> {
        MailRowQuery {
            client,
            params: [now, give_up_at, id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<MailRowBorrowed, tokio_postgres::Error> {
                    Ok(MailRowBorrowed {
                        id: row.try_get(0)?,
                        kind: row.try_get(1)?,
                        state: row.try_get(2)?,
                        recipient: row.try_get(3)?,
                        tries: row.try_get(4)?,
                        last_error: row.try_get(5)?,
                        next_try_at: row.try_get(6)?,
                        created_at: row.try_get(7)?,
                        ended_at: row.try_get(8)?,
                    })
                },
            mapper: |it| MailRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        RetryMailParams,
        MailRowQuery<'c, 'a, 's, C, MailRow, 3>,
        C,
    > for RetryMailStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a RetryMailParams,
    ) -> MailRowQuery<'c, 'a, 's, C, MailRow, 3> {
        self.bind(client, &params.now, &params.give_up_at, &params.id)
    }
}
pub struct RetryFailedStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn retry_failed() -> RetryFailedStmt {
    RetryFailedStmt(
        "update innkeeper_outbox set state = 'waiting', next_try_at = $1, give_up_at = $2, ended_at = null where state = 'failed' and channel = 'mail'",
        None,
    )
}
impl RetryFailedStmt {
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
        give_up_at: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now, give_up_at]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        RetryFailedParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for RetryFailedStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a RetryFailedParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.give_up_at))
    }
}
pub struct FindStateStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_state() -> FindStateStmt {
    FindStateStmt(
        "select o.state from innkeeper_outbox o where o.id = $1 and o.channel = 'mail'",
        None,
    )
}
impl FindStateStmt {
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
        id: &'a uuid::Uuid,
    ) -> StringQuery<'c, 'a, 's, C, String, 1> {
        StringQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it.into(),
        }
    }
}
