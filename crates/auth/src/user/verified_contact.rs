//! What a confirmed email address changes besides its own column: the identity and the metadata.

use serde_json::json;
use uuid::Uuid;

use super::metadata::{self, email_identity, member};
use super::signup::reload;
use super::{Object, conflict};
use crate::app::App;
use crate::error::Result;
use crate::store::{self, GenericClient};

/// Records the confirmed email address of a user.
pub(crate) async fn record_email(
    app: &App,
    tx: &impl GenericClient,
    id: Uuid,
    email: &str,
) -> Result<()> {
    let now = app.clock.now();
    let data = email_identity(&Object::new(), id, email, true);
    if !store::identities::merge(tx, id, "email", &data, now).await? {
        store::identities::insert(tx, id, "email", &data, now).await?;
    }
    let mut changed = reload(tx, id).await?;
    let mut verified = member("email", email);
    verified.insert("email_verified".to_owned(), json!(true));
    metadata::merge(&mut changed.user_metadata, verified);
    metadata::refresh_providers(&mut changed);
    store::users::set_metadata(tx, &changed, now).await?;
    Ok(())
}

/// Gives a user an email address that counts as confirmed.
pub(crate) async fn set_email(
    app: &App,
    tx: &impl GenericClient,
    id: Uuid,
    email: &str,
) -> Result<()> {
    let now = app.clock.now();
    store::users::set_email(tx, id, Some(email), now)
        .await
        .map_err(conflict::of_constraint)?;
    store::users::confirm_email(tx, id, now).await?;
    record_email(app, tx, id, email).await
}
