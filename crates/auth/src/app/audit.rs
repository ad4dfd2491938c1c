//! The audit log: who did what. Entries contain no password, token or code.

mod refusals;

use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::base::client::ClientInfo;
use crate::crypto::jwt::Claims;
use crate::flow::user::{Object, User};
use crate::store::audit::NewAuditEntry;

pub(crate) use refusals::RefusalBudget;

/// An action that is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuditAction {
    Login,
    Logout,
    InviteAccepted,
    UserSignedUp,
    UserInvited,
    UserDeleted,
    UserModified,
    RecoveryRequested,
    ReauthenticateRequested,
    ConfirmationRequested,
    RepeatedSignup,
    UpdatedPassword,
    TokenRevoked,
    TokenRefreshed,
    IdentityLinked,
    IdentityUnlinked,
    FactorInProgress,
    FactorUnenrolled,
    ChallengeCreated,
    VerificationAttempted,
    FactorDeleted,
    FactorUpdated,
    RecoveryCodesCreated,
    RecoveryCodesDeleted,
    PasskeyCreated,
    PasskeyUpdated,
    PasskeyDeleted,
    CustomProviderCreated,
    CustomProviderModified,
    CustomProviderDeleted,
    /// A password, link or code was wrong, or its user may not sign in.
    SignInFailed,
    /// An access token did not give access to an admin endpoint.
    AdminCallRefused,
}

impl AuditAction {
    /// Returns its name, and its log type.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Login => ("login", "account"),
            Self::Logout => ("logout", "account"),
            Self::InviteAccepted => ("invite_accepted", "account"),
            Self::UserSignedUp => ("user_signedup", "team"),
            Self::UserInvited => ("user_invited", "team"),
            Self::UserDeleted => ("user_deleted", "team"),
            Self::UserModified => ("user_modified", "user"),
            Self::RecoveryRequested => ("user_recovery_requested", "user"),
            Self::ReauthenticateRequested => ("user_reauthenticate_requested", "user"),
            Self::ConfirmationRequested => ("user_confirmation_requested", "user"),
            Self::RepeatedSignup => ("user_repeated_signup", "user"),
            Self::UpdatedPassword => ("user_updated_password", "user"),
            Self::TokenRevoked => ("token_revoked", "token"),
            Self::TokenRefreshed => ("token_refreshed", "token"),
            Self::IdentityLinked => ("identity_linked", "user"),
            Self::IdentityUnlinked => ("identity_unlinked", "user"),
            Self::FactorInProgress => ("factor_in_progress", "factor"),
            Self::FactorUnenrolled => ("factor_unenrolled", "factor"),
            Self::ChallengeCreated => ("challenge_created", "factor"),
            Self::VerificationAttempted => ("verification_attempted", "factor"),
            Self::FactorDeleted => ("factor_deleted", "factor"),
            Self::FactorUpdated => ("factor_updated", "factor"),
            Self::RecoveryCodesCreated => ("recovery_codes_created", "factor"),
            Self::RecoveryCodesDeleted => ("recovery_codes_deleted", "factor"),
            Self::PasskeyCreated => ("passkey_created", "user"),
            Self::PasskeyUpdated => ("passkey_updated", "user"),
            Self::PasskeyDeleted => ("passkey_deleted", "user"),
            Self::CustomProviderCreated => ("custom_provider_created", "provider"),
            Self::CustomProviderModified => ("custom_provider_modified", "provider"),
            Self::CustomProviderDeleted => ("custom_provider_deleted", "provider"),
            Self::SignInFailed => ("sign_in_failed", "account"),
            Self::AdminCallRefused => ("admin_call_refused", "token"),
        }
    }
}

/// The user or admin who performs an action.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Actor<'a> {
    User(&'a User),
    /// An admin: a user with an admin role, or a service token, which has no user.
    Operator(&'a Claims),
    /// The sender of a refused request: the identifier that it named, which may be empty, and the id of the user
    /// who has it, if any.
    Sender {
        id: Option<Uuid>,
        name: &'a str,
    },
}

impl Actor<'_> {
    /// Returns the id, the name, and whether the user signs in through SSO.
    fn parts(&self) -> (Uuid, &str, bool) {
        match self {
            Self::User(user) => (user.id, user.name(), user.is_sso_user),
            Self::Operator(claims) => {
                let id = claims.sub.as_deref().and_then(|sub| sub.parse().ok());
                let names = [claims.email.as_deref(), claims.role.as_deref()];
                let name = names.into_iter().flatten().find(|name| !name.is_empty());
                (id.unwrap_or_default(), name.unwrap_or_default(), false)
            }
            Self::Sender { id, name } => (id.unwrap_or_default(), *name, false),
        }
    }
}

/// Writes an entry to the log of the server.
pub(crate) fn log_entry(entry: &NewAuditEntry, client: &ClientInfo) {
    let text = |name: &str| entry.payload.get(name).and_then(Value::as_str);
    let via_sso = entry.payload.get("actor_via_sso").and_then(Value::as_bool);
    tracing::info!(
        audit_log_id = %entry.id,
        action = text("action"),
        log_type = text("log_type"),
        actor_id = text("actor_id"),
        actor_username = text("actor_username"),
        actor_via_sso = via_sso,
        traits = entry.payload.get("traits").map(tracing::field::display),
        ip_address = entry.address,
        request_id = client.request_id.as_ref().map(tracing::field::display),
        user_agent = client.user_agent,
        at = %entry.at,
        "auth_audit_event"
    );
}

/// Describes an action for the audit log.
pub(crate) fn entry(
    action: AuditAction,
    actor: Actor<'_>,
    traits: Object,
    client: &ClientInfo,
    at: Timestamp,
) -> NewAuditEntry {
    let (action, log_type) = action.names();
    let (id, name, via_sso) = actor.parts();
    let mut payload = json!({
        "actor_id": id,
        "actor_username": name,
        "actor_via_sso": via_sso,
        "action": action,
        "log_type": log_type,
    });
    if let (Some(payload), false) = (payload.as_object_mut(), traits.is_empty()) {
        payload.insert("traits".to_owned(), Value::Object(traits));
    }
    NewAuditEntry {
        id: Uuid::new_v4(),
        payload,
        at,
        address: client.address_text(),
    }
}
