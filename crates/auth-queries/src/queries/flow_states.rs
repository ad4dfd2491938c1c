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
pub struct FindByCodeParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub code_hash: T1,
    pub former_code: T2,
}
#[derive(Debug, Clone, PartialEq)]
pub struct FlowRow {
    pub id: uuid::Uuid,
    pub user_id: Option<uuid::Uuid>,
    pub code_challenge: Option<String>,
    pub code_challenge_method: Option<String>,
    pub authentication_method: String,
    pub auth_code_issued_at: Option<jiff::Timestamp>,
    pub created_at: Option<jiff::Timestamp>,
}
pub struct FlowRowBorrowed<'a> {
    pub id: uuid::Uuid,
    pub user_id: Option<uuid::Uuid>,
    pub code_challenge: Option<&'a str>,
    pub code_challenge_method: Option<&'a str>,
    pub authentication_method: &'a str,
    pub auth_code_issued_at: Option<jiff::Timestamp>,
    pub created_at: Option<jiff::Timestamp>,
}
impl<'a> From<FlowRowBorrowed<'a>> for FlowRow {
    fn from(
        FlowRowBorrowed {
            id,
            user_id,
            code_challenge,
            code_challenge_method,
            authentication_method,
            auth_code_issued_at,
            created_at,
        }: FlowRowBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            user_id,
            code_challenge: code_challenge.map(|v| v.into()),
            code_challenge_method: code_challenge_method.map(|v| v.into()),
            authentication_method: authentication_method.into(),
            auth_code_issued_at,
            created_at,
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
pub struct FlowRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<FlowRowBorrowed, tokio_postgres::Error>,
    mapper: fn(FlowRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> FlowRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(FlowRowBorrowed) -> R) -> FlowRowQuery<'c, 'a, 's, C, R, N> {
        FlowRowQuery {
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
                self.0,
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
pub struct FindByCodeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_code() -> FindByCodeStmt {
    FindByCodeStmt(
        "select f.id, f.user_id, f.code_challenge, f.code_challenge_method::text as code_challenge_method, f.authentication_method, f.auth_code_issued_at, f.created_at from flow_state f where f.auth_code = $1 or f.auth_code = $2",
        None,
    )
}
impl FindByCodeStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        code_hash: &'a T1,
        former_code: &'a T2,
    ) -> FlowRowQuery<'c, 'a, 's, C, FlowRow, 2> {
        FlowRowQuery {
            client,
            params: [code_hash, former_code],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<FlowRowBorrowed, tokio_postgres::Error> {
                    Ok(FlowRowBorrowed {
                        id: row.try_get(0)?,
                        user_id: row.try_get(1)?,
                        code_challenge: row.try_get(2)?,
                        code_challenge_method: row.try_get(3)?,
                        authentication_method: row.try_get(4)?,
                        auth_code_issued_at: row.try_get(5)?,
                        created_at: row.try_get(6)?,
                    })
                },
            mapper: |it| FlowRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        FindByCodeParams<T1, T2>,
        FlowRowQuery<'c, 'a, 's, C, FlowRow, 2>,
        C,
    > for FindByCodeStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a FindByCodeParams<T1, T2>,
    ) -> FlowRowQuery<'c, 'a, 's, C, FlowRow, 2> {
        self.bind(client, &params.code_hash, &params.former_code)
    }
}
pub struct TakeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn take() -> TakeStmt {
    TakeStmt("delete from flow_state where id = $1", None)
}
impl TakeStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(self.0, &[id]).await
    }
}
