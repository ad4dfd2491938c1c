// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertIdentityParams<T1: crate::StringSql, T2: crate::JsonSql, T3: crate::StringSql> {
    pub id: uuid::Uuid,
    pub provider_id: T1,
    pub user_id: uuid::Uuid,
    pub identity_data: T2,
    pub provider: T3,
    pub now: jiff::Timestamp,
}
#[derive(Debug)]
pub struct MergeDataParams<T1: crate::JsonSql, T2: crate::StringSql> {
    pub data: T1,
    pub now: jiff::Timestamp,
    pub user_id: uuid::Uuid,
    pub provider: T2,
}
#[derive(Debug)]
pub struct ReplaceDataParams<T1: crate::JsonSql, T2: crate::StringSql> {
    pub data: T1,
    pub now: jiff::Timestamp,
    pub user_id: uuid::Uuid,
    pub provider: T2,
}
#[derive(Debug)]
pub struct DeleteOthersParams<T1: crate::StringSql> {
    pub user_id: uuid::Uuid,
    pub provider: T1,
}
#[derive(Debug)]
pub struct DeleteUnprovenParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub user_id: uuid::Uuid,
    pub provider: T1,
    pub subject: T2,
}
#[derive(Clone, Copy, Debug)]
pub struct DeleteOfUserParams {
    pub id: uuid::Uuid,
    pub user_id: uuid::Uuid,
}
#[derive(Debug)]
pub struct AnonymiseParams<T1: crate::StringSql> {
    pub provider_id: T1,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
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
pub struct InsertIdentityStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_identity() -> InsertIdentityStmt {
    InsertIdentityStmt(
        "insert into identities (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6, $6) returning id",
        None,
    )
}
impl InsertIdentityStmt {
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
        T2: crate::JsonSql,
        T3: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        id: &'a uuid::Uuid,
        provider_id: &'a T1,
        user_id: &'a uuid::Uuid,
        identity_data: &'a T2,
        provider: &'a T3,
        now: &'a jiff::Timestamp,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 6> {
        UuidUuidQuery {
            client,
            params: [id, provider_id, user_id, identity_data, provider, now],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::JsonSql, T3: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        InsertIdentityParams<T1, T2, T3>,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 6>,
        C,
    > for InsertIdentityStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a InsertIdentityParams<T1, T2, T3>,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 6> {
        self.bind(
            client,
            &params.id,
            &params.provider_id,
            &params.user_id,
            &params.identity_data,
            &params.provider,
            &params.now,
        )
    }
}
pub struct MergeDataStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn merge_data() -> MergeDataStmt {
    MergeDataStmt(
        "update identities set identity_data = identity_data || $1, updated_at = $2 where user_id = $3 and provider = $4",
        None,
    )
}
impl MergeDataStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::JsonSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        data: &'a T1,
        now: &'a jiff::Timestamp,
        user_id: &'a uuid::Uuid,
        provider: &'a T2,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[data, now, user_id, provider])
            .await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::JsonSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        MergeDataParams<T1, T2>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for MergeDataStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a MergeDataParams<T1, T2>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.data,
            &params.now,
            &params.user_id,
            &params.provider,
        ))
    }
}
pub struct ReplaceDataStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn replace_data() -> ReplaceDataStmt {
    ReplaceDataStmt(
        "update identities set identity_data = $1, updated_at = $2 where user_id = $3 and provider = $4",
        None,
    )
}
impl ReplaceDataStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::JsonSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        data: &'a T1,
        now: &'a jiff::Timestamp,
        user_id: &'a uuid::Uuid,
        provider: &'a T2,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[data, now, user_id, provider])
            .await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::JsonSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        ReplaceDataParams<T1, T2>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for ReplaceDataStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a ReplaceDataParams<T1, T2>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.data,
            &params.now,
            &params.user_id,
            &params.provider,
        ))
    }
}
pub struct DeleteOthersStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_others() -> DeleteOthersStmt {
    DeleteOthersStmt(
        "delete from identities where user_id = $1 and provider <> $2",
        None,
    )
}
impl DeleteOthersStmt {
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
        provider: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[user_id, provider]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        DeleteOthersParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for DeleteOthersStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a DeleteOthersParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.user_id, &params.provider))
    }
}
pub struct DeleteUnprovenStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_unproven() -> DeleteUnprovenStmt {
    DeleteUnprovenStmt(
        "delete from identities where user_id = $1 and not (provider = $2 and provider_id = $3)",
        None,
    )
}
impl DeleteUnprovenStmt {
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
        user_id: &'a uuid::Uuid,
        provider: &'a T1,
        subject: &'a T2,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[user_id, provider, subject]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        DeleteUnprovenParams<T1, T2>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for DeleteUnprovenStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a DeleteUnprovenParams<T1, T2>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.user_id, &params.provider, &params.subject))
    }
}
pub struct DeleteOfUserStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_of_user() -> DeleteOfUserStmt {
    DeleteOfUserStmt(
        "delete from identities where id = $1 and user_id = $2",
        None,
    )
}
impl DeleteOfUserStmt {
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
        user_id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[id, user_id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        DeleteOfUserParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for DeleteOfUserStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a DeleteOfUserParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.id, &params.user_id))
    }
}
pub struct AnonymiseStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn anonymise() -> AnonymiseStmt {
    AnonymiseStmt(
        "update identities set provider_id = $1, identity_data = '{}', updated_at = $2 where id = $3",
        None,
    )
}
impl AnonymiseStmt {
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
        provider_id: &'a T1,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[provider_id, now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        AnonymiseParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for AnonymiseStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a AnonymiseParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.provider_id, &params.now, &params.id))
    }
}
