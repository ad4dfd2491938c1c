// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct UpsertProfileParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::ArraySql<Item = T4>,
    T6: crate::JsonSql,
    T7: crate::StringSql,
    T8: crate::JsonSql,
    T9: crate::StringSql,
    T10: crate::JsonSql,
> {
    pub name: T1,
    pub version: Option<T2>,
    pub image: T3,
    pub command: T5,
    pub environment: T6,
    pub data_path: T7,
    pub stop: T8,
    pub ready_pattern: Option<T9>,
    pub ready_seconds: i32,
    pub ports: T10,
    pub read_only_root: bool,
    pub now: jiff::Timestamp,
}
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileRow {
    pub name: String,
    pub version: Option<String>,
    pub image: String,
    pub command: Vec<String>,
    pub environment: serde_json::Value,
    pub data_path: String,
    pub stop: serde_json::Value,
    pub ready_pattern: Option<String>,
    pub ready_seconds: i32,
    pub ports: serde_json::Value,
    pub read_only_root: bool,
}
pub struct ProfileRowBorrowed<'a> {
    pub name: &'a str,
    pub version: Option<&'a str>,
    pub image: &'a str,
    pub command: crate::ArrayIterator<'a, &'a str>,
    pub environment: postgres_types::Json<&'a serde_json::value::RawValue>,
    pub data_path: &'a str,
    pub stop: postgres_types::Json<&'a serde_json::value::RawValue>,
    pub ready_pattern: Option<&'a str>,
    pub ready_seconds: i32,
    pub ports: postgres_types::Json<&'a serde_json::value::RawValue>,
    pub read_only_root: bool,
}
impl<'a> From<ProfileRowBorrowed<'a>> for ProfileRow {
    fn from(
        ProfileRowBorrowed {
            name,
            version,
            image,
            command,
            environment,
            data_path,
            stop,
            ready_pattern,
            ready_seconds,
            ports,
            read_only_root,
        }: ProfileRowBorrowed<'a>,
    ) -> Self {
        Self {
            name: name.into(),
            version: version.map(|v| v.into()),
            image: image.into(),
            command: command.map(|v| v.into()).collect(),
            environment: serde_json::from_str(environment.0.get()).unwrap(),
            data_path: data_path.into(),
            stop: serde_json::from_str(stop.0.get()).unwrap(),
            ready_pattern: ready_pattern.map(|v| v.into()),
            ready_seconds,
            ports: serde_json::from_str(ports.0.get()).unwrap(),
            read_only_root,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct ProfileRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ProfileRowBorrowed, tokio_postgres::Error>,
    mapper: fn(ProfileRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ProfileRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(ProfileRowBorrowed) -> R,
    ) -> ProfileRowQuery<'c, 'a, 's, C, R, N> {
        ProfileRowQuery {
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
pub struct FindByNameStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_name() -> FindByNameStmt {
    FindByNameStmt(
        "select p.name, p.version, p.image, p.command, p.environment, p.data_path, p.stop, p.ready_pattern, p.ready_seconds, p.ports, p.read_only_root from game_profiles p where p.name = $1",
        None,
    )
}
impl FindByNameStmt {
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
        name: &'a T1,
    ) -> ProfileRowQuery<'c, 'a, 's, C, ProfileRow, 1> {
        ProfileRowQuery {
            client,
            params: [name],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ProfileRowBorrowed, tokio_postgres::Error> {
                    Ok(ProfileRowBorrowed {
                        name: row.try_get(0)?,
                        version: row.try_get(1)?,
                        image: row.try_get(2)?,
                        command: row.try_get(3)?,
                        environment: row.try_get(4)?,
                        data_path: row.try_get(5)?,
                        stop: row.try_get(6)?,
                        ready_pattern: row.try_get(7)?,
                        ready_seconds: row.try_get(8)?,
                        ports: row.try_get(9)?,
                        read_only_root: row.try_get(10)?,
                    })
                },
            mapper: |it| ProfileRow::from(it),
        }
    }
}
pub struct ListProfilesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_profiles() -> ListProfilesStmt {
    ListProfilesStmt(
        "select p.name, p.version, p.image, p.command, p.environment, p.data_path, p.stop, p.ready_pattern, p.ready_seconds, p.ports, p.read_only_root from game_profiles p order by p.name",
        None,
    )
}
impl ListProfilesStmt {
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
    ) -> ProfileRowQuery<'c, 'a, 's, C, ProfileRow, 0> {
        ProfileRowQuery {
            client,
            params: [],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ProfileRowBorrowed, tokio_postgres::Error> {
                    Ok(ProfileRowBorrowed {
                        name: row.try_get(0)?,
                        version: row.try_get(1)?,
                        image: row.try_get(2)?,
                        command: row.try_get(3)?,
                        environment: row.try_get(4)?,
                        data_path: row.try_get(5)?,
                        stop: row.try_get(6)?,
                        ready_pattern: row.try_get(7)?,
                        ready_seconds: row.try_get(8)?,
                        ports: row.try_get(9)?,
                        read_only_root: row.try_get(10)?,
                    })
                },
            mapper: |it| ProfileRow::from(it),
        }
    }
}
pub struct UpsertProfileStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn upsert_profile() -> UpsertProfileStmt {
    UpsertProfileStmt(
        "insert into game_profiles (name, version, image, command, environment, data_path, stop, ready_pattern, ready_seconds, ports, read_only_root, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12) on conflict (name) do update set version = excluded.version, image = excluded.image, command = excluded.command, environment = excluded.environment, data_path = excluded.data_path, stop = excluded.stop, ready_pattern = excluded.ready_pattern, ready_seconds = excluded.ready_seconds, ports = excluded.ports, read_only_root = excluded.read_only_root, updated_at = excluded.updated_at",
        None,
    )
}
impl UpsertProfileStmt {
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
        T6: crate::JsonSql,
        T7: crate::StringSql,
        T8: crate::JsonSql,
        T9: crate::StringSql,
        T10: crate::JsonSql,
    >(
        &'s self,
        client: &'c C,
        name: &'a T1,
        version: &'a Option<T2>,
        image: &'a T3,
        command: &'a T5,
        environment: &'a T6,
        data_path: &'a T7,
        stop: &'a T8,
        ready_pattern: &'a Option<T9>,
        ready_seconds: &'a i32,
        ports: &'a T10,
        read_only_root: &'a bool,
        now: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    name,
                    version,
                    image,
                    command,
                    environment,
                    data_path,
                    stop,
                    ready_pattern,
                    ready_seconds,
                    ports,
                    read_only_root,
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
    T6: crate::JsonSql,
    T7: crate::StringSql,
    T8: crate::JsonSql,
    T9: crate::StringSql,
    T10: crate::JsonSql,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        UpsertProfileParams<T1, T2, T3, T4, T5, T6, T7, T8, T9, T10>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for UpsertProfileStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a UpsertProfileParams<T1, T2, T3, T4, T5, T6, T7, T8, T9, T10>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.name,
            &params.version,
            &params.image,
            &params.command,
            &params.environment,
            &params.data_path,
            &params.stop,
            &params.ready_pattern,
            &params.ready_seconds,
            &params.ports,
            &params.read_only_root,
            &params.now,
        ))
    }
}
pub struct DeleteProfileStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_profile() -> DeleteProfileStmt {
    DeleteProfileStmt("delete from game_profiles where name = $1", None)
}
impl DeleteProfileStmt {
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
        name: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[name]).await
    }
}
