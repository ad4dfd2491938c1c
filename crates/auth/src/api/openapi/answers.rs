//! What operations answer: which codes go with which status, and the headers of answers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Codes by status.
type Refusals = &'static [(u16, &'static [&'static str])];

/// The headers of answers, for `#/components/headers`.
pub(super) fn headers() -> Value {
    let header =
        |description: &str, schema: Value| json!({ "description": description, "schema": schema });
    let text = || json!({ "type": "string" });
    json!({
        "ApiVersion": header("Sent when the request asked for it.", json!({ "const": "2024-01-01" })),
        "ErrorCode": header("The code of the error.", text()),
        "RetryAfter": header("Seconds to wait.", json!({ "type": "integer", "minimum": 0 })),
        "Location": header("Where the browser goes.", text()),
        "TotalCount": header("How many there are in all.", json!({ "type": "integer" })),
        "Link": header("The next and the last page.", text()),
        "UserId": header("The user.", json!({ "type": "string", "format": "uuid" })),
        "SessionId": header("The session.", json!({ "type": "string", "format": "uuid" })),
        "RefreshTokenCounter": header(
            "How often the session was refreshed.",
            json!({ "type": "integer", "minimum": 0 }),
        ),
        "RefreshTokenPrefix": header("The first letters of a refresh token of the older kind.", text()),
        "RefreshTokenReuse": header(
            "Whether an earlier refresh is answered again.",
            json!({ "enum": ["true", "false"] }),
        ),
    })
}

/// Lists every answer of an operation.
pub(super) fn write(path: &str, method: &str, operation: &mut Map<String, Value>) {
    let (reads, secured) = (
        operation.contains_key("requestBody"),
        operation.get("security").cloned(),
    );
    let responses = operation.entry("responses").or_insert_with(|| json!({}));
    let Some(responses) = responses.as_object_mut() else {
        return;
    };
    // What is down is told in the shape of what is up.
    let is_health = path == "/health";
    responses.retain(|status, _| status.starts_with(['2', '3']) || is_health && status == "503");
    for (status, answer) in responses.iter_mut() {
        describe(path, method, status, answer);
    }
    let mut codes = BTreeMap::<u16, Vec<&str>>::new();
    let mut add = |refusals: Refusals| {
        for (status, more) in refusals {
            codes.entry(*status).or_default().extend(*more);
        }
    };
    if is_health {
        return;
    }
    add(ANYWHERE);
    if reads {
        add(BODY);
    }
    if let Some(schemes) = secured {
        add(if schemes.pointer("/0/service").is_some() {
            ADMIN
        } else {
            USER
        });
    }
    if path.contains('{') {
        add(&[(400, &["validation_failed"]), (404, &["validation_failed"])]);
    }
    for refusals in own(path, method) {
        add(refusals);
    }
    for (status, codes) in codes {
        responses.insert(status.to_string(), failure(status, &codes));
    }
}

/// Adds the headers of an answer when all is well, and what it holds if no type says so.
fn describe(path: &str, method: &str, status: &str, answer: &mut Value) {
    let names: &[(&str, &str)] = match (path, method, status) {
        ("/signup" | "/token" | "/verify", "post", "200") => &[
            ("sb-auth-user-id", "UserId"),
            ("sb-auth-session-id", "SessionId"),
            ("sb-auth-refresh-token-counter", "RefreshTokenCounter"),
            ("sb-auth-refresh-token-prefix", "RefreshTokenPrefix"),
            ("sb-auth-refresh-token-reuse", "RefreshTokenReuse"),
        ],
        ("/admin/users" | "/admin/audit" | "/admin/mail", "get", "200") => {
            &[("x-total-count", "TotalCount"), ("link", "Link")]
        }
        (_, _, "303") => &[("location", "Location")],
        _ => &[],
    };
    if (path, method, status) == ("/verify", "get", "200") {
        answer["content"] = json!({ "text/html": { "schema": { "type": "string" } } });
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

fn failure(status: u16, codes: &[&str]) -> Value {
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
    (500, &["unexpected_failure"]),
    (503, &["database_unavailable"]),
    (504, &["request_timeout"]),
];

const BODY: Refusals = &[
    (400, &["bad_json", "validation_failed"]),
    (408, &["request_timeout"]),
    (413, &["request_entity_too_large"]),
];

const USER: Refusals = &[
    (400, &["bad_jwt", "validation_failed"]),
    (401, &["no_authorization"]),
    (
        403,
        &[
            "bad_jwt",
            "session_not_found",
            "unexpected_audience",
            "user_banned",
            "user_not_found",
        ],
    ),
];

const ADMIN: Refusals = &[
    (401, &["no_authorization"]),
    (
        403,
        &[
            "bad_jwt",
            "not_admin",
            "session_expired",
            "session_not_found",
            "user_banned",
        ],
    ),
];

const MAIL: Refusals = &[
    (
        400,
        &["email_address_not_authorized", "email_provider_disabled"],
    ),
    (422, &["email_address_invalid", "email_provider_disabled"]),
    (
        429,
        &["over_email_send_rate_limit", "over_request_rate_limit"],
    ),
];

/// A captcha is asked for, where one is set up.
const CAPTCHA: Refusals = &[(400, &["captcha_failed"]), (503, &["captcha_unavailable"])];

/// A hook of the application is asked, and does not answer as it should.
const HOOK: Refusals = &[
    (400, &["hook_payload_invalid_content_type"]),
    (
        422,
        &[
            "hook_payload_over_size_limit",
            "hook_timeout",
            "hook_timeout_after_retry",
        ],
    ),
];

/// A password is checked or hashed.
const PASSWORD: Refusals = &[(422, &["weak_password"]), (503, &["server_busy"])];

/// An account is made or changed by an operator.
const ACCOUNT: Refusals = &[(
    422,
    &[
        "conflict",
        "email_exists",
        "phone_exists",
        "validation_failed",
    ],
)];

const OF_USER: Refusals = &[(404, &["user_not_found"])];

const OF_SESSION: Refusals = &[(404, &["session_not_found"])];

/// What one operation refuses with.
#[expect(clippy::too_many_lines, reason = "a flat table of operations")]
fn own(path: &str, method: &str) -> &'static [Refusals] {
    match (path, method) {
        ("/signup", _) => &[
            CAPTCHA,
            HOOK,
            MAIL,
            PASSWORD,
            &[
                (400, &["phone_provider_disabled", "user_already_exists"]),
                (
                    422,
                    &[
                        "anonymous_provider_disabled",
                        "signup_disabled",
                        "user_already_exists",
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
                        "bad_code_verifier",
                        "email_not_confirmed",
                        "invalid_credentials",
                        "phone_not_confirmed",
                        "refresh_token_already_used",
                        "refresh_token_not_found",
                        "session_expired",
                        "session_not_found",
                        "user_banned",
                    ],
                ),
                (403, &["user_banned"]),
                (404, &["flow_state_not_found"]),
                (409, &["conflict"]),
                (
                    422,
                    &[
                        "email_provider_disabled",
                        "flow_state_expired",
                        "phone_provider_disabled",
                    ],
                ),
                (429, &["over_request_rate_limit"]),
                (503, &["server_busy"]),
            ],
        ],
        ("/verify", "get") => &[&[
            (400, &["validation_failed"]),
            (429, &["over_request_rate_limit"]),
        ]],
        ("/verify", _) => &[
            HOOK,
            PASSWORD,
            &[
                (403, &["otp_expired", "user_banned"]),
                (422, &["email_exists", "validation_failed"]),
                (429, &["over_request_rate_limit"]),
            ],
        ],
        ("/otp", _) => &[
            CAPTCHA,
            HOOK,
            MAIL,
            &[
                (400, &["phone_provider_disabled"]),
                (422, &["otp_disabled", "signup_disabled"]),
            ],
        ],
        ("/magiclink", _) => &[
            CAPTCHA,
            HOOK,
            MAIL,
            &[(422, &["signup_disabled", "validation_failed"])],
        ],
        ("/recover", _) => &[CAPTCHA, MAIL],
        ("/resend", _) => &[CAPTCHA, MAIL, &[(400, &["phone_provider_disabled"])]],
        ("/invite", _) => &[HOOK, MAIL, &[(422, &["email_exists"])]],
        ("/user", "put") => &[
            MAIL,
            PASSWORD,
            &[
                (
                    400,
                    &[
                        "current_password_invalid",
                        "current_password_required",
                        "phone_provider_disabled",
                        "reauthentication_needed",
                    ],
                ),
                (401, &["insufficient_aal"]),
                (403, &["not_admin"]),
                (
                    422,
                    &[
                        "email_exists",
                        "reauthentication_not_valid",
                        "same_password",
                        "user_sso_managed",
                        "validation_failed",
                    ],
                ),
            ],
        ],
        ("/user/sessions/{id}", _) => &[OF_SESSION],
        ("/reauthenticate", _) => &[
            MAIL,
            &[
                (400, &["phone_provider_disabled"]),
                (422, &["email_not_confirmed"]),
            ],
        ],
        ("/admin/users" | "/admin/audit" | "/admin/mail", "get") => {
            &[&[(400, &["validation_failed"])]]
        }
        ("/admin/mail/{mail_id}/retry", _) => &[&[
            (404, &["mail_not_found"]),
            (409, &["mail_delivered", "mail_sending"]),
        ]],
        ("/admin/users" | "/admin/users/{user_id}", "post") => &[ACCOUNT, PASSWORD],
        ("/admin/users/{user_id}", "put") => &[OF_USER, ACCOUNT, PASSWORD],
        ("/admin/generate_link", _) => &[OF_USER, ACCOUNT, HOOK, PASSWORD],
        ("/admin/users/{user_id}", "delete") => &[OF_USER, &[(409, &["conflict"])]],
        ("/admin/users/{user_id}/sessions/{id}", _) => &[OF_USER, OF_SESSION],
        ("/admin/users/{user_id}" | "/admin/users/{user_id}/sessions", _) => &[OF_USER],
        _ => &[],
    }
}
