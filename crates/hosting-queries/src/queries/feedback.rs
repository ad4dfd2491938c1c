// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct KeepParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::BytesSql,
    T6: crate::BytesSql,
> {
    pub helpful: bool,
    pub reason: Option<T1>,
    pub comment: Option<T2>,
    pub email: Option<T3>,
    pub now: jiff::Timestamp,
    pub path: T4,
    pub today: T5,
    pub yesterday: T6,
    pub since: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct MakeSaltParams<T1: crate::BytesSql> {
    pub day: jiff::civil::Date,
    pub salt: T1,
}
#[derive(Debug, Clone, PartialEq, Copy)]
pub struct Keep {
    pub id: uuid::Uuid,
    pub received_at: jiff::Timestamp,
}
#[derive(Debug, Clone, PartialEq)]
pub struct ListSalts {
    pub day: jiff::civil::Date,
    pub salt: Vec<u8>,
}
pub struct ListSaltsBorrowed<'a> {
    pub day: jiff::civil::Date,
    pub salt: &'a [u8],
}
impl<'a> From<ListSaltsBorrowed<'a>> for ListSalts {
    fn from(ListSaltsBorrowed { day, salt }: ListSaltsBorrowed<'a>) -> Self {
        Self {
            day,
            salt: salt.into(),
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    pub path: String,
    pub helpful: i64,
    pub not_helpful: i64,
    pub comments: i64,
    pub last_at: jiff::Timestamp,
}
pub struct CountsBorrowed<'a> {
    pub path: &'a str,
    pub helpful: i64,
    pub not_helpful: i64,
    pub comments: i64,
    pub last_at: jiff::Timestamp,
}
impl<'a> From<CountsBorrowed<'a>> for Counts {
    fn from(
        CountsBorrowed {
            path,
            helpful,
            not_helpful,
            comments,
            last_at,
        }: CountsBorrowed<'a>,
    ) -> Self {
        Self {
            path: path.into(),
            helpful,
            not_helpful,
            comments,
            last_at,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    pub id: uuid::Uuid,
    pub path: String,
    pub helpful: bool,
    pub reason: Option<String>,
    pub comment: Option<String>,
    pub email: Option<String>,
    pub received_at: jiff::Timestamp,
    pub updated_at: jiff::Timestamp,
}
pub struct ExportBorrowed<'a> {
    pub id: uuid::Uuid,
    pub path: &'a str,
    pub helpful: bool,
    pub reason: Option<&'a str>,
    pub comment: Option<&'a str>,
    pub email: Option<&'a str>,
    pub received_at: jiff::Timestamp,
    pub updated_at: jiff::Timestamp,
}
impl<'a> From<ExportBorrowed<'a>> for Export {
    fn from(
        ExportBorrowed {
            id,
            path,
            helpful,
            reason,
            comment,
            email,
            received_at,
            updated_at,
        }: ExportBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            path: path.into(),
            helpful,
            reason: reason.map(|v| v.into()),
            comment: comment.map(|v| v.into()),
            email: email.map(|v| v.into()),
            received_at,
            updated_at,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct KeepQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<Keep, tokio_postgres::Error>,
    mapper: fn(Keep) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> KeepQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(Keep) -> R) -> KeepQuery<'c, 'a, 's, C, R, N> {
        KeepQuery {
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
pub struct ListSaltsQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ListSaltsBorrowed, tokio_postgres::Error>,
    mapper: fn(ListSaltsBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ListSaltsQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(ListSaltsBorrowed) -> R) -> ListSaltsQuery<'c, 'a, 's, C, R, N> {
        ListSaltsQuery {
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
pub struct CountsQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<CountsBorrowed, tokio_postgres::Error>,
    mapper: fn(CountsBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> CountsQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(CountsBorrowed) -> R) -> CountsQuery<'c, 'a, 's, C, R, N> {
        CountsQuery {
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
pub struct ExportQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ExportBorrowed, tokio_postgres::Error>,
    mapper: fn(ExportBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ExportQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(ExportBorrowed) -> R) -> ExportQuery<'c, 'a, 's, C, R, N> {
        ExportQuery {
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
pub struct KeepStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn keep() -> KeepStmt {
    KeepStmt(
        "with known as ( update feedback set helpful = $1, reason = $2, comment = $3, email = $4, updated_at = $5 where path = $6 and client in ($7, $8) and received_at > $9 returning id, received_at ), made as ( insert into feedback (id, path, client, helpful, reason, comment, email, received_at, updated_at) select $10, $6, $7, $1, $2, $3, $4, $5, $5 where not exists (select 1 from known) on conflict (path, client) do update set helpful = excluded.helpful, reason = excluded.reason, comment = excluded.comment, email = excluded.email, updated_at = excluded.updated_at returning id, received_at ) select k.id, k.received_at from known k union all select m.id, m.received_at from made m",
        None,
    )
}
impl KeepStmt {
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
        T4: crate::StringSql,
        T5: crate::BytesSql,
        T6: crate::BytesSql,
    >(
        &'s self,
        client: &'c C,
        helpful: &'a bool,
        reason: &'a Option<T1>,
        comment: &'a Option<T2>,
        email: &'a Option<T3>,
        now: &'a jiff::Timestamp,
        path: &'a T4,
        today: &'a T5,
        yesterday: &'a T6,
        since: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> KeepQuery<'c, 'a, 's, C, Keep, 10> {
        KeepQuery {
            client,
            params: [
                helpful, reason, comment, email, now, path, today, yesterday, since, id,
            ],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<Keep, tokio_postgres::Error> {
                Ok(Keep {
                    id: row.try_get(0)?,
                    received_at: row.try_get(1)?,
                })
            },
            mapper: |it| Keep::from(it),
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
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::BytesSql,
    T6: crate::BytesSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        KeepParams<T1, T2, T3, T4, T5, T6>,
        KeepQuery<'c, 'a, 's, C, Keep, 10>,
        C,
    > for KeepStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a KeepParams<T1, T2, T3, T4, T5, T6>,
    ) -> KeepQuery<'c, 'a, 's, C, Keep, 10> {
        self.bind(
            client,
            &params.helpful,
            &params.reason,
            &params.comment,
            &params.email,
            &params.now,
            &params.path,
            &params.today,
            &params.yesterday,
            &params.since,
            &params.id,
        )
    }
}
pub struct MakeSaltStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn make_salt() -> MakeSaltStmt {
    MakeSaltStmt(
        "insert into feedback_salts (day, salt) values ($1, $2) on conflict (day) do nothing",
        None,
    )
}
impl MakeSaltStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::BytesSql>(
        &'s self,
        client: &'c C,
        day: &'a jiff::civil::Date,
        salt: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[day, salt]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::BytesSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        MakeSaltParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for MakeSaltStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a MakeSaltParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.day, &params.salt))
    }
}
pub struct ListSaltsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_salts() -> ListSaltsStmt {
    ListSaltsStmt(
        "select s.day, s.salt from feedback_salts s where s.day >= $1",
        None,
    )
}
impl ListSaltsStmt {
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
        from: &'a jiff::civil::Date,
    ) -> ListSaltsQuery<'c, 'a, 's, C, ListSalts, 1> {
        ListSaltsQuery {
            client,
            params: [from],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ListSaltsBorrowed, tokio_postgres::Error> {
                    Ok(ListSaltsBorrowed {
                        day: row.try_get(0)?,
                        salt: row.try_get(1)?,
                    })
                },
            mapper: |it| ListSalts::from(it),
        }
    }
}
pub struct ForgetSaltsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn forget_salts() -> ForgetSaltsStmt {
    ForgetSaltsStmt("delete from feedback_salts where day < $1", None)
}
impl ForgetSaltsStmt {
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
        before: &'a jiff::civil::Date,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[before]).await
    }
}
pub struct CountsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn counts() -> CountsStmt {
    CountsStmt(
        "select f.path, count(*) filter (where f.helpful) as helpful, count(*) filter (where not f.helpful) as not_helpful, count(f.comment) as comments, max(f.updated_at) as last_at from feedback f group by f.path order by count(*) desc, f.path",
        None,
    )
}
impl CountsStmt {
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
    ) -> CountsQuery<'c, 'a, 's, C, Counts, 0> {
        CountsQuery {
            client,
            params: [],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<CountsBorrowed, tokio_postgres::Error> {
                    Ok(CountsBorrowed {
                        path: row.try_get(0)?,
                        helpful: row.try_get(1)?,
                        not_helpful: row.try_get(2)?,
                        comments: row.try_get(3)?,
                        last_at: row.try_get(4)?,
                    })
                },
            mapper: |it| Counts::from(it),
        }
    }
}
pub struct ExportStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn export() -> ExportStmt {
    ExportStmt(
        "select f.id, f.path, f.helpful, f.reason, f.comment, f.email, f.received_at, f.updated_at from feedback f order by f.received_at, f.id",
        None,
    )
}
impl ExportStmt {
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
    ) -> ExportQuery<'c, 'a, 's, C, Export, 0> {
        ExportQuery {
            client,
            params: [],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ExportBorrowed, tokio_postgres::Error> {
                    Ok(ExportBorrowed {
                        id: row.try_get(0)?,
                        path: row.try_get(1)?,
                        helpful: row.try_get(2)?,
                        reason: row.try_get(3)?,
                        comment: row.try_get(4)?,
                        email: row.try_get(5)?,
                        received_at: row.try_get(6)?,
                        updated_at: row.try_get(7)?,
                    })
                },
            mapper: |it| Export::from(it),
        }
    }
}
