// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct ExchangeParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::JsonSql,
    T6: crate::StringSql,
> {
    pub token: T1,
    pub now: jiff::Timestamp,
    pub next: T2,
    pub refreshed_at: jiff::civil::DateTime,
    pub user_agent: Option<T3>,
    pub ip: Option<T4>,
    pub audit_id: uuid::Uuid,
    pub audit_payload: T5,
    pub audit_address: T6,
    pub audited: bool,
}
#[derive(Debug)]
pub struct AdoptFamilyParams<T1: crate::StringSql> {
    pub token: T1,
    pub session_id: uuid::Uuid,
    pub now: jiff::Timestamp,
}
#[derive(Debug, Clone, PartialEq)]
pub struct TokenRow {
    pub id: i64,
    pub revoked: Option<bool>,
    pub parent: Option<String>,
    pub session_id: Option<uuid::Uuid>,
    pub user_id: Option<String>,
    pub updated_at: Option<jiff::Timestamp>,
    pub is_taken_over: bool,
}
pub struct TokenRowBorrowed<'a> {
    pub id: i64,
    pub revoked: Option<bool>,
    pub parent: Option<&'a str>,
    pub session_id: Option<uuid::Uuid>,
    pub user_id: Option<&'a str>,
    pub updated_at: Option<jiff::Timestamp>,
    pub is_taken_over: bool,
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
            is_taken_over,
        }: TokenRowBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            revoked,
            parent: parent.map(|v| v.into()),
            session_id,
            user_id: user_id.map(|v| v.into()),
            updated_at,
            is_taken_over,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveRow {
    pub id: i64,
    pub token: Option<String>,
    pub parent: Option<String>,
}
pub struct ActiveRowBorrowed<'a> {
    pub id: i64,
    pub token: Option<&'a str>,
    pub parent: Option<&'a str>,
}
impl<'a> From<ActiveRowBorrowed<'a>> for ActiveRow {
    fn from(ActiveRowBorrowed { id, token, parent }: ActiveRowBorrowed<'a>) -> Self {
        Self {
            id,
            token: token.map(|v| v.into()),
            parent: parent.map(|v| v.into()),
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
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
pub struct ActiveRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ActiveRowBorrowed, tokio_postgres::Error>,
    mapper: fn(ActiveRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ActiveRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(ActiveRowBorrowed) -> R) -> ActiveRowQuery<'c, 'a, 's, C, R, N> {
        ActiveRowQuery {
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
pub struct FindByTokenStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_token() -> FindByTokenStmt {
    FindByTokenStmt(
        "select t.id, t.revoked, t.parent, t.session_id, t.user_id, t.updated_at, exists (select 1 from innkeeper_takeover where finished_at is not null) as is_taken_over from refresh_tokens t where t.token = $1",
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
                        is_taken_over: row.try_get(6)?,
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
    ) -> ActiveRowQuery<'c, 'a, 's, C, ActiveRow, 1> {
        ActiveRowQuery {
            client,
            params: [session_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ActiveRowBorrowed, tokio_postgres::Error> {
                    Ok(ActiveRowBorrowed {
                        id: row.try_get(0)?,
                        token: row.try_get(1)?,
                        parent: row.try_get(2)?,
                    })
                },
            mapper: |it| ActiveRow::from(it),
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
pub struct ExchangeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn exchange() -> ExchangeStmt {
    ExchangeStmt(
        "with locked as ( select s.id from sessions s join refresh_tokens t on t.session_id = s.id where t.token = $1 for no key update of s), used as ( update refresh_tokens set revoked = true, updated_at = $2 where token = $1 and revoked is not true and exists (select 1 from locked) returning token, user_id, session_id), child as ( insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id) select '00000000-0000-0000-0000-000000000000', $3, u.user_id, false, $2, $2, u.token, u.session_id from used u), refreshed as ( update sessions s set refreshed_at = $4, updated_at = $2, user_agent = $5, ip = cast($6 as text)::inet from used u where s.id = u.session_id), written as ( insert into audit_log_entries (instance_id, id, payload, created_at, ip_address) select '00000000-0000-0000-0000-000000000000', $7, $8, $2, $9 from used where $10) select count(*) as exchanged from used",
        None,
    )
}
impl ExchangeStmt {
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
        T5: crate::JsonSql,
        T6: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        token: &'a T1,
        now: &'a jiff::Timestamp,
        next: &'a T2,
        refreshed_at: &'a jiff::civil::DateTime,
        user_agent: &'a Option<T3>,
        ip: &'a Option<T4>,
        audit_id: &'a uuid::Uuid,
        audit_payload: &'a T5,
        audit_address: &'a T6,
        audited: &'a bool,
    ) -> I64Query<'c, 'a, 's, C, i64, 10> {
        I64Query {
            client,
            params: [
                token,
                now,
                next,
                refreshed_at,
                user_agent,
                ip,
                audit_id,
                audit_payload,
                audit_address,
                audited,
            ],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
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
    T5: crate::JsonSql,
    T6: crate::StringSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ExchangeParams<T1, T2, T3, T4, T5, T6>,
        I64Query<'c, 'a, 's, C, i64, 10>,
        C,
    > for ExchangeStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ExchangeParams<T1, T2, T3, T4, T5, T6>,
    ) -> I64Query<'c, 'a, 's, C, i64, 10> {
        self.bind(
            client,
            &params.token,
            &params.now,
            &params.next,
            &params.refreshed_at,
            &params.user_agent,
            &params.ip,
            &params.audit_id,
            &params.audit_payload,
            &params.audit_address,
            &params.audited,
        )
    }
}
pub struct AdoptFamilyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn adopt_family() -> AdoptFamilyStmt {
    AdoptFamilyStmt(
        "with recursive ancestors as ( select t.id, t.token, t.parent, t.user_id, t.session_id, t.created_at from refresh_tokens t where t.token = $1 union select p.id, p.token, p.parent, p.user_id, p.session_id, p.created_at from ancestors a join refresh_tokens p on p.token = a.parent and p.user_id = a.user_id), family as ( select a.id, a.token, a.user_id, a.session_id, a.created_at from ancestors a union select c.id, c.token, c.user_id, c.session_id, c.created_at from family f join refresh_tokens c on c.parent = f.token and c.user_id = f.user_id), present as ( select f.session_id as id from family f where f.session_id is not null order by f.id desc limit 1), opened as ( insert into sessions (id, user_id, created_at, updated_at, aal) select $2, u.id, coalesce(min(f.created_at), $3), $3, 'aal1' from family f join users u on u.id = case when f.user_id ~ '^[0-9a-fA-F-]{36}$' then f.user_id::uuid end where not exists (select 1 from present) group by u.id returning id), locked as ( select t.id from refresh_tokens t where t.id in (select f.id from family f) order by t.id for update) update refresh_tokens t set session_id = s.id from locked l, (select id from present union all select id from opened) s where t.id = l.id and t.session_id is null",
        None,
    )
}
impl AdoptFamilyStmt {
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
        token: &'a T1,
        session_id: &'a uuid::Uuid,
        now: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[token, session_id, now]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        AdoptFamilyParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for AdoptFamilyStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a AdoptFamilyParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.token, &params.session_id, &params.now))
    }
}
