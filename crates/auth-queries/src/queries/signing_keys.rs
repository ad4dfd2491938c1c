// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertFirstParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::JsonSql,
> {
    pub kid: T1,
    pub algorithm: T2,
    pub private_key: T3,
    pub public_jwk: T4,
    pub now: jiff::Timestamp,
}
#[derive(Clone, Copy, Debug)]
pub struct ExtendEndsParams {
    pub until: jiff::Timestamp,
    pub now: jiff::Timestamp,
}
#[derive(Debug)]
pub struct InsertRevocationParams<T1: crate::StringSql> {
    pub kid: T1,
    pub now: jiff::Timestamp,
}
#[derive(Debug)]
pub struct InsertServiceTokenParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub id: uuid::Uuid,
    pub kid: T1,
    pub role: T2,
    pub now: jiff::Timestamp,
    pub expires_at: Option<jiff::Timestamp>,
}
#[derive(Debug)]
pub struct ListServiceTokensParams<T1: crate::StringSql> {
    pub kid: T1,
    pub key_end: jiff::Timestamp,
}
#[derive(Debug, Clone, PartialEq)]
pub struct KeyRow {
    pub kid: String,
    pub algorithm: String,
    pub private_key: String,
    pub public_jwk: serde_json::Value,
    pub is_current: bool,
    pub created_at: jiff::Timestamp,
    pub verifies_until: Option<jiff::Timestamp>,
}
pub struct KeyRowBorrowed<'a> {
    pub kid: &'a str,
    pub algorithm: &'a str,
    pub private_key: &'a str,
    pub public_jwk: postgres_types::Json<&'a serde_json::value::RawValue>,
    pub is_current: bool,
    pub created_at: jiff::Timestamp,
    pub verifies_until: Option<jiff::Timestamp>,
}
impl<'a> From<KeyRowBorrowed<'a>> for KeyRow {
    fn from(
        KeyRowBorrowed {
            kid,
            algorithm,
            private_key,
            public_jwk,
            is_current,
            created_at,
            verifies_until,
        }: KeyRowBorrowed<'a>,
    ) -> Self {
        Self {
            kid: kid.into(),
            algorithm: algorithm.into(),
            private_key: private_key.into(),
            public_jwk: serde_json::from_str(public_jwk.0.get()).unwrap(),
            is_current,
            created_at,
            verifies_until,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct ListRevoked {
    pub kid: String,
    pub revoked_at: jiff::Timestamp,
}
pub struct ListRevokedBorrowed<'a> {
    pub kid: &'a str,
    pub revoked_at: jiff::Timestamp,
}
impl<'a> From<ListRevokedBorrowed<'a>> for ListRevoked {
    fn from(ListRevokedBorrowed { kid, revoked_at }: ListRevokedBorrowed<'a>) -> Self {
        Self {
            kid: kid.into(),
            revoked_at,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceTokenRow {
    pub kid: String,
    pub role: String,
    pub issued_at: jiff::Timestamp,
    pub expires_at: Option<jiff::Timestamp>,
}
pub struct ServiceTokenRowBorrowed<'a> {
    pub kid: &'a str,
    pub role: &'a str,
    pub issued_at: jiff::Timestamp,
    pub expires_at: Option<jiff::Timestamp>,
}
impl<'a> From<ServiceTokenRowBorrowed<'a>> for ServiceTokenRow {
    fn from(
        ServiceTokenRowBorrowed {
            kid,
            role,
            issued_at,
            expires_at,
        }: ServiceTokenRowBorrowed<'a>,
    ) -> Self {
        Self {
            kid: kid.into(),
            role: role.into(),
            issued_at,
            expires_at,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct KeyRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<KeyRowBorrowed, tokio_postgres::Error>,
    mapper: fn(KeyRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> KeyRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(KeyRowBorrowed) -> R) -> KeyRowQuery<'c, 'a, 's, C, R, N> {
        KeyRowQuery {
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
pub struct ListRevokedQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ListRevokedBorrowed, tokio_postgres::Error>,
    mapper: fn(ListRevokedBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ListRevokedQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(ListRevokedBorrowed) -> R,
    ) -> ListRevokedQuery<'c, 'a, 's, C, R, N> {
        ListRevokedQuery {
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
pub struct ServiceTokenRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ServiceTokenRowBorrowed, tokio_postgres::Error>,
    mapper: fn(ServiceTokenRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ServiceTokenRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(ServiceTokenRowBorrowed) -> R,
    ) -> ServiceTokenRowQuery<'c, 'a, 's, C, R, N> {
        ServiceTokenRowQuery {
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
pub struct ListKeysStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_keys() -> ListKeysStmt {
    ListKeysStmt(
        "select k.kid, k.algorithm, k.private_key, k.public_jwk, k.is_current, k.created_at, k.verifies_until from innkeeper_signing_keys k order by k.is_current desc, k.created_at desc",
        None,
    )
}
impl ListKeysStmt {
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
    ) -> KeyRowQuery<'c, 'a, 's, C, KeyRow, 0> {
        KeyRowQuery {
            client,
            params: [],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<KeyRowBorrowed, tokio_postgres::Error> {
                    Ok(KeyRowBorrowed {
                        kid: row.try_get(0)?,
                        algorithm: row.try_get(1)?,
                        private_key: row.try_get(2)?,
                        public_jwk: row.try_get(3)?,
                        is_current: row.try_get(4)?,
                        created_at: row.try_get(5)?,
                        verifies_until: row.try_get(6)?,
                    })
                },
            mapper: |it| KeyRow::from(it),
        }
    }
}
pub struct InsertFirstStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_first() -> InsertFirstStmt {
    InsertFirstStmt(
        "insert into innkeeper_signing_keys (kid, algorithm, private_key, public_jwk, is_current, created_at) values ($1, $2, $3, $4, true, $5) on conflict do nothing",
        None,
    )
}
impl InsertFirstStmt {
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
        T4: crate::JsonSql,
    >(
        &'s self,
        client: &'c C,
        kid: &'a T1,
        algorithm: &'a T2,
        private_key: &'a T3,
        public_jwk: &'a T4,
        now: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[kid, algorithm, private_key, public_jwk, now])
            .await
    }
}
impl<
    'a,
    C: GenericClient + Send + Sync,
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::JsonSql,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertFirstParams<T1, T2, T3, T4>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertFirstStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertFirstParams<T1, T2, T3, T4>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.kid,
            &params.algorithm,
            &params.private_key,
            &params.public_jwk,
            &params.now,
        ))
    }
}
pub struct RetireCurrentStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn retire_current() -> RetireCurrentStmt {
    RetireCurrentStmt(
        "update innkeeper_signing_keys set is_current = false, verifies_until = $1 where is_current",
        None,
    )
}
impl RetireCurrentStmt {
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
        until: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[until]).await
    }
}
pub struct SetMissingEndsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_missing_ends() -> SetMissingEndsStmt {
    SetMissingEndsStmt(
        "update innkeeper_signing_keys set verifies_until = $1 where not is_current and verifies_until is null",
        None,
    )
}
impl SetMissingEndsStmt {
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
        until: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[until]).await
    }
}
pub struct ExtendEndsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn extend_ends() -> ExtendEndsStmt {
    ExtendEndsStmt(
        "update innkeeper_signing_keys set verifies_until = $1 where not is_current and verifies_until > $2 and verifies_until < $1",
        None,
    )
}
impl ExtendEndsStmt {
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
        until: &'a jiff::Timestamp,
        now: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[until, now]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        ExtendEndsParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for ExtendEndsStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a ExtendEndsParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.until, &params.now))
    }
}
pub struct LockKeysStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn lock_keys() -> LockKeysStmt {
    LockKeysStmt(
        "lock table innkeeper_signing_keys in share row exclusive mode",
        None,
    )
}
impl LockKeysStmt {
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
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[]).await
    }
}
pub struct DeleteKeyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_key() -> DeleteKeyStmt {
    DeleteKeyStmt(
        "delete from innkeeper_signing_keys where kid = $1 and not is_current",
        None,
    )
}
impl DeleteKeyStmt {
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
        kid: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[kid]).await
    }
}
pub struct DeleteEndedStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_ended() -> DeleteEndedStmt {
    DeleteEndedStmt(
        "delete from innkeeper_signing_keys where not is_current and verifies_until < $1",
        None,
    )
}
impl DeleteEndedStmt {
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
pub struct InsertRevocationStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_revocation() -> InsertRevocationStmt {
    InsertRevocationStmt(
        "insert into innkeeper_revoked_keys (kid, revoked_at) values ($1, $2) on conflict (kid) do nothing",
        None,
    )
}
impl InsertRevocationStmt {
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
        kid: &'a T1,
        now: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[kid, now]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertRevocationParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertRevocationStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertRevocationParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.kid, &params.now))
    }
}
pub struct ListRevokedStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_revoked() -> ListRevokedStmt {
    ListRevokedStmt(
        "select r.kid, r.revoked_at from innkeeper_revoked_keys r order by r.revoked_at desc, r.kid",
        None,
    )
}
impl ListRevokedStmt {
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
    ) -> ListRevokedQuery<'c, 'a, 's, C, ListRevoked, 0> {
        ListRevokedQuery {
            client,
            params: [],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ListRevokedBorrowed, tokio_postgres::Error> {
                    Ok(ListRevokedBorrowed {
                        kid: row.try_get(0)?,
                        revoked_at: row.try_get(1)?,
                    })
                },
            mapper: |it| ListRevoked::from(it),
        }
    }
}
pub struct InsertServiceTokenStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_service_token() -> InsertServiceTokenStmt {
    InsertServiceTokenStmt(
        "insert into innkeeper_service_tokens (id, kid, role, issued_at, expires_at) values ($1, $2, $3, $4, $5)",
        None,
    )
}
impl InsertServiceTokenStmt {
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
        id: &'a uuid::Uuid,
        kid: &'a T1,
        role: &'a T2,
        now: &'a jiff::Timestamp,
        expires_at: &'a Option<jiff::Timestamp>,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[id, kid, role, now, expires_at])
            .await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertServiceTokenParams<T1, T2>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertServiceTokenStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertServiceTokenParams<T1, T2>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.id,
            &params.kid,
            &params.role,
            &params.now,
            &params.expires_at,
        ))
    }
}
pub struct ListServiceTokensStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_service_tokens() -> ListServiceTokensStmt {
    ListServiceTokensStmt(
        "select t.kid, t.role, t.issued_at, t.expires_at from innkeeper_service_tokens t where t.kid = $1 and (t.expires_at is null or t.expires_at > $2) order by t.issued_at",
        None,
    )
}
impl ListServiceTokensStmt {
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
        kid: &'a T1,
        key_end: &'a jiff::Timestamp,
    ) -> ServiceTokenRowQuery<'c, 'a, 's, C, ServiceTokenRow, 2> {
        ServiceTokenRowQuery {
            client,
            params: [kid, key_end],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |
                row: &tokio_postgres::Row,
            | -> Result<ServiceTokenRowBorrowed, tokio_postgres::Error> {
                Ok(ServiceTokenRowBorrowed {
                    kid: row.try_get(0)?,
                    role: row.try_get(1)?,
                    issued_at: row.try_get(2)?,
                    expires_at: row.try_get(3)?,
                })
            },
            mapper: |it| ServiceTokenRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ListServiceTokensParams<T1>,
        ServiceTokenRowQuery<'c, 'a, 's, C, ServiceTokenRow, 2>,
        C,
    > for ListServiceTokensStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ListServiceTokensParams<T1>,
    ) -> ServiceTokenRowQuery<'c, 'a, 's, C, ServiceTokenRow, 2> {
        self.bind(client, &params.kid, &params.key_end)
    }
}
