//! The OpenAPI document: that of the routes, completed by hand where they do not say enough.

mod parameters;
mod passkeys;
mod presentation;
mod responses;

use innkeeper_rest::{OpenApi, SecurityScheme};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::admin::users::Deletion;
use super::passkeys::SignInRequest;
use super::verify::VerifyBody;
use crate::flow::factor::challenge::ChallengeInput;

const DESCRIPTION: &str = "\
User registration and authentication, in the std profile.

**Errors** have one of two shapes. With the header `X-Supabase-Api-Version: 2024-01-01`, or a later date, it is
`{\"code\": \"…\", \"message\": \"…\"}`, and the response has that header, too; without, it is `{\"code\": 400, \
\"error_code\": \"…\", \"msg\": \"…\"}`. The code is also in the header `x-sb-error-code`. A trigger or a hook of \
the application may reject any change with a status of its own, which is not listed.

**Bodies** are read as JSON whatever their content type; `null` counts as an empty object, a member that is `null` \
as absent, and unknown members are ignored. They have at most 1 MiB, and no text in them holds U+0000.";

/// The mounts of the API.
const MOUNTS: [&str; 9] = [
    "/",
    "/invite",
    "/user",
    "/factors",
    "/passkeys/authentication",
    "/passkeys",
    "/reauthenticate",
    "/logout",
    "/admin",
];

/// Returns the document, without the routes.
pub(crate) fn openapi() -> OpenApi {
    let openapi = OpenApi::new("Innkeeper auth", crate::base::VERSION);
    // Pages are for people.
    MOUNTS
        .into_iter()
        .fold(openapi, OpenApi::mount)
        .summary("Accounts, sessions and tokens")
        .description(DESCRIPTION)
        .license("MIT OR Apache-2.0", Some("MIT OR Apache-2.0"))
        .security(
            "bearer",
            SecurityScheme::bearer()
                .format("JWT")
                .description("The access token of a session of this server."),
        )
        .security(
            "service",
            SecurityScheme::bearer().format("JWT").description(
                "A token of this server whose `role` is one of `JWT_ADMIN_ROLES`, such as a service token.",
            ),
        )
        .change(complete)
}

/// Returns the schema of every error; [`JsonErrors`](super::errors::JsonErrors) writes it.
pub(super) fn error_schema() -> Value {
    let weak = json!({
        "type": "object",
        "required": ["reasons"],
        "properties": { "reasons": { "type": "array", "items": { "type": "string" } } },
    });
    let raised = json!({ "type": "string", "description": "From an exception that a trigger of the application raised." });
    json!({
        "title": "Error",
        "description": "An error, in the shape that the version header selects.",
        "anyOf": [
            {
                "description": "Without the version header.",
                "type": "object",
                "required": ["code", "error_code", "msg"],
                "properties": {
                    "code": { "type": "integer", "description": "The HTTP status." },
                    "error_code": { "type": "string", "description": "The error code, for programs." },
                    "msg": { "type": "string", "description": "The message, for people." },
                    "error_id": {
                        "type": "string",
                        "description": "The request id, as in the log; only for errors of the server.",
                    },
                    "weak_password": weak,
                    "detail": raised,
                    "hint": raised,
                },
            },
            {
                "description": "With the version header.",
                "type": "object",
                "required": ["code", "message"],
                "properties": {
                    "code": { "type": "string", "description": "The error code, for programs." },
                    "message": { "type": "string", "description": "The message, for people." },
                    "weak_password": weak,
                    "detail": raised,
                    "hint": raised,
                },
            },
            {
                "description": "Of the grant `id_token`, with either header.",
                "type": "object",
                "required": ["error", "error_description"],
                "properties": {
                    "error": { "type": "string", "description": "The error, for programs." },
                    "error_description": { "type": "string", "description": "The message, for people." },
                },
            },
        ],
    })
}

/// Adds what no annotation says.
fn complete(document: &mut Value) {
    let bodies = [
        ("Verification", schema::<VerifyBody>()),
        ("Deletion", schema::<Deletion>()),
        ("ChallengeRequest", schema::<ChallengeInput>()),
        ("PasskeySignInRequest", schema::<SignInRequest>()),
    ];
    set(document, "/components/headers", responses::headers());
    set(document, "/components/parameters", parameters::shared());
    set(document, "/tags", presentation::groups());
    for (name, schema) in bodies {
        set(document, &format!("/components/schemas/{name}"), schema);
    }
    let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) else {
        return;
    };
    for (path, item) in paths {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            if let Some(operation) = operation.as_object_mut() {
                read_raw_body(path, method, operation);
                if (path.as_str(), method.as_str()) == ("/callback", "post") {
                    operation.insert("requestBody".to_owned(), parameters::callback_form());
                }
                parameters::write(path, method, operation);
                responses::write(path, method, operation);
                presentation::write(path, method, operation);
            }
        }
    }
}

/// Describes the bodies of routes that parse the bytes themselves, because they may be empty.
fn read_raw_body(path: &str, method: &str, operation: &mut Map<String, Value>) {
    let name = match (path, method) {
        ("/verify", "post") => "Verification",
        ("/admin/users/{user_id}", "delete") => "Deletion",
        ("/factors/{id}/challenge", "post") => "ChallengeRequest",
        ("/passkeys/authentication/options", "post") => "PasskeySignInRequest",
        _ => return,
    };
    let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
    let body = json!({
        "required": false,
        "content": { "application/json": {
            "schema": { "anyOf": [schema, { "type": "null" }] },
        } },
    });
    operation.insert("requestBody".to_owned(), body);
}

/// Returns the schema of a request type, without references.
fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings
        .for_deserialize()
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// Sets the value at a JSON pointer, and creates missing parents as objects.
fn set(document: &mut Value, pointer: &str, value: Value) {
    let mut target = document;
    for name in pointer.split('/').skip(1) {
        if !target.is_object() {
            *target = json!({});
        }
        let Some(object) = target.as_object_mut() else {
            return;
        };
        target = object.entry(name).or_insert(Value::Null);
    }
    *target = value;
}
