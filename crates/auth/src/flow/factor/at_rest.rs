//! How secrets and codes of factors are stored: sealed in std; in gotrue as GoTrue reads them, which is in plain text
//! unless its settings encrypt them.

use uuid::Uuid;

use crate::app::App;
use crate::base::error::{AuthError, Result};
use crate::config::Profile;
use crate::crypto::seal;

/// Returns a secret as it is stored in the row with this id.
pub(super) fn store(app: &App, owner: Uuid, secret: &str) -> Result<String> {
    if !is_sealed_here(app) {
        return Ok(secret.to_owned());
    }
    app.sealer
        .seal(&owner.to_string(), secret.as_bytes())
        .map_err(AuthError::internal)
}

/// Returns the secret that is stored in the row with this id.
pub(super) fn read(app: &App, owner: Uuid, stored: &str) -> Result<String> {
    if !seal::is_sealed(stored) {
        return Ok(stored.to_owned());
    }
    let opened = app
        .sealer
        .open(&owner.to_string(), stored)
        .map_err(AuthError::internal)?;
    Ok(String::from_utf8_lossy(&opened).into_owned())
}

/// Returns how a stored secret should be stored instead, if it is not sealed or another key seals now.
pub(super) fn renew(app: &App, owner: Uuid, stored: &str, secret: &str) -> Result<Option<String>> {
    let is_current = seal::is_sealed(stored) && !app.sealer.needs_reseal(stored);
    if is_current || !is_sealed_here(app) {
        return Ok(None);
    }
    store(app, owner, secret).map(Some)
}

fn is_sealed_here(app: &App) -> bool {
    app.config.profile == Profile::Std || app.config.security.db_encryption.encrypt
}
