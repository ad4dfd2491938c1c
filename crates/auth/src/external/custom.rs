//! Providers that the operator defines.

use serde_json::Value;

use super::error::ExternalError;
use super::profile::{CustomClaims, UserMapping, UserProfile, id_text};
use crate::model::Object;

/// Which claims of a provider become which claims of an identity.
#[derive(Debug, Clone, Default)]
pub(super) struct CustomMapping {
    /// The claim of the identity, and the name of the provider's claim, or a value that is not a text.
    pub(super) attributes: Object,
    /// The names of further claims that are kept.
    pub(super) allowed: Vec<String>,
}

impl CustomMapping {
    /// Reads the claims of a provider: those of OpenID Connect, unless they are mapped.
    pub(super) fn read(&self, issuer: &str, claims: &Value) -> Result<UserProfile, ExternalError> {
        let mut mapped = claims.as_object().cloned().ok_or(ExternalError::NotJson)?;
        for (target, source) in &self.attributes {
            let value = match source {
                Value::String(name) => claims.get(name).cloned(),
                literal => Some(literal.clone()),
            };
            if let Some(value) = value {
                mapped.insert(target.clone(), value);
            }
        }
        // Ids are numbers at some providers.
        if let Some(subject) = mapped
            .get("sub")
            .or_else(|| mapped.get("id"))
            .and_then(id_text)
        {
            mapped.insert("sub".to_owned(), subject.into());
        }
        let mapping = UserMapping::OIDC.custom(CustomClaims::Only(&[]));
        let mut profile = mapping.read(issuer, &[Value::Object(mapped)])?;
        for name in &self.allowed {
            if let Some(value) = claims.get(name) {
                profile.set_custom(name, value);
            }
        }
        Ok(profile)
    }
}
