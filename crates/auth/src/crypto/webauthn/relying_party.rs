//! The relying party: makes challenges for authenticators, and checks what they sign.

use std::time::Duration;

use serde_json::Value;
use tracing::subscriber::{NoSubscriber, with_default};
use webauthn_rs_core::WebauthnCore;
use webauthn_rs_core::error::WebauthnError;
use webauthn_rs_core::proto::{
    AttestationConveyancePreference, AuthenticationState, COSEAlgorithm, RegistrationState,
    UserVerificationPolicy,
};

use super::credential::AttestedKey;
use super::{Assertion, Attestation, NewCredential, Refusal, StoredCredential};
use crate::base::error::{AuthError, Result};
use crate::config::WebauthnConfig;
use crate::model::User;

/// The kinds of keys that are offered to authenticators, the preferred ones first: those whose signatures the library
/// checks. It checks no Ed25519 keys, so no authenticator may choose one.
const ALGORITHMS: [COSEAlgorithm; 3] = [
    COSEAlgorithm::ES256,
    COSEAlgorithm::ES384,
    COSEAlgorithm::RS256,
];

/// The site that credentials belong to.
pub(crate) struct RelyingParty(WebauthnCore);

/// Where an authenticator keeps a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Residence {
    /// In itself, so that it can be found without a name.
    Discoverable,
    /// Wherever it wants.
    Any,
}

/// A challenge to be sent and to be remembered.
#[derive(Debug)]
pub(crate) struct Ceremony {
    /// The options for the browser.
    pub(crate) options: Value,
    /// What is needed to check the answer.
    pub(crate) state: Value,
}

/// What a signature tells about its credential.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CredentialUse {
    pub(crate) sign_count: u32,
    pub(crate) is_backed_up: bool,
}

impl RelyingParty {
    /// Returns the relying party of the settings, if they name one.
    pub(crate) fn of(config: &WebauthnConfig) -> Option<Self> {
        let relying_party = config.relying_party.as_ref()?;
        let timeout = Duration::try_from(config.challenge_expiry).unwrap_or_default();
        Some(Self(WebauthnCore::new_unsafe_experts_only(
            &relying_party.display_name,
            &relying_party.id,
            relying_party.origins.clone(),
            timeout,
            None,
            None,
        )))
    }

    /// Makes the challenge of a registration. Authenticators that have one of the known credentials are not offered.
    pub(crate) fn start_registration(
        &self,
        user: &User,
        residence: Residence,
        known: Vec<Vec<u8>>,
    ) -> Result<Ceremony> {
        let id = user.id.to_string();
        let names = [user.email.as_str(), user.phone.as_str(), id.as_str()];
        let name = names.into_iter().find(|name| !name.is_empty());
        let name = name.unwrap_or_default();
        let shown = user.user_metadata.get("name").and_then(Value::as_str);
        let shown = shown.filter(|shown| !shown.is_empty()).unwrap_or(name);
        let started = quietly(|| {
            let builder = self
                .0
                .new_challenge_register_builder(id.as_bytes(), name, shown)?
                .credential_algorithms(ALGORITHMS.to_vec())
                .attestation(AttestationConveyancePreference::None)
                .user_verification_policy(UserVerificationPolicy::Preferred)
                .require_resident_key(residence == Residence::Discoverable)
                .exclude_credentials(Some(known));
            self.0.generate_challenge_register(builder)
        });
        let (options, state) = started.map_err(AuthError::internal)?;
        Ok(Ceremony {
            options: without_empty_lists(to_value(&options.public_key)?),
            state: to_value(&state)?,
        })
    }

    /// Checks the answer to a registration.
    pub(crate) fn finish_registration(
        &self,
        state: &Value,
        answer: &Attestation,
    ) -> std::result::Result<NewCredential, Refusal> {
        let state = RegistrationState::deserialize_from(state)?;
        let credential = &answer.credential;
        let checked = quietly(|| self.0.register_credential(credential, &state, None));
        let checked = checked.map_err(|error| explain(&error))?;
        if checked.cred_id != credential.raw_id {
            return Err("the id is not that of the attestation".into());
        }
        let key = AttestedKey::read(&credential.response.attestation_object)?;
        Ok(NewCredential {
            stored: StoredCredential {
                id: checked.cred_id,
                public_key: key.public_key,
                sign_count: checked.counter,
                is_backup_eligible: checked.backup_eligible,
                is_backed_up: checked.backup_state,
            },
            aaguid: key.aaguid,
            transports: answer.transports.clone(),
            attachment: answer.attachment.clone(),
            is_user_verified: checked.user_verified,
        })
    }

    /// Makes the challenge of a sign-in with one of these credentials; with any discoverable one if there are none.
    pub(crate) fn start_sign_in(&self, allowed: &[StoredCredential]) -> Result<Ceremony> {
        let allowed = allowed.iter().map(StoredCredential::to_checkable);
        let allowed: std::result::Result<Vec<_>, Refusal> = allowed.collect();
        let allowed = allowed.map_err(AuthError::internal)?;
        let policy = Some(UserVerificationPolicy::Preferred);
        let started = quietly(|| {
            let builder = self.0.new_challenge_authenticate_builder(allowed, policy)?;
            self.0.generate_challenge_authenticate(builder)
        });
        let (options, mut state) = started.map_err(AuthError::internal)?;
        state.set_allowed_credentials(Vec::new());
        Ok(Ceremony {
            options: without_empty_lists(to_value(&options.public_key)?),
            state: to_value(&state)?,
        })
    }

    /// Checks the answer to a sign-in, with the credential that it names. A signature counter that has not grown is
    /// refused: somebody may have a copy of the authenticator.
    pub(crate) fn finish_sign_in(
        &self,
        state: &Value,
        answer: &Assertion,
        credential: &StoredCredential,
    ) -> std::result::Result<CredentialUse, Refusal> {
        let state = AuthenticationState::deserialize_from(state)?;
        let credential = credential.to_checkable()?;
        check_frame(&answer.0.response.client_data_json)?;
        let checked = quietly(|| {
            self.0
                .authenticate_single_credential(&answer.0, &state, &credential)
        });
        let checked = checked.map_err(|error| explain(&error))?;
        Ok(CredentialUse {
            sign_count: checked.counter(),
            is_backed_up: checked.backup_state(),
        })
    }
}

/// Reads the state of a ceremony from the database.
trait DeserializeFrom: serde::de::DeserializeOwned {
    fn deserialize_from(state: &Value) -> std::result::Result<Self, Refusal> {
        Self::deserialize(state).map_err(|_| "the challenge was made by another server".into())
    }
}

impl DeserializeFrom for RegistrationState {}
impl DeserializeFrom for AuthenticationState {}

fn to_value(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(AuthError::internal)
}

/// Leaves out the lists of credentials that name none, as GoTrue does.
fn without_empty_lists(mut options: Value) -> Value {
    if let Some(members) = options.as_object_mut() {
        for name in ["allowCredentials", "excludeCredentials"] {
            if members
                .get(name)
                .and_then(Value::as_array)
                .is_some_and(Vec::is_empty)
            {
                members.remove(name);
            }
        }
    }
    options
}

/// Refuses a sign-in from a frame of another site.
fn check_frame(client_data: &[u8]) -> std::result::Result<(), Refusal> {
    let data: Option<Value> = serde_json::from_slice(client_data).ok();
    let is_cross_origin = data.and_then(|data| data.get("crossOrigin")?.as_bool());
    if is_cross_origin == Some(true) {
        return Err(explain(&WebauthnError::CredentialCrossOrigin));
    }
    Ok(())
}

/// Calls the library without its log lines: it reports every mistake of a client as an error of the server.
fn quietly<T>(call: impl FnOnce() -> T) -> T {
    with_default(NoSubscriber::default(), call)
}

/// Returns what is wrong, in words that help whoever writes the page.
fn explain(error: &WebauthnError) -> Refusal {
    use WebauthnError as E;
    match error {
        E::InvalidRPOrigin => "the origin of the page is none of WEBAUTHN_RP_ORIGINS".into(),
        E::InvalidRPIDHash => "the credential is not for WEBAUTHN_RP_ID".into(),
        E::MismatchedChallenge => "another challenge was signed".into(),
        E::InvalidClientDataType => "the answer is of the other kind of ceremony".into(),
        E::CredentialCrossOrigin => "the page is in a frame of another site".into(),
        E::UserNotPresent => "nobody has touched the authenticator".into(),
        E::CredentialPossibleCompromise => {
            "the signature counter has not grown, so there may be a copy of the authenticator"
                .into()
        }
        E::CredentialBackupEligibilityInconsistent => {
            "the authenticator has changed whether the credential can be backed up".into()
        }
        E::AuthenticationFailure | E::SignatureInvalid => "the signature is wrong".into(),
        E::CredentialAlteredAlgFromRequest => {
            "the kind of key was not offered, or the authenticator is registered already".into()
        }
        E::SshPublicKeyEDUnsupported => "keys of the kind EdDSA are not supported".into(),
        E::CredentialNotFound => "another credential was requested".into(),
        _ => "the answer of the authenticator cannot be read".into(),
    }
}
