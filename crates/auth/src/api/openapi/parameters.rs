//! Parameters that handlers read from the request themselves, or whose values are few.

use serde_json::{Map, Value, json};

/// The parameters that many operations have, for `#/components/parameters`.
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
            "A date, `2024-01-01` or later, asks for the clients' API; anything else counts as absent.",
        ),
        "ApiKey": header(
            "apikey",
            "Sent by clients for the gateway in front of this server, which does not read it.",
        ),
        "Audience": header(
            "X-JWT-AUD",
            "The audience whose users are meant; `JWT_AUD` without it.",
        ),
        "RedirectTo": {
            "name": "redirect_to",
            "in": "query",
            "required": false,
            "description": "Where the user comes back to. What is not allowed counts as absent.",
            "schema": { "type": "string" },
        },
    })
}

/// Adds what an operation reads beyond its arguments.
pub(super) fn write(path: &str, method: &str, operation: &mut Map<String, Value>) {
    let list = operation.entry("parameters").or_insert_with(|| json!([]));
    let Some(list) = list.as_array_mut() else {
        return;
    };
    for parameter in list.iter_mut() {
        let (place, name) = (&parameter["in"], &parameter["name"]);
        if place == "path" {
            parameter["schema"] = json!({ "type": "string", "format": "uuid" });
        } else if let Some(schema) = name.as_str().and_then(|name| known(path, name)) {
            parameter["schema"] = schema;
        }
    }
    for (name, required, description) in read_by_hand(path, method) {
        list.push(json!({
            "name": name,
            "in": "query",
            "required": required,
            "description": description,
            "schema": known(path, name).unwrap_or_else(|| json!({ "type": "string" })),
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
    let wanted = shared.into_iter().filter(|(_, wanted)| *wanted);
    list.extend(
        wanted.map(|(name, _)| json!({ "$ref": format!("#/components/parameters/{name}") })),
    );
}

/// Query parameters that no argument names: name, whether it must be there, meaning.
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
        ("/admin/users", "get") => &[
            ("page", false, "Which page, from 1."),
            (
                "per_page",
                false,
                "How many there are on a page, at most 1000.",
            ),
            (
                "sort",
                false,
                "`created_at`, alone or with `asc` or `desc`.",
            ),
            (
                "filter",
                false,
                "A piece of the address or of the full name.",
            ),
            ("email", false, "The address, in whole."),
            ("phone", false, "The number, in whole."),
            ("cursor", false, "The `next_cursor` of the page before."),
            (
                "limit",
                false,
                "How many there are on a page after a cursor, at most 1000.",
            ),
        ],
        _ => &[],
    }
}

/// The schema of a query parameter whose values are not just any text.
fn known(path: &str, name: &str) -> Option<Value> {
    match (path, name) {
        ("/admin/users" | "/admin/audit" | "/admin/mail", "page" | "per_page" | "limit") => {
            Some(json!({ "type": "integer", "format": "int64", "minimum": 0 }))
        }
        ("/admin/mail", "state") => Some(json!({
            "type": "string",
            "enum": ["waiting", "sending", "delivered", "failed"],
        })),
        ("/admin/audit", "query") => Some(json!({
            "type": "string",
            "pattern": "^$|^(author|action|type):",
            "description": "`author:…`, `action:…` or `type:…`, with a piece of what is looked for.",
        })),
        ("/token", "grant_type") => {
            Some(json!({ "type": "string", "enum": ["password", "refresh_token", "pkce"] }))
        }
        ("/logout", "scope") => {
            Some(json!({ "type": "string", "enum": ["global", "local", "others"] }))
        }
        _ => None,
    }
}
