// This file was generated with `cornucopia`. Do not modify.

#[derive(Clone, Copy, Debug)]
pub struct DeleteStaleParams {
    pub user_id: uuid::Uuid,
    pub before: jiff::Timestamp,
}
#[derive(Debug)]
pub struct DeleteUnverifiedPhoneParams<T1: crate::StringSql> {
    pub user_id: uuid::Uuid,
    pub phone: T1,
}
#[derive(Debug)]
pub struct InsertFactorParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
> {
    pub id: uuid::Uuid,
    pub user_id: uuid::Uuid,
    pub friendly_name: T1,
    pub factor_type: T2,
    pub now: jiff::Timestamp,
    pub secret: Option<T3>,
    pub phone: Option<T4>,
}
#[derive(Debug)]
pub struct ChallengeParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::JsonSql,
    T4: crate::JsonSql,
    T5: crate::StringSql,
> {
    pub challenged_at: jiff::Timestamp,
    pub factor_id: uuid::Uuid,
    pub user_id: uuid::Uuid,
    pub not_since: Option<jiff::Timestamp>,
    pub id: uuid::Uuid,
    pub now: jiff::Timestamp,
    pub ip: T1,
    pub otp_code: Option<T2>,
    pub session_data: Option<T3>,
    pub audit_id: uuid::Uuid,
    pub audit_payload: T4,
    pub audit_address: T5,
    pub audited: bool,
}
#[derive(Debug)]
pub struct AttemptParams<T1: crate::ArraySql<Item = f64>> {
    pub factor_id: uuid::Uuid,
    pub user_id: uuid::Uuid,
    pub challenge_id: uuid::Uuid,
    pub now: jiff::Timestamp,
    pub oldest: jiff::Timestamp,
    pub forgotten: jiff::Timestamp,
    pub waits: T1,
}
#[derive(Debug)]
pub struct AcceptParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::JsonSql,
    T5: crate::JsonSql,
    T6: crate::StringSql,
    T7: crate::StringSql,
    T8: crate::JsonSql,
    T9: crate::StringSql,
> {
    pub user_id: uuid::Uuid,
    pub v1_token: Option<T1>,
    pub step: Option<i64>,
    pub factor_id: uuid::Uuid,
    pub now: jiff::Timestamp,
    pub challenge_id: uuid::Uuid,
    pub hmac_key: T2,
    pub session_id: uuid::Uuid,
    pub secret: Option<T3>,
    pub credential: Option<T4>,
    pub aaguid: Option<uuid::Uuid>,
    pub challenge_data: Option<T5>,
    pub method: T6,
    pub factor_type: T7,
    pub audit_id: uuid::Uuid,
    pub audit_payload: T8,
    pub audit_address: T9,
    pub audited: bool,
}
#[derive(Debug)]
pub struct DeleteFactorParams<T1: crate::StringSql> {
    pub id: uuid::Uuid,
    pub user_id: uuid::Uuid,
    pub method: T1,
}
#[derive(Debug)]
pub struct UpdateFactorParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub friendly_name: Option<T1>,
    pub phone: Option<T2>,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
    pub user_id: uuid::Uuid,
}
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptRow {
    pub created_at: jiff::Timestamp,
    pub verified_at: Option<jiff::Timestamp>,
    pub ip: String,
    pub otp_code: Option<String>,
    pub session_data: Option<serde_json::Value>,
    pub secret: Option<String>,
    pub phone: Option<String>,
    pub credential: Option<serde_json::Value>,
    pub last_step: Option<i64>,
    pub blocked_until: Option<jiff::Timestamp>,
    pub counted: Option<i32>,
}
pub struct AttemptRowBorrowed<'a> {
    pub created_at: jiff::Timestamp,
    pub verified_at: Option<jiff::Timestamp>,
    pub ip: &'a str,
    pub otp_code: Option<&'a str>,
    pub session_data: Option<postgres_types::Json<&'a serde_json::value::RawValue>>,
    pub secret: Option<&'a str>,
    pub phone: Option<&'a str>,
    pub credential: Option<postgres_types::Json<&'a serde_json::value::RawValue>>,
    pub last_step: Option<i64>,
    pub blocked_until: Option<jiff::Timestamp>,
    pub counted: Option<i32>,
}
impl<'a> From<AttemptRowBorrowed<'a>> for AttemptRow {
    fn from(
        AttemptRowBorrowed {
            created_at,
            verified_at,
            ip,
            otp_code,
            session_data,
            secret,
            phone,
            credential,
            last_step,
            blocked_until,
            counted,
        }: AttemptRowBorrowed<'a>,
    ) -> Self {
        Self {
            created_at,
            verified_at,
            ip: ip.into(),
            otp_code: otp_code.map(|v| v.into()),
            session_data: session_data.map(|v| serde_json::from_str(v.0.get()).unwrap()),
            secret: secret.map(|v| v.into()),
            phone: phone.map(|v| v.into()),
            credential: credential.map(|v| serde_json::from_str(v.0.get()).unwrap()),
            last_step,
            blocked_until,
            counted,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct RaisedRow {
    pub hmac_key: Option<String>,
    pub counter: Option<i64>,
}
pub struct RaisedRowBorrowed<'a> {
    pub hmac_key: Option<&'a str>,
    pub counter: Option<i64>,
}
impl<'a> From<RaisedRowBorrowed<'a>> for RaisedRow {
    fn from(RaisedRowBorrowed { hmac_key, counter }: RaisedRowBorrowed<'a>) -> Self {
        Self {
            hmac_key: hmac_key.map(|v| v.into()),
            counter,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct SecurityKeyRow {
    pub id: uuid::Uuid,
    pub credential: Option<serde_json::Value>,
}
pub struct SecurityKeyRowBorrowed<'a> {
    pub id: uuid::Uuid,
    pub credential: Option<postgres_types::Json<&'a serde_json::value::RawValue>>,
}
impl<'a> From<SecurityKeyRowBorrowed<'a>> for SecurityKeyRow {
    fn from(SecurityKeyRowBorrowed { id, credential }: SecurityKeyRowBorrowed<'a>) -> Self {
        Self {
            id,
            credential: credential.map(|v| serde_json::from_str(v.0.get()).unwrap()),
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
pub struct AttemptRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<AttemptRowBorrowed, tokio_postgres::Error>,
    mapper: fn(AttemptRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> AttemptRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(AttemptRowBorrowed) -> R,
    ) -> AttemptRowQuery<'c, 'a, 's, C, R, N> {
        AttemptRowQuery {
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
pub struct RaisedRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<RaisedRowBorrowed, tokio_postgres::Error>,
    mapper: fn(RaisedRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> RaisedRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(RaisedRowBorrowed) -> R) -> RaisedRowQuery<'c, 'a, 's, C, R, N> {
        RaisedRowQuery {
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
pub struct SecurityKeyRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<SecurityKeyRowBorrowed, tokio_postgres::Error>,
    mapper: fn(SecurityKeyRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> SecurityKeyRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(SecurityKeyRowBorrowed) -> R,
    ) -> SecurityKeyRowQuery<'c, 'a, 's, C, R, N> {
        SecurityKeyRowQuery {
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
pub struct DeleteStaleStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_stale() -> DeleteStaleStmt {
    DeleteStaleStmt(
        "delete from mfa_factors f where f.user_id = $1 and f.status = 'unverified' and f.created_at < $2 and not exists (select 1 from mfa_challenges c where c.factor_id = f.id) returning f.id",
        None,
    )
}
impl DeleteStaleStmt {
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
        user_id: &'a uuid::Uuid,
        before: &'a jiff::Timestamp,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 2> {
        UuidUuidQuery {
            client,
            params: [user_id, before],
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
        DeleteStaleParams,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 2>,
        C,
    > for DeleteStaleStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a DeleteStaleParams,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 2> {
        self.bind(client, &params.user_id, &params.before)
    }
}
pub struct DeleteUnverifiedPhoneStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_unverified_phone() -> DeleteUnverifiedPhoneStmt {
    DeleteUnverifiedPhoneStmt(
        "delete from mfa_factors where user_id = $1 and phone = $2 and status = 'unverified'",
        None,
    )
}
impl DeleteUnverifiedPhoneStmt {
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
        user_id: &'a uuid::Uuid,
        phone: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[user_id, phone]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        DeleteUnverifiedPhoneParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for DeleteUnverifiedPhoneStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a DeleteUnverifiedPhoneParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.user_id, &params.phone))
    }
}
pub struct InsertFactorStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_factor() -> InsertFactorStmt {
    InsertFactorStmt(
        "insert into mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone) values ($1, $2, $3, cast($4 as text)::factor_type, 'unverified', $5, $5, $6, $7)",
        None,
    )
}
impl InsertFactorStmt {
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
    >(
        &'s self,
        client: &'c C,
        id: &'a uuid::Uuid,
        user_id: &'a uuid::Uuid,
        friendly_name: &'a T1,
        factor_type: &'a T2,
        now: &'a jiff::Timestamp,
        secret: &'a Option<T3>,
        phone: &'a Option<T4>,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[id, user_id, friendly_name, factor_type, now, secret, phone],
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
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertFactorParams<T1, T2, T3, T4>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertFactorStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertFactorParams<T1, T2, T3, T4>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.id,
            &params.user_id,
            &params.friendly_name,
            &params.factor_type,
            &params.now,
            &params.secret,
            &params.phone,
        ))
    }
}
pub struct ChallengeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn challenge() -> ChallengeStmt {
    ChallengeStmt(
        "with factor as ( update mfa_factors set last_challenged_at = $1 where id = $2 and user_id = $3 and (cast($4 as timestamptz) is null or last_challenged_at is null or last_challenged_at < $4) returning id), opened as ( insert into mfa_challenges (id, factor_id, created_at, ip_address, otp_code, web_authn_session_data) select $5, f.id, $6, cast($7 as text)::inet, $8, $9 from factor f returning id), written as ( insert into audit_log_entries (instance_id, id, payload, created_at, ip_address) select '00000000-0000-0000-0000-000000000000', $10, $11, $6, $12 from opened where $13) select id from opened",
        None,
    )
}
impl ChallengeStmt {
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
        T3: crate::JsonSql,
        T4: crate::JsonSql,
        T5: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        challenged_at: &'a jiff::Timestamp,
        factor_id: &'a uuid::Uuid,
        user_id: &'a uuid::Uuid,
        not_since: &'a Option<jiff::Timestamp>,
        id: &'a uuid::Uuid,
        now: &'a jiff::Timestamp,
        ip: &'a T1,
        otp_code: &'a Option<T2>,
        session_data: &'a Option<T3>,
        audit_id: &'a uuid::Uuid,
        audit_payload: &'a T4,
        audit_address: &'a T5,
        audited: &'a bool,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 13> {
        UuidUuidQuery {
            client,
            params: [
                challenged_at,
                factor_id,
                user_id,
                not_since,
                id,
                now,
                ip,
                otp_code,
                session_data,
                audit_id,
                audit_payload,
                audit_address,
                audited,
            ],
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
    T3: crate::JsonSql,
    T4: crate::JsonSql,
    T5: crate::StringSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ChallengeParams<T1, T2, T3, T4, T5>,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 13>,
        C,
    > for ChallengeStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ChallengeParams<T1, T2, T3, T4, T5>,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 13> {
        self.bind(
            client,
            &params.challenged_at,
            &params.factor_id,
            &params.user_id,
            &params.not_since,
            &params.id,
            &params.now,
            &params.ip,
            &params.otp_code,
            &params.session_data,
            &params.audit_id,
            &params.audit_payload,
            &params.audit_address,
            &params.audited,
        )
    }
}
pub struct AttemptStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn attempt() -> AttemptStmt {
    AttemptStmt(
        "with found as ( select c.id, c.created_at, c.verified_at, host(c.ip_address) as ip, c.otp_code, c.web_authn_session_data as session_data, f.id as factor_id, f.secret, f.phone, f.web_authn_credential as credential from mfa_factors f join mfa_challenges c on c.factor_id = f.id where f.id = $1 and f.user_id = $2 and c.id = $3), counted as ( insert into innkeeper_factor_guesses as g (factor_id, failures, failed_at, blocked_until) select found.factor_id, 1, $4, null from found where found.verified_at is null and found.created_at >= $5 on conflict (factor_id) do update set failures = case when g.failed_at < $6 then 1 else g.failures + 1 end, failed_at = $4, blocked_until = $4 + make_interval(secs => nullif((cast($7 as double precision[]))[ least(case when g.failed_at < $6 then 1 else g.failures + 1 end, cardinality(cast($7 as double precision[])))], 0)) where g.blocked_until is null or g.blocked_until <= $4 returning g.failures) select found.created_at, found.verified_at, found.ip, found.otp_code, found.session_data, found.secret, found.phone, found.credential, g.last_step, g.blocked_until, (select counted.failures from counted) as counted from found left join innkeeper_factor_guesses g on g.factor_id = found.factor_id",
        None,
    )
}
impl AttemptStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::ArraySql<Item = f64>>(
        &'s self,
        client: &'c C,
        factor_id: &'a uuid::Uuid,
        user_id: &'a uuid::Uuid,
        challenge_id: &'a uuid::Uuid,
        now: &'a jiff::Timestamp,
        oldest: &'a jiff::Timestamp,
        forgotten: &'a jiff::Timestamp,
        waits: &'a T1,
    ) -> AttemptRowQuery<'c, 'a, 's, C, AttemptRow, 7> {
        AttemptRowQuery {
            client,
            params: [
                factor_id,
                user_id,
                challenge_id,
                now,
                oldest,
                forgotten,
                waits,
            ],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<AttemptRowBorrowed, tokio_postgres::Error> {
                    Ok(AttemptRowBorrowed {
                        created_at: row.try_get(0)?,
                        verified_at: row.try_get(1)?,
                        ip: row.try_get(2)?,
                        otp_code: row.try_get(3)?,
                        session_data: row.try_get(4)?,
                        secret: row.try_get(5)?,
                        phone: row.try_get(6)?,
                        credential: row.try_get(7)?,
                        last_step: row.try_get(8)?,
                        blocked_until: row.try_get(9)?,
                        counted: row.try_get(10)?,
                    })
                },
            mapper: |it| AttemptRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::ArraySql<Item = f64>>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        AttemptParams<T1>,
        AttemptRowQuery<'c, 'a, 's, C, AttemptRow, 7>,
        C,
    > for AttemptStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a AttemptParams<T1>,
    ) -> AttemptRowQuery<'c, 'a, 's, C, AttemptRow, 7> {
        self.bind(
            client,
            &params.factor_id,
            &params.user_id,
            &params.challenge_id,
            &params.now,
            &params.oldest,
            &params.forgotten,
            &params.waits,
        )
    }
}
pub struct AcceptStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn accept() -> AcceptStmt {
    AcceptStmt(
        "with owner as ( select u.id from users u where u.id = $1 for no key update), beside_gotrue as ( select 1 where cast($2 as text) is not null and not exists (select 1 from innkeeper_takeover where finished_at is not null)), step as ( update innkeeper_factor_guesses set failures = 0, blocked_until = null, last_step = coalesce($3, last_step) where factor_id = $4 and exists (select 1 from owner) and (cast($3 as bigint) is null or last_step is null or last_step < $3) returning factor_id), challenge as ( update mfa_challenges set verified_at = $5 where id = $6 and factor_id = (select s.factor_id from step s) and verified_at is null returning id), raised as ( update sessions set aal = 'aal2', factor_id = $4, refresh_token_hmac_key = case when refresh_token_hmac_key is not null then refresh_token_hmac_key when not exists (select 1 from beside_gotrue) then $7 end, refresh_token_counter = case when refresh_token_hmac_key is not null or not exists (select 1 from beside_gotrue) then coalesce(refresh_token_counter, 0) + 2 end, updated_at = $5 where id = $8 and user_id = $1 and exists (select 1 from challenge) returning id, user_id, refresh_token_hmac_key, refresh_token_counter), verified as ( update mfa_factors set status = 'verified', secret = coalesce($9, secret), web_authn_credential = coalesce($10, web_authn_credential), web_authn_aaguid = coalesce($11, web_authn_aaguid), last_webauthn_challenge_data = coalesce($12, last_webauthn_challenge_data), updated_at = $5 where id = $4 and (status <> 'verified' or cast($9 as text) is not null or cast($10 as jsonb) is not null) and exists (select 1 from raised)), method as ( insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method) select gen_random_uuid(), r.id, $5, $5, $13 from raised r on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey do update set updated_at = excluded.updated_at), ended as ( delete from sessions where user_id = $1 and id <> $8 and coalesce(aal, 'aal1') < 'aal2' and exists (select 1 from raised)), dropped as ( delete from mfa_factors where user_id = $1 and id <> $4 and status = 'unverified' and factor_type::text = $14 and exists (select 1 from raised)), used as ( update refresh_tokens t set revoked = true, updated_at = $5 from raised r where t.session_id = r.id and r.refresh_token_hmac_key is not null and t.revoked is not true), former as ( delete from refresh_tokens t using raised r where t.session_id = r.id and r.refresh_token_hmac_key is null), token as ( insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id) select '00000000-0000-0000-0000-000000000000', $2, r.user_id::text, false, $5, $5, '', r.id from raised r where r.refresh_token_hmac_key is null), written as ( insert into audit_log_entries (instance_id, id, payload, created_at, ip_address) select '00000000-0000-0000-0000-000000000000', $15, $16, $5, $17 from raised where $18) select r.refresh_token_hmac_key as hmac_key, r.refresh_token_counter as counter from raised r",
        None,
    )
}
impl AcceptStmt {
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
        T4: crate::JsonSql,
        T5: crate::JsonSql,
        T6: crate::StringSql,
        T7: crate::StringSql,
        T8: crate::JsonSql,
        T9: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        user_id: &'a uuid::Uuid,
        v1_token: &'a Option<T1>,
        step: &'a Option<i64>,
        factor_id: &'a uuid::Uuid,
        now: &'a jiff::Timestamp,
        challenge_id: &'a uuid::Uuid,
        hmac_key: &'a T2,
        session_id: &'a uuid::Uuid,
        secret: &'a Option<T3>,
        credential: &'a Option<T4>,
        aaguid: &'a Option<uuid::Uuid>,
        challenge_data: &'a Option<T5>,
        method: &'a T6,
        factor_type: &'a T7,
        audit_id: &'a uuid::Uuid,
        audit_payload: &'a T8,
        audit_address: &'a T9,
        audited: &'a bool,
    ) -> RaisedRowQuery<'c, 'a, 's, C, RaisedRow, 18> {
        RaisedRowQuery {
            client,
            params: [
                user_id,
                v1_token,
                step,
                factor_id,
                now,
                challenge_id,
                hmac_key,
                session_id,
                secret,
                credential,
                aaguid,
                challenge_data,
                method,
                factor_type,
                audit_id,
                audit_payload,
                audit_address,
                audited,
            ],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<RaisedRowBorrowed, tokio_postgres::Error> {
                    Ok(RaisedRowBorrowed {
                        hmac_key: row.try_get(0)?,
                        counter: row.try_get(1)?,
                    })
                },
            mapper: |it| RaisedRow::from(it),
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
    T4: crate::JsonSql,
    T5: crate::JsonSql,
    T6: crate::StringSql,
    T7: crate::StringSql,
    T8: crate::JsonSql,
    T9: crate::StringSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        AcceptParams<T1, T2, T3, T4, T5, T6, T7, T8, T9>,
        RaisedRowQuery<'c, 'a, 's, C, RaisedRow, 18>,
        C,
    > for AcceptStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a AcceptParams<T1, T2, T3, T4, T5, T6, T7, T8, T9>,
    ) -> RaisedRowQuery<'c, 'a, 's, C, RaisedRow, 18> {
        self.bind(
            client,
            &params.user_id,
            &params.v1_token,
            &params.step,
            &params.factor_id,
            &params.now,
            &params.challenge_id,
            &params.hmac_key,
            &params.session_id,
            &params.secret,
            &params.credential,
            &params.aaguid,
            &params.challenge_data,
            &params.method,
            &params.factor_type,
            &params.audit_id,
            &params.audit_payload,
            &params.audit_address,
            &params.audited,
        )
    }
}
pub struct SecurityKeysStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn security_keys() -> SecurityKeysStmt {
    SecurityKeysStmt(
        "select id, web_authn_credential as credential from mfa_factors where user_id = $1 and factor_type = 'webauthn' order by created_at, id",
        None,
    )
}
impl SecurityKeysStmt {
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
        user_id: &'a uuid::Uuid,
    ) -> SecurityKeyRowQuery<'c, 'a, 's, C, SecurityKeyRow, 1> {
        SecurityKeyRowQuery {
            client,
            params: [user_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |
                row: &tokio_postgres::Row,
            | -> Result<SecurityKeyRowBorrowed, tokio_postgres::Error> {
                Ok(SecurityKeyRowBorrowed {
                    id: row.try_get(0)?,
                    credential: row.try_get(1)?,
                })
            },
            mapper: |it| SecurityKeyRow::from(it),
        }
    }
}
pub struct DeleteFactorStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_factor() -> DeleteFactorStmt {
    DeleteFactorStmt(
        "with gone as ( delete from mfa_factors where id = $1 and user_id = $2 returning id), methods as ( delete from mfa_amr_claims c using sessions s where s.user_id = $2 and s.factor_id = $1 and c.session_id = s.id and c.authentication_method = $3 and exists (select 1 from gone)), lowered as ( update sessions set aal = 'aal1', factor_id = null where user_id = $2 and factor_id = $1 and exists (select 1 from gone)), codes as ( delete from innkeeper_recovery_codes r where r.user_id = $2 and exists (select 1 from gone) and not exists (select 1 from mfa_factors o where o.user_id = $2 and o.id <> $1 and o.status = 'verified')) select count(*) as gone from gone",
        None,
    )
}
impl DeleteFactorStmt {
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
        id: &'a uuid::Uuid,
        user_id: &'a uuid::Uuid,
        method: &'a T1,
    ) -> I64Query<'c, 'a, 's, C, i64, 3> {
        I64Query {
            client,
            params: [id, user_id, method],
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
        DeleteFactorParams<T1>,
        I64Query<'c, 'a, 's, C, i64, 3>,
        C,
    > for DeleteFactorStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a DeleteFactorParams<T1>,
    ) -> I64Query<'c, 'a, 's, C, i64, 3> {
        self.bind(client, &params.id, &params.user_id, &params.method)
    }
}
pub struct UpdateFactorStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn update_factor() -> UpdateFactorStmt {
    UpdateFactorStmt(
        "update mfa_factors set friendly_name = coalesce($1, friendly_name), phone = coalesce($2, phone), updated_at = $3 where id = $4 and user_id = $5",
        None,
    )
}
impl UpdateFactorStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        friendly_name: &'a Option<T1>,
        phone: &'a Option<T2>,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
        user_id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[friendly_name, phone, now, id, user_id])
            .await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        UpdateFactorParams<T1, T2>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for UpdateFactorStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a UpdateFactorParams<T1, T2>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.friendly_name,
            &params.phone,
            &params.now,
            &params.id,
            &params.user_id,
        ))
    }
}
