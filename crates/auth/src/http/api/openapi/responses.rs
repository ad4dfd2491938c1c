//! The responses of operations: error codes by status, and headers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::passkeys;
use crate::base::error_code::ErrorCode;

/// Error codes by status.
pub(super) type Refusals = &'static [(u16, &'static [ErrorCode])];

/// Returns the response headers, for `#/components/headers`.
pub(super) fn headers() -> Value {
    let header =
        |description: &str, schema: Value| json!({ "description": description, "schema": schema });
    let text = || json!({ "type": "string" });
    json!({
        "ApiVersion": header("The API version, if the request selected one.", json!({ "const": "2024-01-01" })),
        "ErrorCode": header("The error code.", text()),
        "RetryAfter": header("Seconds to wait.", json!({ "type": "integer", "minimum": 0 })),
        "Location": header("The URL that the browser is sent to.", text()),
        "TotalCount": header("The total number of items.", json!({ "type": "integer" })),
        "Link": header("Links to the next and the last page.", text()),
        "UserId": header("The user.", json!({ "type": "string", "format": "uuid" })),
        "SessionId": header("The session.", json!({ "type": "string", "format": "uuid" })),
        "RefreshTokenCounter": header(
            "The number of refreshes of the session.",
            json!({ "type": "integer", "minimum": 0 }),
        ),
        "RefreshTokenPrefix": header("The first characters of a refresh token of version 1.", text()),
        "RefreshTokenReuse": header(
            "Whether the response repeats that of an earlier refresh.",
            json!({ "enum": ["true", "false"] }),
        ),
    })
}

/// Lists every response of an operation.
pub(super) fn write(path: &str, method: &str, operation: &mut Map<String, Value>) {
    let (has_body, security) = (
        operation.contains_key("requestBody"),
        operation.get("security").cloned(),
    );
    let responses = operation.entry("responses").or_insert_with(|| json!({}));
    let Some(responses) = responses.as_object_mut() else {
        return;
    };
    // The 503 of `/health` has the shape of its 200.
    let is_health = path == "/health";
    responses.retain(|status, _| status.starts_with(['2', '3']) || is_health && status == "503");
    for (status, answer) in responses.iter_mut() {
        describe(path, method, status, answer);
    }
    let mut codes = BTreeMap::<u16, Vec<ErrorCode>>::new();
    let mut add = |refusals: Refusals| {
        for (status, more) in refusals {
            codes.entry(*status).or_default().extend(*more);
        }
    };
    if is_health {
        return;
    }
    add(ANYWHERE);
    if has_body {
        add(BODY);
    }
    if let Some(schemes) = security {
        add(if schemes.pointer("/0/service").is_some() {
            ADMIN
        } else {
            USER
        });
    }
    if path.contains('{') && !path.contains("{identifier}") {
        add(&[
            (400, &[ErrorCode::ValidationFailed]),
            (404, &[ErrorCode::ValidationFailed]),
        ]);
    }
    for refusals in own(path, method) {
        add(refusals);
    }
    for (status, codes) in codes {
        responses.insert(status.to_string(), failure(status, &codes));
    }
    // With pages, a link that does not work shows one.
    if (path, method) == ("/verify", "get")
        && let Some(refused) = responses.get_mut("403")
    {
        refused["content"] = page();
    }
}

/// The content of a response that is a page.
fn page() -> Value {
    json!({ "text/html": { "schema": { "type": "string" } } })
}

/// Adds the headers of a successful response, and its content if no type describes it.
fn describe(path: &str, method: &str, status: &str, answer: &mut Value) {
    let names: &[(&str, &str)] = match (path, method, status) {
        ("/signup" | "/token" | "/verify" | "/passkeys/authentication/verify", "post", "200") => &[
            ("sb-auth-user-id", "UserId"),
            ("sb-auth-session-id", "SessionId"),
            ("sb-auth-refresh-token-counter", "RefreshTokenCounter"),
            ("sb-auth-refresh-token-prefix", "RefreshTokenPrefix"),
            ("sb-auth-refresh-token-reuse", "RefreshTokenReuse"),
        ],
        ("/admin/users" | "/admin/audit" | "/admin/mail", "get", "200") => {
            &[("x-total-count", "TotalCount"), ("link", "Link")]
        }
        (_, _, "302" | "303") => &[("location", "Location")],
        _ => &[],
    };
    if (path, method, status) == ("/verify", "get", "200") {
        answer["content"] = page();
    }
    answer["headers"] = references(names);
}

fn references(names: &[(&str, &str)]) -> Value {
    let version = [("X-Supabase-Api-Version", "ApiVersion")];
    let all = version.iter().chain(names).map(|(name, header)| {
        let reference = format!("#/components/headers/{header}");
        ((*name).to_owned(), json!({ "$ref": reference }))
    });
    Value::Object(all.collect())
}

fn failure(status: u16, codes: &[ErrorCode]) -> Value {
    let mut named: Vec<String> = Vec::new();
    for code in codes {
        let code = format!("`{code}`");
        if !named.contains(&code) {
            named.push(code);
        }
    }
    let mut headers = vec![("x-sb-error-code", "ErrorCode")];
    if matches!(status, 429 | 503) {
        headers.push(("Retry-After", "RetryAfter"));
    }
    json!({
        "description": named.join(", "),
        "headers": references(&headers),
        "content": { "application/json": {
            "schema": { "$ref": "#/components/schemas/Error" },
        } },
    })
}

const ANYWHERE: Refusals = &[
    (500, &[ErrorCode::UnexpectedFailure]),
    (503, &[ErrorCode::DatabaseUnavailable]),
    (504, &[ErrorCode::RequestTimeout]),
];

const BODY: Refusals = &[
    (400, &[ErrorCode::BadJson, ErrorCode::ValidationFailed]),
    (408, &[ErrorCode::RequestTimeout]),
    (413, &[ErrorCode::RequestEntityTooLarge]),
];

const USER: Refusals = &[
    (400, &[ErrorCode::BadJwt, ErrorCode::ValidationFailed]),
    (401, &[ErrorCode::NoAuthorization]),
    (
        403,
        &[
            ErrorCode::BadJwt,
            ErrorCode::SessionNotFound,
            ErrorCode::UnexpectedAudience,
            ErrorCode::UserBanned,
            ErrorCode::UserNotFound,
        ],
    ),
];

const ADMIN: Refusals = &[
    (401, &[ErrorCode::NoAuthorization]),
    (
        403,
        &[
            ErrorCode::BadJwt,
            ErrorCode::NotAdmin,
            ErrorCode::SessionExpired,
            ErrorCode::SessionNotFound,
            ErrorCode::UserBanned,
        ],
    ),
];

const MAIL: Refusals = &[
    (
        400,
        &[
            ErrorCode::EmailAddressNotAuthorized,
            ErrorCode::EmailProviderDisabled,
        ],
    ),
    (
        422,
        &[
            ErrorCode::EmailAddressInvalid,
            ErrorCode::EmailProviderDisabled,
        ],
    ),
    (
        429,
        &[
            ErrorCode::OverEmailSendRateLimit,
            ErrorCode::OverRequestRateLimit,
        ],
    ),
];

/// Operations that send a text message.
const SMS: Refusals = &[
    (400, &[ErrorCode::PhoneProviderDisabled]),
    (422, &[ErrorCode::SmsSendFailed]),
    (429, &[ErrorCode::OverSmsSendRateLimit]),
];

/// Operations that require a captcha, if captchas are enabled.
pub(super) const CAPTCHA: Refusals = &[
    (400, &[ErrorCode::CaptchaFailed]),
    (503, &[ErrorCode::CaptchaUnavailable]),
];

/// Operations that call a hook of the application.
pub(super) const HOOK: Refusals = &[
    (400, &[ErrorCode::HookPayloadInvalidContentType]),
    (
        422,
        &[
            ErrorCode::HookPayloadOverSizeLimit,
            ErrorCode::HookTimeout,
            ErrorCode::HookTimeoutAfterRetry,
        ],
    ),
];

/// Operations that check or hash a password.
const PASSWORD: Refusals = &[
    (422, &[ErrorCode::WeakPassword]),
    (503, &[ErrorCode::ServerBusy]),
];

/// Operations of operators that create or change an account.
const ACCOUNT: Refusals = &[(
    422,
    &[
        ErrorCode::Conflict,
        ErrorCode::EmailExists,
        ErrorCode::PhoneExists,
        ErrorCode::ValidationFailed,
    ],
)];

pub(super) const OF_USER: Refusals = &[(404, &[ErrorCode::UserNotFound])];

/// Operations on custom providers.
const CUSTOM: Refusals = &[
    (400, &[ErrorCode::ValidationFailed]),
    (404, &[ErrorCode::FeatureDisabled]),
];

const OF_CUSTOM: Refusals = &[(404, &[ErrorCode::CustomProviderNotFound])];

/// Operations on second factors.
const FACTOR: Refusals = &[(
    403,
    &[ErrorCode::NoAuthorization, ErrorCode::SessionNotFound],
)];

const OF_FACTOR: Refusals = &[(404, &[ErrorCode::MfaFactorNotFound])];

/// Operations that raise a session.
const RAISE: Refusals = &[
    (403, &[ErrorCode::MfaVerificationRejected]),
    (422, &[ErrorCode::MfaVerificationFailed]),
    (429, &[ErrorCode::OverRequestRateLimit]),
];

const OF_SESSION: Refusals = &[(404, &[ErrorCode::SessionNotFound])];

/// Returns the errors of a single operation.
#[expect(clippy::too_many_lines, reason = "a flat table of operations")]
fn own(path: &str, method: &str) -> &'static [Refusals] {
    match (path, method) {
        ("/signup", _) => &[
            CAPTCHA,
            HOOK,
            MAIL,
            SMS,
            PASSWORD,
            &[
                (400, &[ErrorCode::UserAlreadyExists]),
                (
                    422,
                    &[
                        ErrorCode::AnonymousProviderDisabled,
                        ErrorCode::SignupDisabled,
                        ErrorCode::UserAlreadyExists,
                    ],
                ),
            ],
        ],
        ("/token", _) => &[
            CAPTCHA,
            HOOK,
            &[
                (
                    400,
                    &[
                        ErrorCode::BadCodeVerifier,
                        ErrorCode::EmailNotConfirmed,
                        ErrorCode::InvalidCredentials,
                        ErrorCode::PhoneNotConfirmed,
                        ErrorCode::ProviderDisabled,
                        ErrorCode::RefreshTokenAlreadyUsed,
                        ErrorCode::RefreshTokenNotFound,
                        ErrorCode::SessionExpired,
                        ErrorCode::SessionNotFound,
                        ErrorCode::UserBanned,
                    ],
                ),
                (
                    401,
                    &[ErrorCode::InsufficientAal, ErrorCode::NoAuthorization],
                ),
                (403, &[ErrorCode::BadJwt, ErrorCode::UserBanned]),
                (404, &[ErrorCode::FlowStateNotFound]),
                (409, &[ErrorCode::Conflict]),
                (
                    422,
                    &[
                        ErrorCode::Conflict,
                        ErrorCode::EmailAddressNotProvided,
                        ErrorCode::EmailNotConfirmed,
                        ErrorCode::EmailProviderDisabled,
                        ErrorCode::FlowStateExpired,
                        ErrorCode::IdentityAlreadyExists,
                        ErrorCode::PhoneProviderDisabled,
                        ErrorCode::ProviderEmailNeedsVerification,
                        ErrorCode::SignupDisabled,
                    ],
                ),
                (429, &[ErrorCode::OverRequestRateLimit]),
                (503, &[ErrorCode::ServerBusy]),
            ],
        ],
        ("/verify", "get") => &[&[
            (400, &[ErrorCode::ValidationFailed]),
            (403, &[ErrorCode::OtpExpired]),
            (429, &[ErrorCode::OverRequestRateLimit]),
        ]],
        ("/verify", _) => &[
            HOOK,
            PASSWORD,
            &[
                (403, &[ErrorCode::OtpExpired, ErrorCode::UserBanned]),
                (
                    422,
                    &[
                        ErrorCode::EmailExists,
                        ErrorCode::PhoneExists,
                        ErrorCode::ValidationFailed,
                    ],
                ),
                (429, &[ErrorCode::OverRequestRateLimit]),
            ],
        ],
        ("/otp", _) => &[
            CAPTCHA,
            HOOK,
            MAIL,
            SMS,
            &[(422, &[ErrorCode::OtpDisabled, ErrorCode::SignupDisabled])],
        ],
        ("/magiclink", _) => &[
            CAPTCHA,
            HOOK,
            MAIL,
            &[(
                422,
                &[ErrorCode::SignupDisabled, ErrorCode::ValidationFailed],
            )],
        ],
        ("/recover", _) => &[CAPTCHA, MAIL],
        ("/resend", _) => &[CAPTCHA, HOOK, MAIL, SMS],
        ("/invite", _) => &[HOOK, MAIL, &[(422, &[ErrorCode::EmailExists])]],
        ("/user", "put") => &[
            HOOK,
            MAIL,
            SMS,
            PASSWORD,
            &[
                (
                    400,
                    &[
                        ErrorCode::CurrentPasswordInvalid,
                        ErrorCode::CurrentPasswordRequired,
                        ErrorCode::ReauthenticationNeeded,
                    ],
                ),
                (401, &[ErrorCode::InsufficientAal]),
                (403, &[ErrorCode::NotAdmin]),
                (
                    422,
                    &[
                        ErrorCode::EmailExists,
                        ErrorCode::PhoneExists,
                        ErrorCode::ReauthenticationNotValid,
                        ErrorCode::SamePassword,
                        ErrorCode::UserSsoManaged,
                        ErrorCode::ValidationFailed,
                    ],
                ),
            ],
        ],
        ("/user/sessions/{id}", _) => &[OF_SESSION],
        ("/authorize", _) => &[&[
            (
                400,
                &[ErrorCode::ValidationFailed, ErrorCode::BadOauthCallback],
            ),
            (404, &[ErrorCode::InviteNotFound]),
            (429, &[ErrorCode::OverRequestRateLimit]),
        ]],
        ("/user/identities/authorize", _) => &[&[
            (
                400,
                &[ErrorCode::ValidationFailed, ErrorCode::BadOauthCallback],
            ),
            (401, &[ErrorCode::InsufficientAal]),
            (
                404,
                &[ErrorCode::InviteNotFound, ErrorCode::ManualLinkingDisabled],
            ),
        ]],
        ("/user/identities/{id}", _) => &[&[
            (401, &[ErrorCode::InsufficientAal]),
            (404, &[ErrorCode::ManualLinkingDisabled]),
            (
                422,
                &[
                    ErrorCode::EmailConflictIdentityNotDeletable,
                    ErrorCode::IdentityNotFound,
                    ErrorCode::SingleIdentityNotDeletable,
                ],
            ),
        ]],
        ("/factors", _) => &[
            FACTOR,
            &[
                (403, &[ErrorCode::InsufficientAal]),
                (404, &[ErrorCode::UserNotFound]),
                (
                    422,
                    &[
                        ErrorCode::MfaFactorNameConflict,
                        ErrorCode::MfaPhoneEnrollNotEnabled,
                        ErrorCode::MfaTotpEnrollNotEnabled,
                        ErrorCode::MfaVerifiedFactorExists,
                        ErrorCode::MfaWebauthnEnrollNotEnabled,
                        ErrorCode::TooManyEnrolledMfaFactors,
                    ],
                ),
            ],
        ],
        ("/factors/{id}/challenge", _) => &[
            FACTOR,
            OF_FACTOR,
            HOOK,
            SMS,
            &[
                (
                    422,
                    &[
                        ErrorCode::MfaPhoneVerifyNotEnabled,
                        ErrorCode::MfaTotpVerifyNotEnabled,
                        ErrorCode::MfaWebauthnVerifyNotEnabled,
                    ],
                ),
                (429, &[ErrorCode::OverRequestRateLimit]),
                (503, &[ErrorCode::ServerBusy]),
            ],
        ],
        ("/factors/{id}/verify", _) => &[
            FACTOR,
            OF_FACTOR,
            HOOK,
            RAISE,
            &[(
                422,
                &[
                    ErrorCode::MfaChallengeExpired,
                    ErrorCode::MfaFactorNotFound,
                    ErrorCode::MfaIpAddressMismatch,
                    ErrorCode::MfaPhoneVerifyNotEnabled,
                    ErrorCode::MfaTotpVerifyNotEnabled,
                    ErrorCode::MfaWebauthnVerifyNotEnabled,
                ],
            )],
        ],
        ("/factors/{id}", _) => &[FACTOR, OF_FACTOR, &[(422, &[ErrorCode::InsufficientAal])]],
        ("/factors/recovery-codes/verify", _) => &[
            FACTOR,
            HOOK,
            RAISE,
            &[(422, &[ErrorCode::MfaRecoveryCodesVerifyNotEnabled])],
        ],
        ("/factors/recovery-codes", "get") => &[FACTOR],
        ("/factors/recovery-codes" | "/factors/recovery-codes/regenerate", _) => &[
            FACTOR,
            OF_FACTOR,
            &[
                (403, &[ErrorCode::InsufficientAal]),
                (
                    422,
                    &[
                        ErrorCode::MfaRecoveryCodesEnrollNotEnabled,
                        ErrorCode::MfaVerifiedFactorExists,
                    ],
                ),
            ],
        ],
        ("/reauthenticate", _) => &[
            HOOK,
            MAIL,
            SMS,
            &[(
                422,
                &[ErrorCode::EmailNotConfirmed, ErrorCode::PhoneNotConfirmed],
            )],
        ],
        ("/admin/users" | "/admin/audit" | "/admin/mail", "get") => {
            &[&[(400, &[ErrorCode::ValidationFailed])]]
        }
        ("/admin/custom-providers", "get") => &[CUSTOM],
        ("/admin/custom-providers", _) => &[
            CUSTOM,
            &[(
                400,
                &[ErrorCode::Conflict, ErrorCode::OverCustomProviderQuota],
            )],
        ],
        ("/admin/custom-providers/{identifier}", "put") => {
            &[CUSTOM, OF_CUSTOM, &[(409, &[ErrorCode::Conflict])]]
        }
        ("/admin/custom-providers/{identifier}", _) => &[CUSTOM, OF_CUSTOM],
        ("/admin/mail/{mail_id}/retry", _) => &[&[
            (404, &[ErrorCode::MailNotFound]),
            (409, &[ErrorCode::MailDelivered, ErrorCode::MailSending]),
        ]],
        ("/admin/users" | "/admin/users/{user_id}", "post") => &[ACCOUNT, PASSWORD],
        ("/admin/users/{user_id}", "put") => &[OF_USER, ACCOUNT, PASSWORD],
        ("/admin/generate_link", _) => &[OF_USER, ACCOUNT, HOOK, PASSWORD],
        ("/admin/users/{user_id}", "delete") => &[OF_USER, &[(409, &[ErrorCode::Conflict])]],
        ("/admin/users/{user_id}/sessions/{id}", _) => &[OF_USER, OF_SESSION],
        ("/admin/users/{user_id}/factors/{id}", "put") => &[
            OF_USER,
            OF_FACTOR,
            &[(
                422,
                &[
                    ErrorCode::MfaFactorNameConflict,
                    ErrorCode::MfaVerifiedFactorExists,
                ],
            )],
        ],
        ("/admin/users/{user_id}/factors/{id}", _) => &[OF_USER, OF_FACTOR],
        (
            "/admin/users/{user_id}"
            | "/admin/users/{user_id}/factors"
            | "/admin/users/{user_id}/sessions",
            _,
        ) => &[OF_USER],
        _ => passkeys::own(path, method),
    }
}
