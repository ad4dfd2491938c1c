//! WebAuthn: what passkeys, and security keys as second factors, have in common.

mod authenticator_name;
mod credential;
mod relying_party;
mod response;

use std::borrow::Cow;

pub(crate) use authenticator_name::authenticator_name;
pub(crate) use credential::{NewCredential, StoredCredential};
pub(crate) use relying_party::{CredentialUse, RelyingParty, Residence};
pub(crate) use response::{Assertion, Attestation};

/// Why the answer of an authenticator is not accepted, for the developer of the page.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refusal(pub(crate) Cow<'static, str>);

impl From<&'static str> for Refusal {
    fn from(reason: &'static str) -> Self {
        Self(Cow::Borrowed(reason))
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Self(Cow::Owned(reason))
    }
}
