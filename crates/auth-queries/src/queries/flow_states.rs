// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertFlowParams<
    T1: crate::StringSql,
    T2: crate::ArraySql<Item = T1>,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
> {
    pub user_id: uuid::Uuid,
    pub replaced: T2,
    pub expired: jiff::Timestamp,
    pub id: uuid::Uuid,
    pub method: T3,
    pub challenge: T4,
    pub now: jiff::Timestamp,
    pub authentication_method: T5,
}
#[derive(Debug)]
pub struct IssueCodeParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::ArraySql<Item = T2>,
> {
    pub auth_code: T1,
    pub now: jiff::Timestamp,
    pub flow_id: Option<uuid::Uuid>,
    pub user_id: uuid::Uuid,
    pub methods: T3,
}
#[derive(Debug)]
pub struct InsertProviderFlowParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
> {
    pub id: uuid::Uuid,
    pub challenge_method: Option<T1>,
    pub challenge: Option<T2>,
    pub provider: T3,
    pub now: jiff::Timestamp,
    pub target: T4,
    pub linking_user_id: Option<uuid::Uuid>,
    pub sealed: T5,
}
#[derive(Debug)]
pub struct InsertProviderCodeParams<
    T1: crate::JsonSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::StringSql,
    T8: crate::StringSql,
> {
    pub identity_data: Option<T1>,
    pub now: jiff::Timestamp,
    pub provider: T2,
    pub subject: T3,
    pub id: uuid::Uuid,
    pub user_id: uuid::Uuid,
    pub code_hash: T4,
    pub challenge_method: T5,
    pub challenge: T6,
    pub access_token: Option<T7>,
    pub refresh_token: Option<T8>,
}
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderFlowRow {
    pub provider_type: String,
    pub code_challenge_method: Option<String>,
    pub code_challenge: Option<String>,
    pub target: Option<String>,
    pub linking_user_id: Option<uuid::Uuid>,
    pub created_at: Option<jiff::Timestamp>,
    pub sealed: Option<String>,
}
pub struct ProviderFlowRowBorrowed<'a> {
    pub provider_type: &'a str,
    pub code_challenge_method: Option<&'a str>,
    pub code_challenge: Option<&'a str>,
    pub target: Option<&'a str>,
    pub linking_user_id: Option<uuid::Uuid>,
    pub created_at: Option<jiff::Timestamp>,
    pub sealed: Option<&'a str>,
}
impl<'a> From<ProviderFlowRowBorrowed<'a>> for ProviderFlowRow {
    fn from(
        ProviderFlowRowBorrowed {
            provider_type,
            code_challenge_method,
            code_challenge,
            target,
            linking_user_id,
            created_at,
            sealed,
        }: ProviderFlowRowBorrowed<'a>,
    ) -> Self {
        Self {
            provider_type: provider_type.into(),
            code_challenge_method: code_challenge_method.map(|v| v.into()),
            code_challenge: code_challenge.map(|v| v.into()),
            target: target.map(|v| v.into()),
            linking_user_id,
            created_at,
            sealed: sealed.map(|v| v.into()),
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
pub struct ProviderFlowRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ProviderFlowRowBorrowed, tokio_postgres::Error>,
    mapper: fn(ProviderFlowRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ProviderFlowRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(ProviderFlowRowBorrowed) -> R,
    ) -> ProviderFlowRowQuery<'c, 'a, 's, C, R, N> {
        ProviderFlowRowQuery {
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
pub struct InsertFlowStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_flow() -> InsertFlowStmt {
    InsertFlowStmt(
        "with old as ( delete from flow_state where user_id = $1 and authentication_method = any($2) and (auth_code_issued_at is null or auth_code_issued_at < $3)) insert into flow_state (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, created_at, updated_at, authentication_method) values ($4, $1, '', cast($5 as text)::code_challenge_method, $6, 'email', $7, $7, $8)",
        None,
    )
}
impl InsertFlowStmt {
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
        T3: crate::StringSql,
        T4: crate::StringSql,
        T5: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        user_id: &'a uuid::Uuid,
        replaced: &'a T2,
        expired: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
        method: &'a T3,
        challenge: &'a T4,
        now: &'a jiff::Timestamp,
        authentication_method: &'a T5,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    user_id,
                    replaced,
                    expired,
                    id,
                    method,
                    challenge,
                    now,
                    authentication_method,
                ],
            )
            .await
    }
}
impl<
    'a,
    C: GenericClient + Send + Sync,
    T1: crate::StringSql,
    T2: crate::ArraySql<Item = T1>,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertFlowParams<T1, T2, T3, T4, T5>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertFlowStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertFlowParams<T1, T2, T3, T4, T5>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.user_id,
            &params.replaced,
            &params.expired,
            &params.id,
            &params.method,
            &params.challenge,
            &params.now,
            &params.authentication_method,
        ))
    }
}
pub struct IssueCodeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn issue_code() -> IssueCodeStmt {
    IssueCodeStmt(
        "update flow_state set auth_code = $1, auth_code_issued_at = $2, updated_at = $2 where id = coalesce($3, (select f.id from flow_state f where f.user_id = $4 and f.authentication_method = any($5) order by f.created_at desc limit 1)) and user_id = $4 returning id",
        None,
    )
}
impl IssueCodeStmt {
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
        T3: crate::ArraySql<Item = T2>,
    >(
        &'s self,
        client: &'c C,
        auth_code: &'a T1,
        now: &'a jiff::Timestamp,
        flow_id: &'a Option<uuid::Uuid>,
        user_id: &'a uuid::Uuid,
        methods: &'a T3,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 5> {
        UuidUuidQuery {
            client,
            params: [auth_code, now, flow_id, user_id, methods],
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
    T3: crate::ArraySql<Item = T2>,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        IssueCodeParams<T1, T2, T3>,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 5>,
        C,
    > for IssueCodeStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a IssueCodeParams<T1, T2, T3>,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 5> {
        self.bind(
            client,
            &params.auth_code,
            &params.now,
            &params.flow_id,
            &params.user_id,
            &params.methods,
        )
    }
}
pub struct InsertProviderFlowStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_provider_flow() -> InsertProviderFlowStmt {
    InsertProviderFlowStmt(
        "with started as ( insert into flow_state (id, code_challenge_method, code_challenge, provider_type, created_at, updated_at, authentication_method, referrer, linking_target_id) values ($1, cast($2 as text)::code_challenge_method, $3, $4, $5, $5, 'oauth', $6, $7) returning id) insert into innkeeper_flow_secrets (flow_id, sealed) select s.id, $8 from started s",
        None,
    )
}
impl InsertProviderFlowStmt {
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
    >(
        &'s self,
        client: &'c C,
        id: &'a uuid::Uuid,
        challenge_method: &'a Option<T1>,
        challenge: &'a Option<T2>,
        provider: &'a T3,
        now: &'a jiff::Timestamp,
        target: &'a T4,
        linking_user_id: &'a Option<uuid::Uuid>,
        sealed: &'a T5,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    id,
                    challenge_method,
                    challenge,
                    provider,
                    now,
                    target,
                    linking_user_id,
                    sealed,
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
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertProviderFlowParams<T1, T2, T3, T4, T5>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertProviderFlowStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertProviderFlowParams<T1, T2, T3, T4, T5>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.id,
            &params.challenge_method,
            &params.challenge,
            &params.provider,
            &params.now,
            &params.target,
            &params.linking_user_id,
            &params.sealed,
        ))
    }
}
pub struct TakeProviderFlowStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn take_provider_flow() -> TakeProviderFlowStmt {
    TakeProviderFlowStmt(
        "with taken as ( delete from flow_state f where f.id = $1 and f.authentication_method = 'oauth' and f.user_id is null and f.auth_code_issued_at is null returning f.id, f.provider_type, f.code_challenge_method::text as code_challenge_method, f.code_challenge, f.referrer, f.linking_target_id, f.created_at) select t.provider_type, t.code_challenge_method, t.code_challenge, t.referrer as target, t.linking_target_id as linking_user_id, t.created_at, (select s.sealed from innkeeper_flow_secrets s where s.flow_id = t.id) as sealed from taken t",
        None,
    )
}
impl TakeProviderFlowStmt {
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
    ) -> ProviderFlowRowQuery<'c, 'a, 's, C, ProviderFlowRow, 1> {
        ProviderFlowRowQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |
                row: &tokio_postgres::Row,
            | -> Result<ProviderFlowRowBorrowed, tokio_postgres::Error> {
                Ok(ProviderFlowRowBorrowed {
                    provider_type: row.try_get(0)?,
                    code_challenge_method: row.try_get(1)?,
                    code_challenge: row.try_get(2)?,
                    target: row.try_get(3)?,
                    linking_user_id: row.try_get(4)?,
                    created_at: row.try_get(5)?,
                    sealed: row.try_get(6)?,
                })
            },
            mapper: |it| ProviderFlowRow::from(it),
        }
    }
}
pub struct InsertProviderCodeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_provider_code() -> InsertProviderCodeStmt {
    InsertProviderCodeStmt(
        "with seen as ( update identities set identity_data = coalesce($1, identity_data), last_sign_in_at = $2, updated_at = $2 where provider = $3 and provider_id = $4) insert into flow_state (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, provider_access_token, provider_refresh_token, created_at, updated_at, authentication_method, auth_code_issued_at) values ($5, $6, $7, cast($8 as text)::code_challenge_method, $9, $3, $10, $11, $2, $2, 'oauth', $2)",
        None,
    )
}
impl InsertProviderCodeStmt {
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
        T1: crate::JsonSql,
        T2: crate::StringSql,
        T3: crate::StringSql,
        T4: crate::StringSql,
        T5: crate::StringSql,
        T6: crate::StringSql,
        T7: crate::StringSql,
        T8: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        identity_data: &'a Option<T1>,
        now: &'a jiff::Timestamp,
        provider: &'a T2,
        subject: &'a T3,
        id: &'a uuid::Uuid,
        user_id: &'a uuid::Uuid,
        code_hash: &'a T4,
        challenge_method: &'a T5,
        challenge: &'a T6,
        access_token: &'a Option<T7>,
        refresh_token: &'a Option<T8>,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    identity_data,
                    now,
                    provider,
                    subject,
                    id,
                    user_id,
                    code_hash,
                    challenge_method,
                    challenge,
                    access_token,
                    refresh_token,
                ],
            )
            .await
    }
}
impl<
    'a,
    C: GenericClient + Send + Sync,
    T1: crate::JsonSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::StringSql,
    T8: crate::StringSql,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertProviderCodeParams<T1, T2, T3, T4, T5, T6, T7, T8>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertProviderCodeStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertProviderCodeParams<T1, T2, T3, T4, T5, T6, T7, T8>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.identity_data,
            &params.now,
            &params.provider,
            &params.subject,
            &params.id,
            &params.user_id,
            &params.code_hash,
            &params.challenge_method,
            &params.challenge,
            &params.access_token,
            &params.refresh_token,
        ))
    }
}
