// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct FindByEmailParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub email: T1,
    pub aud: T2,
}
#[derive(Debug)]
pub struct LockByEmailParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub email: T1,
    pub aud: T2,
}
#[derive(Debug)]
pub struct FindByPhoneParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub phone: T1,
    pub aud: T2,
}
#[derive(Debug)]
pub struct LockByPhoneParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub phone: T1,
    pub aud: T2,
}
#[derive(Debug)]
pub struct LockByPendingPhoneParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub phone: T1,
    pub aud: T2,
}
#[derive(Debug)]
pub struct LockByPendingEmailParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub email: T1,
    pub aud: T2,
}
#[derive(Clone, Copy, Debug)]
pub struct CallerParams {
    pub session_id: uuid::Uuid,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct FindOfProviderParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::ArraySql<Item = T3>,
> {
    pub subject: T1,
    pub provider: T2,
    pub emails: T4,
}
#[derive(Debug)]
pub struct FindByCodeParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub code_hash: T1,
    pub gotrue_code: T2,
}
#[derive(Debug)]
pub struct ListNewestParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub aud: T1,
    pub pattern: T2,
    pub size: i64,
    pub skipped: i64,
}
#[derive(Debug)]
pub struct ListOldestParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub aud: T1,
    pub pattern: T2,
    pub size: i64,
    pub skipped: i64,
}
#[derive(Debug)]
pub struct ListAfterParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub aud: T1,
    pub pattern: T2,
    pub cursor_at: Option<jiff::Timestamp>,
    pub cursor_id: uuid::Uuid,
    pub size: i64,
}
#[derive(Debug)]
pub struct ListExactParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
> {
    pub email: T1,
    pub phone: T2,
    pub aud: T3,
    pub pattern: T4,
}
#[derive(Debug)]
pub struct CountListedParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub aud: T1,
    pub pattern: T2,
}
#[derive(Debug)]
pub struct IsEmailTakenParams<T1: crate::StringSql> {
    pub email: T1,
    pub except: uuid::Uuid,
}
#[derive(Debug)]
pub struct IsPhoneTakenParams<T1: crate::StringSql> {
    pub phone: T1,
    pub except: uuid::Uuid,
}
#[derive(Debug)]
pub struct InsertUserParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
    T6: crate::JsonSql,
    T7: crate::JsonSql,
> {
    pub id: uuid::Uuid,
    pub aud: T1,
    pub role: T2,
    pub email: Option<T3>,
    pub phone: Option<T4>,
    pub encrypted_password: Option<T5>,
    pub email_confirmed_at: Option<jiff::Timestamp>,
    pub phone_confirmed_at: Option<jiff::Timestamp>,
    pub invited_at: Option<jiff::Timestamp>,
    pub app_metadata: T6,
    pub user_metadata: T7,
    pub now: jiff::Timestamp,
    pub is_anonymous: bool,
    pub is_sso_user: bool,
}
#[derive(Debug)]
pub struct SetPasswordParams<T1: crate::StringSql> {
    pub encrypted_password: Option<T1>,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct StartOverParams<T1: crate::StringSql, T2: crate::JsonSql, T3: crate::JsonSql> {
    pub encrypted_password: Option<T1>,
    pub app_metadata: T2,
    pub user_metadata: T3,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct UpgradePasswordParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub encrypted_password: T1,
    pub id: uuid::Uuid,
    pub former: T2,
}
#[derive(Clone, Copy, Debug)]
pub struct TakeBackParams {
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct AddProvidersParams<T1: crate::JsonSql> {
    pub providers: T1,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct SetMetadataParams<T1: crate::JsonSql, T2: crate::JsonSql> {
    pub app_metadata: T1,
    pub user_metadata: T2,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct ConfirmEmailParams {
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct ConfirmPhoneParams {
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct SetInvitedParams {
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct StartEmailChangeParams<T1: crate::StringSql> {
    pub new_email: T1,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct ConfirmHalfOfEmailChangeParams {
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct FinishEmailChangeParams {
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct StartPhoneChangeParams<T1: crate::StringSql> {
    pub new_phone: T1,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct FinishPhoneChangeParams {
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct SetEmailParams<T1: crate::StringSql> {
    pub email: Option<T1>,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct ReplaceEmailParams<T1: crate::StringSql> {
    pub email: Option<T1>,
    pub confirmed_at: Option<jiff::Timestamp>,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct RemovePhoneParams {
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct SetPhoneParams<T1: crate::StringSql> {
    pub phone: Option<T1>,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct SetRoleParams<T1: crate::StringSql> {
    pub role: T1,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct SetAudienceParams<T1: crate::StringSql> {
    pub aud: T1,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct SetBannedUntilParams {
    pub banned_until: Option<jiff::Timestamp>,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct SoftDeleteParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
> {
    pub email: Option<T1>,
    pub phone: Option<T2>,
    pub email_change: T3,
    pub phone_change: T4,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
}
#[derive(Debug, Clone, PartialEq)]
pub struct UserRow {
    pub id: uuid::Uuid,
    pub aud: Option<String>,
    pub role: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub encrypted_password: Option<String>,
    pub email_confirmed_at: Option<jiff::Timestamp>,
    pub phone_confirmed_at: Option<jiff::Timestamp>,
    pub confirmed_at: Option<jiff::Timestamp>,
    pub invited_at: Option<jiff::Timestamp>,
    pub confirmation_sent_at: Option<jiff::Timestamp>,
    pub recovery_sent_at: Option<jiff::Timestamp>,
    pub reauthentication_sent_at: Option<jiff::Timestamp>,
    pub email_change: Option<String>,
    pub email_change_sent_at: Option<jiff::Timestamp>,
    pub email_change_confirm_status: Option<i16>,
    pub phone_change: Option<String>,
    pub phone_change_sent_at: Option<jiff::Timestamp>,
    pub last_sign_in_at: Option<jiff::Timestamp>,
    pub raw_app_meta_data: Option<serde_json::Value>,
    pub raw_user_meta_data: Option<serde_json::Value>,
    pub created_at: Option<jiff::Timestamp>,
    pub updated_at: Option<jiff::Timestamp>,
    pub banned_until: Option<jiff::Timestamp>,
    pub deleted_at: Option<jiff::Timestamp>,
    pub is_sso_user: bool,
    pub is_anonymous: bool,
    pub identities: Option<serde_json::Value>,
    pub factors: Option<serde_json::Value>,
    pub session: Option<serde_json::Value>,
}
pub struct UserRowBorrowed<'a> {
    pub id: uuid::Uuid,
    pub aud: Option<&'a str>,
    pub role: Option<&'a str>,
    pub email: Option<&'a str>,
    pub phone: Option<&'a str>,
    pub encrypted_password: Option<&'a str>,
    pub email_confirmed_at: Option<jiff::Timestamp>,
    pub phone_confirmed_at: Option<jiff::Timestamp>,
    pub confirmed_at: Option<jiff::Timestamp>,
    pub invited_at: Option<jiff::Timestamp>,
    pub confirmation_sent_at: Option<jiff::Timestamp>,
    pub recovery_sent_at: Option<jiff::Timestamp>,
    pub reauthentication_sent_at: Option<jiff::Timestamp>,
    pub email_change: Option<&'a str>,
    pub email_change_sent_at: Option<jiff::Timestamp>,
    pub email_change_confirm_status: Option<i16>,
    pub phone_change: Option<&'a str>,
    pub phone_change_sent_at: Option<jiff::Timestamp>,
    pub last_sign_in_at: Option<jiff::Timestamp>,
    pub raw_app_meta_data: Option<postgres_types::Json<&'a serde_json::value::RawValue>>,
    pub raw_user_meta_data: Option<postgres_types::Json<&'a serde_json::value::RawValue>>,
    pub created_at: Option<jiff::Timestamp>,
    pub updated_at: Option<jiff::Timestamp>,
    pub banned_until: Option<jiff::Timestamp>,
    pub deleted_at: Option<jiff::Timestamp>,
    pub is_sso_user: bool,
    pub is_anonymous: bool,
    pub identities: Option<postgres_types::Json<&'a serde_json::value::RawValue>>,
    pub factors: Option<postgres_types::Json<&'a serde_json::value::RawValue>>,
    pub session: Option<postgres_types::Json<&'a serde_json::value::RawValue>>,
}
impl<'a> From<UserRowBorrowed<'a>> for UserRow {
    fn from(
        UserRowBorrowed {
            id,
            aud,
            role,
            email,
            phone,
            encrypted_password,
            email_confirmed_at,
            phone_confirmed_at,
            confirmed_at,
            invited_at,
            confirmation_sent_at,
            recovery_sent_at,
            reauthentication_sent_at,
            email_change,
            email_change_sent_at,
            email_change_confirm_status,
            phone_change,
            phone_change_sent_at,
            last_sign_in_at,
            raw_app_meta_data,
            raw_user_meta_data,
            created_at,
            updated_at,
            banned_until,
            deleted_at,
            is_sso_user,
            is_anonymous,
            identities,
            factors,
            session,
        }: UserRowBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            aud: aud.map(|v| v.into()),
            role: role.map(|v| v.into()),
            email: email.map(|v| v.into()),
            phone: phone.map(|v| v.into()),
            encrypted_password: encrypted_password.map(|v| v.into()),
            email_confirmed_at,
            phone_confirmed_at,
            confirmed_at,
            invited_at,
            confirmation_sent_at,
            recovery_sent_at,
            reauthentication_sent_at,
            email_change: email_change.map(|v| v.into()),
            email_change_sent_at,
            email_change_confirm_status,
            phone_change: phone_change.map(|v| v.into()),
            phone_change_sent_at,
            last_sign_in_at,
            raw_app_meta_data: raw_app_meta_data.map(|v| serde_json::from_str(v.0.get()).unwrap()),
            raw_user_meta_data: raw_user_meta_data
                .map(|v| serde_json::from_str(v.0.get()).unwrap()),
            created_at,
            updated_at,
            banned_until,
            deleted_at,
            is_sso_user,
            is_anonymous,
            identities: identities.map(|v| serde_json::from_str(v.0.get()).unwrap()),
            factors: factors.map(|v| serde_json::from_str(v.0.get()).unwrap()),
            session: session.map(|v| serde_json::from_str(v.0.get()).unwrap()),
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct HashRow {
    pub id: uuid::Uuid,
    pub encrypted_password: String,
}
pub struct HashRowBorrowed<'a> {
    pub id: uuid::Uuid,
    pub encrypted_password: &'a str,
}
impl<'a> From<HashRowBorrowed<'a>> for HashRow {
    fn from(
        HashRowBorrowed {
            id,
            encrypted_password,
        }: HashRowBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            encrypted_password: encrypted_password.into(),
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct UserRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<UserRowBorrowed, tokio_postgres::Error>,
    mapper: fn(UserRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> UserRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(UserRowBorrowed) -> R) -> UserRowQuery<'c, 'a, 's, C, R, N> {
        UserRowQuery {
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
pub struct UuidUuidQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<uuid::Uuid, tokio_postgres::Error>,
    mapper: fn(uuid::Uuid) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> UuidUuidQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(uuid::Uuid) -> R) -> UuidUuidQuery<'c, 'a, 's, C, R, N> {
        UuidUuidQuery {
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
pub struct HashRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<HashRowBorrowed, tokio_postgres::Error>,
    mapper: fn(HashRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> HashRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(HashRowBorrowed) -> R) -> HashRowQuery<'c, 'a, 's, C, R, N> {
        HashRowQuery {
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
pub struct FindByIdStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_id() -> FindByIdStmt {
    FindByIdStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id) from identities i where i.user_id = u.id) as identities, (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id) as factors, null::jsonb as session from users u where u.id = $1",
        None,
    )
}
impl FindByIdStmt {
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
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 1> {
        UserRowQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
pub struct LockByIdStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn lock_by_id() -> LockByIdStmt {
    LockByIdStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id) from identities i where i.user_id = u.id) as identities, (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id) as factors, null::jsonb as session from users u where u.id = $1 for update of u",
        None,
    )
}
impl LockByIdStmt {
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
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 1> {
        UserRowQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
pub struct FindByEmailStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_email() -> FindByEmailStmt {
    FindByEmailStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id) from identities i where i.user_id = u.id) as identities, (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id) as factors, null::jsonb as session from users u where (u.email = $1 or (lower(u.email) = $1 and (u.instance_id = '00000000-0000-0000-0000-000000000000' or u.instance_id is null))) and (u.aud = $2 or u.aud is null) and not u.is_sso_user order by u.email = $1 desc, u.created_at limit 1",
        None,
    )
}
impl FindByEmailStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        email: &'a T1,
        aud: &'a T2,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        UserRowQuery {
            client,
            params: [email, aud],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        FindByEmailParams<T1, T2>,
        UserRowQuery<'c, 'a, 's, C, UserRow, 2>,
        C,
    > for FindByEmailStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a FindByEmailParams<T1, T2>,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        self.bind(client, &params.email, &params.aud)
    }
}
pub struct LockByEmailStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn lock_by_email() -> LockByEmailStmt {
    LockByEmailStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id) from identities i where i.user_id = u.id) as identities, (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id) as factors, null::jsonb as session from users u where (u.email = $1 or (lower(u.email) = $1 and (u.instance_id = '00000000-0000-0000-0000-000000000000' or u.instance_id is null))) and (u.aud = $2 or u.aud is null) and not u.is_sso_user order by u.email = $1 desc, u.created_at limit 1 for update of u",
        None,
    )
}
impl LockByEmailStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        email: &'a T1,
        aud: &'a T2,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        UserRowQuery {
            client,
            params: [email, aud],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        LockByEmailParams<T1, T2>,
        UserRowQuery<'c, 'a, 's, C, UserRow, 2>,
        C,
    > for LockByEmailStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a LockByEmailParams<T1, T2>,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        self.bind(client, &params.email, &params.aud)
    }
}
pub struct FindByPhoneStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_phone() -> FindByPhoneStmt {
    FindByPhoneStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id) from identities i where i.user_id = u.id) as identities, (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id) as factors, null::jsonb as session from users u where u.phone = $1 and (u.aud = $2 or u.aud is null) and not u.is_sso_user",
        None,
    )
}
impl FindByPhoneStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        phone: &'a T1,
        aud: &'a T2,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        UserRowQuery {
            client,
            params: [phone, aud],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        FindByPhoneParams<T1, T2>,
        UserRowQuery<'c, 'a, 's, C, UserRow, 2>,
        C,
    > for FindByPhoneStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a FindByPhoneParams<T1, T2>,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        self.bind(client, &params.phone, &params.aud)
    }
}
pub struct LockByPhoneStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn lock_by_phone() -> LockByPhoneStmt {
    LockByPhoneStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id) from identities i where i.user_id = u.id) as identities, (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id) as factors, null::jsonb as session from users u where u.phone = $1 and (u.aud = $2 or u.aud is null) and not u.is_sso_user for update of u",
        None,
    )
}
impl LockByPhoneStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        phone: &'a T1,
        aud: &'a T2,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        UserRowQuery {
            client,
            params: [phone, aud],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        LockByPhoneParams<T1, T2>,
        UserRowQuery<'c, 'a, 's, C, UserRow, 2>,
        C,
    > for LockByPhoneStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a LockByPhoneParams<T1, T2>,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        self.bind(client, &params.phone, &params.aud)
    }
}
pub struct LockByPendingPhoneStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn lock_by_pending_phone() -> LockByPendingPhoneStmt {
    LockByPendingPhoneStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id) from identities i where i.user_id = u.id) as identities, (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id) as factors, null::jsonb as session from users u where u.phone_change = $1 and (u.aud = $2 or u.aud is null) and not u.is_sso_user and u.deleted_at is null order by coalesce(u.phone_change_token, '') <> '' desc, u.phone_change_sent_at desc nulls last limit 1 for update of u",
        None,
    )
}
impl LockByPendingPhoneStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        phone: &'a T1,
        aud: &'a T2,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        UserRowQuery {
            client,
            params: [phone, aud],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        LockByPendingPhoneParams<T1, T2>,
        UserRowQuery<'c, 'a, 's, C, UserRow, 2>,
        C,
    > for LockByPendingPhoneStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a LockByPendingPhoneParams<T1, T2>,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        self.bind(client, &params.phone, &params.aud)
    }
}
pub struct FindPhoneHolderStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_phone_holder() -> FindPhoneHolderStmt {
    FindPhoneHolderStmt(
        "select u.id from users u where u.phone = $1 and not u.is_sso_user and u.deleted_at is null",
        None,
    )
}
impl FindPhoneHolderStmt {
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
        phone: &'a T1,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 1> {
        UuidUuidQuery {
            client,
            params: [phone],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
pub struct FindHolderStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_holder() -> FindHolderStmt {
    FindHolderStmt(
        "select u.id from users u where (u.email = $1 or (lower(u.email) = $1 and (u.instance_id = '00000000-0000-0000-0000-000000000000' or u.instance_id is null))) and not u.is_sso_user and u.deleted_at is null order by (u.email = $1) desc, u.created_at, u.id limit 1",
        None,
    )
}
impl FindHolderStmt {
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
        email: &'a T1,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 1> {
        UuidUuidQuery {
            client,
            params: [email],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
pub struct LockByPendingEmailStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn lock_by_pending_email() -> LockByPendingEmailStmt {
    LockByPendingEmailStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id) from identities i where i.user_id = u.id) as identities, (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id) as factors, null::jsonb as session from users u where u.email_change = $1 and (u.aud = $2 or u.aud is null) and not u.is_sso_user and u.deleted_at is null order by u.email_change_sent_at desc nulls last limit 1 for update of u",
        None,
    )
}
impl LockByPendingEmailStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        email: &'a T1,
        aud: &'a T2,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        UserRowQuery {
            client,
            params: [email, aud],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        LockByPendingEmailParams<T1, T2>,
        UserRowQuery<'c, 'a, 's, C, UserRow, 2>,
        C,
    > for LockByPendingEmailStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a LockByPendingEmailParams<T1, T2>,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        self.bind(client, &params.email, &params.aud)
    }
}
pub struct CallerStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn caller() -> CallerStmt {
    CallerStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id) from identities i where i.user_id = u.id) as identities, (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id) as factors, (select jsonb_build_object( 'id', s.id, 'created_at', s.created_at, 'refreshed_at', s.refreshed_at at time zone 'UTC', 'aal', s.aal, 'not_after', s.not_after, 'tag', s.tag, 'hmac_key', s.refresh_token_hmac_key, 'counter', s.refresh_token_counter, 'methods', (select jsonb_agg(jsonb_build_object( 'method', c.authentication_method, 'timestamp', floor(extract(epoch from c.updated_at))::bigint) order by c.updated_at desc, c.id) from mfa_amr_claims c where c.session_id = s.id)) from sessions s where s.id = $1 and s.user_id = u.id) as session from users u where u.id = $2",
        None,
    )
}
impl CallerStmt {
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
        id: &'a uuid::Uuid,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        UserRowQuery {
            client,
            params: [session_id, id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        CallerParams,
        UserRowQuery<'c, 'a, 's, C, UserRow, 2>,
        C,
    > for CallerStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a CallerParams,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        self.bind(client, &params.session_id, &params.id)
    }
}
pub struct FindBySessionStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_session() -> FindBySessionStmt {
    FindBySessionStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id) from identities i where i.user_id = u.id) as identities, (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id) as factors, (select jsonb_build_object( 'id', s.id, 'created_at', s.created_at, 'refreshed_at', s.refreshed_at at time zone 'UTC', 'aal', s.aal, 'not_after', s.not_after, 'tag', s.tag, 'hmac_key', s.refresh_token_hmac_key, 'counter', s.refresh_token_counter, 'methods', (select jsonb_agg(jsonb_build_object( 'method', c.authentication_method, 'timestamp', floor(extract(epoch from c.updated_at))::bigint) order by c.updated_at desc, c.id) from mfa_amr_claims c where c.session_id = s.id)) from sessions s where s.id = $1 and s.user_id = u.id) as session from users u where u.id = (select o.user_id from sessions o where o.id = $1)",
        None,
    )
}
impl FindBySessionStmt {
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
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 1> {
        UserRowQuery {
            client,
            params: [session_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
pub struct FindOfProviderStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_of_provider() -> FindOfProviderStmt {
    FindOfProviderStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id) from identities i where i.user_id = u.id) as identities, (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id) as factors, null::jsonb as session from users u where u.id in (select i.user_id from identities i where i.provider_id = $1 and i.provider = $2 union select i.user_id from identities i where i.email = any($3) union select o.id from users o where o.email = any($3) union select o.id from users o where lower(o.email) = any($3) and (o.instance_id = '00000000-0000-0000-0000-000000000000' or o.instance_id is null)) order by u.created_at, u.id",
        None,
    )
}
impl FindOfProviderStmt {
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
        T4: crate::ArraySql<Item = T3>,
    >(
        &'s self,
        client: &'c C,
        subject: &'a T1,
        provider: &'a T2,
        emails: &'a T4,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 3> {
        UserRowQuery {
            client,
            params: [subject, provider, emails],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
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
    T4: crate::ArraySql<Item = T3>,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        FindOfProviderParams<T1, T2, T3, T4>,
        UserRowQuery<'c, 'a, 's, C, UserRow, 3>,
        C,
    > for FindOfProviderStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a FindOfProviderParams<T1, T2, T3, T4>,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 3> {
        self.bind(client, &params.subject, &params.provider, &params.emails)
    }
}
pub struct FindByCodeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_code() -> FindByCodeStmt {
    FindByCodeStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id) from identities i where i.user_id = u.id) as identities, (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id) as factors, jsonb_build_object( 'id', f.id, 'code_challenge', f.code_challenge, 'code_challenge_method', f.code_challenge_method, 'authentication_method', f.authentication_method, 'provider', f.provider_type, 'provider_token', f.provider_access_token, 'provider_refresh_token', f.provider_refresh_token, 'issued_at', coalesce(f.auth_code_issued_at, f.created_at)) as session from users u join flow_state f on f.user_id = u.id where f.auth_code = $1 or f.auth_code = $2",
        None,
    )
}
impl FindByCodeStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        code_hash: &'a T1,
        gotrue_code: &'a T2,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        UserRowQuery {
            client,
            params: [code_hash, gotrue_code],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        FindByCodeParams<T1, T2>,
        UserRowQuery<'c, 'a, 's, C, UserRow, 2>,
        C,
    > for FindByCodeStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a FindByCodeParams<T1, T2>,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 2> {
        self.bind(client, &params.code_hash, &params.gotrue_code)
    }
}
pub struct ListNewestStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_newest() -> ListNewestStmt {
    ListNewestStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, null::jsonb as identities, null::jsonb as factors, null::jsonb as session from users u where (u.aud = $1 or u.aud is null) and ($2 = '' or u.email ilike '%' || $2 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%') order by coalesce(u.created_at, 'epoch') desc, u.id desc limit $3 offset $4",
        None,
    )
}
impl ListNewestStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        aud: &'a T1,
        pattern: &'a T2,
        size: &'a i64,
        skipped: &'a i64,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 4> {
        UserRowQuery {
            client,
            params: [aud, pattern, size, skipped],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ListNewestParams<T1, T2>,
        UserRowQuery<'c, 'a, 's, C, UserRow, 4>,
        C,
    > for ListNewestStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ListNewestParams<T1, T2>,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 4> {
        self.bind(
            client,
            &params.aud,
            &params.pattern,
            &params.size,
            &params.skipped,
        )
    }
}
pub struct ListOldestStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_oldest() -> ListOldestStmt {
    ListOldestStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, null::jsonb as identities, null::jsonb as factors, null::jsonb as session from users u where (u.aud = $1 or u.aud is null) and ($2 = '' or u.email ilike '%' || $2 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%') order by coalesce(u.created_at, 'epoch'), u.id limit $3 offset $4",
        None,
    )
}
impl ListOldestStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        aud: &'a T1,
        pattern: &'a T2,
        size: &'a i64,
        skipped: &'a i64,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 4> {
        UserRowQuery {
            client,
            params: [aud, pattern, size, skipped],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ListOldestParams<T1, T2>,
        UserRowQuery<'c, 'a, 's, C, UserRow, 4>,
        C,
    > for ListOldestStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ListOldestParams<T1, T2>,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 4> {
        self.bind(
            client,
            &params.aud,
            &params.pattern,
            &params.size,
            &params.skipped,
        )
    }
}
pub struct ListAfterStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_after() -> ListAfterStmt {
    ListAfterStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, null::jsonb as identities, null::jsonb as factors, null::jsonb as session from users u where (u.aud = $1 or u.aud is null) and ($2 = '' or u.email ilike '%' || $2 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%') and (cast($3 as timestamptz) is null or (coalesce(u.created_at, 'epoch'), u.id) < ($3, $4)) order by coalesce(u.created_at, 'epoch') desc, u.id desc limit $5",
        None,
    )
}
impl ListAfterStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        aud: &'a T1,
        pattern: &'a T2,
        cursor_at: &'a Option<jiff::Timestamp>,
        cursor_id: &'a uuid::Uuid,
        size: &'a i64,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 5> {
        UserRowQuery {
            client,
            params: [aud, pattern, cursor_at, cursor_id, size],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ListAfterParams<T1, T2>,
        UserRowQuery<'c, 'a, 's, C, UserRow, 5>,
        C,
    > for ListAfterStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ListAfterParams<T1, T2>,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 5> {
        self.bind(
            client,
            &params.aud,
            &params.pattern,
            &params.cursor_at,
            &params.cursor_id,
            &params.size,
        )
    }
}
pub struct ListExactStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_exact() -> ListExactStmt {
    ListExactStmt(
        "select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous, null::jsonb as identities, null::jsonb as factors, null::jsonb as session from users u where u.id in ( select e.id from users e where e.email = $1 and not e.is_sso_user union all select l.id from users l where lower(l.email) = $1 and (l.instance_id = '00000000-0000-0000-0000-000000000000' or l.instance_id is null) union all select p.id from users p where p.phone = $2) and ($1 = '' or lower(u.email) = $1) and ($2 = '' or u.phone = $2) and (u.aud = $3 or u.aud is null) and ($4 = '' or u.email ilike '%' || $4 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $4 || '%') order by coalesce(u.created_at, 'epoch') desc, u.id desc",
        None,
    )
}
impl ListExactStmt {
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
    >(
        &'s self,
        client: &'c C,
        email: &'a T1,
        phone: &'a T2,
        aud: &'a T3,
        pattern: &'a T4,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 4> {
        UserRowQuery {
            client,
            params: [email, phone, aud, pattern],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<UserRowBorrowed, tokio_postgres::Error> {
                    Ok(UserRowBorrowed {
                        id: row.try_get(0)?,
                        aud: row.try_get(1)?,
                        role: row.try_get(2)?,
                        email: row.try_get(3)?,
                        phone: row.try_get(4)?,
                        encrypted_password: row.try_get(5)?,
                        email_confirmed_at: row.try_get(6)?,
                        phone_confirmed_at: row.try_get(7)?,
                        confirmed_at: row.try_get(8)?,
                        invited_at: row.try_get(9)?,
                        confirmation_sent_at: row.try_get(10)?,
                        recovery_sent_at: row.try_get(11)?,
                        reauthentication_sent_at: row.try_get(12)?,
                        email_change: row.try_get(13)?,
                        email_change_sent_at: row.try_get(14)?,
                        email_change_confirm_status: row.try_get(15)?,
                        phone_change: row.try_get(16)?,
                        phone_change_sent_at: row.try_get(17)?,
                        last_sign_in_at: row.try_get(18)?,
                        raw_app_meta_data: row.try_get(19)?,
                        raw_user_meta_data: row.try_get(20)?,
                        created_at: row.try_get(21)?,
                        updated_at: row.try_get(22)?,
                        banned_until: row.try_get(23)?,
                        deleted_at: row.try_get(24)?,
                        is_sso_user: row.try_get(25)?,
                        is_anonymous: row.try_get(26)?,
                        identities: row.try_get(27)?,
                        factors: row.try_get(28)?,
                        session: row.try_get(29)?,
                    })
                },
            mapper: |it| UserRow::from(it),
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
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ListExactParams<T1, T2, T3, T4>,
        UserRowQuery<'c, 'a, 's, C, UserRow, 4>,
        C,
    > for ListExactStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ListExactParams<T1, T2, T3, T4>,
    ) -> UserRowQuery<'c, 'a, 's, C, UserRow, 4> {
        self.bind(
            client,
            &params.email,
            &params.phone,
            &params.aud,
            &params.pattern,
        )
    }
}
pub struct CountListedStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn count_listed() -> CountListedStmt {
    CountListedStmt(
        "select count(*) as total from users u where (u.aud = $1 or u.aud is null) and ($2 = '' or u.email ilike '%' || $2 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%')",
        None,
    )
}
impl CountListedStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        aud: &'a T1,
        pattern: &'a T2,
    ) -> I64Query<'c, 'a, 's, C, i64, 2> {
        I64Query {
            client,
            params: [aud, pattern],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        CountListedParams<T1, T2>,
        I64Query<'c, 'a, 's, C, i64, 2>,
        C,
    > for CountListedStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a CountListedParams<T1, T2>,
    ) -> I64Query<'c, 'a, 's, C, i64, 2> {
        self.bind(client, &params.aud, &params.pattern)
    }
}
pub struct IsEmailTakenStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn is_email_taken() -> IsEmailTakenStmt {
    IsEmailTakenStmt(
        "select exists ( select 1 from users u where (u.email = $1 or (lower(u.email) = $1 and (u.instance_id = '00000000-0000-0000-0000-000000000000' or u.instance_id is null))) and not u.is_sso_user and u.id <> $2) as taken",
        None,
    )
}
impl IsEmailTakenStmt {
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
        email: &'a T1,
        except: &'a uuid::Uuid,
    ) -> BoolQuery<'c, 'a, 's, C, bool, 2> {
        BoolQuery {
            client,
            params: [email, except],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        IsEmailTakenParams<T1>,
        BoolQuery<'c, 'a, 's, C, bool, 2>,
        C,
    > for IsEmailTakenStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a IsEmailTakenParams<T1>,
    ) -> BoolQuery<'c, 'a, 's, C, bool, 2> {
        self.bind(client, &params.email, &params.except)
    }
}
pub struct IsPhoneTakenStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn is_phone_taken() -> IsPhoneTakenStmt {
    IsPhoneTakenStmt(
        "select exists ( select 1 from users u where u.phone = $1 and u.id <> $2) as taken",
        None,
    )
}
impl IsPhoneTakenStmt {
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
        phone: &'a T1,
        except: &'a uuid::Uuid,
    ) -> BoolQuery<'c, 'a, 's, C, bool, 2> {
        BoolQuery {
            client,
            params: [phone, except],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        IsPhoneTakenParams<T1>,
        BoolQuery<'c, 'a, 's, C, bool, 2>,
        C,
    > for IsPhoneTakenStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a IsPhoneTakenParams<T1>,
    ) -> BoolQuery<'c, 'a, 's, C, bool, 2> {
        self.bind(client, &params.phone, &params.except)
    }
}
pub struct InsertUserStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_user() -> InsertUserStmt {
    InsertUserStmt(
        "insert into users (instance_id, id, aud, role, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at, invited_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, is_anonymous, is_sso_user, confirmation_token, recovery_token, email_change_token_new, email_change, email_change_token_current, phone_change, phone_change_token, reauthentication_token) values ('00000000-0000-0000-0000-000000000000', $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14, '', '', '', '', '', '', '', '') returning id",
        None,
    )
}
impl InsertUserStmt {
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
        T6: crate::JsonSql,
        T7: crate::JsonSql,
    >(
        &'s self,
        client: &'c C,
        id: &'a uuid::Uuid,
        aud: &'a T1,
        role: &'a T2,
        email: &'a Option<T3>,
        phone: &'a Option<T4>,
        encrypted_password: &'a Option<T5>,
        email_confirmed_at: &'a Option<jiff::Timestamp>,
        phone_confirmed_at: &'a Option<jiff::Timestamp>,
        invited_at: &'a Option<jiff::Timestamp>,
        app_metadata: &'a T6,
        user_metadata: &'a T7,
        now: &'a jiff::Timestamp,
        is_anonymous: &'a bool,
        is_sso_user: &'a bool,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 14> {
        UuidUuidQuery {
            client,
            params: [
                id,
                aud,
                role,
                email,
                phone,
                encrypted_password,
                email_confirmed_at,
                phone_confirmed_at,
                invited_at,
                app_metadata,
                user_metadata,
                now,
                is_anonymous,
                is_sso_user,
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
    T6: crate::JsonSql,
    T7: crate::JsonSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        InsertUserParams<T1, T2, T3, T4, T5, T6, T7>,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 14>,
        C,
    > for InsertUserStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a InsertUserParams<T1, T2, T3, T4, T5, T6, T7>,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 14> {
        self.bind(
            client,
            &params.id,
            &params.aud,
            &params.role,
            &params.email,
            &params.phone,
            &params.encrypted_password,
            &params.email_confirmed_at,
            &params.phone_confirmed_at,
            &params.invited_at,
            &params.app_metadata,
            &params.user_metadata,
            &params.now,
            &params.is_anonymous,
            &params.is_sso_user,
        )
    }
}
pub struct SetPasswordStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_password() -> SetPasswordStmt {
    SetPasswordStmt(
        "update users set encrypted_password = $1, updated_at = $2 where id = $3",
        None,
    )
}
impl SetPasswordStmt {
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
        encrypted_password: &'a Option<T1>,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[encrypted_password, now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        SetPasswordParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SetPasswordStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SetPasswordParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.encrypted_password, &params.now, &params.id))
    }
}
pub struct StartOverStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn start_over() -> StartOverStmt {
    StartOverStmt(
        "update users set encrypted_password = $1, raw_app_meta_data = $2, raw_user_meta_data = $3, email_change = '', email_change_confirm_status = 0, phone_change = '', updated_at = $4 where id = $5",
        None,
    )
}
impl StartOverStmt {
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
        T2: crate::JsonSql,
        T3: crate::JsonSql,
    >(
        &'s self,
        client: &'c C,
        encrypted_password: &'a Option<T1>,
        app_metadata: &'a T2,
        user_metadata: &'a T3,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[encrypted_password, app_metadata, user_metadata, now, id],
            )
            .await
    }
}
impl<
    'a,
    C: GenericClient + Send + Sync,
    T1: crate::StringSql,
    T2: crate::JsonSql,
    T3: crate::JsonSql,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        StartOverParams<T1, T2, T3>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for StartOverStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a StartOverParams<T1, T2, T3>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.encrypted_password,
            &params.app_metadata,
            &params.user_metadata,
            &params.now,
            &params.id,
        ))
    }
}
pub struct UpgradePasswordStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn upgrade_password() -> UpgradePasswordStmt {
    UpgradePasswordStmt(
        "update users set encrypted_password = $1 where id = $2 and encrypted_password = $3",
        None,
    )
}
impl UpgradePasswordStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        encrypted_password: &'a T1,
        id: &'a uuid::Uuid,
        former: &'a T2,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[encrypted_password, id, former])
            .await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        UpgradePasswordParams<T1, T2>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for UpgradePasswordStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a UpgradePasswordParams<T1, T2>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.encrypted_password,
            &params.id,
            &params.former,
        ))
    }
}
pub struct TakeBackStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn take_back() -> TakeBackStmt {
    TakeBackStmt(
        "update users set encrypted_password = null, email_change = '', email_change_confirm_status = 0, phone_change = '', updated_at = $1 where id = $2",
        None,
    )
}
impl TakeBackStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        TakeBackParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for TakeBackStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a TakeBackParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.id))
    }
}
pub struct AddProvidersStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn add_providers() -> AddProvidersStmt {
    AddProvidersStmt(
        "update users set raw_app_meta_data = case when jsonb_typeof(raw_app_meta_data) = 'object' then raw_app_meta_data else '{}' end || $1 where id = $2 and raw_app_meta_data ->> 'provider' is null",
        None,
    )
}
impl AddProvidersStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::JsonSql>(
        &'s self,
        client: &'c C,
        providers: &'a T1,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[providers, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::JsonSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        AddProvidersParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for AddProvidersStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a AddProvidersParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.providers, &params.id))
    }
}
pub struct SetMetadataStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_metadata() -> SetMetadataStmt {
    SetMetadataStmt(
        "update users set raw_app_meta_data = $1, raw_user_meta_data = $2, updated_at = $3 where id = $4",
        None,
    )
}
impl SetMetadataStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::JsonSql, T2: crate::JsonSql>(
        &'s self,
        client: &'c C,
        app_metadata: &'a T1,
        user_metadata: &'a T2,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[app_metadata, user_metadata, now, id])
            .await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::JsonSql, T2: crate::JsonSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        SetMetadataParams<T1, T2>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SetMetadataStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SetMetadataParams<T1, T2>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.app_metadata,
            &params.user_metadata,
            &params.now,
            &params.id,
        ))
    }
}
pub struct ConfirmEmailStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn confirm_email() -> ConfirmEmailStmt {
    ConfirmEmailStmt(
        "update users set email_confirmed_at = coalesce(email_confirmed_at, $1), is_anonymous = false, updated_at = $1 where id = $2",
        None,
    )
}
impl ConfirmEmailStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        ConfirmEmailParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for ConfirmEmailStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a ConfirmEmailParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.id))
    }
}
pub struct ConfirmPhoneStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn confirm_phone() -> ConfirmPhoneStmt {
    ConfirmPhoneStmt(
        "update users set phone_confirmed_at = coalesce(phone_confirmed_at, $1), is_anonymous = false, updated_at = $1 where id = $2",
        None,
    )
}
impl ConfirmPhoneStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        ConfirmPhoneParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for ConfirmPhoneStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a ConfirmPhoneParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.id))
    }
}
pub struct SetInvitedStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_invited() -> SetInvitedStmt {
    SetInvitedStmt(
        "update users set invited_at = $1, updated_at = $1 where id = $2",
        None,
    )
}
impl SetInvitedStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        SetInvitedParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SetInvitedStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SetInvitedParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.id))
    }
}
pub struct StartEmailChangeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn start_email_change() -> StartEmailChangeStmt {
    StartEmailChangeStmt(
        "update users set email_change = $1, email_change_sent_at = $2, email_change_confirm_status = 0, updated_at = $2 where id = $3",
        None,
    )
}
impl StartEmailChangeStmt {
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
        new_email: &'a T1,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[new_email, now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        StartEmailChangeParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for StartEmailChangeStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a StartEmailChangeParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.new_email, &params.now, &params.id))
    }
}
pub struct ConfirmHalfOfEmailChangeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn confirm_half_of_email_change() -> ConfirmHalfOfEmailChangeStmt {
    ConfirmHalfOfEmailChangeStmt(
        "update users set email_change_confirm_status = 1, updated_at = $1 where id = $2",
        None,
    )
}
impl ConfirmHalfOfEmailChangeStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        ConfirmHalfOfEmailChangeParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for ConfirmHalfOfEmailChangeStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a ConfirmHalfOfEmailChangeParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.id))
    }
}
pub struct FinishEmailChangeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn finish_email_change() -> FinishEmailChangeStmt {
    FinishEmailChangeStmt(
        "update users set email = email_change, email_change = '', email_change_confirm_status = 0, email_confirmed_at = coalesce(email_confirmed_at, $1), is_anonymous = false, updated_at = $1 where id = $2",
        None,
    )
}
impl FinishEmailChangeStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        FinishEmailChangeParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for FinishEmailChangeStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a FinishEmailChangeParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.id))
    }
}
pub struct StartPhoneChangeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn start_phone_change() -> StartPhoneChangeStmt {
    StartPhoneChangeStmt(
        "update users set phone_change = $1, phone_change_sent_at = $2, updated_at = $2 where id = $3",
        None,
    )
}
impl StartPhoneChangeStmt {
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
        new_phone: &'a T1,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[new_phone, now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        StartPhoneChangeParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for StartPhoneChangeStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a StartPhoneChangeParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.new_phone, &params.now, &params.id))
    }
}
pub struct FinishPhoneChangeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn finish_phone_change() -> FinishPhoneChangeStmt {
    FinishPhoneChangeStmt(
        "update users set phone = phone_change, phone_change = '', phone_confirmed_at = coalesce(phone_confirmed_at, $1), is_anonymous = false, updated_at = $1 where id = $2",
        None,
    )
}
impl FinishPhoneChangeStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        FinishPhoneChangeParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for FinishPhoneChangeStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a FinishPhoneChangeParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.id))
    }
}
pub struct SetEmailStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_email() -> SetEmailStmt {
    SetEmailStmt(
        "update users set email = $1, updated_at = $2 where id = $3",
        None,
    )
}
impl SetEmailStmt {
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
        email: &'a Option<T1>,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[email, now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        SetEmailParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SetEmailStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SetEmailParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.email, &params.now, &params.id))
    }
}
pub struct ReplaceEmailStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn replace_email() -> ReplaceEmailStmt {
    ReplaceEmailStmt(
        "update users set email = $1, email_confirmed_at = $2, updated_at = $3 where id = $4",
        None,
    )
}
impl ReplaceEmailStmt {
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
        email: &'a Option<T1>,
        confirmed_at: &'a Option<jiff::Timestamp>,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[email, confirmed_at, now, id])
            .await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        ReplaceEmailParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for ReplaceEmailStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a ReplaceEmailParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.email,
            &params.confirmed_at,
            &params.now,
            &params.id,
        ))
    }
}
pub struct RemovePhoneStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn remove_phone() -> RemovePhoneStmt {
    RemovePhoneStmt(
        "update users set phone = null, phone_confirmed_at = null, updated_at = $1 where id = $2",
        None,
    )
}
impl RemovePhoneStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        RemovePhoneParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for RemovePhoneStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a RemovePhoneParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.id))
    }
}
pub struct SetPhoneStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_phone() -> SetPhoneStmt {
    SetPhoneStmt(
        "update users set phone = $1, updated_at = $2 where id = $3",
        None,
    )
}
impl SetPhoneStmt {
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
        phone: &'a Option<T1>,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[phone, now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        SetPhoneParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SetPhoneStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SetPhoneParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.phone, &params.now, &params.id))
    }
}
pub struct SetRoleStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_role() -> SetRoleStmt {
    SetRoleStmt(
        "update users set role = $1, updated_at = $2 where id = $3",
        None,
    )
}
impl SetRoleStmt {
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
        role: &'a T1,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[role, now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        SetRoleParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SetRoleStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SetRoleParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.role, &params.now, &params.id))
    }
}
pub struct SetAudienceStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_audience() -> SetAudienceStmt {
    SetAudienceStmt(
        "update users set aud = $1, updated_at = $2 where id = $3",
        None,
    )
}
impl SetAudienceStmt {
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
        aud: &'a T1,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[aud, now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        SetAudienceParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SetAudienceStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SetAudienceParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.aud, &params.now, &params.id))
    }
}
pub struct SetBannedUntilStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_banned_until() -> SetBannedUntilStmt {
    SetBannedUntilStmt(
        "update users set banned_until = $1, updated_at = $2 where id = $3",
        None,
    )
}
impl SetBannedUntilStmt {
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
        banned_until: &'a Option<jiff::Timestamp>,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[banned_until, now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        SetBannedUntilParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SetBannedUntilStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SetBannedUntilParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.banned_until, &params.now, &params.id))
    }
}
pub struct DeleteUserStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_user() -> DeleteUserStmt {
    DeleteUserStmt("delete from users where id = $1", None)
}
impl DeleteUserStmt {
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
pub struct SoftDeleteStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn soft_delete() -> SoftDeleteStmt {
    SoftDeleteStmt(
        "update users set email = $1, phone = $2, email_change = $3, phone_change = $4, encrypted_password = null, confirmation_token = '', recovery_token = '', email_change_token_new = '', email_change_token_current = '', phone_change_token = '', reauthentication_token = '', raw_app_meta_data = '{}', raw_user_meta_data = '{}', deleted_at = coalesce(deleted_at, $5), updated_at = $5 where id = $6",
        None,
    )
}
impl SoftDeleteStmt {
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
        email: &'a Option<T1>,
        phone: &'a Option<T2>,
        email_change: &'a T3,
        phone_change: &'a T4,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(&client.prepare(self.0).await?, &[email, phone, email_change, phone_change, now, id])
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
        SoftDeleteParams<T1, T2, T3, T4>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SoftDeleteStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SoftDeleteParams<T1, T2, T3, T4>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.email,
            &params.phone,
            &params.email_change,
            &params.phone_change,
            &params.now,
            &params.id,
        ))
    }
}
pub struct DeleteFactorsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_factors() -> DeleteFactorsStmt {
    DeleteFactorsStmt(
        "with passkeys as ( delete from webauthn_credentials where user_id = $1), flows as ( delete from flow_state where user_id = $1), codes as ( delete from innkeeper_recovery_codes where user_id = $1) delete from mfa_factors where user_id = $1",
        None,
    )
}
impl DeleteFactorsStmt {
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
pub struct SampleHashesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn sample_hashes() -> SampleHashesStmt {
    SampleHashesStmt(
        "(select u.id, u.encrypted_password from users u where u.encrypted_password <> '' limit 500) union (select u.id, u.encrypted_password from users u where u.encrypted_password <> '' order by coalesce(u.created_at, 'epoch') desc, u.id desc limit 500)",
        None,
    )
}
impl SampleHashesStmt {
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
    ) -> HashRowQuery<'c, 'a, 's, C, HashRow, 0> {
        HashRowQuery {
            client,
            params: [],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<HashRowBorrowed, tokio_postgres::Error> {
                    Ok(HashRowBorrowed {
                        id: row.try_get(0)?,
                        encrypted_password: row.try_get(1)?,
                    })
                },
            mapper: |it| HashRow::from(it),
        }
    }
}
