// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct OpenChallengeParams<T1: crate::StringSql, T2: crate::JsonSql> {
    pub id: uuid::Uuid,
    pub user_id: Option<uuid::Uuid>,
    pub challenge_type: T1,
    pub session_data: T2,
    pub now: jiff::Timestamp,
    pub expires_at: jiff::Timestamp,
}
#[derive(Debug)]
pub struct ConsumeRegistrationParams<T1: crate::StringSql> {
    pub id: uuid::Uuid,
    pub user_id: uuid::Uuid,
    pub session_id: T1,
}
#[derive(Debug)]
pub struct ConsumeSignInParams<T1: crate::BytesSql> {
    pub id: uuid::Uuid,
    pub credential_id: T1,
}
#[derive(Debug)]
pub struct InsertPasskeyParams<
    T1: crate::BytesSql,
    T2: crate::BytesSql,
    T3: crate::StringSql,
    T4: crate::JsonSql,
    T5: crate::StringSql,
> {
    pub id: uuid::Uuid,
    pub user_id: uuid::Uuid,
    pub credential_id: T1,
    pub public_key: T2,
    pub attestation_type: T3,
    pub aaguid: Option<uuid::Uuid>,
    pub sign_count: i64,
    pub transports: T4,
    pub backup_eligible: bool,
    pub backed_up: bool,
    pub friendly_name: T5,
    pub now: jiff::Timestamp,
}
#[derive(Debug)]
pub struct RenamePasskeyParams<T1: crate::StringSql> {
    pub friendly_name: T1,
    pub now: jiff::Timestamp,
    pub id: uuid::Uuid,
    pub user_id: uuid::Uuid,
}
#[derive(Clone, Copy, Debug)]
pub struct DeletePasskeyParams {
    pub id: uuid::Uuid,
    pub user_id: uuid::Uuid,
}
#[derive(Debug, Clone, PartialEq)]
pub struct RegistrationRow {
    pub session_data: serde_json::Value,
    pub expires_at: jiff::Timestamp,
}
pub struct RegistrationRowBorrowed<'a> {
    pub session_data: postgres_types::Json<&'a serde_json::value::RawValue>,
    pub expires_at: jiff::Timestamp,
}
impl<'a> From<RegistrationRowBorrowed<'a>> for RegistrationRow {
    fn from(
        RegistrationRowBorrowed {
            session_data,
            expires_at,
        }: RegistrationRowBorrowed<'a>,
    ) -> Self {
        Self {
            session_data: serde_json::from_str(session_data.0.get()).unwrap(),
            expires_at,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct SignInRow {
    pub session_data: serde_json::Value,
    pub expires_at: jiff::Timestamp,
    pub passkey_id: Option<uuid::Uuid>,
    pub user_id: Option<uuid::Uuid>,
    pub public_key: Option<Vec<u8>>,
    pub sign_count: Option<i64>,
    pub backup_eligible: Option<bool>,
    pub backed_up: Option<bool>,
}
pub struct SignInRowBorrowed<'a> {
    pub session_data: postgres_types::Json<&'a serde_json::value::RawValue>,
    pub expires_at: jiff::Timestamp,
    pub passkey_id: Option<uuid::Uuid>,
    pub user_id: Option<uuid::Uuid>,
    pub public_key: Option<&'a [u8]>,
    pub sign_count: Option<i64>,
    pub backup_eligible: Option<bool>,
    pub backed_up: Option<bool>,
}
impl<'a> From<SignInRowBorrowed<'a>> for SignInRow {
    fn from(
        SignInRowBorrowed {
            session_data,
            expires_at,
            passkey_id,
            user_id,
            public_key,
            sign_count,
            backup_eligible,
            backed_up,
        }: SignInRowBorrowed<'a>,
    ) -> Self {
        Self {
            session_data: serde_json::from_str(session_data.0.get()).unwrap(),
            expires_at,
            passkey_id,
            user_id,
            public_key: public_key.map(|v| v.into()),
            sign_count,
            backup_eligible,
            backed_up,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct PasskeyRow {
    pub id: uuid::Uuid,
    pub credential_id: Vec<u8>,
    pub friendly_name: String,
    pub created_at: jiff::Timestamp,
    pub last_used_at: Option<jiff::Timestamp>,
}
pub struct PasskeyRowBorrowed<'a> {
    pub id: uuid::Uuid,
    pub credential_id: &'a [u8],
    pub friendly_name: &'a str,
    pub created_at: jiff::Timestamp,
    pub last_used_at: Option<jiff::Timestamp>,
}
impl<'a> From<PasskeyRowBorrowed<'a>> for PasskeyRow {
    fn from(
        PasskeyRowBorrowed {
            id,
            credential_id,
            friendly_name,
            created_at,
            last_used_at,
        }: PasskeyRowBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            credential_id: credential_id.into(),
            friendly_name: friendly_name.into(),
            created_at,
            last_used_at,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
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
pub struct RegistrationRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<RegistrationRowBorrowed, tokio_postgres::Error>,
    mapper: fn(RegistrationRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> RegistrationRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(RegistrationRowBorrowed) -> R,
    ) -> RegistrationRowQuery<'c, 'a, 's, C, R, N> {
        RegistrationRowQuery {
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
pub struct SignInRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<SignInRowBorrowed, tokio_postgres::Error>,
    mapper: fn(SignInRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> SignInRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(SignInRowBorrowed) -> R) -> SignInRowQuery<'c, 'a, 's, C, R, N> {
        SignInRowQuery {
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
pub struct PasskeyRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<PasskeyRowBorrowed, tokio_postgres::Error>,
    mapper: fn(PasskeyRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> PasskeyRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(PasskeyRowBorrowed) -> R,
    ) -> PasskeyRowQuery<'c, 'a, 's, C, R, N> {
        PasskeyRowQuery {
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
pub struct OpenChallengeStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn open_challenge() -> OpenChallengeStmt {
    OpenChallengeStmt(
        "insert into webauthn_challenges (id, user_id, challenge_type, session_data, created_at, expires_at) values ($1, $2, $3, $4, $5, $6) returning id",
        None,
    )
}
impl OpenChallengeStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::JsonSql>(
        &'s self,
        client: &'c C,
        id: &'a uuid::Uuid,
        user_id: &'a Option<uuid::Uuid>,
        challenge_type: &'a T1,
        session_data: &'a T2,
        now: &'a jiff::Timestamp,
        expires_at: &'a jiff::Timestamp,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 6> {
        UuidUuidQuery {
            client,
            params: [id, user_id, challenge_type, session_data, now, expires_at],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::JsonSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        OpenChallengeParams<T1, T2>,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 6>,
        C,
    > for OpenChallengeStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a OpenChallengeParams<T1, T2>,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 6> {
        self.bind(
            client,
            &params.id,
            &params.user_id,
            &params.challenge_type,
            &params.session_data,
            &params.now,
            &params.expires_at,
        )
    }
}
pub struct ConsumeRegistrationStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn consume_registration() -> ConsumeRegistrationStmt {
    ConsumeRegistrationStmt(
        "delete from webauthn_challenges where id = $1 and challenge_type = 'registration' and user_id = $2 and session_data->>'session_id' = $3 returning session_data, expires_at",
        None,
    )
}
impl ConsumeRegistrationStmt {
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
        id: &'a uuid::Uuid,
        user_id: &'a uuid::Uuid,
        session_id: &'a T1,
    ) -> RegistrationRowQuery<'c, 'a, 's, C, RegistrationRow, 3> {
        RegistrationRowQuery {
            client,
            params: [id, user_id, session_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |
                row: &tokio_postgres::Row,
            | -> Result<RegistrationRowBorrowed, tokio_postgres::Error> {
                Ok(RegistrationRowBorrowed {
                    session_data: row.try_get(0)?,
                    expires_at: row.try_get(1)?,
                })
            },
            mapper: |it| RegistrationRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ConsumeRegistrationParams<T1>,
        RegistrationRowQuery<'c, 'a, 's, C, RegistrationRow, 3>,
        C,
    > for ConsumeRegistrationStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ConsumeRegistrationParams<T1>,
    ) -> RegistrationRowQuery<'c, 'a, 's, C, RegistrationRow, 3> {
        self.bind(client, &params.id, &params.user_id, &params.session_id)
    }
}
pub struct ConsumeSignInStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn consume_sign_in() -> ConsumeSignInStmt {
    ConsumeSignInStmt(
        "with challenge as ( delete from webauthn_challenges where id = $1 and challenge_type = 'authentication' returning session_data, expires_at) select c.session_data, c.expires_at, w.id as passkey_id, w.user_id, w.public_key, w.sign_count, w.backup_eligible, w.backed_up from challenge c left join webauthn_credentials w on w.credential_id = $2",
        None,
    )
}
impl ConsumeSignInStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::BytesSql>(
        &'s self,
        client: &'c C,
        id: &'a uuid::Uuid,
        credential_id: &'a T1,
    ) -> SignInRowQuery<'c, 'a, 's, C, SignInRow, 2> {
        SignInRowQuery {
            client,
            params: [id, credential_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<SignInRowBorrowed, tokio_postgres::Error> {
                    Ok(SignInRowBorrowed {
                        session_data: row.try_get(0)?,
                        expires_at: row.try_get(1)?,
                        passkey_id: row.try_get(2)?,
                        user_id: row.try_get(3)?,
                        public_key: row.try_get(4)?,
                        sign_count: row.try_get(5)?,
                        backup_eligible: row.try_get(6)?,
                        backed_up: row.try_get(7)?,
                    })
                },
            mapper: |it| SignInRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::BytesSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ConsumeSignInParams<T1>,
        SignInRowQuery<'c, 'a, 's, C, SignInRow, 2>,
        C,
    > for ConsumeSignInStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ConsumeSignInParams<T1>,
    ) -> SignInRowQuery<'c, 'a, 's, C, SignInRow, 2> {
        self.bind(client, &params.id, &params.credential_id)
    }
}
pub struct ListPasskeysStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_passkeys() -> ListPasskeysStmt {
    ListPasskeysStmt(
        "select id, credential_id, friendly_name, created_at, last_used_at from webauthn_credentials where user_id = $1 order by created_at, id",
        None,
    )
}
impl ListPasskeysStmt {
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
    ) -> PasskeyRowQuery<'c, 'a, 's, C, PasskeyRow, 1> {
        PasskeyRowQuery {
            client,
            params: [user_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<PasskeyRowBorrowed, tokio_postgres::Error> {
                    Ok(PasskeyRowBorrowed {
                        id: row.try_get(0)?,
                        credential_id: row.try_get(1)?,
                        friendly_name: row.try_get(2)?,
                        created_at: row.try_get(3)?,
                        last_used_at: row.try_get(4)?,
                    })
                },
            mapper: |it| PasskeyRow::from(it),
        }
    }
}
pub struct InsertPasskeyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_passkey() -> InsertPasskeyStmt {
    InsertPasskeyStmt(
        "insert into webauthn_credentials (id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, transports, backup_eligible, backed_up, friendly_name, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)",
        None,
    )
}
impl InsertPasskeyStmt {
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
        T2: crate::BytesSql,
        T3: crate::StringSql,
        T4: crate::JsonSql,
        T5: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        id: &'a uuid::Uuid,
        user_id: &'a uuid::Uuid,
        credential_id: &'a T1,
        public_key: &'a T2,
        attestation_type: &'a T3,
        aaguid: &'a Option<uuid::Uuid>,
        sign_count: &'a i64,
        transports: &'a T4,
        backup_eligible: &'a bool,
        backed_up: &'a bool,
        friendly_name: &'a T5,
        now: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    id,
                    user_id,
                    credential_id,
                    public_key,
                    attestation_type,
                    aaguid,
                    sign_count,
                    transports,
                    backup_eligible,
                    backed_up,
                    friendly_name,
                    now,
                ],
            )
            .await
    }
}
impl<
    'a,
    C: GenericClient + Send + Sync,
    T1: crate::BytesSql,
    T2: crate::BytesSql,
    T3: crate::StringSql,
    T4: crate::JsonSql,
    T5: crate::StringSql,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertPasskeyParams<T1, T2, T3, T4, T5>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertPasskeyStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertPasskeyParams<T1, T2, T3, T4, T5>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.id,
            &params.user_id,
            &params.credential_id,
            &params.public_key,
            &params.attestation_type,
            &params.aaguid,
            &params.sign_count,
            &params.transports,
            &params.backup_eligible,
            &params.backed_up,
            &params.friendly_name,
            &params.now,
        ))
    }
}
pub struct RenamePasskeyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn rename_passkey() -> RenamePasskeyStmt {
    RenamePasskeyStmt(
        "update webauthn_credentials set friendly_name = $1, updated_at = $2 where id = $3 and user_id = $4 returning id, credential_id, friendly_name, created_at, last_used_at",
        None,
    )
}
impl RenamePasskeyStmt {
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
        friendly_name: &'a T1,
        now: &'a jiff::Timestamp,
        id: &'a uuid::Uuid,
        user_id: &'a uuid::Uuid,
    ) -> PasskeyRowQuery<'c, 'a, 's, C, PasskeyRow, 4> {
        PasskeyRowQuery {
            client,
            params: [friendly_name, now, id, user_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<PasskeyRowBorrowed, tokio_postgres::Error> {
                    Ok(PasskeyRowBorrowed {
                        id: row.try_get(0)?,
                        credential_id: row.try_get(1)?,
                        friendly_name: row.try_get(2)?,
                        created_at: row.try_get(3)?,
                        last_used_at: row.try_get(4)?,
                    })
                },
            mapper: |it| PasskeyRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        RenamePasskeyParams<T1>,
        PasskeyRowQuery<'c, 'a, 's, C, PasskeyRow, 4>,
        C,
    > for RenamePasskeyStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a RenamePasskeyParams<T1>,
    ) -> PasskeyRowQuery<'c, 'a, 's, C, PasskeyRow, 4> {
        self.bind(
            client,
            &params.friendly_name,
            &params.now,
            &params.id,
            &params.user_id,
        )
    }
}
pub struct DeletePasskeyStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_passkey() -> DeletePasskeyStmt {
    DeletePasskeyStmt(
        "delete from webauthn_credentials where id = $1 and user_id = $2 returning id",
        None,
    )
}
impl DeletePasskeyStmt {
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
        user_id: &'a uuid::Uuid,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 2> {
        UuidUuidQuery {
            client,
            params: [id, user_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
impl<'c, 'a, 's, C: GenericClient>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        DeletePasskeyParams,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 2>,
        C,
    > for DeletePasskeyStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a DeletePasskeyParams,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 2> {
        self.bind(client, &params.id, &params.user_id)
    }
}
