// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct ReplaceParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::BytesSql,
> {
    pub carries_password: bool,
    pub user_id: uuid::Uuid,
    pub kind: T1,
    pub token_hash: T2,
    pub relates_to: T3,
    pub now: jiff::Timestamp,
    pub code_mac: T4,
    pub flow_id: Option<uuid::Uuid>,
}
#[derive(Debug)]
pub struct CountAttemptParams<T1: crate::StringSql> {
    pub kind: T1,
    pub now: jiff::Timestamp,
    pub user_id: uuid::Uuid,
}
#[derive(Debug)]
pub struct ClearKindParams<T1: crate::StringSql> {
    pub user_id: uuid::Uuid,
    pub kind: T1,
}
#[derive(Debug, Clone, PartialEq)]
pub struct LinkRow {
    pub user_id: uuid::Uuid,
    pub kind: String,
    pub relates_to: String,
    pub sent_at: jiff::Timestamp,
    pub carries_password: Option<bool>,
    pub flow_id: Option<uuid::Uuid>,
}
pub struct LinkRowBorrowed<'a> {
    pub user_id: uuid::Uuid,
    pub kind: &'a str,
    pub relates_to: &'a str,
    pub sent_at: jiff::Timestamp,
    pub carries_password: Option<bool>,
    pub flow_id: Option<uuid::Uuid>,
}
impl<'a> From<LinkRowBorrowed<'a>> for LinkRow {
    fn from(
        LinkRowBorrowed {
            user_id,
            kind,
            relates_to,
            sent_at,
            carries_password,
            flow_id,
        }: LinkRowBorrowed<'a>,
    ) -> Self {
        Self {
            user_id,
            kind: kind.into(),
            relates_to: relates_to.into(),
            sent_at,
            carries_password,
            flow_id,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct FormerLinkRow {
    pub user_id: uuid::Uuid,
    pub kind: String,
    pub sent_at: Option<jiff::Timestamp>,
    pub carries_password: Option<bool>,
}
pub struct FormerLinkRowBorrowed<'a> {
    pub user_id: uuid::Uuid,
    pub kind: &'a str,
    pub sent_at: Option<jiff::Timestamp>,
    pub carries_password: Option<bool>,
}
impl<'a> From<FormerLinkRowBorrowed<'a>> for FormerLinkRow {
    fn from(
        FormerLinkRowBorrowed {
            user_id,
            kind,
            sent_at,
            carries_password,
        }: FormerLinkRowBorrowed<'a>,
    ) -> Self {
        Self {
            user_id,
            kind: kind.into(),
            sent_at,
            carries_password,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct CodeRow {
    pub kind: String,
    pub code_mac: Option<Vec<u8>>,
    pub attempts: i32,
    pub carries_password: bool,
    pub created_at: jiff::Timestamp,
    pub relates_to: Option<String>,
}
pub struct CodeRowBorrowed<'a> {
    pub kind: &'a str,
    pub code_mac: Option<&'a [u8]>,
    pub attempts: i32,
    pub carries_password: bool,
    pub created_at: jiff::Timestamp,
    pub relates_to: Option<&'a str>,
}
impl<'a> From<CodeRowBorrowed<'a>> for CodeRow {
    fn from(
        CodeRowBorrowed {
            kind,
            code_mac,
            attempts,
            carries_password,
            created_at,
            relates_to,
        }: CodeRowBorrowed<'a>,
    ) -> Self {
        Self {
            kind: kind.into(),
            code_mac: code_mac.map(|v| v.into()),
            attempts,
            carries_password,
            created_at,
            relates_to: relates_to.map(|v| v.into()),
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct FormerRow {
    pub confirmation_token: Option<String>,
    pub recovery_token: Option<String>,
    pub email_change_token_new: Option<String>,
    pub email_change_token_current: Option<String>,
    pub phone_change_token: Option<String>,
    pub reauthentication_token: Option<String>,
    pub confirmation_sent_at: Option<jiff::Timestamp>,
    pub recovery_sent_at: Option<jiff::Timestamp>,
    pub email_change_sent_at: Option<jiff::Timestamp>,
    pub phone_change_sent_at: Option<jiff::Timestamp>,
    pub reauthentication_sent_at: Option<jiff::Timestamp>,
}
pub struct FormerRowBorrowed<'a> {
    pub confirmation_token: Option<&'a str>,
    pub recovery_token: Option<&'a str>,
    pub email_change_token_new: Option<&'a str>,
    pub email_change_token_current: Option<&'a str>,
    pub phone_change_token: Option<&'a str>,
    pub reauthentication_token: Option<&'a str>,
    pub confirmation_sent_at: Option<jiff::Timestamp>,
    pub recovery_sent_at: Option<jiff::Timestamp>,
    pub email_change_sent_at: Option<jiff::Timestamp>,
    pub phone_change_sent_at: Option<jiff::Timestamp>,
    pub reauthentication_sent_at: Option<jiff::Timestamp>,
}
impl<'a> From<FormerRowBorrowed<'a>> for FormerRow {
    fn from(
        FormerRowBorrowed {
            confirmation_token,
            recovery_token,
            email_change_token_new,
            email_change_token_current,
            phone_change_token,
            reauthentication_token,
            confirmation_sent_at,
            recovery_sent_at,
            email_change_sent_at,
            phone_change_sent_at,
            reauthentication_sent_at,
        }: FormerRowBorrowed<'a>,
    ) -> Self {
        Self {
            confirmation_token: confirmation_token.map(|v| v.into()),
            recovery_token: recovery_token.map(|v| v.into()),
            email_change_token_new: email_change_token_new.map(|v| v.into()),
            email_change_token_current: email_change_token_current.map(|v| v.into()),
            phone_change_token: phone_change_token.map(|v| v.into()),
            reauthentication_token: reauthentication_token.map(|v| v.into()),
            confirmation_sent_at,
            recovery_sent_at,
            email_change_sent_at,
            phone_change_sent_at,
            reauthentication_sent_at,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct LinkRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<LinkRowBorrowed, tokio_postgres::Error>,
    mapper: fn(LinkRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> LinkRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(LinkRowBorrowed) -> R) -> LinkRowQuery<'c, 'a, 's, C, R, N> {
        LinkRowQuery {
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
pub struct FormerLinkRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<FormerLinkRowBorrowed, tokio_postgres::Error>,
    mapper: fn(FormerLinkRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> FormerLinkRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(FormerLinkRowBorrowed) -> R,
    ) -> FormerLinkRowQuery<'c, 'a, 's, C, R, N> {
        FormerLinkRowQuery {
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
pub struct CodeRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<CodeRowBorrowed, tokio_postgres::Error>,
    mapper: fn(CodeRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> CodeRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(CodeRowBorrowed) -> R) -> CodeRowQuery<'c, 'a, 's, C, R, N> {
        CodeRowQuery {
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
pub struct FormerRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<FormerRowBorrowed, tokio_postgres::Error>,
    mapper: fn(FormerRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> FormerRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(FormerRowBorrowed) -> R) -> FormerRowQuery<'c, 'a, 's, C, R, N> {
        FormerRowQuery {
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
pub struct ReplaceStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn replace() -> ReplaceStmt {
    ReplaceStmt(
        "with earlier as ( insert into innkeeper_earlier_links (link_hash, user_id, relates_to, carries_password, flow_id, created_at) select t.token_hash, t.user_id, t.relates_to, coalesce(c.carries_password, u.invited_at is null) and $1, c.flow_id, coalesce(case when c.link_hash is null then u.confirmation_sent_at end, t.created_at at time zone 'UTC') from one_time_tokens t join users u on u.id = t.user_id left join innkeeper_one_time_codes c on c.user_id = t.user_id and c.token_type = t.token_type and c.link_hash = t.token_hash where t.user_id = $2 and t.token_type = 'confirmation_token' and t.relates_to like '%@%' and $3 = 'confirmation_token' on conflict (link_hash) do nothing), without_password as ( update innkeeper_earlier_links set carries_password = false where user_id = $2 and $3 = 'confirmation_token' and not $1), link as ( insert into one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at) values (gen_random_uuid(), $2, cast($3 as text)::one_time_token_type, $4, $5, $6::timestamptz at time zone 'UTC', $6::timestamptz at time zone 'UTC') on conflict (user_id, token_type) do update set token_hash = excluded.token_hash, relates_to = excluded.relates_to, created_at = excluded.created_at, updated_at = excluded.updated_at), code as ( insert into innkeeper_one_time_codes (user_id, token_type, code_mac, link_hash, attempts, carries_password, flow_id, created_at) values ($2, cast($3 as text)::one_time_token_type, $7, $4, 0, $1, $8, $6) on conflict (user_id, token_type) do update set code_mac = excluded.code_mac, link_hash = excluded.link_hash, attempts = 0, carries_password = excluded.carries_password, flow_id = excluded.flow_id, created_at = excluded.created_at) update users set confirmation_token = case when $3 = 'confirmation_token' then $4 else confirmation_token end, confirmation_sent_at = case when $3 = 'confirmation_token' then $6 else confirmation_sent_at end, recovery_token = case when $3 = 'recovery_token' then $4 else recovery_token end, recovery_sent_at = case when $3 = 'recovery_token' then $6 else recovery_sent_at end, email_change_token_new = case when $3 = 'email_change_token_new' then $4 else email_change_token_new end, email_change_token_current = case when $3 = 'email_change_token_current' then $4 else email_change_token_current end, phone_change_token = case when $3 = 'phone_change_token' then $4 else phone_change_token end, reauthentication_token = case when $3 = 'reauthentication_token' then $4 else reauthentication_token end, reauthentication_sent_at = case when $3 = 'reauthentication_token' then $6 else reauthentication_sent_at end, updated_at = $6 where id = $2",
        None,
    )
}
impl ReplaceStmt {
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
    >(
        &'s self,
        client: &'c C,
        carries_password: &'a bool,
        user_id: &'a uuid::Uuid,
        kind: &'a T1,
        token_hash: &'a T2,
        relates_to: &'a T3,
        now: &'a jiff::Timestamp,
        code_mac: &'a T4,
        flow_id: &'a Option<uuid::Uuid>,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    carries_password,
                    user_id,
                    kind,
                    token_hash,
                    relates_to,
                    now,
                    code_mac,
                    flow_id,
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
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        ReplaceParams<T1, T2, T3, T4>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for ReplaceStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a ReplaceParams<T1, T2, T3, T4>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.carries_password,
            &params.user_id,
            &params.kind,
            &params.token_hash,
            &params.relates_to,
            &params.now,
            &params.code_mac,
            &params.flow_id,
        ))
    }
}
pub struct FindByLinkStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_link() -> FindByLinkStmt {
    FindByLinkStmt(
        "select t.user_id, t.token_type::text as kind, t.relates_to, t.created_at at time zone 'UTC' as sent_at, c.carries_password, c.flow_id from one_time_tokens t left join innkeeper_one_time_codes c on c.user_id = t.user_id and c.token_type = t.token_type and c.link_hash = t.token_hash where t.token_hash = $1 union all select e.user_id, 'confirmation_token', e.relates_to, e.created_at, e.carries_password, e.flow_id from innkeeper_earlier_links e join users u on u.id = e.user_id where e.link_hash = $1 and u.email_confirmed_at is null",
        None,
    )
}
impl FindByLinkStmt {
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
        token_hash: &'a T1,
    ) -> LinkRowQuery<'c, 'a, 's, C, LinkRow, 1> {
        LinkRowQuery {
            client,
            params: [token_hash],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<LinkRowBorrowed, tokio_postgres::Error> {
                    Ok(LinkRowBorrowed {
                        user_id: row.try_get(0)?,
                        kind: row.try_get(1)?,
                        relates_to: row.try_get(2)?,
                        sent_at: row.try_get(3)?,
                        carries_password: row.try_get(4)?,
                        flow_id: row.try_get(5)?,
                    })
                },
            mapper: |it| LinkRow::from(it),
        }
    }
}
pub struct FindByFormerLinkStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_former_link() -> FindByFormerLinkStmt {
    FindByFormerLinkStmt(
        "with found as ( select t.user_id, t.token_type::text as kind, t.created_at at time zone 'UTC' as sent_at, null::boolean as carries_password from one_time_tokens t where t.token_hash = $1 union all select u.id, 'confirmation_token', u.confirmation_sent_at, null from users u where u.confirmation_token = $1 and u.confirmation_token !~ '^[0-9 ]*$' union all select u.id, 'recovery_token', u.recovery_sent_at, null from users u where u.recovery_token = $1 and u.recovery_token !~ '^[0-9 ]*$' union all select u.id, 'email_change_token_new', u.email_change_sent_at, null from users u where u.email_change_token_new = $1 and u.email_change_token_new !~ '^[0-9 ]*$' union all select u.id, 'email_change_token_current', u.email_change_sent_at, null from users u where u.email_change_token_current = $1 and u.email_change_token_current !~ '^[0-9 ]*$' union all select e.user_id, 'confirmation_token', e.created_at, e.carries_password from innkeeper_earlier_links e join users u on u.id = e.user_id where e.link_hash = $1 and u.email_confirmed_at is null) select f.user_id, f.kind, coalesce(case when f.carries_password is not null then f.sent_at when f.kind = 'confirmation_token' then u.confirmation_sent_at when f.kind = 'recovery_token' then u.recovery_sent_at else u.email_change_sent_at end, f.sent_at) as sent_at, f.carries_password from found f join users u on u.id = f.user_id limit 1",
        None,
    )
}
impl FindByFormerLinkStmt {
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
        link: &'a T1,
    ) -> FormerLinkRowQuery<'c, 'a, 's, C, FormerLinkRow, 1> {
        FormerLinkRowQuery {
            client,
            params: [link],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<FormerLinkRowBorrowed, tokio_postgres::Error> {
                    Ok(FormerLinkRowBorrowed {
                        user_id: row.try_get(0)?,
                        kind: row.try_get(1)?,
                        sent_at: row.try_get(2)?,
                        carries_password: row.try_get(3)?,
                    })
                },
            mapper: |it| FormerLinkRow::from(it),
        }
    }
}
pub struct CountAttemptStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn count_attempt() -> CountAttemptStmt {
    CountAttemptStmt(
        "insert into innkeeper_one_time_codes as c (user_id, token_type, code_mac, link_hash, attempts, carries_password, created_at) select u.id, cast($1 as text)::one_time_token_type, null, k.link_hash, 1, false, $2 from users u cross join lateral ( select case cast($1 as text) when 'confirmation_token' then u.confirmation_token when 'recovery_token' then u.recovery_token when 'email_change_token_new' then u.email_change_token_new when 'email_change_token_current' then u.email_change_token_current when 'phone_change_token' then u.phone_change_token when 'reauthentication_token' then u.reauthentication_token end as link_hash) k where u.id = $3 and k.link_hash <> '' on conflict (user_id, token_type) do update set attempts = case when c.link_hash = excluded.link_hash then c.attempts + 1 else 1 end, code_mac = case when c.link_hash = excluded.link_hash then c.code_mac end, link_hash = excluded.link_hash",
        None,
    )
}
impl CountAttemptStmt {
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
        kind: &'a T1,
        now: &'a jiff::Timestamp,
        user_id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[kind, now, user_id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        CountAttemptParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for CountAttemptStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a CountAttemptParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.kind, &params.now, &params.user_id))
    }
}
pub struct ListCodesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_codes() -> ListCodesStmt {
    ListCodesStmt(
        "select c.token_type::text as kind, c.code_mac, c.attempts, c.carries_password, c.created_at, t.relates_to from innkeeper_one_time_codes c join users u on u.id = c.user_id left join one_time_tokens t on t.user_id = c.user_id and t.token_type = c.token_type where c.user_id = $1 and c.link_hash = case c.token_type::text when 'confirmation_token' then u.confirmation_token when 'recovery_token' then u.recovery_token when 'email_change_token_new' then u.email_change_token_new when 'email_change_token_current' then u.email_change_token_current when 'phone_change_token' then u.phone_change_token when 'reauthentication_token' then u.reauthentication_token end",
        None,
    )
}
impl ListCodesStmt {
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
        user_id: &'a uuid::Uuid,
    ) -> CodeRowQuery<'c, 'a, 's, C, CodeRow, 1> {
        CodeRowQuery {
            client,
            params: [user_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<CodeRowBorrowed, tokio_postgres::Error> {
                    Ok(CodeRowBorrowed {
                        kind: row.try_get(0)?,
                        code_mac: row.try_get(1)?,
                        attempts: row.try_get(2)?,
                        carries_password: row.try_get(3)?,
                        created_at: row.try_get(4)?,
                        relates_to: row.try_get(5)?,
                    })
                },
            mapper: |it| CodeRow::from(it),
        }
    }
}
pub struct FormerHashesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn former_hashes() -> FormerHashesStmt {
    FormerHashesStmt(
        "select u.confirmation_token, u.recovery_token, u.email_change_token_new, u.email_change_token_current, u.phone_change_token, u.reauthentication_token, u.confirmation_sent_at, u.recovery_sent_at, u.email_change_sent_at, u.phone_change_sent_at, u.reauthentication_sent_at from users u where u.id = $1",
        None,
    )
}
impl FormerHashesStmt {
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
        id: &'a uuid::Uuid,
    ) -> FormerRowQuery<'c, 'a, 's, C, FormerRow, 1> {
        FormerRowQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<FormerRowBorrowed, tokio_postgres::Error> {
                    Ok(FormerRowBorrowed {
                        confirmation_token: row.try_get(0)?,
                        recovery_token: row.try_get(1)?,
                        email_change_token_new: row.try_get(2)?,
                        email_change_token_current: row.try_get(3)?,
                        phone_change_token: row.try_get(4)?,
                        reauthentication_token: row.try_get(5)?,
                        confirmation_sent_at: row.try_get(6)?,
                        recovery_sent_at: row.try_get(7)?,
                        email_change_sent_at: row.try_get(8)?,
                        phone_change_sent_at: row.try_get(9)?,
                        reauthentication_sent_at: row.try_get(10)?,
                    })
                },
            mapper: |it| FormerRow::from(it),
        }
    }
}
pub struct ClearKindStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn clear_kind() -> ClearKindStmt {
    ClearKindStmt(
        "with link as ( delete from one_time_tokens where user_id = $1 and token_type = cast($2 as text)::one_time_token_type), code as ( delete from innkeeper_one_time_codes where user_id = $1 and token_type = cast($2 as text)::one_time_token_type), earlier as ( delete from innkeeper_earlier_links where user_id = $1 and $2 = 'confirmation_token') update users set confirmation_token = case when $2 = 'confirmation_token' then '' else confirmation_token end, recovery_token = case when $2 = 'recovery_token' then '' else recovery_token end, email_change_token_new = case when $2 = 'email_change_token_new' then '' else email_change_token_new end, email_change_token_current = case when $2 = 'email_change_token_current' then '' else email_change_token_current end, phone_change_token = case when $2 = 'phone_change_token' then '' else phone_change_token end, reauthentication_token = case when $2 = 'reauthentication_token' then '' else reauthentication_token end where id = $1",
        None,
    )
}
impl ClearKindStmt {
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
        user_id: &'a uuid::Uuid,
        kind: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[user_id, kind]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        ClearKindParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for ClearKindStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a ClearKindParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.user_id, &params.kind))
    }
}
pub struct ClearAllStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn clear_all() -> ClearAllStmt {
    ClearAllStmt(
        "with links as ( delete from one_time_tokens where user_id = $1), codes as ( delete from innkeeper_one_time_codes where user_id = $1), earlier as ( delete from innkeeper_earlier_links where user_id = $1) update users set confirmation_token = '', recovery_token = '', email_change_token_new = '', email_change_token_current = '', phone_change_token = '', reauthentication_token = '' where id = $1",
        None,
    )
}
impl ClearAllStmt {
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
        user_id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[user_id]).await
    }
}
pub struct ForgetSentTimesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn forget_sent_times() -> ForgetSentTimesStmt {
    ForgetSentTimesStmt(
        "update users set confirmation_sent_at = null, recovery_sent_at = null, email_change_sent_at = null, phone_change_sent_at = null, reauthentication_sent_at = null where id = $1",
        None,
    )
}
impl ForgetSentTimesStmt {
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
        user_id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[user_id]).await
    }
}
