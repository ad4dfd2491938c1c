// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct FindKeyParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub customer_id: T1,
    pub key: T2,
    pub after: jiff::Timestamp,
}
#[derive(Debug)]
pub struct InsertKeyParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::BytesSql,
    T4: crate::StringSql,
> {
    pub customer_id: T1,
    pub key: T2,
    pub request: T3,
    pub action_id: T4,
    pub now: jiff::Timestamp,
    pub expired: jiff::Timestamp,
}
#[derive(Debug, Clone, PartialEq)]
pub struct FindKey {
    pub request: Vec<u8>,
    pub action_id: String,
}
pub struct FindKeyBorrowed<'a> {
    pub request: &'a [u8],
    pub action_id: &'a str,
}
impl<'a> From<FindKeyBorrowed<'a>> for FindKey {
    fn from(FindKeyBorrowed { request, action_id }: FindKeyBorrowed<'a>) -> Self {
        Self {
            request: request.into(),
            action_id: action_id.into(),
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct FindKeyQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<FindKeyBorrowed, tokio_postgres::Error>,
    mapper: fn(FindKeyBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> FindKeyQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(FindKeyBorrowed) -> R) -> FindKeyQuery<'c, 'a, 's, C, R, N> {
        FindKeyQuery {
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
pub struct FindKeyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_key() -> FindKeyStmt {
    FindKeyStmt(
        "select k.request, k.action_id from idempotency_keys k where k.customer_id = $1 and k.key = $2 and k.created_at > $3",
        None,
    )
}
impl FindKeyStmt {
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
        customer_id: &'a T1,
        key: &'a T2,
        after: &'a jiff::Timestamp,
    ) -> FindKeyQuery<'c, 'a, 's, C, FindKey, 3> {
        FindKeyQuery {
            client,
            params: [customer_id, key, after],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<FindKeyBorrowed, tokio_postgres::Error> {
                    Ok(FindKeyBorrowed {
                        request: row.try_get(0)?,
                        action_id: row.try_get(1)?,
                    })
                },
            mapper: |it| FindKey::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        FindKeyParams<T1, T2>,
        FindKeyQuery<'c, 'a, 's, C, FindKey, 3>,
        C,
    > for FindKeyStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a FindKeyParams<T1, T2>,
    ) -> FindKeyQuery<'c, 'a, 's, C, FindKey, 3> {
        self.bind(client, &params.customer_id, &params.key, &params.after)
    }
}
pub struct InsertKeyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_key() -> InsertKeyStmt {
    InsertKeyStmt(
        "insert into idempotency_keys as k (customer_id, key, request, action_id, created_at) values ($1, $2, $3, $4, $5) on conflict (customer_id, key) do update set request = excluded.request, action_id = excluded.action_id, created_at = excluded.created_at where k.created_at <= $6 returning key",
        None,
    )
}
impl InsertKeyStmt {
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
        T3: crate::BytesSql,
        T4: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        customer_id: &'a T1,
        key: &'a T2,
        request: &'a T3,
        action_id: &'a T4,
        now: &'a jiff::Timestamp,
        expired: &'a jiff::Timestamp,
    ) -> StringQuery<'c, 'a, 's, C, String, 6> {
        StringQuery {
            client,
            params: [customer_id, key, request, action_id, now, expired],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it.into(),
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
    T3: crate::BytesSql,
    T4: crate::StringSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        InsertKeyParams<T1, T2, T3, T4>,
        StringQuery<'c, 'a, 's, C, String, 6>,
        C,
    > for InsertKeyStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a InsertKeyParams<T1, T2, T3, T4>,
    ) -> StringQuery<'c, 'a, 's, C, String, 6> {
        self.bind(
            client,
            &params.customer_id,
            &params.key,
            &params.request,
            &params.action_id,
            &params.now,
            &params.expired,
        )
    }
}
pub struct DeleteKeysStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_keys() -> DeleteKeysStmt {
    DeleteKeysStmt("delete from idempotency_keys where created_at <= $1", None)
}
impl DeleteKeysStmt {
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
