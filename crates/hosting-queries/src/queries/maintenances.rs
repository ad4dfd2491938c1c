// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertMaintenanceParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::ArraySql<Item = T4>,
> {
    pub id: T1,
    pub title: T2,
    pub body: T3,
    pub components: T5,
    pub scheduled_for: jiff::Timestamp,
    pub scheduled_until: jiff::Timestamp,
    pub now: jiff::Timestamp,
}
#[derive(Debug)]
pub struct CancelMaintenanceParams<T1: crate::StringSql> {
    pub now: jiff::Timestamp,
    pub id: T1,
}
#[derive(Clone, Copy, Debug)]
pub struct ListMaintenancesParams {
    pub until_after: jiff::Timestamp,
    pub most: i64,
}
#[derive(Debug, Clone, PartialEq)]
pub struct ListMaintenances {
    pub id: String,
    pub title: String,
    pub body: String,
    pub components: Vec<String>,
    pub scheduled_for: jiff::Timestamp,
    pub scheduled_until: jiff::Timestamp,
    pub created_at: jiff::Timestamp,
    pub cancelled_at: Option<jiff::Timestamp>,
}
pub struct ListMaintenancesBorrowed<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub body: &'a str,
    pub components: crate::ArrayIterator<'a, &'a str>,
    pub scheduled_for: jiff::Timestamp,
    pub scheduled_until: jiff::Timestamp,
    pub created_at: jiff::Timestamp,
    pub cancelled_at: Option<jiff::Timestamp>,
}
impl<'a> From<ListMaintenancesBorrowed<'a>> for ListMaintenances {
    fn from(
        ListMaintenancesBorrowed {
            id,
            title,
            body,
            components,
            scheduled_for,
            scheduled_until,
            created_at,
            cancelled_at,
        }: ListMaintenancesBorrowed<'a>,
    ) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            body: body.into(),
            components: components.map(|v| v.into()).collect(),
            scheduled_for,
            scheduled_until,
            created_at,
            cancelled_at,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
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
pub struct ListMaintenancesQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ListMaintenancesBorrowed, tokio_postgres::Error>,
    mapper: fn(ListMaintenancesBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ListMaintenancesQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(ListMaintenancesBorrowed) -> R,
    ) -> ListMaintenancesQuery<'c, 'a, 's, C, R, N> {
        ListMaintenancesQuery {
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
pub struct InsertMaintenanceStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_maintenance() -> InsertMaintenanceStmt {
    InsertMaintenanceStmt(
        "insert into maintenances (id, title, body, components, scheduled_for, scheduled_until, created_at) values ($1, $2, $3, $4, $5, $6, $7)",
        None,
    )
}
impl InsertMaintenanceStmt {
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
        T5: crate::ArraySql<Item = T4>,
    >(
        &'s self,
        client: &'c C,
        id: &'a T1,
        title: &'a T2,
        body: &'a T3,
        components: &'a T5,
        scheduled_for: &'a jiff::Timestamp,
        scheduled_until: &'a jiff::Timestamp,
        now: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    id,
                    title,
                    body,
                    components,
                    scheduled_for,
                    scheduled_until,
                    now,
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
    T5: crate::ArraySql<Item = T4>,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertMaintenanceParams<T1, T2, T3, T4, T5>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertMaintenanceStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertMaintenanceParams<T1, T2, T3, T4, T5>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.id,
            &params.title,
            &params.body,
            &params.components,
            &params.scheduled_for,
            &params.scheduled_until,
            &params.now,
        ))
    }
}
pub struct CancelMaintenanceStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn cancel_maintenance() -> CancelMaintenanceStmt {
    CancelMaintenanceStmt(
        "update maintenances set cancelled_at = $1 where id = $2 and cancelled_at is null and scheduled_until > $1 returning id",
        None,
    )
}
impl CancelMaintenanceStmt {
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
        now: &'a jiff::Timestamp,
        id: &'a T1,
    ) -> StringQuery<'c, 'a, 's, C, String, 2> {
        StringQuery {
            client,
            params: [now, id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it.into(),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        CancelMaintenanceParams<T1>,
        StringQuery<'c, 'a, 's, C, String, 2>,
        C,
    > for CancelMaintenanceStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a CancelMaintenanceParams<T1>,
    ) -> StringQuery<'c, 'a, 's, C, String, 2> {
        self.bind(client, &params.now, &params.id)
    }
}
pub struct ListMaintenancesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_maintenances() -> ListMaintenancesStmt {
    ListMaintenancesStmt(
        "select m.id, m.title, m.body, m.components, m.scheduled_for, m.scheduled_until, m.created_at, m.cancelled_at from maintenances m where m.scheduled_until > $1 order by m.scheduled_for, m.id limit $2",
        None,
    )
}
impl ListMaintenancesStmt {
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
        until_after: &'a jiff::Timestamp,
        most: &'a i64,
    ) -> ListMaintenancesQuery<'c, 'a, 's, C, ListMaintenances, 2> {
        ListMaintenancesQuery {
            client,
            params: [until_after, most],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |
                row: &tokio_postgres::Row,
            | -> Result<ListMaintenancesBorrowed, tokio_postgres::Error> {
                Ok(ListMaintenancesBorrowed {
                    id: row.try_get(0)?,
                    title: row.try_get(1)?,
                    body: row.try_get(2)?,
                    components: row.try_get(3)?,
                    scheduled_for: row.try_get(4)?,
                    scheduled_until: row.try_get(5)?,
                    created_at: row.try_get(6)?,
                    cancelled_at: row.try_get(7)?,
                })
            },
            mapper: |it| ListMaintenances::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ListMaintenancesParams,
        ListMaintenancesQuery<'c, 'a, 's, C, ListMaintenances, 2>,
        C,
    > for ListMaintenancesStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ListMaintenancesParams,
    ) -> ListMaintenancesQuery<'c, 'a, 's, C, ListMaintenances, 2> {
        self.bind(client, &params.until_after, &params.most)
    }
}
