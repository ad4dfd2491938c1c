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
#[derive(Debug, Clone, PartialEq)]
pub struct ListKeys {
    pub kid: String,
    pub algorithm: String,
    pub private_key: String,
    pub public_jwk: serde_json::Value,
    pub is_current: bool,
    pub created_at: jiff::Timestamp,
}
pub struct ListKeysBorrowed<'a> {
    pub kid: &'a str,
    pub algorithm: &'a str,
    pub private_key: &'a str,
    pub public_jwk: postgres_types::Json<&'a serde_json::value::RawValue>,
    pub is_current: bool,
    pub created_at: jiff::Timestamp,
}
impl<'a> From<ListKeysBorrowed<'a>> for ListKeys {
    fn from(
        ListKeysBorrowed {
            kid,
            algorithm,
            private_key,
            public_jwk,
            is_current,
            created_at,
        }: ListKeysBorrowed<'a>,
    ) -> Self {
        Self {
            kid: kid.into(),
            algorithm: algorithm.into(),
            private_key: private_key.into(),
            public_jwk: serde_json::from_str(public_jwk.0.get()).unwrap(),
            is_current,
            created_at,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct ListKeysQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ListKeysBorrowed, tokio_postgres::Error>,
    mapper: fn(ListKeysBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ListKeysQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(ListKeysBorrowed) -> R) -> ListKeysQuery<'c, 'a, 's, C, R, N> {
        ListKeysQuery {
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
        "select k.kid, k.algorithm, k.private_key, k.public_jwk, k.is_current, k.created_at from innkeeper_signing_keys k order by k.is_current desc, k.created_at desc",
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
    ) -> ListKeysQuery<'c, 'a, 's, C, ListKeys, 0> {
        ListKeysQuery {
            client,
            params: [],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ListKeysBorrowed, tokio_postgres::Error> {
                    Ok(ListKeysBorrowed {
                        kid: row.try_get(0)?,
                        algorithm: row.try_get(1)?,
                        private_key: row.try_get(2)?,
                        public_jwk: row.try_get(3)?,
                        is_current: row.try_get(4)?,
                        created_at: row.try_get(5)?,
                    })
                },
            mapper: |it| ListKeys::from(it),
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
            .execute(self.0, &[kid, algorithm, private_key, public_jwk, now])
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
        "update innkeeper_signing_keys set is_current = false where is_current",
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
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(self.0, &[]).await
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
        client.execute(self.0, &[]).await
    }
}
