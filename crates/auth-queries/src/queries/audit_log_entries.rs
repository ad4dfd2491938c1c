// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertEntryParams<T1: crate::JsonSql, T2: crate::StringSql> {
    pub id: uuid::Uuid,
    pub payload: T1,
    pub now: jiff::Timestamp,
    pub ip_address: T2,
}
#[derive(Debug)]
pub struct ListEntriesParams<T1: crate::StringSql, T2: crate::StringSql, T3: crate::StringSql> {
    pub author: T1,
    pub action: T2,
    pub log_type: T3,
    pub size: i64,
    pub skipped: i64,
}
#[derive(Debug)]
pub struct CountEntriesParams<T1: crate::StringSql, T2: crate::StringSql, T3: crate::StringSql> {
    pub author: T1,
    pub action: T2,
    pub log_type: T3,
}
#[derive(Debug, Clone, PartialEq)]
pub struct EntryRow {
    pub id: uuid::Uuid,
    pub payload: Option<serde_json::Value>,
    pub created_at: Option<jiff::Timestamp>,
    pub ip_address: String,
}
pub struct EntryRowBorrowed<'a> {
    pub id: uuid::Uuid,
    pub payload: Option<postgres_types::Json<&'a serde_json::value::RawValue>>,
    pub created_at: Option<jiff::Timestamp>,
    pub ip_address: &'a str,
}
impl<'a> From<EntryRowBorrowed<'a>> for EntryRow {
    fn from(
        EntryRowBorrowed {
            id,
            payload,
            created_at,
            ip_address,
        }: EntryRowBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            payload: payload.map(|v| serde_json::from_str(v.0.get()).unwrap()),
            created_at,
            ip_address: ip_address.into(),
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
pub struct EntryRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<EntryRowBorrowed, tokio_postgres::Error>,
    mapper: fn(EntryRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> EntryRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(EntryRowBorrowed) -> R) -> EntryRowQuery<'c, 'a, 's, C, R, N> {
        EntryRowQuery {
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
pub struct InsertEntryStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_entry() -> InsertEntryStmt {
    InsertEntryStmt(
        "insert into audit_log_entries (instance_id, id, payload, created_at, ip_address) values ('00000000-0000-0000-0000-000000000000', $1, $2, $3, $4) returning id",
        None,
    )
}
impl InsertEntryStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::JsonSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        id: &'a uuid::Uuid,
        payload: &'a T1,
        now: &'a jiff::Timestamp,
        ip_address: &'a T2,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 4> {
        UuidUuidQuery {
            client,
            params: [id, payload, now, ip_address],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::JsonSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        InsertEntryParams<T1, T2>,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 4>,
        C,
    > for InsertEntryStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a InsertEntryParams<T1, T2>,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 4> {
        self.bind(
            client,
            &params.id,
            &params.payload,
            &params.now,
            &params.ip_address,
        )
    }
}
pub struct ListEntriesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_entries() -> ListEntriesStmt {
    ListEntriesStmt(
        "select a.id, a.payload, a.created_at, a.ip_address from audit_log_entries a where ($1 = '' or a.payload ->> 'actor_username' ilike '%' || $1 || '%' or a.payload ->> 'actor_name' ilike '%' || $1 || '%') and ($2 = '' or a.payload ->> 'action' ilike '%' || $2 || '%') and ($3 = '' or a.payload ->> 'log_type' ilike '%' || $3 || '%') order by a.created_at desc, a.id limit $4 offset $5",
        None,
    )
}
impl ListEntriesStmt {
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
    >(
        &'s self,
        client: &'c C,
        author: &'a T1,
        action: &'a T2,
        log_type: &'a T3,
        size: &'a i64,
        skipped: &'a i64,
    ) -> EntryRowQuery<'c, 'a, 's, C, EntryRow, 5> {
        EntryRowQuery {
            client,
            params: [author, action, log_type, size, skipped],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<EntryRowBorrowed, tokio_postgres::Error> {
                    Ok(EntryRowBorrowed {
                        id: row.try_get(0)?,
                        payload: row.try_get(1)?,
                        created_at: row.try_get(2)?,
                        ip_address: row.try_get(3)?,
                    })
                },
            mapper: |it| EntryRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql, T3: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ListEntriesParams<T1, T2, T3>,
        EntryRowQuery<'c, 'a, 's, C, EntryRow, 5>,
        C,
    > for ListEntriesStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ListEntriesParams<T1, T2, T3>,
    ) -> EntryRowQuery<'c, 'a, 's, C, EntryRow, 5> {
        self.bind(
            client,
            &params.author,
            &params.action,
            &params.log_type,
            &params.size,
            &params.skipped,
        )
    }
}
pub struct CountEntriesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn count_entries() -> CountEntriesStmt {
    CountEntriesStmt(
        "select count(*) as total from audit_log_entries a where ($1 = '' or a.payload ->> 'actor_username' ilike '%' || $1 || '%' or a.payload ->> 'actor_name' ilike '%' || $1 || '%') and ($2 = '' or a.payload ->> 'action' ilike '%' || $2 || '%') and ($3 = '' or a.payload ->> 'log_type' ilike '%' || $3 || '%')",
        None,
    )
}
impl CountEntriesStmt {
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
    >(
        &'s self,
        client: &'c C,
        author: &'a T1,
        action: &'a T2,
        log_type: &'a T3,
    ) -> I64Query<'c, 'a, 's, C, i64, 3> {
        I64Query {
            client,
            params: [author, action, log_type],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql, T3: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        CountEntriesParams<T1, T2, T3>,
        I64Query<'c, 'a, 's, C, i64, 3>,
        C,
    > for CountEntriesStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a CountEntriesParams<T1, T2, T3>,
    ) -> I64Query<'c, 'a, 's, C, i64, 3> {
        self.bind(client, &params.author, &params.action, &params.log_type)
    }
}
