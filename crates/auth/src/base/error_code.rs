//! The error codes of this server, each with its statuses and its meaning.

use std::fmt;
use std::fmt::Write as _;

use http::StatusCode;

/// Declares [`ErrorCode`] from a table: meaning, variant, code, statuses.
macro_rules! error_codes {
    ($(#[doc = $meaning:literal] $variant:ident = $code:literal, $statuses:expr;)+) => {
        /// A word that tells programs what went wrong. It stands in the body of an error and in the header
        /// `x-sb-error-code`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $(#[doc = $meaning] $variant,)+
        }

        impl ErrorCode {
            /// Every code, in alphabetical order.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the code as clients read it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                }
            }

            /// Returns the statuses that errors with this code have, the usual one first. An empty list
            /// means that the application chooses the status.
            pub const fn statuses(self) -> &'static [StatusCode] {
                match self {
                    $(Self::$variant => &$statuses,)+
                }
            }

            /// Returns a sentence for people that says what the code means.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning.trim_ascii_start(),)+
                }
            }
        }
    };
}

const BAD_REQUEST: StatusCode = StatusCode::BAD_REQUEST;
const CONFLICT: StatusCode = StatusCode::CONFLICT;
const FORBIDDEN: StatusCode = StatusCode::FORBIDDEN;
const NOT_FOUND: StatusCode = StatusCode::NOT_FOUND;
const TOO_MANY_REQUESTS: StatusCode = StatusCode::TOO_MANY_REQUESTS;
const UNAUTHORIZED: StatusCode = StatusCode::UNAUTHORIZED;
const UNAVAILABLE: StatusCode = StatusCode::SERVICE_UNAVAILABLE;
const UNPROCESSABLE: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

error_codes! {
    /// Anonymous sign-ins are disabled; a sign-up needs an email address or a phone number.
    AnonymousProviderDisabled = "anonymous_provider_disabled", [UNPROCESSABLE];
    /// The code verifier does not match the code challenge of the flow.
    BadCodeVerifier = "bad_code_verifier", [BAD_REQUEST];
    /// The request body is not the JSON object that the endpoint expects.
    BadJson = "bad_json", [BAD_REQUEST];
    /// The access token is not valid, or one of its claims is not.
    BadJwt = "bad_jwt", [FORBIDDEN, BAD_REQUEST];
    /// The external provider sent the browser back without what the sign-in needs, or does not accept it.
    BadOauthCallback = "bad_oauth_callback", [BAD_REQUEST];
    /// The `state` of a callback is unknown, was used before or has expired.
    BadOauthState = "bad_oauth_state", [BAD_REQUEST];
    /// The captcha token is missing, or the captcha service rejects it.
    CaptchaFailed = "captcha_failed", [BAD_REQUEST];
    /// The captcha service does not answer, or does not accept the secret of this server.
    CaptchaUnavailable = "captcha_unavailable", [UNAVAILABLE];
    /// The request conflicts with another one, with rows that refer to the user, or with a custom provider that exists.
    Conflict = "conflict", [CONFLICT, UNPROCESSABLE, BAD_REQUEST];
    /// The current password is wrong.
    CurrentPasswordInvalid = "current_password_invalid", [BAD_REQUEST];
    /// The current password is needed to set a new one.
    CurrentPasswordRequired = "current_password_required", [BAD_REQUEST];
    /// No custom provider has this identifier.
    CustomProviderNotFound = "custom_provider_not_found", [NOT_FOUND];
    /// The database is not available; the request can be repeated.
    DatabaseUnavailable = "database_unavailable", [UNAVAILABLE];
    /// Mail cannot be sent to this email address.
    EmailAddressInvalid = "email_address_invalid", [UNPROCESSABLE];
    /// `EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES` does not name this email address.
    EmailAddressNotAuthorized = "email_address_not_authorized", [BAD_REQUEST];
    /// The external provider did not share an email address.
    EmailAddressNotProvided = "email_address_not_provided", [UNPROCESSABLE];
    /// The identity cannot be removed, because another user has the address that the account would get.
    EmailConflictIdentityNotDeletable = "email_conflict_identity_not_deletable", [UNPROCESSABLE];
    /// Another user has this email address.
    EmailExists = "email_exists", [UNPROCESSABLE, BAD_REQUEST];
    /// The email address of the user is not confirmed.
    EmailNotConfirmed = "email_not_confirmed", [BAD_REQUEST, FORBIDDEN, UNPROCESSABLE];
    /// Sign-in or sign-up by email is disabled, or the server cannot send mail.
    EmailProviderDisabled = "email_provider_disabled", [UNPROCESSABLE, BAD_REQUEST];
    /// The settings turn this feature off.
    FeatureDisabled = "feature_disabled", [NOT_FOUND];
    /// The code of a PKCE flow has expired.
    FlowStateExpired = "flow_state_expired", [UNPROCESSABLE];
    /// The code of a PKCE flow is unknown or was used before.
    FlowStateNotFound = "flow_state_not_found", [NOT_FOUND];
    /// A hook answered with a body that is not JSON.
    HookPayloadInvalidContentType = "hook_payload_invalid_content_type", [BAD_REQUEST];
    /// A hook answered with a body that is too large.
    HookPayloadOverSizeLimit = "hook_payload_over_size_limit", [UNPROCESSABLE];
    /// A hook did not answer in time.
    HookTimeout = "hook_timeout", [UNPROCESSABLE];
    /// A hook could not be reached, even after several attempts.
    HookTimeoutAfterRetry = "hook_timeout_after_retry", [UNPROCESSABLE];
    /// The identity belongs to this account or to another one.
    IdentityAlreadyExists = "identity_already_exists", [UNPROCESSABLE];
    /// The user does not have this identity.
    IdentityNotFound = "identity_not_found", [UNPROCESSABLE];
    /// The session lacks the second factor that the change needs.
    InsufficientAal = "insufficient_aal", [UNAUTHORIZED, FORBIDDEN, UNPROCESSABLE];
    /// The user does not exist or the password is wrong, or the grant type is not supported.
    InvalidCredentials = "invalid_credentials", [BAD_REQUEST];
    /// The invitation is unknown, has expired or was accepted.
    InviteNotFound = "invite_not_found", [NOT_FOUND];
    /// The mail was delivered, so it cannot be sent again.
    MailDelivered = "mail_delivered", [CONFLICT];
    /// No mail has this id.
    MailNotFound = "mail_not_found", [NOT_FOUND];
    /// The mail is being sent right now.
    MailSending = "mail_sending", [CONFLICT];
    /// `SECURITY_MANUAL_LINKING_ENABLED` is off.
    ManualLinkingDisabled = "manual_linking_disabled", [NOT_FOUND];
    /// The metadata of a user is too large, too deep, or has too many members.
    MetadataTooLarge = "metadata_too_large", [UNPROCESSABLE];
    /// The endpoint does not have this method.
    MethodNotAllowed = "method_not_allowed", [StatusCode::METHOD_NOT_ALLOWED];
    /// The challenge of a second factor has expired.
    MfaChallengeExpired = "mfa_challenge_expired", [UNPROCESSABLE];
    /// Another second factor of the user has this name, or both have none.
    MfaFactorNameConflict = "mfa_factor_name_conflict", [UNPROCESSABLE];
    /// The user has no such second factor (404), or the factor no such challenge (422).
    MfaFactorNotFound = "mfa_factor_not_found", [NOT_FOUND, UNPROCESSABLE];
    /// The challenge was answered before, or requested from another address.
    MfaIpAddressMismatch = "mfa_ip_address_mismatch", [UNPROCESSABLE];
    /// Phone numbers cannot be second factors here.
    MfaPhoneEnrollNotEnabled = "mfa_phone_enroll_not_enabled", [UNPROCESSABLE];
    /// Codes of phone numbers are not accepted as second factors here.
    MfaPhoneVerifyNotEnabled = "mfa_phone_verify_not_enabled", [UNPROCESSABLE];
    /// Recovery codes cannot be made here.
    MfaRecoveryCodesEnrollNotEnabled = "mfa_recovery_codes_enroll_not_enabled", [UNPROCESSABLE];
    /// Recovery codes are not accepted here.
    MfaRecoveryCodesVerifyNotEnabled = "mfa_recovery_codes_verify_not_enabled", [UNPROCESSABLE];
    /// Authenticator apps cannot be second factors here.
    MfaTotpEnrollNotEnabled = "mfa_totp_enroll_not_enabled", [UNPROCESSABLE];
    /// Codes of authenticator apps are not accepted here.
    MfaTotpVerifyNotEnabled = "mfa_totp_verify_not_enabled", [UNPROCESSABLE];
    /// The code of the second factor is wrong or was used before.
    MfaVerificationFailed = "mfa_verification_failed", [UNPROCESSABLE];
    /// A hook has refused the second factor; all sessions of the user have ended.
    MfaVerificationRejected = "mfa_verification_rejected", [FORBIDDEN];
    /// The user has a second factor with this phone number, or recovery codes.
    MfaVerifiedFactorExists = "mfa_verified_factor_exists", [UNPROCESSABLE];
    /// Security keys cannot be second factors here.
    MfaWebauthnEnrollNotEnabled = "mfa_webauthn_enroll_not_enabled", [UNPROCESSABLE];
    /// Security keys are not accepted as second factors here.
    MfaWebauthnVerifyNotEnabled = "mfa_webauthn_verify_not_enabled", [UNPROCESSABLE];
    /// The request has no bearer token, or that of an anonymous user, who may not do this.
    NoAuthorization = "no_authorization", [UNAUTHORIZED, FORBIDDEN];
    /// The access token does not have an admin role.
    NotAdmin = "not_admin", [FORBIDDEN];
    /// No endpoint has this path.
    NotFound = "not_found", [NOT_FOUND];
    /// The email address or phone number has no account, and the request does not allow to create one (profile `gotrue`).
    OtpDisabled = "otp_disabled", [UNPROCESSABLE];
    /// The link or code is wrong, has expired or was used before.
    OtpExpired = "otp_expired", [FORBIDDEN];
    /// `CUSTOM_OAUTH_MAX_PROVIDERS` allows no further custom provider.
    OverCustomProviderQuota = "over_custom_provider_quota", [BAD_REQUEST];
    /// Too many mails were requested, for this email address or for the whole server.
    OverEmailSendRateLimit = "over_email_send_rate_limit", [TOO_MANY_REQUESTS];
    /// The client sent too many requests, or failed to sign in too often.
    OverRequestRateLimit = "over_request_rate_limit", [TOO_MANY_REQUESTS];
    /// Too many text messages were requested, for this phone number or for the whole server.
    OverSmsSendRateLimit = "over_sms_send_rate_limit", [TOO_MANY_REQUESTS];
    /// Passkeys are disabled.
    PasskeyDisabled = "passkey_disabled", [NOT_FOUND];
    /// Another user has this phone number.
    PhoneExists = "phone_exists", [UNPROCESSABLE];
    /// The phone number of the user is not confirmed.
    PhoneNotConfirmed = "phone_not_confirmed", [BAD_REQUEST, FORBIDDEN, UNPROCESSABLE];
    /// Sign-in, sign-up or changes by phone are disabled.
    PhoneProviderDisabled = "phone_provider_disabled", [BAD_REQUEST, UNPROCESSABLE];
    /// Sign-in with that external provider is disabled.
    ProviderDisabled = "provider_disabled", [BAD_REQUEST];
    /// The external provider has not verified the email address; it must be confirmed first.
    ProviderEmailNeedsVerification = "provider_email_needs_verification", [UNPROCESSABLE];
    /// The change of password needs the nonce that `/reauthenticate` sends.
    ReauthenticationNeeded = "reauthentication_needed", [BAD_REQUEST];
    /// The nonce is wrong or has expired.
    ReauthenticationNotValid = "reauthentication_not_valid", [UNPROCESSABLE];
    /// The refresh token was used before; its session has ended.
    RefreshTokenAlreadyUsed = "refresh_token_already_used", [BAD_REQUEST];
    /// The refresh token is unknown.
    RefreshTokenNotFound = "refresh_token_not_found", [BAD_REQUEST];
    /// The request body is larger than 1 MiB.
    RequestEntityTooLarge = "request_entity_too_large", [StatusCode::PAYLOAD_TOO_LARGE];
    /// The request took too long (504), or its body did not arrive in time (408).
    RequestTimeout = "request_timeout", [StatusCode::GATEWAY_TIMEOUT, StatusCode::REQUEST_TIMEOUT];
    /// The new password is the same as the old one.
    SamePassword = "same_password", [UNPROCESSABLE];
    /// Single sign-on with SAML is disabled.
    SamlProviderDisabled = "saml_provider_disabled", [NOT_FOUND];
    /// Too many requests wait for a password check; the request can be repeated.
    ServerBusy = "server_busy", [UNAVAILABLE];
    /// The session has ended by time or inactivity, or because of a newer sign-in.
    SessionExpired = "session_expired", [BAD_REQUEST, FORBIDDEN];
    /// The session does not exist any more.
    SessionNotFound = "session_not_found", [NOT_FOUND, FORBIDDEN, BAD_REQUEST];
    /// Sign-ups are disabled.
    SignupDisabled = "signup_disabled", [UNPROCESSABLE];
    /// The account has no other identity.
    SingleIdentityNotDeletable = "single_identity_not_deletable", [UNPROCESSABLE];
    /// The text message could not be sent; the message has the provider's reason.
    SmsSendFailed = "sms_send_failed", [UNPROCESSABLE];
    /// There is no such provider of single sign-on.
    SsoProviderNotFound = "sso_provider_not_found", [NOT_FOUND];
    /// The user has as many second factors as the settings allow.
    TooManyEnrolledMfaFactors = "too_many_enrolled_mfa_factors", [UNPROCESSABLE];
    /// The user has as many passkeys as the settings allow.
    TooManyPasskeys = "too_many_passkeys", [UNPROCESSABLE];
    /// The audience of the access token is not that of the user.
    UnexpectedAudience = "unexpected_audience", [FORBIDDEN];
    /// An internal error; the log of the server has its cause.
    UnexpectedFailure = "unexpected_failure", [StatusCode::INTERNAL_SERVER_ERROR];
    /// A hook rejected the request, with a status and a message of its own.
    Unknown = "unknown", [];
    /// The user has signed up before.
    UserAlreadyExists = "user_already_exists", [UNPROCESSABLE, BAD_REQUEST];
    /// The user is banned.
    UserBanned = "user_banned", [FORBIDDEN, BAD_REQUEST];
    /// No user has this id or address.
    UserNotFound = "user_not_found", [NOT_FOUND, FORBIDDEN];
    /// The account is managed by single sign-on and cannot be changed here.
    UserSsoManaged = "user_sso_managed", [UNPROCESSABLE];
    /// A value of the request is missing or not valid.
    ValidationFailed = "validation_failed", [BAD_REQUEST, UNPROCESSABLE, NOT_FOUND];
    /// The password does not meet the password policy.
    WeakPassword = "weak_password", [UNPROCESSABLE];
    /// Sign-in with wallets is disabled.
    Web3ProviderDisabled = "web3_provider_disabled", [UNPROCESSABLE];
    /// The challenge of a passkey has expired; request another one.
    WebauthnChallengeExpired = "webauthn_challenge_expired", [BAD_REQUEST];
    /// The challenge of a passkey is unknown, was used before, or belongs to another user or session.
    WebauthnChallengeNotFound = "webauthn_challenge_not_found", [BAD_REQUEST];
    /// The passkey is registered already, for this user or another one.
    WebauthnCredentialExists = "webauthn_credential_exists", [UNPROCESSABLE];
    /// What the authenticator has signed is not what was requested, or the passkey is unknown.
    WebauthnVerificationFailed = "webauthn_verification_failed", [BAD_REQUEST];
}

impl ErrorCode {
    /// Returns the status that errors with this code usually have.
    pub const fn status(self) -> StatusCode {
        match self.statuses() {
            [usual, ..] => *usual,
            [] => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Whether an error with this code may have this status.
    pub(crate) fn allows(self, status: StatusCode) -> bool {
        self.statuses().is_empty() || self.statuses().contains(&status)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns the page `docs/auth/errors.md`.
pub fn error_codes_markdown() -> String {
    let mut page = String::from(PAGE_HEAD);
    for code in ErrorCode::ALL {
        let statuses: Vec<&str> = code.statuses().iter().map(StatusCode::as_str).collect();
        let statuses = match statuses.as_slice() {
            [] => "any".to_owned(),
            statuses => statuses.join(", "),
        };
        // Writing to a string cannot fail.
        writeln!(page, "| `{code}` | {statuses} | {} |", code.meaning()).ok();
    }
    page
}

const PAGE_HEAD: &str = "\
# Error codes

<!-- Generated from crates/auth/src/base/error_code.rs:
     `UPDATE_DOCS=1 cargo test -p innkeeper-auth --test it error_codes` rewrites it. -->

Every error of the auth server has a code for programs. It stands in the response header
`x-sb-error-code` and in the body: as `code` if the request has the header
`X-Supabase-Api-Version: 2024-01-01` or a later date, else as `error_code`. The message beside it is for
people and may change. Where a code has several statuses, the usual one comes first.

A trigger or function of the application that raises an exception sends its SQLSTATE instead, such as
`P0001`; see [hooks](hooks.md).

| Code | Statuses | Meaning |
|---|---|---|
";

#[cfg(test)]
mod tests {
    use super::ErrorCode;

    #[test]
    fn codes_are_unique_and_in_alphabetical_order() {
        let codes: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        let mut sorted = codes.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(codes, sorted);
    }
}
