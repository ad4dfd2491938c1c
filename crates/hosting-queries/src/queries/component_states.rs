// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct SaveStateParams<T1: crate::StringSql, T2: crate::JsonSql> {
    pub component: T1,
    pub probes: T2,
    pub changed_at: jiff::Timestamp,
    pub checked_at: jiff::Timestamp,
}
#[derive(Debug, Clone, PartialEq)]
pub struct ListStates {
    pub component: String,
    pub probes: serde_json::Value,
    pub changed_at: jiff::Timestamp,
    pub checked_at: jiff::Timestamp,
}
pub struct ListStatesBorrowed<'a> {
    pub component: &'a str,
    pub probes: postgres_types::Json<&'a serde_json::value::RawValue>,
    pub changed_at: jiff::Timestamp,
    pub checked_at: jiff::Timestamp,
}
impl<'a> From<ListStatesBorrowed<'a>> for ListStates {
    fn from(
        ListStatesBorrowed {
            component,
            probes,
            changed_at,
            checked_at,
        }: ListStatesBorrowed<'a>,
    ) -> Self {
        Self {
            component: component.into(),
            probes: serde_json::from_str(probes.0.get()).unwrap(),
            changed_at,
            checked_at,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct ListStatesQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ListStatesBorrowed, tokio_postgres::Error>,
    mapper: fn(ListStatesBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ListStatesQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(ListStatesBorrowed) -> R,
    ) -> ListStatesQuery<'c, 'a, 's, C, R, N> {
        ListStatesQuery {
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
pub struct ListStatesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_states() -> ListStatesStmt {
    ListStatesStmt(
        "select s.component, s.probes, s.changed_at, s.checked_at from component_states s",
        None,
    )
}
impl ListStatesStmt {
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
    ) -> ListStatesQuery<'c, 'a, 's, C, ListStates, 0> {
        ListStatesQuery {
            client,
            params: [],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ListStatesBorrowed, tokio_postgres::Error> {
                    Ok(ListStatesBorrowed {
                        component: row.try_get(0)?,
                        probes: row.try_get(1)?,
                        changed_at: row.try_get(2)?,
                        checked_at: row.try_get(3)?,
                    })
                },
            mapper: |it| ListStates::from(it),
        }
    }
}
pub struct SaveStateStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn save_state() -> SaveStateStmt {
    SaveStateStmt(
        "insert into component_states (component, probes, changed_at, checked_at) values ($1, $2, $3, $4) on conflict (component) do update set probes = excluded.probes, changed_at = excluded.changed_at, checked_at = excluded.checked_at",
        None,
    )
}
impl SaveStateStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::JsonSql>(
        &'s self,
        client: &'c C,
        component: &'a T1,
        probes: &'a T2,
        changed_at: &'a jiff::Timestamp,
        checked_at: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[component, probes, changed_at, checked_at])
            .await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql, T2: crate::JsonSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        SaveStateParams<T1, T2>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SaveStateStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SaveStateParams<T1, T2>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.component,
            &params.probes,
            &params.changed_at,
            &params.checked_at,
        ))
    }
}
