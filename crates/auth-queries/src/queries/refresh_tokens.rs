// This file was generated with `cornucopia`. Do not modify.

#[derive(Clone, Copy, Debug)]
pub struct RevokeOfSessionParams {
    pub now: jiff::Timestamp,
    pub session_id: uuid::Uuid,
}
#[derive(Debug)]
pub struct AttachSessionParams<T1: crate::StringSql> {
    pub session_id: uuid::Uuid,
    pub token: T1,
}
#[derive(Debug, Clone, PartialEq)]
pub struct TokenRow {
    pub id: i64,
    pub revoked: Option<bool>,
    pub parent: Option<String>,
    pub session_id: Option<uuid::Uuid>,
    pub user_id: Option<String>,
    pub updated_at: Option<jiff::Timestamp>,
}
pub struct TokenRowBorrowed<'a> {
    pub id: i64,
    pub revoked: Option<bool>,
    pub parent: Option<&'a str>,
    pub session_id: Option<uuid::Uuid>,
    pub user_id: Option<&'a str>,
    pub updated_at: Option<jiff::Timestamp>,
}
impl<'a> From<TokenRowBorrowed<'a>> for TokenRow {
    fn from(
        TokenRowBorrowed {
            id,
            revoked,
            parent,
            session_id,
            user_id,
            updated_at,
        }: TokenRowBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            revoked,
            parent: parent.map(|v| v.into()),
            session_id,
            user_id: user_id.map(|v| v.into()),
            updated_at,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct FindActiveOfSession {
    pub id: i64,
    pub token: Option<String>,
    pub parent: Option<String>,
}
pub struct FindActiveOfSessionBorrowed<'a> {
    pub id: i64,
    pub token: Option<&'a str>,
    pub parent: Option<&'a str>,
}
impl<'a> From<FindActiveOfSessionBorrowed<'a>> for FindActiveOfSession {
    fn from(
        FindActiveOfSessionBorrowed { id, token, parent }: FindActiveOfSessionBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            token: token.map(|v| v.into()),
            parent: parent.map(|v| v.into()),
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct OptionuuidUuidQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<Option<uuid::Uuid>, tokio_postgres::Error>,
    mapper: fn(Option<uuid::Uuid>) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> OptionuuidUuidQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(Option<uuid::Uuid>) -> R,
    ) -> OptionuuidUuidQuery<'c, 'a, 's, C, R, N> {
        OptionuuidUuidQuery {
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
pub struct TokenRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<TokenRowBorrowed, tokio_postgres::Error>,
    mapper: fn(TokenRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> TokenRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(TokenRowBorrowed) -> R) -> TokenRowQuery<'c, 'a, 's, C, R, N> {
        TokenRowQuery {
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
pub struct FindActiveOfSessionQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor:
        fn(&tokio_postgres::Row) -> Result<FindActiveOfSessionBorrowed, tokio_postgres::Error>,
    mapper: fn(FindActiveOfSessionBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> FindActiveOfSessionQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(FindActiveOfSessionBorrowed) -> R,
    ) -> FindActiveOfSessionQuery<'c, 'a, 's, C, R, N> {
        FindActiveOfSessionQuery {
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
pub struct FindSessionStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_session() -> FindSessionStmt {
    FindSessionStmt(
        "select t.session_id from refresh_tokens t where t.token = $1",
        None,
    )
}
impl FindSessionStmt {
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
        token: &'a T1,
    ) -> OptionuuidUuidQuery<'c, 'a, 's, C, Option<uuid::Uuid>, 1> {
        OptionuuidUuidQuery {
            client,
            params: [token],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
pub struct FindByTokenStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_token() -> FindByTokenStmt {
    FindByTokenStmt(
        "select t.id, t.revoked, t.parent, t.session_id, t.user_id, t.updated_at from refresh_tokens t where t.token = $1",
        None,
    )
}
impl FindByTokenStmt {
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
        token: &'a T1,
    ) -> TokenRowQuery<'c, 'a, 's, C, TokenRow, 1> {
        TokenRowQuery {
            client,
            params: [token],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<TokenRowBorrowed, tokio_postgres::Error> {
                    Ok(TokenRowBorrowed {
                        id: row.try_get(0)?,
                        revoked: row.try_get(1)?,
                        parent: row.try_get(2)?,
                        session_id: row.try_get(3)?,
                        user_id: row.try_get(4)?,
                        updated_at: row.try_get(5)?,
                    })
                },
            mapper: |it| TokenRow::from(it),
        }
    }
}
pub struct FindActiveOfSessionStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_active_of_session() -> FindActiveOfSessionStmt {
    FindActiveOfSessionStmt(
        "select t.id, t.token, t.parent from refresh_tokens t where t.session_id = $1 and t.revoked is not true order by t.id desc limit 1",
        None,
    )
}
impl FindActiveOfSessionStmt {
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
        session_id: &'a uuid::Uuid,
    ) -> FindActiveOfSessionQuery<'c, 'a, 's, C, FindActiveOfSession, 1> {
        FindActiveOfSessionQuery {
            client,
            params: [session_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |
                row: &tokio_postgres::Row,
            | -> Result<FindActiveOfSessionBorrowed, tokio_postgres::Error> {
                Ok(FindActiveOfSessionBorrowed {
                    id: row.try_get(0)?,
                    token: row.try_get(1)?,
                    parent: row.try_get(2)?,
                })
            },
            mapper: |it| FindActiveOfSession::from(it),
        }
    }
}
pub struct NewestOfSessionStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn newest_of_session() -> NewestOfSessionStmt {
    NewestOfSessionStmt(
        "select t.id from refresh_tokens t where t.session_id = $1 order by t.id desc limit 1",
        None,
    )
}
impl NewestOfSessionStmt {
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
        session_id: &'a uuid::Uuid,
    ) -> I64Query<'c, 'a, 's, C, i64, 1> {
        I64Query {
            client,
            params: [session_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
pub struct RevokeOfSessionStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn revoke_of_session() -> RevokeOfSessionStmt {
    RevokeOfSessionStmt(
        "update refresh_tokens set revoked = true, updated_at = $1 where session_id = $2 and revoked is not true",
        None,
    )
}
impl RevokeOfSessionStmt {
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
        now: &'a jiff::Timestamp,
        session_id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(self.0, &[now, session_id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        RevokeOfSessionParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for RevokeOfSessionStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a RevokeOfSessionParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.session_id))
    }
}
pub struct AttachSessionStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn attach_session() -> AttachSessionStmt {
    AttachSessionStmt(
        "update refresh_tokens set session_id = $1 where token = $2",
        None,
    )
}
impl AttachSessionStmt {
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
        session_id: &'a uuid::Uuid,
        token: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(self.0, &[session_id, token]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        AttachSessionParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for AttachSessionStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a AttachSessionParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.session_id, &params.token))
    }
}
