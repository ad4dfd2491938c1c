//! What a confirmed email address or phone number changes besides its own column: the identity and the metadata.

use innkeeper_service::database::Executor;
use serde_json::json;
use uuid::Uuid;

use super::account::reload;
use super::metadata::{self, email_identity, member, phone_identity};
use super::{Object, conflict};
use crate::app::App;
use crate::base::error::Result;
use crate::config::Profile;
use crate::store;

/// Records the confirmed email address of a user.
pub(crate) async fn record_email(
    app: &App,
    tx: &dyn Executor,
    id: Uuid,
    email: &str,
) -> Result<()> {
    record(app, tx, id, "email", email).await
}

/// Records the confirmed phone number of a user.
pub(crate) async fn record_phone(
    app: &App,
    tx: &dyn Executor,
    id: Uuid,
    phone: &str,
) -> Result<()> {
    record(app, tx, id, "phone", phone).await
}

async fn record(app: &App, tx: &dyn Executor, id: Uuid, provider: &str, value: &str) -> Result<()> {
    let now = app.clock.now();
    let data = match provider {
        "phone" => phone_identity(&Object::new(), id, value, true),
        _ => email_identity(&Object::new(), id, value, true),
    };
    if !store::identities::merge(tx, id, provider, &data, now).await? {
        store::identities::insert(tx, id, provider, &data, now).await?;
    }
    let mut changed = reload(tx, id).await?;
    let verified = match (app.config.profile, provider) {
        (Profile::Std, _) => {
            let mut verified = member(provider, value);
            verified.insert(format!("{provider}_verified"), json!(true));
            verified
        }
        // GoTrue leaves the rest as it was, the former address included.
        (Profile::Gotrue, "email") => member("email_verified", true),
        (Profile::Gotrue, _) => Object::new(),
    };
    metadata::merge(&mut changed.user_metadata, verified);
    metadata::refresh_providers(&mut changed);
    store::users::set_metadata(tx, &changed, now).await?;
    Ok(())
}

/// Gives a user an email address that counts as confirmed.
pub(crate) async fn set_email(app: &App, tx: &dyn Executor, id: Uuid, email: &str) -> Result<()> {
    let now = app.clock.now();
    store::users::set_email(tx, id, Some(email), now)
        .await
        .map_err(conflict::of_constraint)?;
    store::users::confirm_email(tx, id, now).await?;
    record_email(app, tx, id, email).await
}

/// Gives a user a phone number that counts as confirmed.
pub(crate) async fn set_phone(app: &App, tx: &dyn Executor, id: Uuid, phone: &str) -> Result<()> {
    let now = app.clock.now();
    store::users::set_phone(tx, id, Some(phone), now)
        .await
        .map_err(conflict::of_constraint)?;
    store::users::confirm_phone(tx, id, now).await?;
    record_phone(app, tx, id, phone).await
}
