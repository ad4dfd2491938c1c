// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertKeyParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::BytesSql,
    T5: crate::StringSql,
    T6: crate::ArraySql<Item = T5>,
    T7: crate::ArraySql<Item = uuid::Uuid>,
    T8: crate::StringSql,
    T9: crate::ArraySql<Item = T8>,
> {
    pub id: T1,
    pub customer_id: T2,
    pub name: T3,
    pub hash: T4,
    pub pepper: i32,
    pub scopes: T6,
    pub machines: Option<T7>,
    pub networks: Option<T9>,
    pub created_at: jiff::Timestamp,
    pub expires_at: Option<jiff::Timestamp>,
}
#[derive(Debug)]
pub struct RevokeKeyParams<T1: crate::StringSql> {
    pub now: jiff::Timestamp,
    pub id: T1,
}
#[derive(Debug)]
pub struct ExpireKeyParams<T1: crate::StringSql> {
    pub at: jiff::Timestamp,
    pub id: T1,
}
#[derive(Debug)]
pub struct RecordUsesParams<
    T1: crate::StringSql,
    T2: crate::ArraySql<Item = T1>,
    T3: crate::ArraySql<Item = jiff::Timestamp>,
    T4: crate::StringSql,
    T5: crate::ArraySql<Item = T4>,
> {
    pub ids: T2,
    pub times: T3,
    pub addresses: T5,
}
#[derive(Debug, Clone, PartialEq)]
pub struct KeyRow {
    pub id: String,
    pub customer_id: String,
    pub name: String,
    pub hash: Vec<u8>,
    pub pepper: i32,
    pub scopes: Vec<String>,
    pub machines: Option<Vec<uuid::Uuid>>,
    pub networks: Option<Vec<String>>,
    pub created_at: jiff::Timestamp,
    pub expires_at: Option<jiff::Timestamp>,
    pub revoked_at: Option<jiff::Timestamp>,
    pub last_used_at: Option<jiff::Timestamp>,
    pub last_used_from: Option<String>,
}
pub struct KeyRowBorrowed<'a> {
    pub id: &'a str,
    pub customer_id: &'a str,
    pub name: &'a str,
    pub hash: &'a [u8],
    pub pepper: i32,
    pub scopes: crate::ArrayIterator<'a, &'a str>,
    pub machines: Option<crate::ArrayIterator<'a, uuid::Uuid>>,
    pub networks: Option<crate::ArrayIterator<'a, &'a str>>,
    pub created_at: jiff::Timestamp,
    pub expires_at: Option<jiff::Timestamp>,
    pub revoked_at: Option<jiff::Timestamp>,
    pub last_used_at: Option<jiff::Timestamp>,
    pub last_used_from: Option<&'a str>,
}
impl<'a> From<KeyRowBorrowed<'a>> for KeyRow {
    fn from(
        KeyRowBorrowed {
            id,
            customer_id,
            name,
            hash,
            pepper,
            scopes,
            machines,
            networks,
            created_at,
            expires_at,
            revoked_at,
            last_used_at,
            last_used_from,
        }: KeyRowBorrowed<'a>,
    ) -> Self {
        Self {
            id: id.into(),
            customer_id: customer_id.into(),
            name: name.into(),
            hash: hash.into(),
            pepper,
            scopes: scopes.map(|v| v.into()).collect(),
            machines: machines.map(|v| v.map(|v| v).collect()),
            networks: networks.map(|v| v.map(|v| v.into()).collect()),
            created_at,
            expires_at,
            revoked_at,
            last_used_at,
            last_used_from: last_used_from.map(|v| v.into()),
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct ListKeyMachines {
    pub id: uuid::Uuid,
    pub kind: String,
    pub public_id: String,
}
pub struct ListKeyMachinesBorrowed<'a> {
    pub id: uuid::Uuid,
    pub kind: &'a str,
    pub public_id: &'a str,
}
impl<'a> From<ListKeyMachinesBorrowed<'a>> for ListKeyMachines {
    fn from(
        ListKeyMachinesBorrowed {
            id,
            kind,
            public_id,
        }: ListKeyMachinesBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            kind: kind.into(),
            public_id: public_id.into(),
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
pub struct ListKeyMachinesQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ListKeyMachinesBorrowed, tokio_postgres::Error>,
    mapper: fn(ListKeyMachinesBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ListKeyMachinesQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(ListKeyMachinesBorrowed) -> R,
    ) -> ListKeyMachinesQuery<'c, 'a, 's, C, R, N> {
        ListKeyMachinesQuery {
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
pub struct InsertKeyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_key() -> InsertKeyStmt {
    InsertKeyStmt(
        "insert into api_keys (id, customer_id, name, hash, pepper, scopes, machines, networks, created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
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
    pub async fn bind<
        'c,
        'a,
        's,
        C: GenericClient,
        T1: crate::StringSql,
        T2: crate::StringSql,
        T3: crate::StringSql,
        T4: crate::BytesSql,
        T5: crate::StringSql,
        T6: crate::ArraySql<Item = T5>,
        T7: crate::ArraySql<Item = uuid::Uuid>,
        T8: crate::StringSql,
        T9: crate::ArraySql<Item = T8>,
    >(
        &'s self,
        client: &'c C,
        id: &'a T1,
        customer_id: &'a T2,
        name: &'a T3,
        hash: &'a T4,
        pepper: &'a i32,
        scopes: &'a T6,
        machines: &'a Option<T7>,
        networks: &'a Option<T9>,
        created_at: &'a jiff::Timestamp,
        expires_at: &'a Option<jiff::Timestamp>,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    id,
                    customer_id,
                    name,
                    hash,
                    pepper,
                    scopes,
                    machines,
                    networks,
                    created_at,
                    expires_at,
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
    T4: crate::BytesSql,
    T5: crate::StringSql,
    T6: crate::ArraySql<Item = T5>,
    T7: crate::ArraySql<Item = uuid::Uuid>,
    T8: crate::StringSql,
    T9: crate::ArraySql<Item = T8>,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertKeyParams<T1, T2, T3, T4, T5, T6, T7, T8, T9>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertKeyStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertKeyParams<T1, T2, T3, T4, T5, T6, T7, T8, T9>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.id,
            &params.customer_id,
            &params.name,
            &params.hash,
            &params.pepper,
            &params.scopes,
            &params.machines,
            &params.networks,
            &params.created_at,
            &params.expires_at,
        ))
    }
}
pub struct FindKeyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_key() -> FindKeyStmt {
    FindKeyStmt(
        "select k.id, k.customer_id, k.name, k.hash, k.pepper, k.scopes, k.machines, k.networks, k.created_at, k.expires_at, k.revoked_at, k.last_used_at, k.last_used_from from api_keys k where k.id = $1",
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
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>(
        &'s self,
        client: &'c C,
        id: &'a T1,
    ) -> KeyRowQuery<'c, 'a, 's, C, KeyRow, 1> {
        KeyRowQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<KeyRowBorrowed, tokio_postgres::Error> {
                    Ok(KeyRowBorrowed {
                        id: row.try_get(0)?,
                        customer_id: row.try_get(1)?,
                        name: row.try_get(2)?,
                        hash: row.try_get(3)?,
                        pepper: row.try_get(4)?,
                        scopes: row.try_get(5)?,
                        machines: row.try_get(6)?,
                        networks: row.try_get(7)?,
                        created_at: row.try_get(8)?,
                        expires_at: row.try_get(9)?,
                        revoked_at: row.try_get(10)?,
                        last_used_at: row.try_get(11)?,
                        last_used_from: row.try_get(12)?,
                    })
                },
            mapper: |it| KeyRow::from(it),
        }
    }
}
pub struct LockKeyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn lock_key() -> LockKeyStmt {
    LockKeyStmt(
        "select k.id, k.customer_id, k.name, k.hash, k.pepper, k.scopes, k.machines, k.networks, k.created_at, k.expires_at, k.revoked_at, k.last_used_at, k.last_used_from from api_keys k where k.id = $1 for update",
        None,
    )
}
impl LockKeyStmt {
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
        id: &'a T1,
    ) -> KeyRowQuery<'c, 'a, 's, C, KeyRow, 1> {
        KeyRowQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<KeyRowBorrowed, tokio_postgres::Error> {
                    Ok(KeyRowBorrowed {
                        id: row.try_get(0)?,
                        customer_id: row.try_get(1)?,
                        name: row.try_get(2)?,
                        hash: row.try_get(3)?,
                        pepper: row.try_get(4)?,
                        scopes: row.try_get(5)?,
                        machines: row.try_get(6)?,
                        networks: row.try_get(7)?,
                        created_at: row.try_get(8)?,
                        expires_at: row.try_get(9)?,
                        revoked_at: row.try_get(10)?,
                        last_used_at: row.try_get(11)?,
                        last_used_from: row.try_get(12)?,
                    })
                },
            mapper: |it| KeyRow::from(it),
        }
    }
}
pub struct ListKeysStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_keys() -> ListKeysStmt {
    ListKeysStmt(
        "select k.id, k.customer_id, k.name, k.hash, k.pepper, k.scopes, k.machines, k.networks, k.created_at, k.expires_at, k.revoked_at, k.last_used_at, k.last_used_from from api_keys k where $1::text is null or k.customer_id = $1 order by k.created_at, k.id",
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
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>(
        &'s self,
        client: &'c C,
        customer_id: &'a Option<T1>,
    ) -> KeyRowQuery<'c, 'a, 's, C, KeyRow, 1> {
        KeyRowQuery {
            client,
            params: [customer_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<KeyRowBorrowed, tokio_postgres::Error> {
                    Ok(KeyRowBorrowed {
                        id: row.try_get(0)?,
                        customer_id: row.try_get(1)?,
                        name: row.try_get(2)?,
                        hash: row.try_get(3)?,
                        pepper: row.try_get(4)?,
                        scopes: row.try_get(5)?,
                        machines: row.try_get(6)?,
                        networks: row.try_get(7)?,
                        created_at: row.try_get(8)?,
                        expires_at: row.try_get(9)?,
                        revoked_at: row.try_get(10)?,
                        last_used_at: row.try_get(11)?,
                        last_used_from: row.try_get(12)?,
                    })
                },
            mapper: |it| KeyRow::from(it),
        }
    }
}
pub struct RevokeKeyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn revoke_key() -> RevokeKeyStmt {
    RevokeKeyStmt(
        "update api_keys set revoked_at = $1 where id = $2 and revoked_at is null",
        None,
    )
}
impl RevokeKeyStmt {
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
        now: &'a jiff::Timestamp,
        id: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        RevokeKeyParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for RevokeKeyStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a RevokeKeyParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.id))
    }
}
pub struct ExpireKeyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn expire_key() -> ExpireKeyStmt {
    ExpireKeyStmt(
        "update api_keys set expires_at = least(expires_at, $1) where id = $2",
        None,
    )
}
impl ExpireKeyStmt {
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
        at: &'a jiff::Timestamp,
        id: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[at, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        ExpireKeyParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for ExpireKeyStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a ExpireKeyParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.at, &params.id))
    }
}
pub struct RecordUsesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn record_uses() -> RecordUsesStmt {
    RecordUsesStmt(
        "update api_keys k set last_used_at = u.at, last_used_from = nullif(u.address, '') from unnest($1::text[], $2::timestamptz[], $3::text[]) as u (id, at, address) where k.id = u.id and (k.last_used_at is null or k.last_used_at <= u.at - interval '1 minute' or k.last_used_at > u.at + interval '1 minute')",
        None,
    )
}
impl RecordUsesStmt {
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
        T3: crate::ArraySql<Item = jiff::Timestamp>,
        T4: crate::StringSql,
        T5: crate::ArraySql<Item = T4>,
    >(
        &'s self,
        client: &'c C,
        ids: &'a T2,
        times: &'a T3,
        addresses: &'a T5,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[ids, times, addresses]).await
    }
}
impl<
    'a,
    C: GenericClient + Send + Sync,
    T1: crate::StringSql,
    T2: crate::ArraySql<Item = T1>,
    T3: crate::ArraySql<Item = jiff::Timestamp>,
    T4: crate::StringSql,
    T5: crate::ArraySql<Item = T4>,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        RecordUsesParams<T1, T2, T3, T4, T5>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for RecordUsesStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a RecordUsesParams<T1, T2, T3, T4, T5>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.ids, &params.times, &params.addresses))
    }
}
pub struct ListKeyMachinesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_key_machines() -> ListKeyMachinesStmt {
    ListKeyMachinesStmt(
        "select m.id, m.kind, m.public_id from machines m where m.id = any($1::uuid[]) order by m.kind, m.public_id",
        None,
    )
}
impl ListKeyMachinesStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::ArraySql<Item = uuid::Uuid>>(
        &'s self,
        client: &'c C,
        ids: &'a T1,
    ) -> ListKeyMachinesQuery<'c, 'a, 's, C, ListKeyMachines, 1> {
        ListKeyMachinesQuery {
            client,
            params: [ids],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |
                row: &tokio_postgres::Row,
            | -> Result<ListKeyMachinesBorrowed, tokio_postgres::Error> {
                Ok(ListKeyMachinesBorrowed {
                    id: row.try_get(0)?,
                    kind: row.try_get(1)?,
                    public_id: row.try_get(2)?,
                })
            },
            mapper: |it| ListKeyMachines::from(it),
        }
    }
}
