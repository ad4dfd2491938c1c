//! Credentials: what the server keeps of an authenticator's key.

use serde_cbor_2::Value;
use uuid::Uuid;
use webauthn_rs_core::internals::AuthenticatorData;
use webauthn_rs_core::proto::{
    AttestationFormat, COSEKey, Credential, ParsedAttestation, RegisteredExtensions, Registration,
    UserVerificationPolicy,
};

use super::Refusal;

/// A credential that was just registered.
#[derive(Debug, Clone)]
pub(crate) struct NewCredential {
    pub(crate) stored: StoredCredential,
    /// The model of the authenticator; all zeros if it does not tell.
    pub(crate) aaguid: Uuid,
    pub(crate) transports: Vec<String>,
    /// `platform` or `cross-platform`, if the client says so.
    pub(crate) attachment: Option<String>,
    /// Whether the authenticator has recognised its owner.
    pub(crate) is_user_verified: bool,
}

/// A credential as the database has it.
#[derive(Debug, Clone)]
pub(crate) struct StoredCredential {
    pub(crate) id: Vec<u8>,
    /// The key in the form of COSE.
    pub(crate) public_key: Vec<u8>,
    /// How often it has signed, if the authenticator counts.
    pub(crate) sign_count: u32,
    pub(crate) is_backup_eligible: bool,
    pub(crate) is_backed_up: bool,
}

impl StoredCredential {
    /// Converts the credential into the form in which signatures are checked.
    ///
    /// GoTrue does not store whether the owner was recognised at the registration, so a later sign-in is not
    /// required to do as much.
    pub(super) fn to_checkable(&self) -> Result<Credential, Refusal> {
        let unreadable = || Refusal::from("the stored key cannot be read");
        let key: Value = serde_cbor_2::from_slice(&self.public_key).map_err(|_| unreadable())?;
        let key = COSEKey::try_from(&key).map_err(|_| unreadable())?;
        Ok(Credential {
            cred_id: self.id.clone(),
            cred: key,
            counter: self.sign_count,
            transports: None,
            user_verified: false,
            backup_eligible: self.is_backup_eligible,
            backup_state: self.is_backed_up,
            registration_policy: UserVerificationPolicy::Preferred,
            extensions: RegisteredExtensions::none(),
            attestation: ParsedAttestation::default(),
            attestation_format: AttestationFormat::None,
        })
    }
}

/// What an attestation says beyond the checked credential.
pub(super) struct AttestedKey {
    pub(super) aaguid: Uuid,
    /// The key in the form of COSE.
    pub(super) public_key: Vec<u8>,
}

impl AttestedKey {
    /// Reads an attestation object that was checked.
    pub(super) fn read(attestation_object: &[u8]) -> Result<Self, Refusal> {
        let unreadable = || Refusal::from("the attestation cannot be read");
        let object: Value =
            serde_cbor_2::from_slice(attestation_object).map_err(|_| unreadable())?;
        let Value::Map(members) = object else {
            return Err(unreadable());
        };
        let Some(Value::Bytes(data)) = members.get(&Value::Text("authData".to_owned())) else {
            return Err(unreadable());
        };
        let data = AuthenticatorData::<Registration>::try_from(data.as_slice());
        let attested = data.ok().and_then(|data| data.acd).ok_or_else(unreadable)?;
        let public_key = serde_cbor_2::to_vec(&attested.credential_pk);
        Ok(Self {
            aaguid: Uuid::from_bytes(attested.aaguid),
            public_key: public_key.map_err(|_| unreadable())?,
        })
    }
}
