//! The statements of the server that the benchmark runs, with their parameters in the order in which it gives them. A
//! test of the server compares them with its own.

/// A statement and its parameters.
pub(crate) type Used = (&'static str, &'static [&'static str]);

pub(crate) const LOCK_BY_EMAIL: Used = ("users::lock_by_email", &["aud", "email"]);
pub(crate) const FIND_BY_EMAIL: Used = ("users::find_by_email", &["aud", "email"]);
pub(crate) const FIND_BY_ID: Used = ("users::find_by_id", &["id"]);
pub(crate) const FIND_CALLER: Used = ("users::with_session", &["id", "session_id"]);
pub(crate) const FIND_BY_SESSION: Used = ("users::by_session", &["session_id"]);
pub(crate) const INSERT_USER: Used = (
    "users::insert",
    &[
        "id",
        "aud",
        "role",
        "email",
        "phone",
        "encrypted_password",
        "email_confirmed_at",
        "phone_confirmed_at",
        "invited_at",
        "app_metadata",
        "user_metadata",
        "now",
        "is_anonymous",
        "is_sso_user",
    ],
);
pub(crate) const INSERT_IDENTITY: Used = (
    "identities::insert_external",
    &["id", "subject", "user_id", "data", "provider", "now"],
);
pub(crate) const INSERT_ENTRY: Used = ("audit::insert", &["id", "payload", "at", "address"]);
pub(crate) const OPEN_SESSION: Used = (
    "sessions::open_session",
    &[
        "id",
        "user_id",
        "now",
        "not_after",
        "user_agent",
        "ip",
        "tag",
        "hmac_key",
        "v1_token",
        "method",
        "flow_id",
        "passkey_id",
        "sign_count",
        "backed_up",
        "identity_data",
        "provider",
        "subject",
        "audit_id",
        "audit_payload",
        "audit_address",
        "audited",
    ],
);
pub(crate) const ADVANCE: Used = (
    "sessions::advance",
    &[
        "refreshed_at",
        "now",
        "user_agent",
        "ip",
        "id",
        "counter",
        "audit_id",
        "audit_payload",
        "audit_address",
        "audited",
    ],
);

/// All of them, which tests compare with the server's.
#[cfg_attr(not(test), expect(dead_code, reason = "for tests"))]
pub(crate) const USED: [Used; 10] = [
    LOCK_BY_EMAIL,
    FIND_BY_EMAIL,
    FIND_BY_ID,
    FIND_CALLER,
    FIND_BY_SESSION,
    INSERT_USER,
    INSERT_IDENTITY,
    INSERT_ENTRY,
    OPEN_SESSION,
    ADVANCE,
];
