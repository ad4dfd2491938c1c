//! Responses: from return types, declarations, errors, and the framework itself.

use std::fmt;

use bytes::Bytes;
use innkeeper_rest::{
    ApiError, App, Async, ErasedEntity, ErrorFormat, Format, Head, IntoReply, Invalid, OpenApi,
    PlainText, Rejection, ReplyKind, Response, RestApi, Value, resource,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{document, keys, operation};

#[derive(Debug, Serialize, JsonSchema)]
struct User {
    id: u64,
}

#[derive(Debug, Serialize)]
struct Untold {
    id: u64,
}

#[derive(Debug, ApiError)]
enum Inner {
    #[api(status = 410)]
    Gone,
    #[api(status = 409, code = "busy")]
    Busy,
}

#[derive(Debug, ApiError)]
enum Outer {
    #[api(status = 404)]
    NoSuchUser,
    #[api(status = 409)]
    Taken,
    #[api(transparent)]
    Inner(Inner),
}

#[derive(Debug, ApiError)]
enum Wrapper {
    #[api(transparent)]
    Outer(Outer),
}

macro_rules! display {
    ($($type:ty)*) => {$(
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("no")
            }
        }
    )*};
}
display!(Inner Outer Wrapper);

/// An upgrade: a fixed status and no body.
struct Switch;

impl IntoReply for Switch {
    const KIND: ReplyKind = ReplyKind::Any;
    const STATUS: Option<u16> = Some(101);

    fn into_reply(self) -> Response {
        Response::status(101)
    }
}

/// Events: a fixed media type.
struct Events;

impl IntoReply for Events {
    const KIND: ReplyKind = ReplyKind::Any;
    const STATUS: Option<u16> = Some(200);
    const MEDIA_TYPE: Option<&'static str> = Some("text/event-stream");

    fn into_reply(self) -> Response {
        Response::ok()
    }
}

struct Users;

#[resource("/users")]
impl Users {
    #[get("/entity")]
    fn entity(&self) -> User {
        User { id: 1 }
    }

    #[get("/optional")]
    fn optional(&self) -> Option<User> {
        None
    }

    #[get("/late")]
    fn late(&self) -> Async<Result<Vec<User>, Outer>> {
        Async::new(async { Ok(Vec::new()) })
    }

    #[get("/untold")]
    fn untold(&self) -> Vec<Untold> {
        vec![Untold { id: 1 }]
    }

    #[get("/text")]
    fn text(&self) -> String {
        String::new()
    }

    #[get("/octets")]
    fn octets(&self) -> Bytes {
        Bytes::new()
    }

    #[delete("/nothing")]
    fn nothing(&self) -> Result<(), Wrapper> {
        Err(Wrapper::Outer(Outer::Inner(Inner::Busy)))
    }

    #[get("/error")]
    fn error(&self, taken: bool) -> Result<User, Outer> {
        Err(if taken {
            Outer::Taken
        } else {
            Outer::NoSuchUser
        })
    }

    #[get("/opaque")]
    fn opaque(&self) -> Result<User, Rejection> {
        Err(Rejection::not_found())
    }

    #[get("/any")]
    fn any(&self) -> Response {
        Response::ok()
    }

    #[get("/declared")]
    #[responds(201, User, "made")]
    #[responds(304)]
    #[responds(402, "not paid")]
    fn declared(&self) -> Response {
        Response::ok()
    }

    #[get("/switch")]
    fn switch(&self) -> Switch {
        Switch
    }

    #[get("/events")]
    fn events(&self) -> Result<Events, Outer> {
        Err(Outer::Inner(Inner::Gone))
    }

    #[get("/{id:[0-9]+}")]
    #[security(bearer("admin"))]
    #[timeout(none)]
    fn automatic(&self, id: u64) -> User {
        User { id }
    }

    #[post("/automatic")]
    fn automatic_body(&self, ids: Vec<u64>) {
        let _ = ids;
    }
}

fn responses<'d>(document: &'d Value, path: &str) -> &'d Value {
    let path = format!("/users/{path}");
    let item = document["paths"][&path].as_object().unwrap();
    &operation(document, &path, item.keys().next().unwrap())["responses"]
}

fn content(document: &Value, path: &str, status: &str) -> Value {
    responses(document, path)[status]["content"].clone()
}

#[test]
fn a_value_is_answered_with_200_and_its_schema() {
    let document = document(Users);
    let user = json!({ "$ref": "#/components/schemas/User" });
    for (path, media_type, schema) in [
        ("entity", "application/json", user.clone()),
        (
            "optional",
            "application/json",
            json!({ "anyOf": [user, { "type": "null" }] }),
        ),
        (
            "late",
            "application/json",
            json!({ "type": "array", "items": user }),
        ),
        (
            "untold",
            "application/json",
            json!({ "type": "array", "items": {} }),
        ),
        ("text", "text/plain", json!({ "type": "string" })),
        ("octets", "application/octet-stream", Value::Null),
    ] {
        let content = content(&document, path, "200");
        assert_eq!(content[media_type]["schema"], schema, "{path}");
    }
}

#[test]
fn nothing_is_204_and_has_no_content() {
    let document = document(Users);
    let nothing = &responses(&document, "nothing")["204"];
    assert_eq!(*nothing, json!({ "description": "No Content" }));
}

#[test]
fn errors_have_their_statuses_and_codes_and_the_shape_of_the_mount() {
    let document = document(Users);
    let problem = json!({
        "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } }
    });
    let all = responses(&document, "error");
    assert_eq!(keys(all), ["200", "400", "404", "406", "408", "409", "410"]);
    assert_eq!(
        all["404"],
        json!({ "description": "`no_such_user`", "content": problem })
    );
    // The errors of a transparent variant are errors of the enum.
    assert_eq!(all["409"]["description"], "`taken`; `busy`");
    assert_eq!(all["410"]["description"], "`gone`");
    let late = keys(responses(&document, "late")).join(" ");
    assert_eq!(late, "200 404 406 408 409 410");
    let nested = keys(responses(&document, "nothing")).join(" ");
    assert_eq!(nested, "204 404 408 409 410");
    let required = &document["components"]["schemas"]["Problem"]["required"];
    assert_eq!(
        *required,
        json!(["type", "title", "status", "detail", "code"])
    );
}

#[test]
fn what_the_type_does_not_tell_is_any_other_answer() {
    let document = document(Users);
    let opaque = responses(&document, "opaque");
    assert_eq!(keys(opaque), ["200", "406", "408", "default"]);
    assert_eq!(opaque["default"]["description"], "Any other error");
    assert!(responses(&document, "any")["default"].is_object());
}

#[test]
fn declared_answers_are_listed_as_they_are_declared() {
    let document = document(Users);
    let all = responses(&document, "declared");
    assert_eq!(keys(all), ["201", "304", "402", "406", "408"]);
    assert_eq!(all["201"]["description"], "made");
    let made = content(&document, "declared", "201");
    assert_eq!(
        made["application/json"]["schema"]["$ref"],
        "#/components/schemas/User"
    );
    assert_eq!(all["304"], json!({ "description": "Not Modified" }));
    assert_eq!(keys(&all["402"]["content"]), ["application/problem+json"]);
}

#[test]
fn replies_with_a_status_or_media_type_of_their_own_say_so() {
    let document = document(Users);
    assert_eq!(
        responses(&document, "switch")["101"]["content"],
        Value::Null
    );
    let events = responses(&document, "events");
    assert_eq!(keys(&events["200"]["content"]), ["text/event-stream"]);
    assert_eq!(events["409"]["description"], "`taken`; `busy`");
}

#[test]
fn refusals_of_the_framework_are_listed_where_they_can_happen() {
    let document = document(Users);
    let by_id = keys(responses(&document, "{id}")).join(" ");
    assert_eq!(by_id, "200 400 401 403 404 406");
    let with_body = keys(responses(&document, "automatic")).join(" ");
    assert_eq!(with_body, "204 400 408 413 415 422");
    assert_eq!(
        keys(responses(&document, "entity")).join(" "),
        "200 406 408"
    );
}

struct Lines;

impl Format for Lines {
    fn media_type(&self) -> &'static str {
        "text/x-lines"
    }

    fn write(&self, _: &dyn ErasedEntity, _: &mut Vec<u8>) -> Result<(), Invalid> {
        Ok(())
    }
}

/// An error format that does not describe its schema.
struct Silent;

impl ErrorFormat for Silent {
    fn write(&self, _: &Rejection, _: &Head, response: Response) -> Response {
        response
    }
}

#[test]
fn formats_and_error_formats_of_the_mount_are_described() {
    let openapi = OpenApi::new("Test", "1");
    let api = RestApi::new(Users).register(Lines).errors(PlainText);
    let document = openapi.document(&App::new().mount("/", api));
    let entity = content(&document, "entity", "200");
    assert_eq!(keys(&entity), ["application/json", "text/x-lines"]);
    let error = content(&document, "error", "404");
    assert_eq!(keys(&error), ["application/problem+json", "text/plain"]);

    let silent = RestApi::new(Users).errors(Silent);
    let document = openapi.document(&App::new().mount("/", silent));
    assert_eq!(responses(&document, "error")["404"]["content"], Value::Null);
}
