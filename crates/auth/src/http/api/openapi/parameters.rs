//! Parameters that handlers read from the request themselves, or that have few values.

use serde_json::{Map, Value, json};

/// Returns the parameters that many operations share, for `#/components/parameters`.
pub(super) fn shared() -> Value {
    let header = |name: &str, description: &str| {
        json!({
            "name": name,
            "in": "header",
            "required": false,
            "description": description,
            "schema": { "type": "string" },
        })
    };
    json!({
        "ApiVersion": header(
            "X-Supabase-Api-Version",
            "The API version: a date, `2024-01-01` or later. Anything else counts as absent.",
        ),
        "ApiKey": header(
            "apikey",
            "For the gateway in front of this server. This server ignores it.",
        ),
        "Audience": header(
            "X-JWT-AUD",
            "The audience of the users; `JWT_AUD` by default.",
        ),
        "RedirectTo": {
            "name": "redirect_to",
            "in": "query",
            "required": false,
            "description": "The URL that the user is sent back to. One that is not allowed counts as absent.",
            "schema": { "type": "string" },
        },
    })
}

/// Adds the parameters that an operation reads beyond its arguments.
pub(super) fn write(path: &str, method: &str, operation: &mut Map<String, Value>) {
    let list = operation.entry("parameters").or_insert_with(|| json!([]));
    let Some(list) = list.as_array_mut() else {
        return;
    };
    for parameter in list.iter_mut() {
        let (location, name) = (&parameter["in"], &parameter["name"]);
        if location == "path" && name == "identifier" {
            parameter["schema"] = json!({ "type": "string", "maxLength": 50 });
        } else if location == "path" {
            parameter["schema"] = json!({ "type": "string", "format": "uuid" });
        } else if let Some(schema) = name.as_str().and_then(|name| schema_of(path, name)) {
            parameter["schema"] = schema;
        }
    }
    for (name, required, description) in read_by_hand(path, method) {
        list.push(json!({
            "name": name,
            "in": "query",
            "required": required,
            "description": description,
            "schema": schema_of(path, name).unwrap_or_else(|| json!({ "type": "string" })),
        }));
    }
    let public = ["/health", "/settings"].contains(&path) || path.starts_with("/.well-known/");
    let redirects = [
        "/signup",
        "/otp",
        "/magiclink",
        "/recover",
        "/resend",
        "/verify",
        "/authorize",
        "/user/identities/authorize",
        "/invite",
        "/user",
        "/admin/generate_link",
    ];
    let shared = [
        ("ApiVersion", true),
        ("ApiKey", true),
        ("Audience", !public),
        ("RedirectTo", redirects.contains(&path)),
    ];
    let used = shared.into_iter().filter(|(_, is_used)| *is_used);
    list.extend(used.map(|(name, _)| json!({ "$ref": format!("#/components/parameters/{name}") })));
}

/// The parameters of a sign-in with a provider. All others are passed on to the provider.
const SIGN_IN: &[(&str, bool, &str)] = &[
    ("provider", true, "The name of the provider."),
    (
        "scopes",
        false,
        "Scopes besides the usual ones, separated by commas, for custom providers by blanks.",
    ),
    ("code_challenge", false, "The code challenge, for PKCE."),
    ("code_challenge_method", false, "`s256` or `plain`."),
    (
        "invite_token",
        false,
        "The secret of an invitation that the sign-in accepts.",
    ),
];

const LINK: &[(&str, bool, &str)] = &[
    ("provider", true, "The name of the provider."),
    (
        "scopes",
        false,
        "Scopes besides the usual ones, separated by commas, for custom providers by blanks.",
    ),
    ("code_challenge", false, "The code challenge, for PKCE."),
    ("code_challenge_method", false, "`s256` or `plain`."),
    (
        "skip_http_redirect",
        false,
        "`true` to get the URL as JSON.",
    ),
];

/// The parameters of `/callback`: name, whether it is required, description.
const CALLBACK: &[(&str, bool, &str)] = &[
    (
        "state",
        false,
        "The `state` that this server has sent to the provider.",
    ),
    ("code", false, "The provider's code."),
    ("error", false, "The provider's error."),
    (
        "error_description",
        false,
        "What the provider says about it.",
    ),
];

/// Returns the body of `POST /callback`: the parameters above, as a form.
pub(super) fn callback_form() -> Value {
    let property = |text: &str| json!({ "type": "string", "description": text });
    let mut properties: Map<String, Value> = CALLBACK
        .iter()
        .map(|(name, _, text)| ((*name).to_owned(), property(text)))
        .collect();
    let user = "The name that Apple sends at the first sign-in, as JSON.";
    properties.insert("user".to_owned(), property(user));
    let schema = json!({ "type": "object", "properties": properties });
    json!({
        "required": false,
        "content": { "application/x-www-form-urlencoded": { "schema": schema } },
    })
}

/// Returns the query parameters that no argument names: name, whether it is required, description.
fn read_by_hand(path: &str, method: &str) -> &'static [(&'static str, bool, &'static str)] {
    match (path, method) {
        ("/verify", "get") => &[
            ("token", true, "The token of the link."),
            ("type", true, "What the link is for."),
        ],
        ("/verify", "post") => &[
            (
                "token",
                false,
                "The token of the link, after the button of the page.",
            ),
            (
                "type",
                false,
                "What the link is for, after the button of the page.",
            ),
        ],
        ("/authorize", "get") => SIGN_IN,
        ("/user/identities/authorize", "get") => LINK,
        ("/callback", "get") => CALLBACK,
        ("/admin/custom-providers", "get") => &[("type", false, "Only providers of this type.")],
        ("/admin/users", "get") => &[
            ("page", false, "The number of the page, from 1."),
            (
                "per_page",
                false,
                "The number of users on a page, at most 1000.",
            ),
            (
                "sort",
                false,
                "`created_at`, alone or with `asc` or `desc`.",
            ),
            (
                "filter",
                false,
                "A part of the email address or of the full name.",
            ),
            ("email", false, "The whole email address."),
            ("phone", false, "The whole phone number."),
            ("cursor", false, "The `next_cursor` of the previous page."),
            (
                "limit",
                false,
                "The number of users on a page after a cursor, at most 1000.",
            ),
        ],
        _ => &[],
    }
}

/// Returns the schema of a query parameter that is not just any text.
fn schema_of(path: &str, name: &str) -> Option<Value> {
    match (path, name) {
        ("/admin/users" | "/admin/audit" | "/admin/mail", "page" | "per_page" | "limit") => {
            Some(json!({ "type": "integer", "format": "int64", "minimum": 0 }))
        }
        ("/admin/mail", "state") => Some(json!({
            "type": "string",
            "enum": ["waiting", "sending", "delivered", "failed"],
        })),
        ("/admin/custom-providers", "type") => {
            Some(json!({ "type": "string", "enum": ["", "oidc", "oauth2"] }))
        }
        ("/admin/audit", "query") => Some(json!({
            "type": "string",
            "pattern": "^$|^(author|action|type):",
            "description": "`author:…`, `action:…` or `type:…`, with a part of the value.",
        })),
        ("/token", "grant_type") => Some(
            json!({ "type": "string", "enum": ["password", "refresh_token", "pkce", "id_token"] }),
        ),
        ("/logout", "scope") => {
            Some(json!({ "type": "string", "enum": ["global", "local", "others"] }))
        }
        _ => None,
    }
}
