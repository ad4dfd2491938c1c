//! The claims of providers that the operator describes.

use serde_json::Value;

use super::error::ExternalError;
use super::profile::{STANDARD_CLAIMS, UserMapping, UserProfile, id_text};
use crate::model::Object;

/// Claims of an identity that no claim of OpenID Connect is called.
const MORE_CLAIMS: &[&str] = &["user_name", "slug"];

/// Which claims of a provider become which claims of an identity.
#[derive(Debug, Clone, Default)]
pub(super) struct CustomMapping {
    /// The claim of the identity, and the name of the provider's claim, or a value that is not a text.
    pub(super) attributes: Object,
    /// The names of further claims that are kept.
    pub(super) allowed: Vec<String>,
}

impl CustomMapping {
    /// Whether the claims have all that is mapped, and an email address.
    pub(super) fn is_complete(&self, claims: &Value) -> bool {
        let sources = self.attributes.values().filter_map(Value::as_str);
        let wanted = sources.chain(self.allowed.iter().map(String::as_str));
        let mut wanted = wanted.chain(["email"]);
        wanted.all(|name| claims.get(name).is_some())
    }

    /// Reads the claims of a provider: those of OpenID Connect, unless they are mapped.
    pub(super) fn read(&self, issuer: &str, claims: &Value) -> Result<UserProfile, ExternalError> {
        let mut mapped = claims.as_object().cloned().ok_or(ExternalError::NotJson)?;
        let mut taken = Vec::new();
        for (target, source) in &self.attributes {
            let value = match source {
                Value::String(name) => claims.get(name).cloned(),
                literal => Some(literal.clone()),
            };
            // A claim that the mapping replaces does not count, even if the provider has not sent the other one.
            mapped.remove(target);
            if let Some(value) = value {
                mapped.insert(target.clone(), value.clone());
                taken.push((target.as_str(), value));
            }
        }
        // What the provider has verified is its own email address, not what another claim says.
        let address = self.attributes.get("email");
        if address.is_some_and(|source| source.as_str() != Some("email")) {
            mapped.remove("email_verified");
        }
        let names: &[&str] = if self.attributes.contains_key("sub") {
            &["sub"]
        } else {
            &["sub", "id"]
        };
        // Ids are numbers at some providers.
        let subject = names.iter().find_map(|name| mapped.get(*name));
        if let Some(subject) = subject.and_then(id_text) {
            mapped.insert("sub".to_owned(), subject.into());
        }
        let mut profile = UserMapping::OIDC.read(issuer, &[Value::Object(mapped)])?;
        for (target, value) in taken {
            let is_standard = STANDARD_CLAIMS.iter().any(|(claim, _)| *claim == target);
            if is_standard || MORE_CLAIMS.contains(&target) {
                profile.set(target, &value);
            } else if !["sub", "email", "phone_number"].contains(&target) {
                profile.set_custom(target, &value);
            }
        }
        for name in &self.allowed {
            if let Some(value) = claims.get(name) {
                profile.set_custom(name, value);
            }
        }
        Ok(profile)
    }
}
