//! Security keys and other WebAuthn authenticators as second factors.
//!
//! A credential is stored as GoTrue stores it, so that either server can check the other one's factors.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use innkeeper_service::database::Executor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::verify::RightAnswer;
use crate::app::App;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::crypto::webauthn::{
    Assertion, Attestation, CredentialUse, NewCredential, Refusal, RelyingParty, Residence,
    StoredCredential,
};
use crate::model::{Factor, User};
use crate::store;
use crate::store::factors::AttemptRow;

/// The longest answer that is stored, in bytes of JSON.
const MAX_STORED: usize = 64 * 1024;

/// What an authenticator is asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebauthnChallenge")]
pub(crate) struct KeyChallenge {
    /// `create` for a factor that was not verified yet, else `request`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The argument of `navigator.credentials.create()` or `navigator.credentials.get()`, in JSON.
    credential_options: Value,
}

impl KeyChallenge {
    /// Returns the options for the browser.
    pub(crate) fn into_public_key(mut self) -> Value {
        let public_key = self.credential_options.get_mut("publicKey");
        public_key.map(Value::take).unwrap_or_default()
    }
}

/// The answer of an authenticator, in the body of a verification.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "WebauthnAnswer")]
pub(crate) struct KeyInput {
    /// `create` or `request`, as in the challenge.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// The credential that the browser has returned, in JSON.
    credential_response: Option<Value>,
}

impl KeyInput {
    /// The answer of a key that is added.
    pub(crate) fn create(credential: Option<Value>) -> Self {
        Self {
            kind: Some("create".to_owned()),
            credential_response: credential,
        }
    }

    /// The answer of a key that was added before.
    pub(crate) fn request(credential: Option<Value>) -> Self {
        Self {
            kind: Some("request".to_owned()),
            credential_response: credential,
        }
    }

    /// Returns the answer to a challenge in the form in which GoTrue stores the last one of a factor. Clients may add
    /// members that no authenticator has; an answer that is too long because of them is left out.
    pub(super) fn to_stored(&self, factor_id: Uuid, challenge_id: Uuid, row: &AttemptRow) -> Value {
        let response = self.credential_response.as_ref();
        let response = response.filter(|it| it.to_string().len() <= MAX_STORED);
        json!({
            "challenge": {
                "challenge_id": challenge_id,
                "factor_id": factor_id,
                "created_at": row.created_at,
                "ip_address": row.ip,
            },
            "type": self.kind,
            "credential_response": response,
        })
    }
}

/// A parsed answer.
#[derive(Debug)]
pub(super) enum KeyAnswer {
    Create(Box<Attestation>),
    Request(Box<Assertion>),
}

impl KeyAnswer {
    pub(super) fn parse(input: Option<&KeyInput>) -> Result<Self> {
        let input = input.ok_or_else(|| AuthError::validation("webauthn is required"))?;
        let response = input.credential_response.as_ref();
        let required = || AuthError::validation("credential_response is required");
        let invalid = |refusal: Refusal| {
            AuthError::validation(format!("Invalid credential_response: {refusal}"))
        };
        match input.kind.as_deref() {
            Some("create") => {
                let parsed = Attestation::parse(response.ok_or_else(required)?);
                Ok(Self::Create(Box::new(parsed.map_err(invalid)?)))
            }
            Some("request") => {
                let parsed = Assertion::parse(response.ok_or_else(required)?);
                Ok(Self::Request(Box::new(parsed.map_err(invalid)?)))
            }
            _ => Err(AuthError::validation(
                "The type of webauthn must be create or request",
            )),
        }
    }
}

/// Makes the challenge of a factor: one that was not verified yet gets its credential by the answer. Returns what is
/// sent, and what is remembered.
pub(super) async fn start(
    app: &App,
    conn: &dyn Executor,
    user: &User,
    factor: &Factor,
) -> Result<(KeyChallenge, Value)> {
    let party = relying_party(app)?;
    let keys = store::factors::security_keys(conn, user.id).await?;
    let keys = keys.into_iter().filter_map(|key| {
        let credential = key.credential.as_ref().and_then(read)?;
        Some((key.id, credential))
    });
    let (kind, ceremony) = if factor.is_verified() {
        let own: Vec<_> = keys.filter(|(id, _)| *id == factor.id).collect();
        let own: Vec<_> = own.into_iter().map(|(_, credential)| credential).collect();
        if own.is_empty() {
            return Err(failed(&"the factor has no readable credential".into()));
        }
        ("request", party.start_sign_in(&own)?)
    } else {
        let known = keys.map(|(_, credential)| credential.id).collect();
        let ceremony = party.start_registration(user, Residence::Any, known)?;
        ("create", ceremony)
    };
    let challenge = KeyChallenge {
        kind,
        credential_options: json!({ "publicKey": ceremony.options }),
    };
    Ok((challenge, json!({ "type": kind, "state": ceremony.state })))
}

/// Checks an answer. The outer error is one of the server.
pub(super) fn check(
    app: &App,
    user_id: Uuid,
    row: &AttemptRow,
    answer: &KeyAnswer,
) -> Result<Result<RightAnswer>> {
    let party = relying_party(app)?;
    let checked = match answer {
        KeyAnswer::Create(attestation) => create(&party, row, attestation),
        KeyAnswer::Request(assertion) => request(&party, user_id, row, assertion),
    };
    Ok(checked.map_err(|refusal| failed(&refusal)))
}

fn create(
    party: &RelyingParty,
    row: &AttemptRow,
    attestation: &Attestation,
) -> std::result::Result<RightAnswer, Refusal> {
    let state = state_of(row, "create")?;
    let new = party.finish_registration(state, attestation)?;
    Ok(RightAnswer {
        step: step_of(new.stored.sign_count),
        credential: Some(write(&new)),
        aaguid: Some(new.aaguid),
        ..RightAnswer::default()
    })
}

fn request(
    party: &RelyingParty,
    user_id: Uuid,
    row: &AttemptRow,
    assertion: &Assertion,
) -> std::result::Result<RightAnswer, Refusal> {
    let state = state_of(row, "request")?;
    let stored = row.credential.as_ref();
    let (stored, credential) = stored
        .and_then(|stored| Some((stored, read(stored)?)))
        .ok_or("the factor has no readable credential")?;
    let handle = assertion.user_handle();
    if handle.is_some_and(|handle| handle.parse() != Ok(user_id)) {
        return Err("the user handle is that of another user".into());
    }
    let used = party.finish_sign_in(state, assertion, &credential)?;
    Ok(RightAnswer {
        step: step_of(used.sign_count),
        credential: Some(after_use(stored, used)),
        ..RightAnswer::default()
    })
}

/// Returns the state of a challenge of this kind.
fn state_of<'a>(row: &'a AttemptRow, kind: &str) -> std::result::Result<&'a Value, Refusal> {
    let data = row.session_data.as_ref();
    let data = data.filter(|data| data.get("type").and_then(Value::as_str) == Some(kind));
    let state = data.and_then(|data| data.get("state"));
    state.ok_or_else(|| "the challenge is of the other kind".into())
}

/// The signature counter is accepted once per factor, like the time step of an authenticator app. Authenticators
/// without a counter send zero.
fn step_of(sign_count: u32) -> Option<i64> {
    (sign_count > 0).then(|| i64::from(sign_count))
}

fn relying_party(app: &App) -> Result<RelyingParty> {
    RelyingParty::of(&app.config.webauthn).ok_or_else(|| {
        AuthError::refused(
            ErrorCode::MfaWebauthnVerifyNotEnabled,
            "The settings name no site for security keys",
        )
    })
}

fn failed(refusal: &Refusal) -> AuthError {
    AuthError::refused(
        ErrorCode::MfaVerificationFailed,
        format!("The security key was not accepted: {refusal}"),
    )
}

/// Returns a credential in the form in which GoTrue stores it.
fn write(new: &NewCredential) -> Value {
    let stored = &new.stored;
    json!({
        "id": STANDARD.encode(&stored.id),
        "publicKey": STANDARD.encode(&stored.public_key),
        "attestationType": "none",
        "transport": new.transports,
        "flags": {
            "userPresent": true,
            "userVerified": new.is_user_verified,
            "backupEligible": stored.is_backup_eligible,
            "backupState": stored.is_backed_up,
        },
        "authenticator": {
            "AAGUID": STANDARD.encode(new.aaguid.as_bytes()),
            "signCount": stored.sign_count,
            "cloneWarning": false,
            "attachment": new.attachment.as_deref().unwrap_or_default(),
        },
    })
}

/// Reads a credential in that form.
fn read(stored: &Value) -> Option<StoredCredential> {
    let bytes = |name: &str| STANDARD.decode(stored.get(name)?.as_str()?).ok();
    let flag = |pointer: &str| stored.pointer(pointer).and_then(Value::as_bool);
    let counter = stored.pointer("/authenticator/signCount");
    let counter = counter.and_then(Value::as_u64).unwrap_or_default();
    Some(StoredCredential {
        id: bytes("id").filter(|id| !id.is_empty())?,
        public_key: bytes("publicKey")?,
        sign_count: u32::try_from(counter).unwrap_or(u32::MAX),
        is_backup_eligible: flag("/flags/backupEligible").unwrap_or_default(),
        is_backed_up: flag("/flags/backupState").unwrap_or_default(),
    })
}

/// Returns a stored credential after it was used.
fn after_use(stored: &Value, used: CredentialUse) -> Value {
    let mut stored = stored.clone();
    let changes = [
        ("/authenticator/signCount", json!(used.sign_count)),
        ("/flags/backupState", json!(used.is_backed_up)),
    ];
    for (pointer, value) in changes {
        if let Some(member) = stored.pointer_mut(pointer) {
            *member = value;
        }
    }
    stored
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{KeyAnswer, KeyInput, after_use, read};
    use crate::crypto::webauthn::CredentialUse;

    #[test]
    fn a_credential_of_gotrue_is_read_and_keeps_what_is_not_ours() {
        let stored = json!({
            "id": "AQID",
            "publicKey": "pQECAyYgASFYIA==",
            "attestationType": "none",
            "transport": ["usb"],
            "flags": { "userPresent": true, "userVerified": false, "backupEligible": true, "backupState": false },
            "authenticator": { "AAGUID": "AAAAAAAAAAAAAAAAAAAAAA==", "signCount": 7, "cloneWarning": false,
                "attachment": "cross-platform" },
            "attestation": { "object": "b2JqZWN0" },
        });
        let credential = read(&stored).unwrap();
        assert_eq!(credential.id, [1, 2, 3]);
        assert_eq!(credential.sign_count, 7);
        assert!(credential.is_backup_eligible && !credential.is_backed_up);
        let used = CredentialUse {
            sign_count: 9,
            is_backed_up: true,
        };
        let after = after_use(&stored, used);
        assert_eq!(read(&after).unwrap().sign_count, 9);
        assert!(read(&after).unwrap().is_backed_up);
        assert_eq!(after["attestation"], stored["attestation"]);
        for broken in [
            json!({}),
            json!(null),
            json!({ "id": "", "publicKey": "AA==" }),
        ] {
            assert!(read(&broken).is_none(), "{broken}");
        }
    }

    #[test]
    fn an_answer_names_its_kind_and_has_a_credential() {
        let parsed = |input: serde_json::Value| {
            let input: Option<KeyInput> = serde_json::from_value(input).unwrap();
            KeyAnswer::parse(input.as_ref()).map_err(|error| error.to_string())
        };
        for (input, expected) in [
            (json!(null), "webauthn is required"),
            (json!({}), "The type of webauthn must be create or request"),
            (
                json!({ "type": "get" }),
                "The type of webauthn must be create or request",
            ),
            (
                json!({ "type": "create" }),
                "credential_response is required",
            ),
            (
                json!({ "type": "request" }),
                "credential_response is required",
            ),
            (
                json!({ "type": "request", "credential_response": {} }),
                "Invalid credential_response: the type is not public-key",
            ),
        ] {
            assert_eq!(parsed(input).unwrap_err(), expected);
        }
    }
}
