//! Changes of custom providers by admins.

use innkeeper_service::database::Transaction;
use serde_json::Value;
use uuid::Uuid;

use super::{CustomProviderView, already_exists, check_enabled, require};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::{CustomProvider, CustomProviderInput, MemberProblem, Profile, ProviderOrigin};
use crate::crypto::jwt::Claims;
use crate::model::Object;
use crate::outside::external::opened;
use crate::store;
use crate::store::custom_providers::{NewCustomProvider, StoredCustomProvider};

/// Adds a provider. The discovery document of OpenID Connect is fetched and checked now.
pub(crate) async fn create(
    app: &App,
    input: CustomProviderInput,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<CustomProviderView> {
    check_enabled(app)?;
    let provider = checked(input)?;
    if app.providers.is_in_settings(&provider.identifier) {
        return Err(already_exists(
            "The settings of this server define a provider with this identifier",
        ));
    }
    app.providers.check_hosts(&provider).await?;
    // No connection of the database is held meanwhile: providers may be slow.
    let discovery = app.providers.discover(&provider).await?;
    let id = Uuid::new_v4();
    let client_secret = stored_secret(app, id, &provider)?;
    let new = NewCustomProvider {
        id,
        provider: &provider,
        client_secret: &client_secret,
        discovery: discovery.as_ref(),
    };
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    check_quota(app, &tx).await?;
    if !store::custom_providers::insert(&tx, &new, app.clock.now()).await? {
        return Err(already_exists(
            "A custom provider with this identifier exists already",
        ));
    }
    let traits = traits(&provider.identifier);
    let action = AuditAction::CustomProviderCreated;
    app.audit_as(&tx, action, traits, Actor::Operator(operator), client)
        .await?;
    let stored = store::custom_providers::find(&tx, &provider.identifier).await?;
    tx.commit().await?;
    Ok(require(stored)?.into())
}

/// Changes the members that are given. The type and the identifier stay.
pub(crate) async fn update(
    app: &App,
    identifier: &str,
    change: CustomProviderInput,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<CustomProviderView> {
    check_enabled(app)?;
    let conn = app.shared().await?;
    let before = require(store::custom_providers::find(&conn, identifier).await?)?;
    drop(conn);
    check_fixed(app, &before, &change)?;
    let provider = changed(app, &before, &change)?;
    let moves = provider.urls() != urls_of(&before);
    let mut discovery = None;
    if moves {
        app.providers.check_hosts(&provider).await?;
        discovery = app.providers.discover(&provider).await?;
    }
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let current = require(store::custom_providers::lock(&tx, identifier).await?)?;
    // Another request may have changed it while its hosts were looked at.
    if urls_of(&current) != urls_of(&before) || current.id != before.id {
        return Err(AuthError::refused(
            ErrorCode::Conflict,
            "The provider was changed by another request, try again",
        ));
    }
    let provider = changed(app, &current, &change)?;
    let client_secret = stored_secret(app, current.id, &provider)?;
    let new = NewCustomProvider {
        id: current.id,
        provider: &provider,
        client_secret: &client_secret,
        discovery: discovery.as_ref(),
    };
    store::custom_providers::update(&tx, &new, app.clock.now()).await?;
    let mut traits = traits(identifier);
    traits.insert("members".to_owned(), members(&change).into());
    let action = AuditAction::CustomProviderModified;
    app.audit_as(&tx, action, traits, Actor::Operator(operator), client)
        .await?;
    let stored = store::custom_providers::find(&tx, identifier).await?;
    tx.commit().await?;
    Ok(require(stored)?.into())
}

/// Deletes a provider. Accounts keep their identities, but nobody signs in with it any more.
pub(crate) async fn delete(
    app: &App,
    identifier: &str,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<()> {
    check_enabled(app)?;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let row = require(store::custom_providers::lock(&tx, identifier).await?)?;
    store::custom_providers::delete(&tx, row.id).await?;
    let action = AuditAction::CustomProviderDeleted;
    let actor = Actor::Operator(operator);
    app.audit_as(&tx, action, traits(identifier), actor, client)
        .await?;
    tx.commit().await?;
    Ok(())
}

/// Checks a description. The client reads everything that is wrong.
fn checked(input: CustomProviderInput) -> Result<CustomProvider> {
    input.check(ProviderOrigin::Admin).map_err(|problems| {
        let shown = |it: &MemberProblem| format!("{} {}", it.member, it.problem);
        let shown: Vec<String> = problems.iter().map(shown).collect();
        AuthError::validation(shown.join("; "))
    })
}

/// Returns the provider of a row after a change.
fn changed(
    app: &App,
    row: &StoredCustomProvider,
    change: &CustomProviderInput,
) -> Result<CustomProvider> {
    let mut description = opened(&app.sealer, row)?;
    description.change(change.clone());
    checked(description)
}

/// Refuses another type or identifier. GoTrue ignores both, and so does its profile.
fn check_fixed(app: &App, row: &StoredCustomProvider, change: &CustomProviderInput) -> Result<()> {
    if app.config.profile == Profile::Gotrue {
        return Ok(());
    }
    for (member, now, wanted) in [
        (
            "provider_type",
            &row.description.provider_type,
            &change.provider_type,
        ),
        (
            "identifier",
            &row.description.identifier,
            &change.identifier,
        ),
    ] {
        if wanted.is_some() && wanted != now {
            return Err(AuthError::validation(format!("{member} cannot be changed")));
        }
    }
    Ok(())
}

async fn check_quota(app: &App, tx: &Transaction<'_>) -> Result<()> {
    let Some(max) = app.config.custom_oauth.max_providers else {
        return Ok(());
    };
    let count = store::custom_providers::lock_and_count(tx).await?;
    if count < i64::from(max) {
        return Ok(());
    }
    Err(AuthError::refused(
        ErrorCode::OverCustomProviderQuota,
        "Maximum number of custom OAuth/OIDC providers reached",
    ))
}

/// Returns the client secret as it is stored: sealed, unless GoTrue must be able to read it.
fn stored_secret(app: &App, id: Uuid, provider: &CustomProvider) -> Result<String> {
    let secret = provider.client_secret.reveal();
    if !app.config.seals_shared_values() {
        return Ok(secret.clone());
    }
    app.sealer
        .seal(&id.to_string(), secret.as_bytes())
        .map_err(AuthError::internal)
}

/// Returns all URLs of a row, in the order of [`CustomProvider::urls`].
fn urls_of(row: &StoredCustomProvider) -> Vec<&str> {
    let given = &row.description;
    let urls = [
        &given.issuer,
        &given.discovery_url,
        &given.authorization_url,
        &given.token_url,
        &given.userinfo_url,
        &given.jwks_uri,
    ];
    urls.into_iter().flatten().map(String::as_str).collect()
}

fn traits(identifier: &str) -> Object {
    let mut traits = Object::new();
    traits.insert("provider".to_owned(), identifier.into());
    traits
}

/// Returns the names of the members that a change names.
fn members(change: &CustomProviderInput) -> Vec<Value> {
    let named = [
        ("name", change.name.is_some()),
        ("client_id", change.client_id.is_some()),
        ("client_secret", change.client_secret.is_some()),
        (
            "acceptable_client_ids",
            change.acceptable_client_ids.is_some(),
        ),
        ("scopes", change.scopes.is_some()),
        ("pkce_enabled", change.pkce_enabled.is_some()),
        ("attribute_mapping", change.attribute_mapping.is_some()),
        (
            "custom_claims_allowlist",
            change.custom_claims_allowlist.is_some(),
        ),
        (
            "authorization_params",
            change.authorization_params.is_some(),
        ),
        ("enabled", change.enabled.is_some()),
        ("email_optional", change.email_optional.is_some()),
        ("issuer", change.issuer.is_some()),
        ("discovery_url", change.discovery_url.is_some()),
        ("skip_nonce_check", change.skip_nonce_check.is_some()),
        ("authorization_url", change.authorization_url.is_some()),
        ("token_url", change.token_url.is_some()),
        ("userinfo_url", change.userinfo_url.is_some()),
        ("jwks_uri", change.jwks_uri.is_some()),
    ];
    let named = named.into_iter().filter(|(_, is_named)| *is_named);
    named.map(|(name, _)| name.into()).collect()
}
