// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertIncidentParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
    T6: crate::ArraySql<Item = T5>,
> {
    pub id: T1,
    pub title: T2,
    pub impact: T3,
    pub status: T4,
    pub components: T6,
    pub now: jiff::Timestamp,
}
#[derive(Debug)]
pub struct InsertUpdateParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
> {
    pub id: T1,
    pub incident_id: T2,
    pub status: T3,
    pub body: T4,
    pub at: jiff::Timestamp,
}
#[derive(Debug)]
pub struct ChangeIncidentParams<T1: crate::StringSql, T2: crate::StringSql, T3: crate::StringSql> {
    pub status: T1,
    pub impact: Option<T2>,
    pub now: jiff::Timestamp,
    pub id: T3,
}
#[derive(Clone, Copy, Debug)]
pub struct ListIncidentsParams {
    pub resolved_after: jiff::Timestamp,
    pub most: i64,
}
#[derive(Debug, Clone, PartialEq)]
pub struct ListIncidents {
    pub id: String,
    pub title: String,
    pub impact: String,
    pub status: String,
    pub components: Vec<String>,
    pub started_at: jiff::Timestamp,
    pub resolved_at: Option<jiff::Timestamp>,
    pub updated_at: jiff::Timestamp,
}
pub struct ListIncidentsBorrowed<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub impact: &'a str,
    pub status: &'a str,
    pub components: crate::ArrayIterator<'a, &'a str>,
    pub started_at: jiff::Timestamp,
    pub resolved_at: Option<jiff::Timestamp>,
    pub updated_at: jiff::Timestamp,
}
impl<'a> From<ListIncidentsBorrowed<'a>> for ListIncidents {
    fn from(
        ListIncidentsBorrowed {
            id,
            title,
            impact,
            status,
            components,
            started_at,
            resolved_at,
            updated_at,
        }: ListIncidentsBorrowed<'a>,
    ) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            impact: impact.into(),
            status: status.into(),
            components: components.map(|v| v.into()).collect(),
            started_at,
            resolved_at,
            updated_at,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct ListUpdates {
    pub id: String,
    pub incident_id: String,
    pub status: String,
    pub body: String,
    pub at: jiff::Timestamp,
}
pub struct ListUpdatesBorrowed<'a> {
    pub id: &'a str,
    pub incident_id: &'a str,
    pub status: &'a str,
    pub body: &'a str,
    pub at: jiff::Timestamp,
}
impl<'a> From<ListUpdatesBorrowed<'a>> for ListUpdates {
    fn from(
        ListUpdatesBorrowed {
            id,
            incident_id,
            status,
            body,
            at,
        }: ListUpdatesBorrowed<'a>,
    ) -> Self {
        Self {
            id: id.into(),
            incident_id: incident_id.into(),
            status: status.into(),
            body: body.into(),
            at,
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
pub struct ListIncidentsQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ListIncidentsBorrowed, tokio_postgres::Error>,
    mapper: fn(ListIncidentsBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ListIncidentsQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(ListIncidentsBorrowed) -> R,
    ) -> ListIncidentsQuery<'c, 'a, 's, C, R, N> {
        ListIncidentsQuery {
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
pub struct ListUpdatesQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ListUpdatesBorrowed, tokio_postgres::Error>,
    mapper: fn(ListUpdatesBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ListUpdatesQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(ListUpdatesBorrowed) -> R,
    ) -> ListUpdatesQuery<'c, 'a, 's, C, R, N> {
        ListUpdatesQuery {
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
pub struct InsertIncidentStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_incident() -> InsertIncidentStmt {
    InsertIncidentStmt(
        "insert into incidents (id, title, impact, status, components, started_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)",
        None,
    )
}
impl InsertIncidentStmt {
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
        T6: crate::ArraySql<Item = T5>,
    >(
        &'s self,
        client: &'c C,
        id: &'a T1,
        title: &'a T2,
        impact: &'a T3,
        status: &'a T4,
        components: &'a T6,
        now: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[id, title, impact, status, components, now])
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
    T6: crate::ArraySql<Item = T5>,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertIncidentParams<T1, T2, T3, T4, T5, T6>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertIncidentStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertIncidentParams<T1, T2, T3, T4, T5, T6>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.id,
            &params.title,
            &params.impact,
            &params.status,
            &params.components,
            &params.now,
        ))
    }
}
pub struct InsertUpdateStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_update() -> InsertUpdateStmt {
    InsertUpdateStmt(
        "insert into incident_updates (id, incident_id, status, body, at) values ($1, $2, $3, $4, $5)",
        None,
    )
}
impl InsertUpdateStmt {
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
        id: &'a T1,
        incident_id: &'a T2,
        status: &'a T3,
        body: &'a T4,
        at: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[id, incident_id, status, body, at])
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
        InsertUpdateParams<T1, T2, T3, T4>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertUpdateStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertUpdateParams<T1, T2, T3, T4>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.id,
            &params.incident_id,
            &params.status,
            &params.body,
            &params.at,
        ))
    }
}
pub struct ChangeIncidentStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn change_incident() -> ChangeIncidentStmt {
    ChangeIncidentStmt(
        "update incidents set status = $1, impact = coalesce($2, impact), updated_at = $3, resolved_at = case when $1 in ('resolved', 'postmortem') then coalesce(resolved_at, $3) end where id = $4 returning id",
        None,
    )
}
impl ChangeIncidentStmt {
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
        status: &'a T1,
        impact: &'a Option<T2>,
        now: &'a jiff::Timestamp,
        id: &'a T3,
    ) -> StringQuery<'c, 'a, 's, C, String, 4> {
        StringQuery {
            client,
            params: [status, impact, now, id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it.into(),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql, T3: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ChangeIncidentParams<T1, T2, T3>,
        StringQuery<'c, 'a, 's, C, String, 4>,
        C,
    > for ChangeIncidentStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ChangeIncidentParams<T1, T2, T3>,
    ) -> StringQuery<'c, 'a, 's, C, String, 4> {
        self.bind(
            client,
            &params.status,
            &params.impact,
            &params.now,
            &params.id,
        )
    }
}
pub struct ListIncidentsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_incidents() -> ListIncidentsStmt {
    ListIncidentsStmt(
        "select i.id, i.title, i.impact, i.status, i.components, i.started_at, i.resolved_at, i.updated_at from incidents i where i.resolved_at is null or i.resolved_at > $1 order by i.started_at desc, i.id limit $2",
        None,
    )
}
impl ListIncidentsStmt {
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
        resolved_after: &'a jiff::Timestamp,
        most: &'a i64,
    ) -> ListIncidentsQuery<'c, 'a, 's, C, ListIncidents, 2> {
        ListIncidentsQuery {
            client,
            params: [resolved_after, most],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ListIncidentsBorrowed, tokio_postgres::Error> {
                    Ok(ListIncidentsBorrowed {
                        id: row.try_get(0)?,
                        title: row.try_get(1)?,
                        impact: row.try_get(2)?,
                        status: row.try_get(3)?,
                        components: row.try_get(4)?,
                        started_at: row.try_get(5)?,
                        resolved_at: row.try_get(6)?,
                        updated_at: row.try_get(7)?,
                    })
                },
            mapper: |it| ListIncidents::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ListIncidentsParams,
        ListIncidentsQuery<'c, 'a, 's, C, ListIncidents, 2>,
        C,
    > for ListIncidentsStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ListIncidentsParams,
    ) -> ListIncidentsQuery<'c, 'a, 's, C, ListIncidents, 2> {
        self.bind(client, &params.resolved_after, &params.most)
    }
}
pub struct ListUpdatesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_updates() -> ListUpdatesStmt {
    ListUpdatesStmt(
        "select u.id, u.incident_id, u.status, u.body, u.at from incident_updates u where u.incident_id = any($1::text[]) order by u.at desc, u.id",
        None,
    )
}
impl ListUpdatesStmt {
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
        T2: crate::ArraySql<Item = T1>,
    >(
        &'s self,
        client: &'c C,
        incident_ids: &'a T2,
    ) -> ListUpdatesQuery<'c, 'a, 's, C, ListUpdates, 1> {
        ListUpdatesQuery {
            client,
            params: [incident_ids],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ListUpdatesBorrowed, tokio_postgres::Error> {
                    Ok(ListUpdatesBorrowed {
                        id: row.try_get(0)?,
                        incident_id: row.try_get(1)?,
                        status: row.try_get(2)?,
                        body: row.try_get(3)?,
                        at: row.try_get(4)?,
                    })
                },
            mapper: |it| ListUpdates::from(it),
        }
    }
}
