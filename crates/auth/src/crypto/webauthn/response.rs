//! The answers of authenticators, as clients send them: JSON with bytes in base64url.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use webauthn_rs_core::proto::{
    AuthenticationExtensionsClientOutputs, AuthenticatorAssertionResponseRaw,
    AuthenticatorAttestationResponseRaw, PublicKeyCredential, RegisterPublicKeyCredential,
    RegistrationExtensionsClientOutputs,
};

use super::Refusal;

/// The largest member of an answer, in bytes. Attestations without certificates have a few hundred, those with some
/// have a few thousand.
const MAX_MEMBER: usize = 16 * 1024;

/// The longest id of a credential, in bytes.
const MAX_ID: usize = 1023;

/// How many transports are kept.
const MAX_TRANSPORTS: usize = 8;

/// The answer to a registration.
#[derive(Debug)]
pub(crate) struct Attestation {
    pub(super) credential: RegisterPublicKeyCredential,
    pub(super) transports: Vec<String>,
    pub(super) attachment: Option<String>,
}

impl Attestation {
    /// Parses what `navigator.credentials.create()` has returned.
    pub(crate) fn parse(credential: &Value) -> Result<Self, Refusal> {
        let head = Head::parse(credential)?;
        let transports = credential.pointer("/response/transports");
        let transports = transports.and_then(Value::as_array).into_iter().flatten();
        let transports = transports.filter_map(Value::as_str).filter(is_word);
        let attachment = credential.get("authenticatorAttachment");
        let attachment = attachment.and_then(Value::as_str).filter(is_word);
        Ok(Self {
            transports: transports.take(MAX_TRANSPORTS).map(str::to_owned).collect(),
            attachment: attachment.map(str::to_owned),
            credential: RegisterPublicKeyCredential {
                response: AuthenticatorAttestationResponseRaw {
                    attestation_object: bytes(credential, "/response/attestationObject")?,
                    client_data_json: bytes(credential, "/response/clientDataJSON")?,
                    transports: None,
                },
                id: head.id,
                raw_id: head.raw_id,
                type_: TYPE.to_owned(),
                extensions: RegistrationExtensionsClientOutputs::default(),
            },
        })
    }
}

/// The answer to a sign-in.
#[derive(Debug)]
pub(crate) struct Assertion(pub(super) PublicKeyCredential);

impl Assertion {
    /// Parses what `navigator.credentials.get()` has returned.
    pub(crate) fn parse(credential: &Value) -> Result<Self, Refusal> {
        let head = Head::parse(credential)?;
        let handle = "/response/userHandle";
        let has_handle = credential.pointer(handle).is_some_and(|it| !it.is_null());
        Ok(Self(PublicKeyCredential {
            response: AuthenticatorAssertionResponseRaw {
                authenticator_data: bytes(credential, "/response/authenticatorData")?,
                client_data_json: bytes(credential, "/response/clientDataJSON")?,
                signature: bytes(credential, "/response/signature")?,
                user_handle: has_handle.then(|| bytes(credential, handle)).transpose()?,
            },
            id: head.id,
            raw_id: head.raw_id,
            extensions: AuthenticationExtensionsClientOutputs::default(),
            type_: TYPE.to_owned(),
        }))
    }

    /// Returns the id of the credential.
    pub(crate) fn credential_id(&self) -> &[u8] {
        &self.0.raw_id
    }

    /// Returns the user that the authenticator names, as text.
    pub(crate) fn user_handle(&self) -> Option<&str> {
        let handle = self.0.response.user_handle.as_deref()?;
        std::str::from_utf8(handle).ok()
    }
}

/// The type of every credential.
const TYPE: &str = "public-key";

/// What all answers have.
struct Head {
    id: String,
    raw_id: Vec<u8>,
}

impl Head {
    fn parse(credential: &Value) -> Result<Self, Refusal> {
        if credential.get("type").and_then(Value::as_str) != Some(TYPE) {
            return Err("the type is not public-key".into());
        }
        let raw_id = bytes(credential, "/rawId").or_else(|_| bytes(credential, "/id"))?;
        if raw_id.is_empty() || raw_id.len() > MAX_ID {
            return Err("the id is empty or too long".into());
        }
        Ok(Self {
            id: URL_SAFE_NO_PAD.encode(&raw_id),
            raw_id,
        })
    }
}

/// Decodes a member.
fn bytes(credential: &Value, pointer: &str) -> Result<Vec<u8>, Refusal> {
    let name = pointer.rsplit('/').next().unwrap_or(pointer);
    let text = credential.pointer(pointer).and_then(Value::as_str);
    let text = text.ok_or_else(|| Refusal::from(format!("{name} is missing")))?;
    if text.len() > MAX_MEMBER * 4 / 3 + 4 {
        return Err(format!("{name} is too large").into());
    }
    let decoded = URL_SAFE_NO_PAD.decode(text.trim_end_matches('='));
    decoded.map_err(|_| format!("{name} is not base64url").into())
}

/// Whether a word of the standard can be stored.
fn is_word(text: &&str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    (1..=32).contains(&text.len()) && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Assertion, Attestation, MAX_MEMBER};

    fn attestation(change: impl FnOnce(&mut Value)) -> Result<Attestation, String> {
        let mut credential = json!({
            "id": "AQID",
            "rawId": "AQID",
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": { "credProps": { "rk": true } },
            "response": {
                "attestationObject": "AA",
                "clientDataJSON": "AA==",
                "transports": ["internal", "hybrid", "Strange One", 7],
            },
        });
        change(&mut credential);
        Attestation::parse(&credential).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn an_attestation_is_read_with_and_without_padding() {
        let read = attestation(|_| {}).unwrap();
        assert_eq!(read.credential.raw_id, [1, 2, 3]);
        assert_eq!(read.credential.response.client_data_json, [0]);
        assert_eq!(read.transports, ["internal", "hybrid"]);
        assert_eq!(read.attachment.as_deref(), Some("platform"));
        // The longest id.
        let longest = json!("A".repeat(1364));
        let read = attestation(|it| it["rawId"] = longest).unwrap();
        assert_eq!(read.credential.raw_id.len(), 1023);
        // Old clients send the id once.
        assert!(attestation(|it| it["rawId"] = Value::Null).is_ok());
    }

    #[test]
    fn mistakes_are_named() {
        let large = "A".repeat(MAX_MEMBER * 4 / 3 + 5);
        for (pointer, value, expected) in [
            ("/type", json!("password"), "the type is not public-key"),
            ("/type", json!(null), "the type is not public-key"),
            ("/response", json!(3), "attestationObject is missing"),
            (
                "/response/clientDataJSON",
                json!("*"),
                "clientDataJSON is not base64url",
            ),
            (
                "/response/attestationObject",
                json!(large),
                "attestationObject is too large",
            ),
            ("/rawId", json!(""), "the id is empty or too long"),
            (
                "/rawId",
                json!("A".repeat(2000)),
                "the id is empty or too long",
            ),
        ] {
            let refused = attestation(|it| *it.pointer_mut(pointer).unwrap() = value).err();
            assert_eq!(refused.as_deref(), Some(expected), "{pointer}");
        }
        for credential in [json!(null), json!([]), json!("text")] {
            assert!(Attestation::parse(&credential).is_err());
            assert!(Assertion::parse(&credential).is_err());
        }
    }
}
