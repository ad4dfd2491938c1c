// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct OpenSessionParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::JsonSql,
    T8: crate::StringSql,
    T9: crate::StringSql,
    T10: crate::JsonSql,
    T11: crate::StringSql,
> {
    pub flow_id: Option<uuid::Uuid>,
    pub sign_count: Option<i64>,
    pub backed_up: Option<bool>,
    pub now: jiff::Timestamp,
    pub passkey_id: Option<uuid::Uuid>,
    pub user_id: uuid::Uuid,
    pub v1_token: Option<T1>,
    pub id: uuid::Uuid,
    pub not_after: Option<jiff::Timestamp>,
    pub user_agent: Option<T2>,
    pub ip: Option<T3>,
    pub tag: Option<T4>,
    pub hmac_key: T5,
    pub method: T6,
    pub identity_data: Option<T7>,
    pub provider: T8,
    pub subject: Option<T9>,
    pub audit_id: uuid::Uuid,
    pub audit_payload: T10,
    pub audit_address: T11,
    pub audited: bool,
}
#[derive(Debug)]
pub struct InsertMethodParams<T1: crate::StringSql> {
    pub id: uuid::Uuid,
    pub session_id: uuid::Uuid,
    pub now: jiff::Timestamp,
    pub method: T1,
}
#[derive(Debug)]
pub struct AdvanceParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::JsonSql,
    T4: crate::StringSql,
> {
    pub refreshed_at: jiff::civil::DateTime,
    pub now: jiff::Timestamp,
    pub user_agent: Option<T1>,
    pub ip: Option<T2>,
    pub id: uuid::Uuid,
    pub counter: i64,
    pub audit_id: uuid::Uuid,
    pub audit_payload: T3,
    pub audit_address: T4,
    pub audited: bool,
}
#[derive(Debug)]
pub struct UpgradeParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::JsonSql,
    T6: crate::StringSql,
> {
    pub hmac_key: T1,
    pub refreshed_at: jiff::civil::DateTime,
    pub now: jiff::Timestamp,
    pub user_agent: Option<T2>,
    pub ip: Option<T3>,
    pub id: uuid::Uuid,
    pub token: T4,
    pub audit_id: uuid::Uuid,
    pub audit_payload: T5,
    pub audit_address: T6,
    pub audited: bool,
}
#[derive(Debug)]
pub struct HasNewerParams<T1: crate::StringSql, T2: crate::ArraySql<Item = T1>> {
    pub user_id: uuid::Uuid,
    pub id: uuid::Uuid,
    pub tags: T2,
    pub now: jiff::Timestamp,
    pub used_at: jiff::Timestamp,
}
#[derive(Clone, Copy, Debug)]
pub struct DeleteOneOfUserParams {
    pub user_id: uuid::Uuid,
    pub id: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct DeleteOthersOfUserParams {
    pub user_id: uuid::Uuid,
    pub id: uuid::Uuid,
}
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    pub id: uuid::Uuid,
    pub created_at: Option<jiff::Timestamp>,
    pub updated_at: Option<jiff::Timestamp>,
    pub refreshed_at: Option<jiff::civil::DateTime>,
    pub aal: Option<String>,
    pub not_after: Option<jiff::Timestamp>,
    pub user_agent: Option<String>,
    pub ip: Option<String>,
    pub tag: Option<String>,
}
pub struct SessionRowBorrowed<'a> {
    pub id: uuid::Uuid,
    pub created_at: Option<jiff::Timestamp>,
    pub updated_at: Option<jiff::Timestamp>,
    pub refreshed_at: Option<jiff::civil::DateTime>,
    pub aal: Option<&'a str>,
    pub not_after: Option<jiff::Timestamp>,
    pub user_agent: Option<&'a str>,
    pub ip: Option<&'a str>,
    pub tag: Option<&'a str>,
}
impl<'a> From<SessionRowBorrowed<'a>> for SessionRow {
    fn from(
        SessionRowBorrowed {
            id,
            created_at,
            updated_at,
            refreshed_at,
            aal,
            not_after,
            user_agent,
            ip,
            tag,
        }: SessionRowBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            created_at,
            updated_at,
            refreshed_at,
            aal: aal.map(|v| v.into()),
            not_after,
            user_agent: user_agent.map(|v| v.into()),
            ip: ip.map(|v| v.into()),
            tag: tag.map(|v| v.into()),
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct BoolQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<bool, tokio_postgres::Error>,
    mapper: fn(bool) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> BoolQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(bool) -> R) -> BoolQuery<'c, 'a, 's, C, R, N> {
        BoolQuery {
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
pub struct SessionRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<SessionRowBorrowed, tokio_postgres::Error>,
    mapper: fn(SessionRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> SessionRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(SessionRowBorrowed) -> R,
    ) -> SessionRowQuery<'c, 'a, 's, C, R, N> {
        SessionRowQuery {
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
pub struct OpenSessionStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn open_session() -> OpenSessionStmt {
    OpenSessionStmt(
        "with flow as ( delete from flow_state where id = $1 returning id), passkey as ( update webauthn_credentials set sign_count = $2, backed_up = $3, last_used_at = $4, updated_at = $4 where id = $5 and user_id = $6 and (sign_count < $2 or (sign_count = 0 and cast($2 as bigint) = 0)) returning id), without_v2 as ( select 1 from innkeeper_takeover t where cast($7 as text) is not null and t.finished_at is null and t.found_version < '20251007112900'), opened as ( insert into sessions (id, user_id, created_at, updated_at, aal, not_after, refreshed_at, user_agent, ip, tag, refresh_token_hmac_key, refresh_token_counter) select $8, $6, $4, $4, 'aal1', $9, null, $10, cast($11 as text)::inet, $12, case when not exists (select 1 from without_v2) then $13 end, case when not exists (select 1 from without_v2) then 0 end where (cast($1 as uuid) is null or exists (select 1 from flow)) and (cast($5 as uuid) is null or exists (select 1 from passkey)) returning id, user_id), token as ( insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id) select '00000000-0000-0000-0000-000000000000', $7, o.user_id::text, false, $4, $4, '', o.id from opened o where exists (select 1 from without_v2)), method as ( insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method) select gen_random_uuid(), o.id, $4, $4, $14 from opened o), seen as ( update identities set last_sign_in_at = $4, identity_data = coalesce($15, identity_data), updated_at = $4 where user_id = $6 and provider = $16 and provider_id = coalesce($17, provider_id) and exists (select 1 from opened)), written as ( insert into audit_log_entries (instance_id, id, payload, created_at, ip_address) select '00000000-0000-0000-0000-000000000000', $18, $19, $4, $20 from opened where $21) update users set last_sign_in_at = $4, updated_at = $4 where id = $6 and exists (select 1 from opened) returning exists (select 1 from without_v2) as is_v1",
        None,
    )
}
impl OpenSessionStmt {
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
        T5: crate::StringSql,
        T6: crate::StringSql,
        T7: crate::JsonSql,
        T8: crate::StringSql,
        T9: crate::StringSql,
        T10: crate::JsonSql,
        T11: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        flow_id: &'a Option<uuid::Uuid>,
        sign_count: &'a Option<i64>,
        backed_up: &'a Option<bool>,
        now: &'a jiff::Timestamp,
        passkey_id: &'a Option<uuid::Uuid>,
        user_id: &'a uuid::Uuid,
        v1_token: &'a Option<T1>,
        id: &'a uuid::Uuid,
        not_after: &'a Option<jiff::Timestamp>,
        user_agent: &'a Option<T2>,
        ip: &'a Option<T3>,
        tag: &'a Option<T4>,
        hmac_key: &'a T5,
        method: &'a T6,
        identity_data: &'a Option<T7>,
        provider: &'a T8,
        subject: &'a Option<T9>,
        audit_id: &'a uuid::Uuid,
        audit_payload: &'a T10,
        audit_address: &'a T11,
        audited: &'a bool,
    ) -> BoolQuery<'c, 'a, 's, C, bool, 21> {
        BoolQuery {
            client,
            params: [
                flow_id,
                sign_count,
                backed_up,
                now,
                passkey_id,
                user_id,
                v1_token,
                id,
                not_after,
                user_agent,
                ip,
                tag,
                hmac_key,
                method,
                identity_data,
                provider,
                subject,
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
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::JsonSql,
    T8: crate::StringSql,
    T9: crate::StringSql,
    T10: crate::JsonSql,
    T11: crate::StringSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        OpenSessionParams<T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11>,
        BoolQuery<'c, 'a, 's, C, bool, 21>,
        C,
    > for OpenSessionStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a OpenSessionParams<T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11>,
    ) -> BoolQuery<'c, 'a, 's, C, bool, 21> {
        self.bind(
            client,
            &params.flow_id,
            &params.sign_count,
            &params.backed_up,
            &params.now,
            &params.passkey_id,
            &params.user_id,
            &params.v1_token,
            &params.id,
            &params.not_after,
            &params.user_agent,
            &params.ip,
            &params.tag,
            &params.hmac_key,
            &params.method,
            &params.identity_data,
            &params.provider,
            &params.subject,
            &params.audit_id,
            &params.audit_payload,
            &params.audit_address,
            &params.audited,
        )
    }
}
pub struct InsertMethodStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_method() -> InsertMethodStmt {
    InsertMethodStmt(
        "insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method) values ($1, $2, $3, $3, $4) on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey do update set updated_at = excluded.updated_at",
        None,
    )
}
impl InsertMethodStmt {
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
        id: &'a uuid::Uuid,
        session_id: &'a uuid::Uuid,
        now: &'a jiff::Timestamp,
        method: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[id, session_id, now, method]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertMethodParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertMethodStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertMethodParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.id,
            &params.session_id,
            &params.now,
            &params.method,
        ))
    }
}
pub struct AdvanceStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn advance() -> AdvanceStmt {
    AdvanceStmt(
        "with advanced as ( update sessions set refresh_token_counter = refresh_token_counter + 1, refreshed_at = $1, updated_at = $2, user_agent = $3, ip = cast($4 as text)::inet where id = $5 and refresh_token_counter = $6 returning id), written as ( insert into audit_log_entries (instance_id, id, payload, created_at, ip_address) select '00000000-0000-0000-0000-000000000000', $7, $8, $2, $9 from advanced where $10) select count(*) as advanced from advanced",
        None,
    )
}
impl AdvanceStmt {
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
        T3: crate::JsonSql,
        T4: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        refreshed_at: &'a jiff::civil::DateTime,
        now: &'a jiff::Timestamp,
        user_agent: &'a Option<T1>,
        ip: &'a Option<T2>,
        id: &'a uuid::Uuid,
        counter: &'a i64,
        audit_id: &'a uuid::Uuid,
        audit_payload: &'a T3,
        audit_address: &'a T4,
        audited: &'a bool,
    ) -> I64Query<'c, 'a, 's, C, i64, 10> {
        I64Query {
            client,
            params: [
                refreshed_at,
                now,
                user_agent,
                ip,
                id,
                counter,
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
    T3: crate::JsonSql,
    T4: crate::StringSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        AdvanceParams<T1, T2, T3, T4>,
        I64Query<'c, 'a, 's, C, i64, 10>,
        C,
    > for AdvanceStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a AdvanceParams<T1, T2, T3, T4>,
    ) -> I64Query<'c, 'a, 's, C, i64, 10> {
        self.bind(
            client,
            &params.refreshed_at,
            &params.now,
            &params.user_agent,
            &params.ip,
            &params.id,
            &params.counter,
            &params.audit_id,
            &params.audit_payload,
            &params.audit_address,
            &params.audited,
        )
    }
}
pub struct UpgradeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn upgrade() -> UpgradeStmt {
    UpgradeStmt(
        "with upgraded as ( update sessions set refresh_token_hmac_key = $1, refresh_token_counter = 1, refreshed_at = $2, updated_at = $3, user_agent = $4, ip = cast($5 as text)::inet where id = $6 and refresh_token_hmac_key is null and exists (select 1 from refresh_tokens t where t.token = $7 and t.revoked is not true) returning id), used as ( update refresh_tokens t set revoked = true, updated_at = $3 from upgraded u where t.session_id = u.id and t.revoked is not true), written as ( insert into audit_log_entries (instance_id, id, payload, created_at, ip_address) select '00000000-0000-0000-0000-000000000000', $8, $9, $3, $10 from upgraded where $11) select count(*) as upgraded from upgraded",
        None,
    )
}
impl UpgradeStmt {
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
        hmac_key: &'a T1,
        refreshed_at: &'a jiff::civil::DateTime,
        now: &'a jiff::Timestamp,
        user_agent: &'a Option<T2>,
        ip: &'a Option<T3>,
        id: &'a uuid::Uuid,
        token: &'a T4,
        audit_id: &'a uuid::Uuid,
        audit_payload: &'a T5,
        audit_address: &'a T6,
        audited: &'a bool,
    ) -> I64Query<'c, 'a, 's, C, i64, 11> {
        I64Query {
            client,
            params: [
                hmac_key,
                refreshed_at,
                now,
                user_agent,
                ip,
                id,
                token,
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
        UpgradeParams<T1, T2, T3, T4, T5, T6>,
        I64Query<'c, 'a, 's, C, i64, 11>,
        C,
    > for UpgradeStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a UpgradeParams<T1, T2, T3, T4, T5, T6>,
    ) -> I64Query<'c, 'a, 's, C, i64, 11> {
        self.bind(
            client,
            &params.hmac_key,
            &params.refreshed_at,
            &params.now,
            &params.user_agent,
            &params.ip,
            &params.id,
            &params.token,
            &params.audit_id,
            &params.audit_payload,
            &params.audit_address,
            &params.audited,
        )
    }
}
pub struct LockSessionStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn lock_session() -> LockSessionStmt {
    LockSessionStmt(
        "select true as locked from sessions s where s.id = $1 for no key update",
        None,
    )
}
impl LockSessionStmt {
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
    ) -> BoolQuery<'c, 'a, 's, C, bool, 1> {
        BoolQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
pub struct HasNewerStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn has_newer() -> HasNewerStmt {
    HasNewerStmt(
        "select exists ( select 1 from sessions s where s.user_id = $1 and s.id <> $2 and coalesce(s.tag, '') = any($3) and (s.not_after is null or s.not_after > $4) and coalesce(s.refreshed_at at time zone 'UTC', s.created_at) > $5) as newer",
        None,
    )
}
impl HasNewerStmt {
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
        user_id: &'a uuid::Uuid,
        id: &'a uuid::Uuid,
        tags: &'a T2,
        now: &'a jiff::Timestamp,
        used_at: &'a jiff::Timestamp,
    ) -> BoolQuery<'c, 'a, 's, C, bool, 5> {
        BoolQuery {
            client,
            params: [user_id, id, tags, now, used_at],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::ArraySql<Item = T1>>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        HasNewerParams<T1, T2>,
        BoolQuery<'c, 'a, 's, C, bool, 5>,
        C,
    > for HasNewerStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a HasNewerParams<T1, T2>,
    ) -> BoolQuery<'c, 'a, 's, C, bool, 5> {
        self.bind(
            client,
            &params.user_id,
            &params.id,
            &params.tags,
            &params.now,
            &params.used_at,
        )
    }
}
pub struct DeleteSessionStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_session() -> DeleteSessionStmt {
    DeleteSessionStmt("delete from sessions where id = $1", None)
}
impl DeleteSessionStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[id]).await
    }
}
pub struct DeleteOfUserStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_of_user() -> DeleteOfUserStmt {
    DeleteOfUserStmt("delete from sessions where user_id = $1", None)
}
impl DeleteOfUserStmt {
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
pub struct DeleteOneOfUserStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_one_of_user() -> DeleteOneOfUserStmt {
    DeleteOneOfUserStmt("delete from sessions where user_id = $1 and id = $2", None)
}
impl DeleteOneOfUserStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[user_id, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        DeleteOneOfUserParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for DeleteOneOfUserStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a DeleteOneOfUserParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.user_id, &params.id))
    }
}
pub struct DeleteOthersOfUserStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_others_of_user() -> DeleteOthersOfUserStmt {
    DeleteOthersOfUserStmt("delete from sessions where user_id = $1 and id <> $2", None)
}
impl DeleteOthersOfUserStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[user_id, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        DeleteOthersOfUserParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for DeleteOthersOfUserStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a DeleteOthersOfUserParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.user_id, &params.id))
    }
}
pub struct ListOfUserStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_of_user() -> ListOfUserStmt {
    ListOfUserStmt(
        "select s.id, s.created_at, s.updated_at, s.refreshed_at, s.aal::text as aal, s.not_after, s.user_agent, host(s.ip) as ip, s.tag from sessions s where s.user_id = $1 order by coalesce(s.refreshed_at at time zone 'UTC', s.created_at) desc, s.id",
        None,
    )
}
impl ListOfUserStmt {
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
    ) -> SessionRowQuery<'c, 'a, 's, C, SessionRow, 1> {
        SessionRowQuery {
            client,
            params: [user_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<SessionRowBorrowed, tokio_postgres::Error> {
                    Ok(SessionRowBorrowed {
                        id: row.try_get(0)?,
                        created_at: row.try_get(1)?,
                        updated_at: row.try_get(2)?,
                        refreshed_at: row.try_get(3)?,
                        aal: row.try_get(4)?,
                        not_after: row.try_get(5)?,
                        user_agent: row.try_get(6)?,
                        ip: row.try_get(7)?,
                        tag: row.try_get(8)?,
                    })
                },
            mapper: |it| SessionRow::from(it),
        }
    }
}
