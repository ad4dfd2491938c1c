//! The OpenAPI document of this server: what the routes tell by themselves, and what they cannot.

mod answers;
mod parameters;

use innkeeper_rest::{OpenApi, SecurityScheme};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::admin::users::Deletion;
use super::verify::VerifyBody;

const DESCRIPTION: &str = "\
User registration and authentication, in the std profile.

**Errors** have one of two shapes. With the header `X-Supabase-Api-Version: 2024-01-01`, or a later date, it is
`{\"code\": \"…\", \"message\": \"…\"}`, and the answer carries that header; without, it is `{\"code\": 400, \
\"error_code\": \"…\", \"msg\": \"…\"}`. The code also stands in the header `x-sb-error-code`. A trigger or a hook of \
the application may refuse any change with a status of its own choice, which is not listed.

**Bodies** are read as JSON whatever their content type; `null` counts as an empty object, a member that is `null` \
as absent, and unknown members are ignored. They have at most 1 MiB, and no text in them holds U+0000.";

/// The document, to be told of the routes.
pub(crate) fn openapi() -> OpenApi {
    OpenApi::new("Innkeeper auth", crate::VERSION)
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
                "A token of this server whose `role` is one of `JWT_ADMIN_ROLES`, such as a service's key.",
            ),
        )
        .change(complete)
}

/// The schema of every failure; see the errors' module for who writes it.
pub(super) fn error_schema() -> Value {
    let weak = json!({
        "type": "object",
        "required": ["reasons"],
        "properties": { "reasons": { "type": "array", "items": { "type": "string" } } },
    });
    let said =
        json!({ "type": "string", "description": "What a trigger of the application said." });
    json!({
        "title": "Error",
        "description": "What went wrong, in the shape that the version header asks for.",
        "anyOf": [
            {
                "description": "Without the version header.",
                "type": "object",
                "required": ["code", "error_code", "msg"],
                "properties": {
                    "code": { "type": "integer", "description": "The status." },
                    "error_code": { "type": "string", "description": "What went wrong, for programs." },
                    "msg": { "type": "string", "description": "What went wrong, for people." },
                    "error_id": {
                        "type": "string",
                        "description": "The request in the log, for failures of the server.",
                    },
                    "weak_password": weak,
                    "detail": said,
                    "hint": said,
                },
            },
            {
                "description": "With the version header.",
                "type": "object",
                "required": ["code", "message"],
                "properties": {
                    "code": { "type": "string", "description": "What went wrong, for programs." },
                    "message": { "type": "string", "description": "What went wrong, for people." },
                    "weak_password": weak,
                    "detail": said,
                    "hint": said,
                },
            },
        ],
    })
}

/// Writes in what no annotation says.
fn complete(document: &mut Value) {
    let bodies = [
        ("Verification", schema::<VerifyBody>()),
        ("Deletion", schema::<Deletion>()),
    ];
    set(document, "/components/headers", answers::headers());
    set(document, "/components/parameters", parameters::shared());
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
                parameters::write(path, method, operation);
                answers::write(path, method, operation);
            }
        }
    }
}

/// Two routes look at the bytes of their bodies themselves, because they may be empty.
fn read_raw_body(path: &str, method: &str, operation: &mut Map<String, Value>) {
    let name = match (path, method) {
        ("/verify", "post") => "Verification",
        ("/admin/users/{user_id}", "delete") => "Deletion",
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

/// The schema of a type that is read, in one piece.
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

/// Puts a value at a place whose parents are objects, made if they are missing.
fn set(document: &mut Value, pointer: &str, value: Value) {
    let mut place = document;
    for name in pointer.split('/').skip(1) {
        if !place.is_object() {
            *place = json!({});
        }
        let Some(object) = place.as_object_mut() else {
            return;
        };
        place = object.entry(name).or_insert(Value::Null);
    }
    *place = value;
}
