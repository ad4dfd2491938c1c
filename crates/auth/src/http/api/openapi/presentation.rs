//! The order and the examples in which people read the document.

use serde_json::{Map, Value, json};

const SIGN_IN: &str = "Sign-up and sign-in";
const ACCOUNT: &str = "Account";
const PROVIDERS: &str = "Providers";
const ADMINISTRATION: &str = "Administration";
const SERVER: &str = "Server";

/// The groups of operations, in the order of the document: name and description.
const GROUPS: [(&str, &str); 5] = [
    (
        SIGN_IN,
        "Accounts, passwords, links and codes, and the tokens of a session.",
    ),
    (ACCOUNT, "The account of the access token."),
    (PROVIDERS, "Sign-in with an external provider."),
    (
        ADMINISTRATION,
        "All accounts, for tokens with an admin role.",
    ),
    (SERVER, "What the server is and can do."),
];

/// Returns the groups for the document.
pub(super) fn groups() -> Value {
    let groups = GROUPS.map(|(name, text)| json!({ "name": name, "description": text }));
    json!(groups)
}

/// Writes the group and the examples of an operation.
pub(super) fn write(path: &str, method: &str, operation: &mut Map<String, Value>) {
    operation.insert("tags".to_owned(), json!([group_of(path)]));
    let content = operation
        .get_mut("requestBody")
        .and_then(|body| body.pointer_mut("/content/application~1json"))
        .and_then(Value::as_object_mut);
    let Some(content) = content else {
        return;
    };
    if path == "/token" {
        content.insert("examples".to_owned(), grants());
    } else if let Some(example) = example(path, method) {
        content.insert("example".to_owned(), example);
    }
}

/// Returns the group of a path.
fn group_of(path: &str) -> &'static str {
    let starts = |prefix: &str| path.starts_with(prefix);
    match path {
        "/authorize" | "/callback" => PROVIDERS,
        "/health" | "/settings" => SERVER,
        "/reauthenticate" => ACCOUNT,
        "/invite" => ADMINISTRATION,
        _ if starts("/user/identities") => PROVIDERS,
        _ if starts("/user") || starts("/factors") => ACCOUNT,
        _ if starts("/passkeys/authentication") => SIGN_IN,
        _ if starts("/passkeys") => ACCOUNT,
        _ if starts("/admin/") => ADMINISTRATION,
        _ if starts("/.well-known/") => SERVER,
        _ => SIGN_IN,
    }
}

/// Returns an example of the body of each grant.
fn grants() -> Value {
    json!({
        "password": {
            "summary": "`grant_type=password`",
            "value": { "email": "ada@example.com", "password": "correct-horse-9" },
        },
        "refresh_token": {
            "summary": "`grant_type=refresh_token`",
            "value": { "refresh_token": "4hc7wq2rtkxv" },
        },
        "pkce": {
            "summary": "`grant_type=pkce`",
            "value": {
                "auth_code": "0b1f6c1e-6d3b-4a57-9a53-2d1c3b0c7d10",
                "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
            },
        },
        "id_token": {
            "summary": "`grant_type=id_token`",
            "value": { "provider": "google", "id_token": "eyJhbGciOiJSUzI1NiJ9…" },
        },
    })
}

/// Returns an example of the body of an operation.
fn example(path: &str, method: &str) -> Option<Value> {
    let email = "ada@example.com";
    Some(match (path, method) {
        ("/signup", _) => json!({ "email": email, "password": "correct-horse-9" }),
        ("/otp", _) => json!({ "email": email, "create_user": true }),
        ("/magiclink" | "/recover", _) => json!({ "email": email }),
        ("/verify", _) => json!({ "type": "signup", "email": email, "token": "123456" }),
        ("/resend", _) => json!({ "type": "signup", "email": email }),
        ("/user", _) => json!({ "data": { "name": "Ada" } }),
        ("/invite", _) => json!({ "email": email, "data": { "name": "Ada" } }),
        ("/admin/users/{user_id}", "delete") => json!({ "should_soft_delete": false }),
        ("/admin/users/{user_id}", "put") => json!({ "user_metadata": { "name": "Ada" } }),
        ("/admin/users" | "/admin/users/{user_id}", _) => {
            json!({ "email": email, "password": "correct-horse-9", "email_confirm": true })
        }
        ("/admin/generate_link", _) => json!({ "type": "magiclink", "email": email }),
        ("/admin/custom-providers", _) => json!({
            "provider_type": "oauth2",
            "identifier": "custom:inn",
            "name": "Inn",
            "client_id": "inn-client",
            "client_secret": "inn-secret",
            "authorization_url": "https://id.inn.example/authorize",
            "token_url": "https://id.inn.example/token",
            "userinfo_url": "https://id.inn.example/me",
        }),
        ("/admin/custom-providers/{identifier}", _) => json!({ "name": "Inn", "enabled": true }),
        _ => return None,
    })
}
