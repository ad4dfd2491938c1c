// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct ReplaceCodesParams<T1: crate::BytesSql, T2: crate::ArraySql<Item = T1>> {
    pub user_id: uuid::Uuid,
    pub set_id: uuid::Uuid,
    pub now: jiff::Timestamp,
    pub macs: T2,
}
#[derive(Debug)]
pub struct UseCodeParams<
    T1: crate::StringSql,
    T2: crate::BytesSql,
    T3: crate::StringSql,
    T4: crate::JsonSql,
    T5: crate::StringSql,
> {
    pub user_id: uuid::Uuid,
    pub v1_token: Option<T1>,
    pub now: jiff::Timestamp,
    pub code_mac: T2,
    pub hmac_key: T3,
    pub session_id: uuid::Uuid,
    pub audit_id: uuid::Uuid,
    pub audit_payload: T4,
    pub audit_address: T5,
    pub audited: bool,
}
#[derive(Debug, Clone, PartialEq, Copy)]
pub struct StatusRow {
    pub set_id: uuid::Uuid,
    pub total: i64,
    pub remaining: i64,
}
#[derive(Debug, Clone, PartialEq)]
pub struct UsedRow {
    pub hmac_key: Option<String>,
    pub counter: Option<i64>,
}
pub struct UsedRowBorrowed<'a> {
    pub hmac_key: Option<&'a str>,
    pub counter: Option<i64>,
}
impl<'a> From<UsedRowBorrowed<'a>> for UsedRow {
    fn from(UsedRowBorrowed { hmac_key, counter }: UsedRowBorrowed<'a>) -> Self {
        Self {
            hmac_key: hmac_key.map(|v| v.into()),
            counter,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct StatusRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<StatusRow, tokio_postgres::Error>,
    mapper: fn(StatusRow) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> StatusRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(StatusRow) -> R) -> StatusRowQuery<'c, 'a, 's, C, R, N> {
        StatusRowQuery {
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
pub struct UsedRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<UsedRowBorrowed, tokio_postgres::Error>,
    mapper: fn(UsedRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> UsedRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(UsedRowBorrowed) -> R) -> UsedRowQuery<'c, 'a, 's, C, R, N> {
        UsedRowQuery {
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
pub struct StatusOfUserStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn status_of_user() -> StatusOfUserStmt {
    StatusOfUserStmt(
        "select r.set_id, count(*) as total, count(*) filter (where r.used_at is null) as remaining from innkeeper_recovery_codes r where r.user_id = $1 group by r.set_id",
        None,
    )
}
impl StatusOfUserStmt {
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
    ) -> StatusRowQuery<'c, 'a, 's, C, StatusRow, 1> {
        StatusRowQuery {
            client,
            params: [user_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row: &tokio_postgres::Row| -> Result<StatusRow, tokio_postgres::Error> {
                Ok(StatusRow {
                    set_id: row.try_get(0)?,
                    total: row.try_get(1)?,
                    remaining: row.try_get(2)?,
                })
            },
            mapper: |it| StatusRow::from(it),
        }
    }
}
pub struct ReplaceCodesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn replace_codes() -> ReplaceCodesStmt {
    ReplaceCodesStmt(
        "with gone as ( delete from innkeeper_recovery_codes where user_id = $1) insert into innkeeper_recovery_codes (user_id, code_mac, set_id, created_at) select $1, mac, $2, $3 from unnest(cast($4 as bytea[])) as mac",
        None,
    )
}
impl ReplaceCodesStmt {
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
        T1: crate::BytesSql,
        T2: crate::ArraySql<Item = T1>,
    >(
        &'s self,
        client: &'c C,
        user_id: &'a uuid::Uuid,
        set_id: &'a uuid::Uuid,
        now: &'a jiff::Timestamp,
        macs: &'a T2,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[user_id, set_id, now, macs]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::BytesSql, T2: crate::ArraySql<Item = T1>>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        ReplaceCodesParams<T1, T2>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for ReplaceCodesStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a ReplaceCodesParams<T1, T2>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.user_id,
            &params.set_id,
            &params.now,
            &params.macs,
        ))
    }
}
pub struct DeleteCodesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_codes() -> DeleteCodesStmt {
    DeleteCodesStmt(
        "with gone as ( delete from innkeeper_recovery_codes where user_id = $1 returning user_id), lowered as ( update sessions s set aal = 'aal1' where s.user_id = $1 and s.factor_id is null and exists (select 1 from gone) and exists (select 1 from mfa_amr_claims c where c.session_id = s.id and c.authentication_method = 'mfa/recovery_code')), methods as ( delete from mfa_amr_claims c using sessions s where s.user_id = $1 and c.session_id = s.id and c.authentication_method = 'mfa/recovery_code' and exists (select 1 from gone)) select count(*) as gone from gone",
        None,
    )
}
impl DeleteCodesStmt {
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
    ) -> I64Query<'c, 'a, 's, C, i64, 1> {
        I64Query {
            client,
            params: [user_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
pub struct UseCodeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn use_code() -> UseCodeStmt {
    UseCodeStmt(
        "with owner as ( select u.id from users u where u.id = $1 for no key update), beside_gotrue as ( select 1 where cast($2 as text) is not null and not exists (select 1 from innkeeper_takeover where finished_at is not null)), used as ( update innkeeper_recovery_codes set used_at = $3 where user_id = (select o.id from owner o) and code_mac = $4 and used_at is null returning user_id), raised as ( update sessions set aal = 'aal2', factor_id = null, refresh_token_hmac_key = case when refresh_token_hmac_key is not null then refresh_token_hmac_key when not exists (select 1 from beside_gotrue) then $5 end, refresh_token_counter = case when refresh_token_hmac_key is not null or not exists (select 1 from beside_gotrue) then coalesce(refresh_token_counter, 0) + 2 end, updated_at = $3 where id = $6 and user_id = $1 and exists (select 1 from used) returning id, user_id, refresh_token_hmac_key, refresh_token_counter), method as ( insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method) select gen_random_uuid(), r.id, $3, $3, 'mfa/recovery_code' from raised r on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey do update set updated_at = excluded.updated_at), ended as ( delete from sessions where user_id = $1 and id <> $6 and coalesce(aal, 'aal1') < 'aal2' and exists (select 1 from raised)), revoked as ( update refresh_tokens t set revoked = true, updated_at = $3 from raised r where t.session_id = r.id and r.refresh_token_hmac_key is not null and t.revoked is not true), former as ( delete from refresh_tokens t using raised r where t.session_id = r.id and r.refresh_token_hmac_key is null), token as ( insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id) select '00000000-0000-0000-0000-000000000000', $2, r.user_id::text, false, $3, $3, '', r.id from raised r where r.refresh_token_hmac_key is null), written as ( insert into audit_log_entries (instance_id, id, payload, created_at, ip_address) select '00000000-0000-0000-0000-000000000000', $7, $8, $3, $9 from raised where $10) select r.refresh_token_hmac_key as hmac_key, r.refresh_token_counter as counter from raised r",
        None,
    )
}
impl UseCodeStmt {
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
        T2: crate::BytesSql,
        T3: crate::StringSql,
        T4: crate::JsonSql,
        T5: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        user_id: &'a uuid::Uuid,
        v1_token: &'a Option<T1>,
        now: &'a jiff::Timestamp,
        code_mac: &'a T2,
        hmac_key: &'a T3,
        session_id: &'a uuid::Uuid,
        audit_id: &'a uuid::Uuid,
        audit_payload: &'a T4,
        audit_address: &'a T5,
        audited: &'a bool,
    ) -> UsedRowQuery<'c, 'a, 's, C, UsedRow, 10> {
        UsedRowQuery {
            client,
            params: [
                user_id,
                v1_token,
                now,
                code_mac,
                hmac_key,
                session_id,
                audit_id,
                audit_payload,
                audit_address,
                audited,
            ],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UsedRowBorrowed, tokio_postgres::Error> {
                    Ok(UsedRowBorrowed {
                        hmac_key: row.try_get(0)?,
                        counter: row.try_get(1)?,
                    })
                },
            mapper: |it| UsedRow::from(it),
        }
    }
}
impl<
    'c,
    'a,
    's,
    C: GenericClient,
    T1: crate::StringSql,
    T2: crate::BytesSql,
    T3: crate::StringSql,
    T4: crate::JsonSql,
    T5: crate::StringSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        UseCodeParams<T1, T2, T3, T4, T5>,
        UsedRowQuery<'c, 'a, 's, C, UsedRow, 10>,
        C,
    > for UseCodeStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a UseCodeParams<T1, T2, T3, T4, T5>,
    ) -> UsedRowQuery<'c, 'a, 's, C, UsedRow, 10> {
        self.bind(
            client,
            &params.user_id,
            &params.v1_token,
            &params.now,
            &params.code_mac,
            &params.hmac_key,
            &params.session_id,
            &params.audit_id,
            &params.audit_payload,
            &params.audit_address,
            &params.audited,
        )
    }
}
