//! Custom providers that are stored in the database.

use std::sync::Arc;

use innkeeper_service::database::Database;
use innkeeper_service::secret::Secret;

use crate::base::error::{AuthError, Result};
use crate::config::{CustomProvider, CustomProviderInput, ProviderOrigin};
use crate::crypto::seal::{Sealer, is_sealed};
use crate::store::custom_providers::{self, StoredCustomProvider};

/// Reads the rows. They are read for every sign-in, so that a change is known to all replicas at once.
#[derive(Debug)]
pub(crate) struct CustomRows {
    database: Database,
    sealer: Arc<Sealer>,
}

impl CustomRows {
    pub(crate) fn new(database: Database, sealer: Arc<Sealer>) -> Self {
        Self { database, sealer }
    }

    /// Returns the provider with this identifier. A row that cannot be used is an error for the client, and the log
    /// has its reason.
    pub(super) async fn find(&self, identifier: &str) -> Result<Option<CustomProvider>> {
        let conn = self.database.shared().await?;
        let Some(row) = custom_providers::find(&conn, identifier).await? else {
            return Ok(None);
        };
        drop(conn);
        let input = opened(&self.sealer, &row)?;
        match input.check(ProviderOrigin::Admin) {
            Ok(provider) => Ok(Some(provider)),
            Err(problems) => {
                let first = problems.first();
                tracing::warn!(
                    provider = identifier,
                    member = first.map(|it| it.member),
                    problem = first.map(|it| it.problem.as_str()),
                    "the row of a custom provider cannot be used"
                );
                Err(AuthError::validation(
                    "Unsupported provider: its description is not valid",
                ))
            }
        }
    }

    /// Returns the identifiers and the names of the enabled providers.
    pub(super) async fn enabled(&self) -> Result<Vec<(String, String)>> {
        let conn = self.database.shared().await?;
        let rows = custom_providers::list(&conn, "").await?;
        let enabled = rows.into_iter().map(|row| row.description);
        let enabled = enabled.filter(|it| it.enabled.unwrap_or(true));
        Ok(enabled
            .filter_map(|it| Some((it.identifier?, it.name.unwrap_or_default())))
            .collect())
    }

    /// Returns the identifiers of the enabled providers with this issuer.
    pub(super) async fn of_issuer(&self, issuer: &str) -> Result<Vec<String>> {
        let conn = self.database.shared().await?;
        let issuer = issuer.trim_end_matches('/');
        Ok(custom_providers::list_of_issuer(&conn, issuer).await?)
    }
}

/// Returns the description of a row, with the client secret in clear text.
pub(crate) fn opened(sealer: &Sealer, row: &StoredCustomProvider) -> Result<CustomProviderInput> {
    let secret = if is_sealed(&row.client_secret) {
        let opened = sealer
            .open(&row.id.to_string(), &row.client_secret)
            .map_err(AuthError::internal)?;
        String::from_utf8_lossy(&opened).into_owned()
    } else {
        // GoTrue encrypts secrets only if its settings say so.
        row.client_secret.clone()
    };
    Ok(CustomProviderInput {
        client_secret: Some(Secret::new(secret)),
        ..row.description.clone()
    })
}
