// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertProviderParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::ArraySql<Item = T6>,
    T8: crate::StringSql,
    T9: crate::ArraySql<Item = T8>,
    T10: crate::JsonSql,
    T11: crate::StringSql,
    T12: crate::ArraySql<Item = T11>,
    T13: crate::JsonSql,
    T14: crate::StringSql,
    T15: crate::StringSql,
    T16: crate::JsonSql,
    T17: crate::StringSql,
    T18: crate::StringSql,
    T19: crate::StringSql,
    T20: crate::StringSql,
> {
    pub id: uuid::Uuid,
    pub provider_type: T1,
    pub identifier: T2,
    pub name: T3,
    pub client_id: T4,
    pub client_secret: T5,
    pub acceptable_client_ids: T7,
    pub scopes: T9,
    pub pkce_enabled: bool,
    pub attribute_mapping: T10,
    pub custom_claims_allowlist: T12,
    pub authorization_params: T13,
    pub enabled: bool,
    pub email_optional: bool,
    pub issuer: Option<T14>,
    pub discovery_url: Option<T15>,
    pub skip_nonce_check: bool,
    pub cached_discovery: Option<T16>,
    pub now: jiff::Timestamp,
    pub authorization_url: Option<T17>,
    pub token_url: Option<T18>,
    pub userinfo_url: Option<T19>,
    pub jwks_uri: Option<T20>,
}
#[derive(Debug)]
pub struct UpdateProviderParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::ArraySql<Item = T4>,
    T6: crate::StringSql,
    T7: crate::ArraySql<Item = T6>,
    T8: crate::JsonSql,
    T9: crate::StringSql,
    T10: crate::ArraySql<Item = T9>,
    T11: crate::JsonSql,
    T12: crate::StringSql,
    T13: crate::StringSql,
    T14: crate::JsonSql,
    T15: crate::StringSql,
    T16: crate::StringSql,
    T17: crate::StringSql,
    T18: crate::StringSql,
> {
    pub name: T1,
    pub client_id: T2,
    pub client_secret: T3,
    pub acceptable_client_ids: T5,
    pub scopes: T7,
    pub pkce_enabled: bool,
    pub attribute_mapping: T8,
    pub custom_claims_allowlist: T10,
    pub authorization_params: T11,
    pub enabled: bool,
    pub email_optional: bool,
    pub issuer: Option<T12>,
    pub discovery_url: Option<T13>,
    pub skip_nonce_check: bool,
    pub cached_discovery: Option<T14>,
    pub now: jiff::Timestamp,
    pub authorization_url: Option<T15>,
    pub token_url: Option<T16>,
    pub userinfo_url: Option<T17>,
    pub jwks_uri: Option<T18>,
    pub id: uuid::Uuid,
}
#[derive(Debug, Clone, PartialEq)]
pub struct CustomProviderRow {
    pub id: uuid::Uuid,
    pub provider_type: String,
    pub identifier: String,
    pub name: String,
    pub client_id: String,
    pub client_secret: String,
    pub acceptable_client_ids: Vec<String>,
    pub scopes: Vec<String>,
    pub pkce_enabled: bool,
    pub attribute_mapping: serde_json::Value,
    pub custom_claims_allowlist: Vec<String>,
    pub authorization_params: serde_json::Value,
    pub enabled: bool,
    pub email_optional: bool,
    pub issuer: Option<String>,
    pub discovery_url: Option<String>,
    pub skip_nonce_check: bool,
    pub cached_discovery: Option<serde_json::Value>,
    pub authorization_url: Option<String>,
    pub token_url: Option<String>,
    pub userinfo_url: Option<String>,
    pub jwks_uri: Option<String>,
    pub created_at: jiff::Timestamp,
    pub updated_at: jiff::Timestamp,
}
pub struct CustomProviderRowBorrowed<'a> {
    pub id: uuid::Uuid,
    pub provider_type: &'a str,
    pub identifier: &'a str,
    pub name: &'a str,
    pub client_id: &'a str,
    pub client_secret: &'a str,
    pub acceptable_client_ids: crate::ArrayIterator<'a, &'a str>,
    pub scopes: crate::ArrayIterator<'a, &'a str>,
    pub pkce_enabled: bool,
    pub attribute_mapping: postgres_types::Json<&'a serde_json::value::RawValue>,
    pub custom_claims_allowlist: crate::ArrayIterator<'a, &'a str>,
    pub authorization_params: postgres_types::Json<&'a serde_json::value::RawValue>,
    pub enabled: bool,
    pub email_optional: bool,
    pub issuer: Option<&'a str>,
    pub discovery_url: Option<&'a str>,
    pub skip_nonce_check: bool,
    pub cached_discovery: Option<postgres_types::Json<&'a serde_json::value::RawValue>>,
    pub authorization_url: Option<&'a str>,
    pub token_url: Option<&'a str>,
    pub userinfo_url: Option<&'a str>,
    pub jwks_uri: Option<&'a str>,
    pub created_at: jiff::Timestamp,
    pub updated_at: jiff::Timestamp,
}
impl<'a> From<CustomProviderRowBorrowed<'a>> for CustomProviderRow {
    fn from(
        CustomProviderRowBorrowed {
            id,
            provider_type,
            identifier,
            name,
            client_id,
            client_secret,
            acceptable_client_ids,
            scopes,
            pkce_enabled,
            attribute_mapping,
            custom_claims_allowlist,
            authorization_params,
            enabled,
            email_optional,
            issuer,
            discovery_url,
            skip_nonce_check,
            cached_discovery,
            authorization_url,
            token_url,
            userinfo_url,
            jwks_uri,
            created_at,
            updated_at,
        }: CustomProviderRowBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            provider_type: provider_type.into(),
            identifier: identifier.into(),
            name: name.into(),
            client_id: client_id.into(),
            client_secret: client_secret.into(),
            acceptable_client_ids: acceptable_client_ids.map(|v| v.into()).collect(),
            scopes: scopes.map(|v| v.into()).collect(),
            pkce_enabled,
            attribute_mapping: serde_json::from_str(attribute_mapping.0.get()).unwrap(),
            custom_claims_allowlist: custom_claims_allowlist.map(|v| v.into()).collect(),
            authorization_params: serde_json::from_str(authorization_params.0.get()).unwrap(),
            enabled,
            email_optional,
            issuer: issuer.map(|v| v.into()),
            discovery_url: discovery_url.map(|v| v.into()),
            skip_nonce_check,
            cached_discovery: cached_discovery.map(|v| serde_json::from_str(v.0.get()).unwrap()),
            authorization_url: authorization_url.map(|v| v.into()),
            token_url: token_url.map(|v| v.into()),
            userinfo_url: userinfo_url.map(|v| v.into()),
            jwks_uri: jwks_uri.map(|v| v.into()),
            created_at,
            updated_at,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct CustomProviderRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<CustomProviderRowBorrowed, tokio_postgres::Error>,
    mapper: fn(CustomProviderRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> CustomProviderRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(CustomProviderRowBorrowed) -> R,
    ) -> CustomProviderRowQuery<'c, 'a, 's, C, R, N> {
        CustomProviderRowQuery {
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
pub struct StringQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<&str, tokio_postgres::Error>,
    mapper: fn(&str) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> StringQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(&str) -> R) -> StringQuery<'c, 'a, 's, C, R, N> {
        StringQuery {
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
pub struct ListProvidersStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_providers() -> ListProvidersStmt {
    ListProvidersStmt(
        "select p.id, p.provider_type, p.identifier, p.name, p.client_id, p.client_secret, p.acceptable_client_ids, p.scopes, p.pkce_enabled, p.attribute_mapping, p.custom_claims_allowlist, p.authorization_params, p.enabled, p.email_optional, p.issuer, p.discovery_url, p.skip_nonce_check, p.cached_discovery, p.authorization_url, p.token_url, p.userinfo_url, p.jwks_uri, p.created_at, p.updated_at from custom_oauth_providers p where cast($1 as text) = '' or p.provider_type = cast($1 as text) order by p.created_at, p.identifier",
        None,
    )
}
impl ListProvidersStmt {
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
        provider_type: &'a T1,
    ) -> CustomProviderRowQuery<'c, 'a, 's, C, CustomProviderRow, 1> {
        CustomProviderRowQuery {
            client,
            params: [provider_type],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |
                row: &tokio_postgres::Row,
            | -> Result<CustomProviderRowBorrowed, tokio_postgres::Error> {
                Ok(CustomProviderRowBorrowed {
                    id: row.try_get(0)?,
                    provider_type: row.try_get(1)?,
                    identifier: row.try_get(2)?,
                    name: row.try_get(3)?,
                    client_id: row.try_get(4)?,
                    client_secret: row.try_get(5)?,
                    acceptable_client_ids: row.try_get(6)?,
                    scopes: row.try_get(7)?,
                    pkce_enabled: row.try_get(8)?,
                    attribute_mapping: row.try_get(9)?,
                    custom_claims_allowlist: row.try_get(10)?,
                    authorization_params: row.try_get(11)?,
                    enabled: row.try_get(12)?,
                    email_optional: row.try_get(13)?,
                    issuer: row.try_get(14)?,
                    discovery_url: row.try_get(15)?,
                    skip_nonce_check: row.try_get(16)?,
                    cached_discovery: row.try_get(17)?,
                    authorization_url: row.try_get(18)?,
                    token_url: row.try_get(19)?,
                    userinfo_url: row.try_get(20)?,
                    jwks_uri: row.try_get(21)?,
                    created_at: row.try_get(22)?,
                    updated_at: row.try_get(23)?,
                })
            },
            mapper: |it| CustomProviderRow::from(it),
        }
    }
}
pub struct FindProviderStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_provider() -> FindProviderStmt {
    FindProviderStmt(
        "select p.id, p.provider_type, p.identifier, p.name, p.client_id, p.client_secret, p.acceptable_client_ids, p.scopes, p.pkce_enabled, p.attribute_mapping, p.custom_claims_allowlist, p.authorization_params, p.enabled, p.email_optional, p.issuer, p.discovery_url, p.skip_nonce_check, p.cached_discovery, p.authorization_url, p.token_url, p.userinfo_url, p.jwks_uri, p.created_at, p.updated_at from custom_oauth_providers p where p.identifier = $1",
        None,
    )
}
impl FindProviderStmt {
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
        identifier: &'a T1,
    ) -> CustomProviderRowQuery<'c, 'a, 's, C, CustomProviderRow, 1> {
        CustomProviderRowQuery {
            client,
            params: [identifier],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |
                row: &tokio_postgres::Row,
            | -> Result<CustomProviderRowBorrowed, tokio_postgres::Error> {
                Ok(CustomProviderRowBorrowed {
                    id: row.try_get(0)?,
                    provider_type: row.try_get(1)?,
                    identifier: row.try_get(2)?,
                    name: row.try_get(3)?,
                    client_id: row.try_get(4)?,
                    client_secret: row.try_get(5)?,
                    acceptable_client_ids: row.try_get(6)?,
                    scopes: row.try_get(7)?,
                    pkce_enabled: row.try_get(8)?,
                    attribute_mapping: row.try_get(9)?,
                    custom_claims_allowlist: row.try_get(10)?,
                    authorization_params: row.try_get(11)?,
                    enabled: row.try_get(12)?,
                    email_optional: row.try_get(13)?,
                    issuer: row.try_get(14)?,
                    discovery_url: row.try_get(15)?,
                    skip_nonce_check: row.try_get(16)?,
                    cached_discovery: row.try_get(17)?,
                    authorization_url: row.try_get(18)?,
                    token_url: row.try_get(19)?,
                    userinfo_url: row.try_get(20)?,
                    jwks_uri: row.try_get(21)?,
                    created_at: row.try_get(22)?,
                    updated_at: row.try_get(23)?,
                })
            },
            mapper: |it| CustomProviderRow::from(it),
        }
    }
}
pub struct LockProviderStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn lock_provider() -> LockProviderStmt {
    LockProviderStmt(
        "select p.id, p.provider_type, p.identifier, p.name, p.client_id, p.client_secret, p.acceptable_client_ids, p.scopes, p.pkce_enabled, p.attribute_mapping, p.custom_claims_allowlist, p.authorization_params, p.enabled, p.email_optional, p.issuer, p.discovery_url, p.skip_nonce_check, p.cached_discovery, p.authorization_url, p.token_url, p.userinfo_url, p.jwks_uri, p.created_at, p.updated_at from custom_oauth_providers p where p.identifier = $1 for update",
        None,
    )
}
impl LockProviderStmt {
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
        identifier: &'a T1,
    ) -> CustomProviderRowQuery<'c, 'a, 's, C, CustomProviderRow, 1> {
        CustomProviderRowQuery {
            client,
            params: [identifier],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |
                row: &tokio_postgres::Row,
            | -> Result<CustomProviderRowBorrowed, tokio_postgres::Error> {
                Ok(CustomProviderRowBorrowed {
                    id: row.try_get(0)?,
                    provider_type: row.try_get(1)?,
                    identifier: row.try_get(2)?,
                    name: row.try_get(3)?,
                    client_id: row.try_get(4)?,
                    client_secret: row.try_get(5)?,
                    acceptable_client_ids: row.try_get(6)?,
                    scopes: row.try_get(7)?,
                    pkce_enabled: row.try_get(8)?,
                    attribute_mapping: row.try_get(9)?,
                    custom_claims_allowlist: row.try_get(10)?,
                    authorization_params: row.try_get(11)?,
                    enabled: row.try_get(12)?,
                    email_optional: row.try_get(13)?,
                    issuer: row.try_get(14)?,
                    discovery_url: row.try_get(15)?,
                    skip_nonce_check: row.try_get(16)?,
                    cached_discovery: row.try_get(17)?,
                    authorization_url: row.try_get(18)?,
                    token_url: row.try_get(19)?,
                    userinfo_url: row.try_get(20)?,
                    jwks_uri: row.try_get(21)?,
                    created_at: row.try_get(22)?,
                    updated_at: row.try_get(23)?,
                })
            },
            mapper: |it| CustomProviderRow::from(it),
        }
    }
}
pub struct ListOfIssuerStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_of_issuer() -> ListOfIssuerStmt {
    ListOfIssuerStmt(
        "select p.identifier from custom_oauth_providers p where p.provider_type = 'oidc' and p.enabled and rtrim(p.issuer, '/') = $1 order by p.created_at, p.identifier",
        None,
    )
}
impl ListOfIssuerStmt {
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
        issuer: &'a T1,
    ) -> StringQuery<'c, 'a, 's, C, String, 1> {
        StringQuery {
            client,
            params: [issuer],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it.into(),
        }
    }
}
pub struct LockProvidersStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn lock_providers() -> LockProvidersStmt {
    LockProvidersStmt(
        "lock table custom_oauth_providers in share row exclusive mode",
        None,
    )
}
impl LockProvidersStmt {
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
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[]).await
    }
}
pub struct CountProvidersStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn count_providers() -> CountProvidersStmt {
    CountProvidersStmt("select count(*) from custom_oauth_providers", None)
}
impl CountProvidersStmt {
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
    ) -> I64Query<'c, 'a, 's, C, i64, 0> {
        I64Query {
            client,
            params: [],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
pub struct InsertProviderStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_provider() -> InsertProviderStmt {
    InsertProviderStmt(
        "insert into custom_oauth_providers (id, provider_type, identifier, name, client_id, client_secret, acceptable_client_ids, scopes, pkce_enabled, attribute_mapping, custom_claims_allowlist, authorization_params, enabled, email_optional, issuer, discovery_url, skip_nonce_check, cached_discovery, discovery_cached_at, authorization_url, token_url, userinfo_url, jwks_uri, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, cast($18 as jsonb), case when cast($18 as jsonb) is null then null else cast($19 as timestamptz) end, $20, $21, $22, $23, $19, $19) on conflict (identifier) do nothing returning id",
        None,
    )
}
impl InsertProviderStmt {
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
        T7: crate::ArraySql<Item = T6>,
        T8: crate::StringSql,
        T9: crate::ArraySql<Item = T8>,
        T10: crate::JsonSql,
        T11: crate::StringSql,
        T12: crate::ArraySql<Item = T11>,
        T13: crate::JsonSql,
        T14: crate::StringSql,
        T15: crate::StringSql,
        T16: crate::JsonSql,
        T17: crate::StringSql,
        T18: crate::StringSql,
        T19: crate::StringSql,
        T20: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        id: &'a uuid::Uuid,
        provider_type: &'a T1,
        identifier: &'a T2,
        name: &'a T3,
        client_id: &'a T4,
        client_secret: &'a T5,
        acceptable_client_ids: &'a T7,
        scopes: &'a T9,
        pkce_enabled: &'a bool,
        attribute_mapping: &'a T10,
        custom_claims_allowlist: &'a T12,
        authorization_params: &'a T13,
        enabled: &'a bool,
        email_optional: &'a bool,
        issuer: &'a Option<T14>,
        discovery_url: &'a Option<T15>,
        skip_nonce_check: &'a bool,
        cached_discovery: &'a Option<T16>,
        now: &'a jiff::Timestamp,
        authorization_url: &'a Option<T17>,
        token_url: &'a Option<T18>,
        userinfo_url: &'a Option<T19>,
        jwks_uri: &'a Option<T20>,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 23> {
        UuidUuidQuery {
            client,
            params: [
                id,
                provider_type,
                identifier,
                name,
                client_id,
                client_secret,
                acceptable_client_ids,
                scopes,
                pkce_enabled,
                attribute_mapping,
                custom_claims_allowlist,
                authorization_params,
                enabled,
                email_optional,
                issuer,
                discovery_url,
                skip_nonce_check,
                cached_discovery,
                now,
                authorization_url,
                token_url,
                userinfo_url,
                jwks_uri,
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
    T7: crate::ArraySql<Item = T6>,
    T8: crate::StringSql,
    T9: crate::ArraySql<Item = T8>,
    T10: crate::JsonSql,
    T11: crate::StringSql,
    T12: crate::ArraySql<Item = T11>,
    T13: crate::JsonSql,
    T14: crate::StringSql,
    T15: crate::StringSql,
    T16: crate::JsonSql,
    T17: crate::StringSql,
    T18: crate::StringSql,
    T19: crate::StringSql,
    T20: crate::StringSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        InsertProviderParams<
            T1,
            T2,
            T3,
            T4,
            T5,
            T6,
            T7,
            T8,
            T9,
            T10,
            T11,
            T12,
            T13,
            T14,
            T15,
            T16,
            T17,
            T18,
            T19,
            T20,
        >,
        UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 23>,
        C,
    > for InsertProviderStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a InsertProviderParams<
            T1,
            T2,
            T3,
            T4,
            T5,
            T6,
            T7,
            T8,
            T9,
            T10,
            T11,
            T12,
            T13,
            T14,
            T15,
            T16,
            T17,
            T18,
            T19,
            T20,
        >,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 23> {
        self.bind(
            client,
            &params.id,
            &params.provider_type,
            &params.identifier,
            &params.name,
            &params.client_id,
            &params.client_secret,
            &params.acceptable_client_ids,
            &params.scopes,
            &params.pkce_enabled,
            &params.attribute_mapping,
            &params.custom_claims_allowlist,
            &params.authorization_params,
            &params.enabled,
            &params.email_optional,
            &params.issuer,
            &params.discovery_url,
            &params.skip_nonce_check,
            &params.cached_discovery,
            &params.now,
            &params.authorization_url,
            &params.token_url,
            &params.userinfo_url,
            &params.jwks_uri,
        )
    }
}
pub struct UpdateProviderStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn update_provider() -> UpdateProviderStmt {
    UpdateProviderStmt(
        "update custom_oauth_providers set name = $1, client_id = $2, client_secret = $3, acceptable_client_ids = $4, scopes = $5, pkce_enabled = $6, attribute_mapping = $7, custom_claims_allowlist = $8, authorization_params = $9, enabled = $10, email_optional = $11, issuer = $12, discovery_url = $13, skip_nonce_check = $14, cached_discovery = coalesce(cast($15 as jsonb), cached_discovery), discovery_cached_at = case when cast($15 as jsonb) is null then discovery_cached_at else cast($16 as timestamptz) end, authorization_url = $17, token_url = $18, userinfo_url = $19, jwks_uri = $20, updated_at = $16 where id = $21",
        None,
    )
}
impl UpdateProviderStmt {
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
        T6: crate::StringSql,
        T7: crate::ArraySql<Item = T6>,
        T8: crate::JsonSql,
        T9: crate::StringSql,
        T10: crate::ArraySql<Item = T9>,
        T11: crate::JsonSql,
        T12: crate::StringSql,
        T13: crate::StringSql,
        T14: crate::JsonSql,
        T15: crate::StringSql,
        T16: crate::StringSql,
        T17: crate::StringSql,
        T18: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        name: &'a T1,
        client_id: &'a T2,
        client_secret: &'a T3,
        acceptable_client_ids: &'a T5,
        scopes: &'a T7,
        pkce_enabled: &'a bool,
        attribute_mapping: &'a T8,
        custom_claims_allowlist: &'a T10,
        authorization_params: &'a T11,
        enabled: &'a bool,
        email_optional: &'a bool,
        issuer: &'a Option<T12>,
        discovery_url: &'a Option<T13>,
        skip_nonce_check: &'a bool,
        cached_discovery: &'a Option<T14>,
        now: &'a jiff::Timestamp,
        authorization_url: &'a Option<T15>,
        token_url: &'a Option<T16>,
        userinfo_url: &'a Option<T17>,
        jwks_uri: &'a Option<T18>,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    name,
                    client_id,
                    client_secret,
                    acceptable_client_ids,
                    scopes,
                    pkce_enabled,
                    attribute_mapping,
                    custom_claims_allowlist,
                    authorization_params,
                    enabled,
                    email_optional,
                    issuer,
                    discovery_url,
                    skip_nonce_check,
                    cached_discovery,
                    now,
                    authorization_url,
                    token_url,
                    userinfo_url,
                    jwks_uri,
                    id,
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
    T6: crate::StringSql,
    T7: crate::ArraySql<Item = T6>,
    T8: crate::JsonSql,
    T9: crate::StringSql,
    T10: crate::ArraySql<Item = T9>,
    T11: crate::JsonSql,
    T12: crate::StringSql,
    T13: crate::StringSql,
    T14: crate::JsonSql,
    T15: crate::StringSql,
    T16: crate::StringSql,
    T17: crate::StringSql,
    T18: crate::StringSql,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        UpdateProviderParams<
            T1,
            T2,
            T3,
            T4,
            T5,
            T6,
            T7,
            T8,
            T9,
            T10,
            T11,
            T12,
            T13,
            T14,
            T15,
            T16,
            T17,
            T18,
        >,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for UpdateProviderStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a UpdateProviderParams<
            T1,
            T2,
            T3,
            T4,
            T5,
            T6,
            T7,
            T8,
            T9,
            T10,
            T11,
            T12,
            T13,
            T14,
            T15,
            T16,
            T17,
            T18,
        >,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.name,
            &params.client_id,
            &params.client_secret,
            &params.acceptable_client_ids,
            &params.scopes,
            &params.pkce_enabled,
            &params.attribute_mapping,
            &params.custom_claims_allowlist,
            &params.authorization_params,
            &params.enabled,
            &params.email_optional,
            &params.issuer,
            &params.discovery_url,
            &params.skip_nonce_check,
            &params.cached_discovery,
            &params.now,
            &params.authorization_url,
            &params.token_url,
            &params.userinfo_url,
            &params.jwks_uri,
            &params.id,
        ))
    }
}
pub struct DeleteProviderStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_provider() -> DeleteProviderStmt {
    DeleteProviderStmt("delete from custom_oauth_providers where id = $1", None)
}
impl DeleteProviderStmt {
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
